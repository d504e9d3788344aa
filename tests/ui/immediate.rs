use ecs_core::prelude::*;

#[derive(Component)]
#[component(immediate)]
struct InTables(u8);

#[derive(Component)]
#[component(storage = "sparse", track, immediate)]
struct Watched(u8);

#[derive(Component)]
#[component(storage = "sparse", immediate, immutable)]
struct Replaced(u8);

#[derive(Component)]
#[component(storage = "sparse")]
struct Later(u8);

#[derive(Component)]
#[component(storage = "sparse", immediate)]
struct Now(u8);

#[system]
fn asks_and_changes(mut now: CompMut<Now>, without: Query<Entity, Without<Now>>) {
    for entity in &without {
        now.insert(entity, Now(0)).unwrap();
    }
}

#[system]
fn is_not_immediate(mut later: CompMut<Later>, ids: Entities) {
    for entity in &ids {
        later.remove(entity);
    }
}

fn main() {}

//~ #[component(immediate)]
//~ #[component(storage = "sparse", track, immediate)]
//~ immutable
//~ Query<Entity, Without<Now>>
//~ remove
