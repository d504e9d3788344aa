//! Functions for the values of a *data* type, without the type: `#[component(data = "..")]`.
//!
//! The engine keeps these descriptions and calls the functions in them; the package `ecs-data` gives them their meaning.

#[cfg(feature = "data")]
mod relation;
#[cfg(feature = "data")]
mod saved;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

use crate::invariant::Invariant;
#[cfg(feature = "data")]
use crate::sync::{PoisonError, RwLock};
use crate::value_codec::ValueCodec;
#[cfg(feature = "data")]
use alloc::collections::BTreeMap;

/// The descriptions of types that a program has named, whose own have no name.
#[cfg(feature = "data")]
static NAMED: RwLock<BTreeMap<TypeId, &'static DataType>> = RwLock::new(BTreeMap::new());

/// Copies values from the first pointer to the second; the number says how many.
type CopyFn = unsafe fn(*const u8, *mut u8, usize);

/// Prints a value.
type DebugFn = unsafe fn(*const u8, &mut fmt::Formatter<'_>) -> fmt::Result;

/// Makes a box of a value that a function writes, unless it returns false.
type BoxFn = unsafe fn(&mut dyn FnMut(*mut u8) -> bool) -> Option<Box<dyn Any + Send + Sync>>;

/// Functions for the values of a component that has no Rust type.
///
/// # Safety
/// Each function does the same as the function of the same name of [`DataType`], for values of the component.
pub(crate) unsafe trait DynamicValues: Send + Sync {
    /// Returns the number of the component.
    fn index(&self) -> usize;

    /// # Safety
    /// As for [`DataType::clone_values`].
    unsafe fn clone_values(&self, from: *const u8, to: *mut u8, len: usize);

    /// # Safety
    /// As for [`DataType::clone_values_from`].
    unsafe fn clone_values_from(&self, from: *const u8, to: *mut u8, len: usize);

    /// # Safety
    /// As for [`DataType::debug_value`].
    unsafe fn debug_value(&self, value: *const u8, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// A resource without its type.
pub(crate) type AnyResource = dyn Any + Send + Sync;

/// The numbers of kept and of delayed events, and for each reader the number of kept ones that it has not read.
pub(crate) type EventCounts = (usize, usize, Vec<usize>);

/// The number of runs, and the time, that a world has counted for its delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DelayClock {
    pub(crate) runs: u64,
    pub(crate) time: Duration,
}

/// The moment when something delayed is due, and its number, which orders everything that is due at the same moment. Runs come before times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DueAt {
    Run(u64, u64),
    Time(Duration, u64),
}

impl DueAt {
    pub(crate) const fn number(self) -> u64 {
        let (Self::Run(_, number) | Self::Time(_, number)) = self;
        number
    }

    /// Returns the moment that is as far from the second numbers as this one is from the first.
    ///
    /// One that is as far away as possible stays there.
    pub(crate) fn moved(self, from: DelayClock, to: DelayClock) -> Self {
        match self {
            Self::Run(u64::MAX, _) | Self::Time(Duration::MAX, _) => self,
            Self::Run(run, number) => Self::Run(
                to.runs.saturating_add(run.saturating_sub(from.runs)),
                number,
            ),
            Self::Time(time, number) => Self::Time(
                to.time.saturating_add(time.saturating_sub(from.time)),
                number,
            ),
        }
    }

    /// Returns the same moment with another number.
    pub(crate) const fn numbered(self, number: u64) -> Self {
        match self {
            Self::Run(run, _) => Self::Run(run, number),
            Self::Time(time, _) => Self::Time(time, number),
        }
    }
}

/// The functions for the delayed events of one type, without the type.
#[derive(Clone, Copy)]
pub(crate) struct DelayKind {
    /// The type of the resource that keeps them.
    pub(crate) type_id: TypeId,
    /// Returns the number of events that wait.
    pub(crate) len: fn(&AnyResource) -> usize,
    /// Counts on from the first numbers to the second. The last parameter is the number of the next event; events that have got here in
    /// another way take some.
    pub(crate) count: fn(&mut AnyResource, [DelayClock; 2], &mut u64),
    /// Returns the moments of the next event that waits for a run, and of the next one that waits for a time, if the world has counted up
    /// to these numbers for them.
    pub(crate) next: fn(&mut AnyResource, DelayClock) -> Option<[Option<DueAt>; 2]>,
    /// Sends the one that is due at such a moment.
    pub(crate) send_next: fn(&mut AnyResource, DueAt) -> Option<()>,
}

/// The functions for the events of one type, without the type.
#[derive(Clone, Copy)]
pub(crate) struct EventKind {
    /// The type of the resource that keeps them.
    pub(crate) type_id: TypeId,
    /// The type of an event.
    pub(crate) event: TypeId,
    pub(crate) name: fn() -> &'static str,
    pub(crate) look: fn(&AnyResource) -> Option<EventCounts>,
    /// Exchanges the events of a world and of a copy. The readers belong to the world.
    pub(crate) exchange: fn(&mut AnyResource, &mut AnyResource),
    /// Exchanges the kept events with another value's, and leaves the readers where they are.
    pub(crate) exchange_items: fn(&mut AnyResource, &mut AnyResource),
    /// Returns the number of the first event that is kept for a reader.
    pub(crate) first: fn(&AnyResource) -> u64,
    /// Changes that number, in events without readers.
    pub(crate) set_first: fn(&mut AnyResource, u64),
}

/// The kind of the values of a data type.
#[derive(Clone, Copy)]
pub(crate) enum DataKind {
    /// Any other values, such as fields.
    Value,
    /// Components; the function returns the number of the component.
    Component(fn() -> usize),
    /// Values of a component that was defined at run time. The trait has all its functions.
    Dynamic(&'static dyn DynamicValues),
    /// Values of the edges of a relation; the function returns the number of the component of sources.
    Relation(fn() -> usize),
    /// Values of the edges of a relation that was defined at run time, with the number of the component of sources. They are `()`.
    #[cfg(feature = "data")]
    DynamicRelation(usize),
    /// Resources.
    Resource,
}

/// The name of a data type, and functions for its values.
#[derive(Clone, Copy)]
pub struct DataType {
    kind: DataKind,
    name: &'static str,
    aliases: &'static [&'static str],
    version: u32,
    /// Invariant 1: the type that all functions are for. All components defined at run time share one type; the functions of
    /// their kind are for the component whose number they return.
    type_id: TypeId,
    copy: bool,
    without_ids: bool,
    unordered: bool,
    boxed: Option<BoxFn>,
    events: Option<EventKind>,
    clone: Option<CopyFn>,
    clone_from: Option<CopyFn>,
    debug: Option<DebugFn>,
    codec: Option<&'static dyn ValueCodec>,
    /// Returns the name of the Rust type; `None` for components that were defined at run time.
    rust_name: Option<fn() -> &'static str>,
    /// The name of the Rust type, which snapshots as bytes use if the type has no other. Without a codec, the values are
    /// computed from others instead of being written.
    type_name: Option<fn() -> &'static str>,
}

impl DataType {
    /// Returns the description of a type in a list that may describe several instances of a generic type.
    #[inline]
    #[must_use]
    pub fn find(list: &'static [Self], type_id: fn() -> TypeId) -> Option<&'static Self> {
        if list.is_empty() {
            return None;
        }
        let type_id = type_id();
        list.iter().find(|data| data.type_id == type_id)
    }

    /// Returns true if the description has no name: snapshots copy the values, and nothing else knows them.
    pub(crate) const fn is_nameless(&self) -> bool {
        self.name.is_empty()
    }

    /// Returns the description itself if it has a name, or else the one that the program has [named](Self::name_type).
    pub(crate) fn named(&'static self) -> Option<&'static Self> {
        if !self.is_nameless() {
            return Some(self);
        }
        #[cfg(feature = "data")]
        {
            Self::named_type(self.type_id)
        }
        #[cfg(not(feature = "data"))]
        None
    }

    /// Returns the description that the program has given to a type.
    #[cfg(feature = "data")]
    #[must_use]
    pub fn named_type(id: TypeId) -> Option<&'static Self> {
        let named = NAMED.read().unwrap_or_else(PoisonError::into_inner);
        named.get(&id).copied()
    }

    /// Makes this the description of its type, whose own has no name, for the rest of the program. Returns the first one that
    /// the type was given.
    #[cfg(feature = "data")]
    pub fn name_type(self) -> &'static Self {
        let mut named = NAMED.write().unwrap_or_else(PoisonError::into_inner);
        named
            .entry(self.type_id)
            .or_insert_with(|| Box::leak(Box::new(self)))
    }

    /// The kind of the values.
    pub(crate) const fn kind(&self) -> DataKind {
        self.kind
    }

    /// The name of the type in files.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The name of the Rust type, for messages; of a component that was defined at run time, its own name.
    #[must_use]
    pub fn rust_name(&self) -> &'static str {
        self.rust_name.map_or(self.name, |rust_name| rust_name())
    }

    /// Earlier names of the type, which files may use.
    #[must_use]
    pub const fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }

    /// The version of the type's saved form.
    #[must_use]
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// The type.
    #[must_use]
    pub const fn type_id(&self) -> TypeId {
        self.type_id
    }

    /// Returns true if the other description describes the same type, or the same component that was defined at run time.
    #[must_use]
    #[inline]
    pub fn is_same(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }

    /// Returns the type that is described, and the number of a component or relation that is defined at run time.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn identity(&self) -> (TypeId, Option<usize>) {
        let dynamic = match self.kind {
            DataKind::Dynamic(values) => Some(values.index()),
            #[cfg(feature = "data")]
            DataKind::DynamicRelation(index) => Some(index),
            _ => None,
        };
        (self.type_id, dynamic)
    }

    /// Returns true if values are cloned by copying their bytes.
    #[must_use]
    pub const fn is_copy(&self) -> bool {
        self.copy
    }

    /// Returns true if it is known that no value names an entity; others may or may not.
    #[must_use]
    pub const fn is_without_ids(&self) -> bool {
        self.without_ids
    }

    /// Returns true if values can be cloned.
    #[must_use]
    pub const fn is_clone(&self) -> bool {
        self.clone.is_some() || self.is_dynamic()
    }

    /// Returns true if the values belong to a component that was defined at run time.
    #[must_use]
    pub const fn is_dynamic(&self) -> bool {
        matches!(self.kind, DataKind::Dynamic(_))
    }

    /// Describes a component that was defined at run time, and has no Rust type. All such components share one `type_id`.
    #[inline]
    pub(crate) fn dynamic(
        name: &'static str,
        type_id: TypeId,
        values: &'static dyn DynamicValues,
        copy: bool,
        codec: Option<&'static dyn ValueCodec>,
    ) -> Self {
        Self {
            kind: DataKind::Dynamic(values),
            name,
            aliases: &[],
            version: 1,
            type_id,
            copy,
            without_ids: false,
            unordered: false,
            boxed: None,
            events: None,
            clone: None,
            clone_from: None,
            debug: None,
            codec,
            rust_name: None,
            type_name: None,
        }
    }

    /// Returns the name of the type in snapshots: its own, or else the name of the Rust type if snapshots can write the values.
    pub(crate) fn name_in_snapshots(&self) -> &'static str {
        match self.type_name {
            Some(type_name) if self.is_nameless() => type_name(),
            _ => self.name,
        }
    }

    /// Returns true if snapshots as bytes have no values because these follow from other values.
    pub(crate) const fn is_computed(&self) -> bool {
        self.type_name.is_some() && self.codec.is_none()
    }

    /// Returns true if it has more than functions that copy values in memory.
    pub(crate) const fn is_known_to_bytes(&self) -> bool {
        self.type_name.is_some() || self.codec.is_some()
    }

    /// Returns true if a value can be made in a box.
    pub(crate) const fn is_boxed(&self) -> bool {
        self.boxed.is_some()
    }

    /// Returns the type of an event, if it describes the events of a type.
    #[must_use]
    pub fn event_type(&self) -> Option<TypeId> {
        self.events.map(|events| events.event)
    }

    /// Returns the functions for events, if it describes some.
    #[inline]
    pub(crate) const fn events(&self) -> Option<EventKind> {
        self.events
    }

    /// The functions that save and load values, which the package `ecs-data` knows.
    #[must_use]
    pub const fn codec(&self) -> Option<&'static dyn ValueCodec> {
        self.codec
    }

    /// Returns a box with a resource that a function writes; `None` if it returns false, or the type is not a resource.
    ///
    /// # Safety
    /// If the function returns true, it has written a value of the type to the place that it is given.
    #[must_use]
    pub unsafe fn boxed(
        &self,
        write: &mut dyn FnMut(*mut u8) -> bool,
    ) -> Option<Box<dyn Any + Send + Sync>> {
        // SAFETY: the function is for values of the type (invariant 1), and the rest is the contract of this function.
        unsafe { self.boxed?(write) }
    }

    /// Clones values to memory that holds none. If a `Clone` panics, the values that were cloned are dropped.
    ///
    /// # Safety
    /// `from` points to `len` values of the type, and `to` to aligned memory for as many, elsewhere.
    ///
    /// # Panics
    /// If values cannot be [cloned](Self::is_clone), or a `Clone` panics.
    pub unsafe fn clone_values(&self, from: *const u8, to: *mut u8, len: usize) {
        if let DataKind::Dynamic(values) = self.kind {
            // SAFETY: the functions are for values of the component (invariant 1), and the rest is the contract of this
            // function.
            return unsafe { values.clone_values(from, to, len) };
        }
        let clone = self.clone.expect("values of the type can be cloned");
        // SAFETY: the function is for values of the type (invariant 1), and the rest is the contract of this function.
        unsafe { clone(from, to, len) };
    }

    /// Clones values over others, which are reused or dropped. If a `Clone` panics, all of `to` still has values.
    ///
    /// # Safety
    /// `from` and `to` point to `len` values of the type each, and do not overlap.
    ///
    /// # Panics
    /// If values cannot be [cloned](Self::is_clone), or a `Clone` panics.
    pub unsafe fn clone_values_from(&self, from: *const u8, to: *mut u8, len: usize) {
        if let DataKind::Dynamic(values) = self.kind {
            // SAFETY: the functions are for values of the component (invariant 1), and the rest is the contract of this
            // function.
            return unsafe { values.clone_values_from(from, to, len) };
        }
        let clone_from = self.clone_from.expect("values of the type can be cloned");
        // SAFETY: the function is for values of the type (invariant 1), and the rest is the contract of this function.
        unsafe { clone_from(from, to, len) };
    }

    /// Prints a value with its `Debug`; `..` if it has none.
    ///
    /// # Safety
    /// `value` points to a value of the type.
    ///
    /// # Errors
    /// The error of the `Debug`.
    pub unsafe fn debug_value(&self, value: *const u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let DataKind::Dynamic(values) = self.kind {
            // SAFETY: the functions are for values of the component (invariant 1), and `value` is one by the caller's
            // contract.
            return unsafe { values.debug_value(value, f) };
        }
        match self.debug {
            // SAFETY: the function is for values of the type (invariant 1), and `value` is one by the caller's contract.
            Some(debug) => unsafe { debug(value, f) },
            None => f.write_str(".."),
        }
    }
}

