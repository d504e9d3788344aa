//! Resources: one value per type, outside all entities.

mod erased;
#[cfg(feature = "data")]
mod erased_mut;
mod foreign;
mod guard;
mod map;
#[cfg(feature = "std")]
mod non_send;
#[cfg(feature = "std")]
mod non_send_guard;
#[cfg(feature = "snapshot")]
mod snapshot;

#[doc(hidden)]
pub use erased::ErasedRes;
#[cfg(feature = "data")]
#[doc(hidden)]
pub use erased_mut::ErasedResMut;
pub use guard::{Res, ResMut};
pub use map::{ResourceError, ResourceMap};
#[cfg(feature = "std")]
pub use non_send::NonSendError;
#[cfg(feature = "std")]
pub(crate) use non_send::NonSendMap;
#[cfg(feature = "std")]
pub use non_send_guard::{NonSend, NonSendMut};
#[cfg(feature = "snapshot")]
pub(crate) use snapshot::{ResourceCopier, ResourcesCopy, swap_erased};

pub use crate::thread_safe::ThreadSafe;

use crate::data_type::DataTypeOf;
use crate::meta::{ConstTypeIdOf, ParamAccess};

/// A value that a world has at most once; systems borrow it as [`Res`] and [`ResMut`].
///
/// Implement it with the derive. Numbers, strings, collections and other types of the standard library are resources already
/// (`Res<usize>`). A [`ResourceMap`] itself holds values of any `Send + Sync + 'static` type; the trait adds the identity
/// for checking system parameters at compile time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "not a resource",
    note = "add `#[derive(Resource)]` to the type, or wrap a foreign type in a struct of your own; a component is taken as `Comp<{Self}>` or `CompMut<{Self}>`",
    note = "the value of a state is read as `Res<State<{Self}>>` and changed through `ResMut<NextState<{Self}>>`; events are `EventReader<{Self}>` and `EventWriter<{Self}>`; a generic type needs the bound `{Self}: Resource`",
    note = "a value that is not `Send` and `Sync` stays on its thread: take it as `NonSend<{Self}>` or `NonSendMut<{Self}>`"
)]
pub trait Resource: Send + Sync + Sized + 'static {
    /// The identity that access checks compare.
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::opaque();

    /// For `Events<E>`, the events that a system with a `ResMut` of it can send.
    #[doc(hidden)]
    const SENDS: &'static ParamAccess = &ParamAccess::Nothing;
}

impl<T: Resource> DataTypeOf<T> {
    /// Declares that the type is a resource.
    #[doc(hidden)]
    #[must_use]
    pub const fn resource(self) -> Self {
        self.of_resources()
    }
}
