//! The identity of a type as constant data.

use core::any::{TypeId, type_name};
use core::fmt;
use core::marker::PhantomData;
use core::mem::needs_drop;

use super::module_path::assert_modules;
use crate::data_type::DataType;
use crate::invariant::Invariant;
use crate::type_name::without_engine;

/// The erased identity of a component or resource type.
///
/// `TypeId`s cannot be compared in a constant on stable Rust, so a derive also records a 128-bit hash of the place
/// where the type was written (crate, version, module path, name, line, column). A type has one identity, so two idents
/// are
///
/// * *certainly different* when the hashes differ, or only one is [exact](Self::exact),
/// * *certainly equal* when both are exact and the hashes are equal,
/// * *undecided* otherwise, until [`type_id`](Self::type_id) is compared at run time. This happens to two instances of one
///   generic type that have one layout, if its bounds do not make the argument a component, and to two types without a
///   derive.
#[derive(Clone, Copy)]
pub struct ConstTypeId {
    hash: u128,
    exact: bool,
    /// True if the name was given, and not derived from the path.
    given: bool,
    name: &'static str,
    data: &'static [DataType],
    data_of: fn() -> TypeId,
    /// The modules whose systems alone may write it; empty for all.
    owners: &'static [&'static str],
    /// True if values are only replaced, and never written.
    immutable: bool,
    /// The number of a component that was defined at run time, and has no Rust type; or [`OF_TYPE`](Self::OF_TYPE).
    dynamic: u32,
    #[cfg(feature = "data")]
    required: RequiredFn,
    of: fn() -> (TypeId, &'static str),
}

/// Calls a function with the descriptions of the components that a component requires, directly or not, if they are data.
#[cfg(feature = "data")]
type RequiredFn = fn(&mut dyn FnMut(&'static DataType));

/// One function for both because identities are copied into many constants.
fn id_and_name<T: 'static>() -> (TypeId, &'static str) {
    (TypeId::of::<T>(), type_name::<T>())
}

impl ConstTypeId {
    /// No number of a component. Not an `Option`, which would make identities larger.
    const OF_TYPE: u32 = u32::MAX;

    /// Returns the hash of the place of definition; see the type for how far it decides equality.
    #[must_use]
    #[inline]
    pub const fn hash(&self) -> u128 {
        self.hash
    }

    /// Returns true if the hash alone decides equality.
    #[must_use]
    #[inline]
    pub const fn exact(&self) -> bool {
        self.exact
    }

    /// Returns the name that the type was given (`#[component(name = "..")]`), or its path at its definition, without
    /// generic arguments; empty when unknown while compiling.
    #[must_use]
    #[inline]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Identifies the component with a number that was defined at run time, and has no Rust type. The descriptions are for the
    /// type that the function returns.
    #[inline]
    pub(crate) const fn dynamic(
        number: u32,
        name: &'static str,
        data: &'static [DataType],
        data_of: fn() -> TypeId,
    ) -> Self {
        Self {
            // Differs from the hash of any type, and of other numbers.
            hash: u128::MAX - number as u128,
            exact: true,
            given: true,
            name,
            data,
            data_of,
            owners: &[],
            immutable: false,
            dynamic: number,
            #[cfg(feature = "data")]
            required: |_| {},
            of: id_and_name::<Dynamic>,
        }
    }

    /// Returns the `TypeId` that all components defined at run time share.
    #[inline]
    pub(crate) const fn of_dynamic() -> TypeId {
        TypeId::of::<Dynamic>()
    }

    /// Returns the number of a component that was defined at run time; `None` for a type.
    #[inline]
    pub(crate) const fn dynamic_number(&self) -> Option<u32> {
        match self.dynamic {
            Self::OF_TYPE => None,
            number => Some(number),
        }
    }

    /// Returns the type's `TypeId`, which always decides equality; components that were defined at run time share one.
    #[must_use]
    pub fn type_id(&self) -> TypeId {
        (self.of)().0
    }

    /// Returns the name that the type was given, or its full path, including generic arguments. Types of the engine have no
    /// path.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        if self.given {
            self.name
        } else {
            without_engine((self.of)().1)
        }
    }

    /// Returns the path of the type without generic arguments, if constants know it.
    #[inline]
    pub(super) const fn const_path(&self) -> Option<&'static str> {
        match self.given || self.name.is_empty() {
            true => None,
            false => Some(self.name),
        }
    }

    /// Returns the full path of the type, whatever name it was given.
    pub(super) fn path(&self) -> &'static str {
        (self.of)().1
    }

    /// Returns the path of the event type, if this is the resource that keeps events of a type.
    ///
    /// ```
    /// use ecs_core::event::Events;
    /// use ecs_core::Resource as _;
    ///
    /// assert_eq!(<Events<u8>>::IDENTITY.ident().event_name(), Some("u8"));
    /// assert_eq!(u64::IDENTITY.ident().event_name(), None);
    /// ```
    #[must_use]
    #[inline]
    pub fn event_name(&self) -> Option<&'static str> {
        // Types of other crates have a path, unless they were given a name.
        let events = self.type_name().strip_prefix("Events<");
        events.filter(|_| !self.given)?.strip_suffix('>')
    }

    /// Returns the description that `#[component(data = "..")]` and the like give of the type; for an end of a relation, of
    /// the relation.
    #[doc(hidden)]
    #[must_use]
    pub fn data(&self) -> Option<&'static DataType> {
        self.copied().and_then(DataType::named)
    }

    /// Returns the description even if it has no name, and only says how to copy values.
    #[must_use]
    pub(crate) fn copied(&self) -> Option<&'static DataType> {
        DataType::find(self.data, self.data_of)
    }

    /// Names the data that comes with the values of a component because it requires them.
    #[cfg(feature = "data")]
    #[inline]
    pub(crate) const fn requiring(self, required: RequiredFn) -> Self {
        Self { required, ..self }
    }

    /// Calls a function with all data that comes with the type: its own, and the components that it requires, directly or
    /// not.
    #[cfg(feature = "data")]
    #[doc(hidden)]
    #[inline]
    pub fn for_each_data(&self, f: &mut dyn FnMut(&'static DataType)) {
        if let Some(data) = self.data() {
            f(data);
        }
        (self.required)(f);
    }

    /// Returns the modules whose systems alone may write the data (`#[component(written_by = "game::physics")]`); empty if all
    /// may.
    #[must_use]
    #[inline]
    pub const fn owners(&self) -> &'static [&'static str] {
        self.owners
    }

    /// Returns true if values are only replaced, by insertions, and never written (`#[component(immutable)]`).
    #[must_use]
    #[inline]
    pub const fn is_immutable(&self) -> bool {
        self.immutable
    }

    /// Returns true if all systems may write the data.
    #[inline]
    pub(crate) const fn is_written_by_all(&self) -> bool {
        self.owners.is_empty() && !self.immutable
    }

    /// Compares two idents as far as a constant can: `Some(equal)`, or `None` if only the run time can tell.
    #[must_use]
    #[inline]
    pub const fn const_eq(&self, other: &Self) -> Option<bool> {
        if self.hash != other.hash || self.exact != other.exact {
            Some(false)
        } else if self.exact {
            Some(true)
        } else {
            None
        }
    }

    /// Like [`const_eq`](Self::const_eq), where all undecided types are known to be one.
    #[inline]
    pub(super) const fn place_eq(&self, other: &Self) -> Option<bool> {
        Some(self.hash == other.hash && self.exact == other.exact)
    }

    /// Like [`const_eq`](Self::const_eq), where all undecided types are known to be different.
    #[inline]
    pub(super) const fn certain_eq(&self, other: &Self) -> Option<bool> {
        Some(matches!(self.const_eq(other), Some(true)))
    }

    /// Like [`const_eq`](Self::const_eq), at run time, when every pair is decided.
    pub(super) fn type_eq(&self, other: &Self) -> Option<bool> {
        Some(self == other)
    }
}

