//! The attributes of the derives: above a type that lacks their derive, each is an error at its name.

use crate::event::DataEvent;
use crate::{component, relation, resource};

/// A type with `#[component(..)]`.
#[diagnostic::on_unimplemented(
    message = "`#[component(..)]` is for components, and `{Self}` is none",
    label = "belongs to another derive",
    note = "write `#[resource(data = \"game.score\")]` above a resource, `#[relation(..)]` above a relation and `#[event(..)]` above an event, or add `Component` to the derives"
)]
pub trait Component {}

#[diagnostic::do_not_recommend]
impl<T: component::Component> Component for T {}

/// A type with `#[resource(..)]`.
#[diagnostic::on_unimplemented(
    message = "`#[resource(..)]` is for resources, and `{Self}` is none",
    label = "belongs to another derive",
    note = "write `#[component(data = \"game.score\")]` above a component, `#[relation(..)]` above a relation and `#[event(..)]` above an event, or add `Resource` to the derives"
)]
pub trait Resource {}

#[diagnostic::do_not_recommend]
impl<T: resource::Resource> Resource for T {}

/// A type with `#[relation(..)]`.
#[diagnostic::on_unimplemented(
    message = "`#[relation(..)]` is for relations, and `{Self}` is none",
    label = "belongs to another derive",
    note = "write `#[component(..)]` above a component and `#[resource(..)]` above a resource, or replace the derive by `Relation`"
)]
pub trait Relation {}

#[diagnostic::do_not_recommend]
impl<T: relation::Relation> Relation for T {}

/// A type with `#[event(..)]`.
#[diagnostic::on_unimplemented(
    message = "`#[event(..)]` is for events, and `{Self}` is none",
    label = "belongs to another derive",
    note = "write `#[component(..)]` above a component and `#[resource(..)]` above a resource, or add `Event` to the derives"
)]
pub trait Event {}

#[diagnostic::do_not_recommend]
impl<T: DataEvent> Event for T {}