impl fmt::Debug for DataType {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DataType({} version {})", self.name, self.version)
    }
}

/// The description of the data type `T`, made by the derives.
///
/// Tied to `T` by its type, so that it never gets a function for another type.
pub struct DataTypeOf<T> {
    erased: DataType,
    of: Invariant<T>,
}

impl<T: Send + Sync + 'static> DataTypeOf<T> {
    /// Describes a type without any functions yet.
    #[must_use]
    pub const fn new(name: &'static str, version: u32) -> Self {
        let erased = DataType {
            kind: DataKind::Value,
            name,
            aliases: &[],
            version,
            type_id: TypeId::of::<T>(),
            copy: false,
            without_ids: false,
            unordered: false,
            boxed: None,
            events: None,
            clone: None,
            clone_from: None,
            debug: None,
            codec: None,
            rust_name: Some(core::any::type_name::<T>),
            type_name: None,
        };
        Self {
            erased,
            of: PhantomData,
        }
    }

    /// Sets the kind of the values.
    pub(crate) const fn of_kind(mut self, kind: DataKind) -> Self {
        self.erased.kind = kind;
        self
    }

    /// Lets values be made in a box, as snapshots do with a system's `Local`.
    #[must_use]
    pub const fn in_boxes(mut self) -> Self {
        self.erased.boxed = Some(boxed::<T>);
        self
    }

    /// Sets the kind of the values to resources.
    pub(crate) const fn of_resources(mut self) -> Self {
        self.erased.kind = DataKind::Resource;
        self.in_boxes()
    }

    /// Sets the functions for events.
    pub(crate) const fn of_events(mut self, events: EventKind) -> Self {
        self.erased.events = Some(events);
        self
    }

    /// Adds earlier names of the type.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.erased.aliases = aliases;
        self
    }

    /// Notes that a value has a set whose order in the saved form may differ between equal values.
    #[must_use]
    pub const fn unordered(mut self) -> Self {
        self.erased.unordered = true;
        self
    }

    /// Lets values be cloned.
    #[must_use]
    pub const fn cloned(mut self) -> Self
    where
        T: DataClone,
    {
        self.erased.clone = Some(clone_values::<T>);
        self.erased.clone_from = Some(clone_values_from::<T>);
        self
    }

    /// Lets values be cloned as bytes, if there is a proof that the type is `Copy`.
    #[must_use]
    pub const fn copied(mut self, proof: Option<IsCopy<T>>) -> Self {
        self.erased.copy = proof.is_some();
        self
    }

    /// Notes whether it is known that no value names an entity.
    #[must_use]
    pub const fn without_ids(mut self, is_known: bool) -> Self {
        self.erased.without_ids = is_known;
        self
    }

    /// Lets values be printed.
    #[must_use]
    pub const fn printed(mut self) -> Self
    where
        T: DataDebug,
    {
        self.erased.debug = Some(debug_value::<T>);
        self
    }

    /// Adds the functions that save and load values.
    #[must_use]
    pub const fn coded(mut self, codec: &'static dyn ValueCodec) -> Self {
        self.erased.codec = Some(codec);
        self
    }

    /// Adds functions that write and read values in snapshots alone, where the type goes by the name of its Rust type.
    #[must_use]
    pub const fn coded_in_snapshots(self, codec: &'static dyn ValueCodec) -> Self {
        let mut coded = self.coded(codec);
        coded.erased.type_name = Some(core::any::type_name::<T>);
        coded
    }

    /// Says that values follow from others, so snapshots as bytes leave them out.
    pub(crate) const fn computed(mut self) -> Self {
        self.erased.type_name = Some(core::any::type_name::<T>);
        self
    }

    /// Erases the type parameter.
    #[must_use]
    pub const fn erased(self) -> DataType {
        self.erased
    }
}