/// The type of all components that were defined at run time, as far as types are compared.
enum Dynamic {}

impl PartialEq for ConstTypeId {
    fn eq(&self, other: &Self) -> bool {
        self.dynamic == other.dynamic && self.type_id() == other.type_id()
    }
}

impl Eq for ConstTypeId {}

impl fmt::Debug for ConstTypeId {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.type_name())
    }
}

/// The identity of `T`. Its type ties it to `T`, so that no hand-written impl can pass itself off as another type.
///
/// Made by the derives; by hand only for a type whose derive cannot be used.
pub struct ConstTypeIdOf<T: ?Sized> {
    hash: u128,
    exact: bool,
    given: bool,
    name: &'static str,
    data: &'static [DataType],
    data_of: fn() -> TypeId,
    owners: &'static [&'static str],
    immutable: bool,
    of: Invariant<*const T>,
}

impl<T: 'static> ConstTypeIdOf<T> {
    /// Identifies a type by its path and the `place` of its definition, which together are unique; messages show
    /// `name`, the path.
    #[must_use]
    #[inline]
    pub const fn exact(place: &str, name: &'static str) -> Self {
        Self {
            hash: hash_128(hash_128(0, name), place),
            exact: true,
            given: false,
            name,
            data: &[],
            data_of: TypeId::of::<T>,
            owners: &[],
            immutable: false,
            of: PhantomData,
        }
    }

    /// Identifies an instance of a generic type: `place` and `name` identify the head, the arguments stay undecided
    /// until run time.
    #[must_use]
    #[inline]
    pub const fn generic(place: &str, name: &'static str) -> Self {
        Self {
            hash: hash_128(hash_128(0, name), place),
            exact: false,
            given: false,
            name,
            data: &[],
            data_of: TypeId::of::<T>,
            owners: &[],
            immutable: false,
            of: PhantomData,
        }
    }

    /// Adds an argument of a generic type; all its other arguments are added likewise. The type is decided if they all are;
    /// otherwise types of different layout are different.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub const fn with_argument(self, argument: Argument) -> Self {
        let layout = size_of::<T>() << 8 | align_of::<T>() << 1 | needs_drop::<T>() as usize;
        let layout = if argument.exact { 0 } else { layout as u128 };
        Self {
            hash: mix(self.hash, argument.hash ^ layout),
            exact: self.exact && argument.exact,
            ..self
        }
    }

    /// Returns this identity as an argument of another one.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub const fn argument(self) -> Argument {
        Argument {
            hash: self.hash,
            exact: self.exact,
        }
    }

    /// Identifies a type about which nothing is known while compiling.
    #[must_use]
    #[inline]
    pub const fn opaque() -> Self {
        Self {
            hash: 0,
            exact: false,
            given: false,
            name: "",
            data: &[],
            data_of: TypeId::of::<T>,
            owners: &[],
            immutable: false,
            of: PhantomData,
        }
    }

    /// Sets the name that messages show; equality does not change.
    #[must_use]
    #[inline]
    pub const fn called(self, name: &'static str) -> Self {
        Self {
            given: true,
            name,
            ..self
        }
    }

    /// Adds the description of the values. The list has an entry for the type, or one for each of some instances of a
    /// generic type; entries of other types have no effect.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub const fn with_data(self, data: &'static [DataType]) -> Self {
        Self { data, ..self }
    }

    /// Names the modules whose systems alone may write the data, each by its path, which begins with its crate.
    ///
    /// # Panics
    /// If there are none, or one begins with `crate`, `self` or `super`.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn written_by(self, owners: &'static [&'static str]) -> Self {
        assert_modules(owners);
        Self { owners, ..self }
    }

    /// Makes the values of a component immutable: they are only replaced, by insertions, and never written.
    #[must_use]
    #[inline]
    pub const fn immutable(self) -> Self {
        Self {
            immutable: true,
            ..self
        }
    }

    /// Like [`with_data`](Self::with_data), for a component that has the data of the relation `R`.
    #[must_use]
    #[inline]
    pub(crate) const fn with_data_of<R: 'static>(self, data: &'static [DataType]) -> Self {
        Self {
            data,
            data_of: TypeId::of::<R>,
            ..self
        }
    }

    /// Returns the name that was given with [`called`](Self::called).
    #[must_use]
    #[inline]
    pub const fn given_name(self) -> Option<&'static str> {
        if self.given { Some(self.name) } else { None }
    }

    /// Erases the type parameter.
    #[must_use]
    #[inline]
    pub const fn ident(self) -> ConstTypeId {
        ConstTypeId {
            hash: self.hash,
            exact: self.exact,
            given: self.given,
            name: self.name,
            data: self.data,
            data_of: self.data_of,
            owners: self.owners,
            immutable: self.immutable,
            dynamic: ConstTypeId::OF_TYPE,
            #[cfg(feature = "data")]
            required: |_| {},
            of: id_and_name::<T>,
        }
    }
}

