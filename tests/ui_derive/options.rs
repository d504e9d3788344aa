//! Wrong options of derives: one error each.

use ecs_core::prelude::*;
use ecs_core::world::hooks::DeferredWorld;

fn f(_: DeferredWorld<'_>, _: Entity) {}

#[derive(Component)]
#[component(storage = "sparse", storage = "table")]
struct StorageTwice;

#[derive(Component)]
#[component(track)]
#[component(track)]
struct TrackTwice;

#[derive(Component)]
#[component(on_add = f, on_add = f)]
struct HookTwice;

#[derive(Component)]
#[component(on_add = |_, _| {})]
struct HookAsClosure;

#[derive(Component)]
#[component(on_remove = "f")]
struct HookAsText;

#[derive(Component)]
#[component(on_add(f))]
struct HookInParentheses;

#[derive(Component)]
struct OnField {
    #[component(track)]
    value: f32,
}

#[derive(Component)]
enum OnVariant {
    #[component(storage = "sparse")]
    One,
}

#[derive(Component)]
#[component(require(Required = if true { Required } else { Required }))]
struct RequiresIf;
#[derive(Component)]
struct Required;

#[derive(Relation)]
#[relation(tree, tree)]
struct TreeTwice;

#[derive(Relation)]
#[relation(sources = "detach", sources = "despawn")]
struct SourcesTwice;

#[derive(SystemParam)]
#[system_param(shared, shared)]
struct SharedTwice<'w> {
    a: Comp<'w, Required>,
}

#[derive(Component)]
#[component(storage = sparse)]
struct StorageWithoutQuotes;

#[derive(Component)]
#[component(storage)]
struct StorageWithoutValue;

#[derive(Component)]
#[component(track(true))]
struct TrackWithValue;

#[derive(Relation)]
#[relation(sources = despawn)]
struct SourcesWithoutQuotes;

fn main() {}

//~ storage = "sparse", storage = "table"
//~ #[component(track)] #[component(track)]
//~ on_add = f, on_add = f
//~ |_, _| {}
//~ "f"
//~ on_add(f)
//~ #[component(track)] value
//~ #[component(storage = "sparse")]
//~ if true { Required } else { Required }
//~ tree, tree
//~ sources = "detach", sources = "despawn"
//~ shared, shared
//~ storage = sparse
//~ #[component(storage)]
//~ track(true)
//~ sources = despawn