impl<T> Clone for DataTypeOf<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DataTypeOf<T> {}

impl<T> fmt::Debug for DataTypeOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.erased.fmt(f)
    }
}

/// A type whose values a world can clone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is `data`, which a world can clone, and does not implement `Clone`",
    label = "not cloneable",
    note = "add `#[derive(Clone)]`, or write `data = \"..\", no_clone`"
)]
pub trait DataClone: Clone {}

#[diagnostic::do_not_recommend]
impl<T: Clone> DataClone for T {}

/// A type whose values a world can print.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is `data`, which a world can print, and does not implement `Debug`",
    label = "not printable",
    note = "add `#[derive(Debug)]`, or write `data = \"..\", no_debug`"
)]
pub trait DataDebug: fmt::Debug {}

#[diagnostic::do_not_recommend]
impl<T: fmt::Debug> DataDebug for T {}

/// A proof that `T` is `Copy`.
pub struct IsCopy<T>(Invariant<T>);

/// Finds out if `T` is `Copy`, where the type is written: `CopyProbe::<Position>::COPY` is the inherent constant for `Copy`
/// types, and otherwise the constant of the trait [`NotCopy`], which has to be in scope.
pub struct CopyProbe<T>(PhantomData<T>);

impl<T: Copy> CopyProbe<T> {
    /// The proof.
    pub const COPY: Option<IsCopy<T>> = Some(IsCopy(PhantomData));
}

