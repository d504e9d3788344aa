//! Components for the unit tests of all modules, implemented by hand so that the engine is tested without the macros.

use alloc::borrow::ToOwned;
use alloc::string::String;

use crate::component::{
    Component, IdSlot, SparseComponent, StorageKind, Tracked, TrackedComponent, Untracked,
};
use crate::meta::ConstTypeIdOf;

macro_rules! component {
    ($($name:ident $storage:ident $tracking:ident;)*) => {$(
        impl Component for $name {
            const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact(concat!(module_path!(), stringify!($name)), stringify!($name));
            const STORAGE: StorageKind = StorageKind::$storage;
            type Tracking = $tracking;

            fn id_slot() -> Option<&'static IdSlot<Self>> {
                static SLOT: IdSlot<$name> = IdSlot::new();
                Some(&SLOT)
            }
        }
    )*};
}

/// Plain data in a table.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) struct Position(pub(crate) [f32; 3]);

/// More plain data in a table.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) struct Velocity(pub(crate) [f32; 3]);

/// A value that must be dropped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DropName(pub(crate) String);

/// A zero-sized value with an alignment.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub(crate) struct Tag;

/// Large and over-aligned.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(128))]
pub(crate) struct Large(pub(crate) [u8; 5000]);

/// So large that few of them fit into the address space; no value of it is ever created.
pub(crate) struct Vast(
    #[expect(dead_code, reason = "it is there for its size")] [u8; 1 << (usize::BITS - 26)],
);

/// Plain data in a sparse set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stunned(pub(crate) u8);

/// A value in a sparse set that must be dropped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Title(pub(crate) String);

/// A tracked value in a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Health(pub(crate) i32);

/// A tracked value in a sparse set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mood(pub(crate) String);

component! {
    Position Table Untracked;
    Velocity Table Untracked;
    DropName Table Untracked;
    Tag Table Untracked;
    Large Table Untracked;
    Vast Table Untracked;
    Stunned Sparse Untracked;
    Title Sparse Untracked;
    Health Table Tracked;
    Mood Sparse Tracked;
}

impl TrackedComponent for Health {}
impl TrackedComponent for Mood {}
impl SparseComponent for Stunned {}
impl SparseComponent for Title {}
impl SparseComponent for Mood {}

impl DropName {
    pub(crate) fn new(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl Title {
    pub(crate) fn new(title: &str) -> Self {
        Self(title.to_owned())
    }
}
