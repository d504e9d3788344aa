//! Snapshots of some entities: these return, and all others stay.

mod frames;
mod ids;
mod machines;
mod model;
mod panics;
mod random;
mod readers;
mod relations;
mod returns;
mod steps;

use std::cell::Cell;
use std::sync::OnceLock;

use ecs_core::component::ComponentId;
use ecs_core::dynamic::{DynamicComponent, DynamicValue, FieldKind};
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;
use serde::{Deserialize, Serialize};

thread_local! {
    /// The values of `Text` that exist.
    static TEXTS: Cell<isize> = const { Cell::new(0) };
    /// The number of clones of `Text` before one panics.
    static CLONES_LEFT: Cell<Option<u32>> = const { Cell::new(None) };
    /// True if the next drop of a `Text` panics.
    static DROP_PANICS: Cell<bool> = const { Cell::new(false) };
}

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "simulated")]
struct Simulated;

/// Also makes an entity part of some snapshots.
#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "active")]
struct Active;

/// A component of others.
#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "local")]
struct Local;

/// Disables.
#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "asleep", disables)]
struct Asleep;

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "place", track)]
struct Place(i64);

#[derive(Component, Debug, PartialEq)]
struct Text(String);

impl Text {
    fn new(text: impl ToString) -> Self {
        TEXTS.set(TEXTS.get() + 1);
        Self(text.to_string())
    }
}

impl Clone for Text {
    fn clone(&self) -> Self {
        if let Some(left) = CLONES_LEFT.get() {
            assert!(left > 0, "this clone panics");
            CLONES_LEFT.set(Some(left - 1));
        }
        Self::new(&self.0)
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        TEXTS.set(TEXTS.get() - 1);
        if DROP_PANICS.replace(false) {
            panic!("this drop panics");
        }
    }
}

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "fast", storage = "sparse", track)]
struct Fast(u32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "notes", storage = "sparse")]
struct Notes(Vec<u32>);

/// Cannot be copied.
#[derive(Component, Debug, PartialEq)]
struct Spark(String);

/// Cannot be copied.
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Glow(String);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "kind")]
struct Kind(u32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "shield", toggle, track)]
struct Shield(u32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "lamp", toggle, storage = "sparse", track)]
struct Lamp(Vec<u32>);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "lit", storage = "sparse", immediate)]
struct Lit(u32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "flag", track)]
struct Flag;

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "mark", storage = "sparse", track)]
struct Mark;

#[derive(Relation, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "part", tree, sources = "despawn")]
struct PartOf(u8);

#[derive(Relation, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "owner")]
struct Owner;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "likes", many)]
struct Likes(String);

/// From others to the entities that return, in the tests of frames.
#[derive(Relation, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "follows", many)]
struct Follows;

/// Components that are defined at run time, in a table and in a set, with values and without.
fn dynamic() -> [ComponentId; 4] {
    static IDS: OnceLock<[ComponentId; 4]> = OnceLock::new();
    *IDS.get_or_init(|| {
        let mana = DynamicComponent::new("dynamic.mana").field("text", FieldKind::String);
        let glow = DynamicComponent::new("dynamic.glow").field("text", FieldKind::String);
        let (tag, mark) = ("dynamic.tag", "dynamic.mark");
        [
            mana.tracked(),
            glow.sparse().tracked(),
            DynamicComponent::new(tag),
            DynamicComponent::new(mark).sparse(),
        ]
        .map(|component| component.register().unwrap())
    })
}

/// A value of a dynamic component, with a text if it has one.
fn dynamic_value(which: usize, number: u32) -> DynamicValue {
    let which = which % 4;
    let value = DynamicValue::new(dynamic()[which]).unwrap();
    match which {
        0 | 1 => value.with("text", number.to_string()).unwrap(),
        _ => value,
    }
}

fn snapshotter() -> Snapshotter {
    snapshotter_of(model::CHOICES[0])
}

fn snapshotter_of(choice: model::Choice) -> Snapshotter {
    (choice.snapshotter)(Snapshotter::new().component::<Text>())
}
