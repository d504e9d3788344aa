//! Components of all storages, some of them tracked, for the tests of query data.

use ecs_core::prelude::*;

#[derive(Relation)]
#[relation(tree)]
pub(crate) struct ChildOf;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place(pub(crate) i32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
pub(crate) struct Depth(pub(crate) i32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(track)]
pub(crate) struct Health(pub(crate) i32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse", track)]
pub(crate) struct Armor(pub(crate) i32);

#[derive(Component)]
pub(crate) struct Marked;
