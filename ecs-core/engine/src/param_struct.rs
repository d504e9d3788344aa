//! Structs of parameters, for `#[derive(SystemParam)]`.

use crate::system::{HeldBorrows, ParamError, Remember, SystemParam};
use crate::world::{CommandQueue, World};

/// A struct of parameters; implemented by `#[derive(SystemParam)]`.
pub trait StructOfParams {
    /// The list of its fields.
    type Fields: SystemParam;
}

/// The state of the fields.
///
/// This type and the guard's name the struct alone: code that can name the struct may be unable to name its fields' types.
pub struct StructState<S: StructOfParams>(<S::Fields as SystemParam>::State);

/// The guard of the fields.
pub struct StructGuard<'w, S: StructOfParams>(<S::Fields as SystemParam>::Guard<'w>);

impl<S: StructOfParams> StructState<S> {
    /// Creates the state before the first run.
    #[inline]
    pub fn new(world: &World) -> Self {
        Self(S::Fields::init(world))
    }

    /// Borrows the fields, which `fields` gives as text, from the world.
    ///
    /// # Errors
    /// If a field cannot be locked. Then none is.
    #[inline]
    pub fn lock<'w>(
        &'w mut self,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
        fields: &[&'static str],
    ) -> Result<StructGuard<'w, S>, ParamError> {
        match S::Fields::lock_list(&mut self.0, world, held) {
            Ok(guard) => Ok(StructGuard(guard)),
            Err(error) => Err(error.in_field(fields)),
        }
    }

    /// Does what [`SystemParam::flush`] does, for each field.
    pub fn flush(&mut self, into: &mut CommandQueue) {
        S::Fields::flush(&mut self.0, into);
    }

    /// Does what [`SystemParam::skip`] does, for each field.
    pub fn skip(&mut self, world: &World) {
        S::Fields::skip(&mut self.0, world);
    }

    /// Does what [`SystemParam::remembered`] does, for each field.
    pub fn remembered(&mut self, remember: &mut Remember<'_>) {
        S::Fields::remembered(&mut self.0, remember);
    }
}

impl<'w, S: StructOfParams> StructGuard<'w, S> {
    /// Returns the guards of the fields.
    #[inline]
    pub fn fields(&self) -> &<S::Fields as SystemParam>::Guard<'w> {
        &self.0
    }
    /// Returns the guards of the fields.
    #[inline]
    pub fn fields_mut(&mut self) -> &mut <S::Fields as SystemParam>::Guard<'w> {
        &mut self.0
    }
}
