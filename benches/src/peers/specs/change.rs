//! Structural changes.

use specs::{Builder, Entity, Join, LazyUpdate, World, WorldExt};

use crate::columns::Row;
use crate::components::{Position, Rotation, Transform, Velocity, digest_rows, row};
use crate::peers::Peer::Specs;
use crate::subject::Workload;
use crate::workloads::add_remove::{self, *};
use crate::workloads::churn;

fn empty() -> World {
    let mut world = World::new();
    world.register::<Transform>();
    world.register::<Position>();
    world.register::<Rotation>();
    world.register::<Velocity>();
    world
}

fn digest(world: &mut World) -> u64 {
    let (transforms, positions) = (
        world.read_storage::<Transform>(),
        world.read_storage::<Position>(),
    );
    let (rotations, velocities) = (
        world.read_storage::<Rotation>(),
        world.read_storage::<Velocity>(),
    );
    digest_rows((&transforms, &positions, &rotations, &velocities).join())
}

/// Spawns many entities while the storages are borrowed once.
fn create_all(world: &mut World, rows: impl Iterator<Item = Row>) -> Vec<Entity> {
    let mut living = Vec::with_capacity(rows.size_hint().0);
    {
        let (mut transforms, mut positions) = (world.write_storage(), world.write_storage());
        let (mut rotations, mut velocities) = (world.write_storage(), world.write_storage());
        for (entity, row) in world.entities().create_iter().zip(rows) {
            let (transform, position, rotation, velocity) = row;
            transforms.insert(entity, transform).expect("the entity is alive");
            positions.insert(entity, position).expect("the entity is alive");
            rotations.insert(entity, rotation).expect("the entity is alive");
            velocities.insert(entity, velocity).expect("the entity is alive");
            living.push(entity);
        }
    }
    world.maintain();
    living
}

pub(super) fn spawn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = empty();
        create_all(&mut world, (0..entities).map(row));
        world
    };
    workload.add_fresh(Specs, "create_iter", make, digest);
}

fn create(world: &mut World, row: Row) -> Entity {
    let (transform, position, rotation, velocity) = row;
    let entity = world.create_entity().with(transform).with(position);
    entity.with(rotation).with(velocity).build()
}

pub(super) fn spawn_one(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = empty();
        for number in 0..entities {
            create(&mut world, row(number));
        }
        world
    };
    workload.add_fresh(Specs, "create_entity", make, digest);
}

pub(super) fn commands(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = empty();
        {
            let lazy = world.read_resource::<LazyUpdate>();
            let all = world.entities();
            for number in 0..entities {
                let (transform, position, rotation, velocity) = row(number);
                let entity = lazy.create_entity(&all).with(transform).with(position);
                entity.with(rotation).with(velocity).build();
            }
        }
        world.maintain();
        world
    };
    workload.add_fresh(Specs, "LazyUpdate", make, digest);
}

pub(super) fn add_remove(workload: &mut Workload) {
    add_remove_of(workload, |world, number| {
        world.create_entity().with(kept(number)).build()
    });
}

pub(super) fn add_remove_wide(workload: &mut Workload) {
    add_remove_of(workload, |world, number| {
        let (a, b, c, d, e, f, g, h, i) = wide(number);
        let entity = world.create_entity().with(a).with(b).with(c).with(d);
        entity.with(e).with(f).with(g).with(h).with(i).build()
    });
}

fn add_remove_of(workload: &mut Workload, spawn: fn(&mut World, u32) -> Entity) {
    let entities = workload.elements();
    let setup = move || {
        let mut world = World::new();
        world.register::<Kept>();
        world.register::<Toggled>();
        world.register::<Wide1>();
        world.register::<Wide2>();
        world.register::<Wide3>();
        world.register::<Wide4>();
        world.register::<Wide5>();
        world.register::<Wide6>();
        world.register::<Wide7>();
        world.register::<Wide8>();
        let ids = (0..entities).map(|number| spawn(&mut world, number));
        let ids = ids.collect();
        State { world, ids }
    };
    add_remove::add(
        workload,
        Specs,
        "VecStorage",
        setup,
        |state| {
            let mut toggled = state.world.write_storage::<Toggled>();
            for &id in &state.ids {
                toggled.insert(id, Toggled(TOGGLED)).expect("the entity is alive");
            }
        },
        |state| {
            let mut toggled = state.world.write_storage::<Toggled>();
            for &id in &state.ids {
                toggled.remove(id);
            }
        },
        |world| {
            let views = (
                &world.read_storage::<Kept>(),
                &world.read_storage::<Toggled>(),
            );
            views.join().map(|(a, b)| [a.0, b.0]).collect()
        },
    );
}

fn living(entities: u32) -> churn::State<World, Entity> {
    let mut world = empty();
    let living = create_all(&mut world, (0..entities).map(row));
    churn::State::new(world, living)
}

pub(super) fn churn(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Specs,
        "delete_entity, create_entity",
        move || living(entities),
        |state| {
            state.replace_all(|world, victim, born| {
                world.delete_entity(victim).expect("the entity was alive");
                create(world, born)
            });
        },
        |state| digest(&mut state.world),
    );
}

pub(super) fn churn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Specs,
        "delete_entities, create_iter",
        move || living(entities),
        |state| {
            state.replace_at_once(|world, victims, births| {
                world.delete_entities(&victims).expect("the entities were alive");
                create_all(world, births)
            });
        },
        |state| digest(&mut state.world),
    );
}