/// See [`CopyProbe`].
pub trait NotCopy<T> {
    /// No proof.
    const COPY: Option<IsCopy<T>> = None;
}

impl<T> NotCopy<T> for CopyProbe<T> {}

/// Finds out if values of a field's type can stand for an entity, where the type is written, like a [`CopyProbe`].
///
/// The name of a type says too little because programs may have types of their own with that name.
pub struct IdProbe<T>(PhantomData<T>);

/// A type whose values stand for no entities, neither in memory nor in their written form.
pub trait WithoutIds {}

impl WithoutIds for f32 {}
impl WithoutIds for f64 {}
impl WithoutIds for bool {}
impl<T: WithoutIds, const N: usize> WithoutIds for [T; N] {}

impl<T: WithoutIds> IdProbe<T> {
    /// The values cannot stand for an entity.
    pub const WITHOUT: bool = true;
}

/// See [`IdProbe`].
pub trait MayHaveIds {
    /// It is not known.
    const WITHOUT: bool = false;
}

impl<T> MayHaveIds for IdProbe<T> {}

/// Drops the values that were written so far, if the next one cannot be written.
struct DropWritten<T> {
    /// Invariant 1: points to `len` values, which no other code drops.
    first: *mut T,
    len: usize,
}

impl<T> Drop for DropWritten<T> {
    fn drop(&mut self) {
        let values = core::ptr::slice_from_raw_parts_mut(self.first, self.len);
        // SAFETY: these are values that no other code drops, by invariant 1.
        unsafe { values.drop_in_place() };
    }
}

