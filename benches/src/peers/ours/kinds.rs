//! A world that knows many components that its entities do not have.

use ecs_core::prelude::*;
use ecs_core::relation::Target;

use crate::components::{Position, Velocity};
use crate::columns::Values;
use crate::digest::Digest;
use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::kinds::{self, Registry};

/// One of a thousand components in sparse storage.
#[derive(Component)]
#[component(storage = "sparse")]
struct Known<const A: u8, const B: u8, const C: u8>;

/// A component in sparse storage that entities have for a while.
#[derive(Component)]
#[component(storage = "sparse")]
struct Short;

/// One of a thousand relations.
#[derive(Relation)]
struct Related<const A: u8, const B: u8, const C: u8>;

struct Components(World);

impl Registry for Components {
    fn register<const A: u8, const B: u8, const C: u8>(&mut self) {
        self.0.register::<Known<A, B, C>>();
    }
}

struct Relations(World);

impl Registry for Relations {
    fn register<const A: u8, const B: u8, const C: u8>(&mut self) {
        self.0.register::<Target<Related<A, B, C>>>();
    }
}

pub(super) fn despawn(workload: &mut Workload, count: u32) {
    let sparse = move || {
        let mut components = Components(World::new());
        kinds::register(&mut components, count);
        components.0
    };
    add(workload, "sparse components", sparse, despawn_only);
    // More work than in the other forms, to see that it does not grow either.
    add(workload, "sparse components, insert, remove", sparse, |world, id| {
        world.insert(id, Short).expect("the entity was alive");
        world.remove::<Short>(id).expect("the entity was alive");
        despawn_only(world, id);
    });
    let relations = move || {
        let mut relations = Relations(World::new());
        kinds::register(&mut relations, count);
        relations.0
    };
    add(workload, "relations", relations, despawn_only);
}

fn despawn_only(world: &mut World, id: Entity) {
    world.despawn(id).expect("the entity was alive");
}

fn add(
    workload: &mut Workload,
    form: &'static str,
    setup: impl Fn() -> World + 'static,
    despawn: impl Fn(&mut World, Entity) + Copy + 'static,
) {
    kinds::add(
        workload,
        Ours,
        form,
        setup,
        |world, count| world.spawn_batch(kinds::rows(count)).to_vec(),
        despawn,
        |world| {
            let (positions, velocities) = (world.view::<Position>(), world.view::<Velocity>());
            let rows = (&positions, &velocities).iter().map(|(p, v)| (*p, *v));
            let mut digest = Digest::default();
            rows.for_each(|row| digest.row(row.values()));
            digest.finish()
        },
    );
}