impl<T: ?Sized> Clone for ConstTypeIdOf<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for ConstTypeIdOf<T> {}

impl<T: ?Sized> fmt::Debug for ConstTypeIdOf<T> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("name", &self.name)
            .field("exact", &self.exact)
            .finish_non_exhaustive()
    }
}

/// An argument of a generic type, as far as constants know it: [`ConstTypeIdOf::with_argument`].
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    pub(super) hash: u128,
    pub(super) exact: bool,
}

impl Argument {
    /// An argument about which nothing is known.
    pub const UNDECIDED: Self = Self {
        hash: 0,
        exact: false,
    };

    /// The value of a constant parameter.
    #[must_use]
    #[inline]
    pub const fn value(value: u128) -> Self {
        Self {
            hash: value,
            exact: true,
        }
    }
}

/// Computes a hash in few steps, sixteen bytes at a time: constants compute it for every type. To hash several texts, each
/// one starts with the hash of those before.
///
/// Each round is a bijection of the state for the same bytes; the product carries every bit upwards, and the upper half is
/// folded down. The multiplier comes from the 128-bit PCG generators (O'Neill), and is a good one for products of this
/// width.
#[inline]
const fn hash_128(start: u128, text: &str) -> u128 {
    let mut hash = start ^ text.len() as u128;
    let mut rest = text.as_bytes();
    while let Some((bytes, more)) = rest.split_first_chunk::<16>() {
        hash = mix(hash, u128::from_le_bytes(*bytes));
        rest = more;
    }
    let mut last = 0;
    while let [byte, more @ ..] = rest {
        last = last << 8 | *byte as u128;
        rest = more;
    }
    mix(hash, last)
}

/// A round of [`hash_128`].
#[inline]
pub(super) const fn mix(hash: u128, value: u128) -> u128 {
    const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;
    let hash = (hash ^ value).wrapping_mul(MULTIPLIER);
    hash ^ hash >> 64
}

#[cfg(test)]
#[path = "ident_tests.rs"]
mod tests;