/// # Safety
/// If the function returns true, it has written a `T` to the place that it is given.
unsafe fn boxed<T: Send + Sync + 'static>(
    write: &mut dyn FnMut(*mut u8) -> bool,
) -> Option<Box<dyn Any + Send + Sync>> {
    let mut value = Box::<T>::new_uninit();
    if !write(value.as_mut_ptr().cast()) {
        return None;
    }
    // SAFETY: the function has written a `T`, by the caller's contract.
    Some(unsafe { value.assume_init() })
}

/// # Safety
/// `from` points to `len` values of `T`, and `to` to aligned memory for as many, elsewhere.
unsafe fn clone_values<T: Clone>(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: `from` points to `len` values by the caller's contract.
    let from = unsafe { core::slice::from_raw_parts(from.cast::<T>(), len) };
    let to = to.cast::<T>();
    let mut written = DropWritten { first: to, len: 0 };
    for value in from {
        let value = value.clone();
        // SAFETY: there is memory for `len` values by the caller's contract, and `written.len` of them are written.
        let place = unsafe { to.add(written.len) };
        // SAFETY: as above; the place is aligned, and holds no value.
        unsafe { place.write(value) };
        written.len += 1;
    }
    core::mem::forget(written);
}

/// # Safety
/// `from` and `to` point to `len` values of `T` each, and do not overlap.
unsafe fn clone_values_from<T: Clone>(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: `from` points to `len` values by the caller's contract.
    let from = unsafe { core::slice::from_raw_parts(from.cast::<T>(), len) };
    // SAFETY: `to` points to `len` other values by the caller's contract.
    let to = unsafe { core::slice::from_raw_parts_mut(to.cast::<T>(), len) };
    to.clone_from_slice(from);
}

/// # Safety
/// `value` points to a `T`.
unsafe fn debug_value<T: fmt::Debug>(value: *const u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    // SAFETY: `value` points to a `T` by the caller's contract.
    let value = unsafe { &*value.cast::<T>() };
    value.fmt(f)
}

#[cfg(test)]
#[path = "data_type_tests.rs"]
mod tests;
