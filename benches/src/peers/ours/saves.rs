//! Worlds that are written and read, entities that are cloned, and prefabs.

use ecs_core::data::{Cloner, Loader, Prefab, WorldData as _};
use ecs_core::prelude::*;
use ecs_core::tree::ChildOf;

use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::saves::{self, Place, Speed, Turn};

pub(super) fn world(entities: u32) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = world.spawn_batch((0..entities).map(saves::row)).to_vec();
    (world, ids)
}

pub(super) fn digest(world: &mut World) -> u64 {
    let (places, turns) = (world.view::<Place>(), world.view::<Turn>());
    saves::digest((&places, &turns, &world.view::<Speed>()).iter())
}

fn loader() -> Loader {
    Loader::new().with::<Place>().with::<Turn>().with::<Speed>()
}

fn columns(world: &World) -> Vec<u8> {
    world.save().to_vec().expect("all values can be written")
}

fn load(bytes: &[u8]) -> World {
    let mut world = World::new();
    let loaded = loader().load_bytes(&mut world, bytes);
    loaded.expect("it was saved");
    world
}

fn postcard(world: &World) -> Vec<u8> {
    postcard::to_allocvec(&world.save()).expect("all values can be written")
}

fn load_postcard(bytes: &[u8]) -> World {
    let mut world = World::new();
    let mut postcard = postcard::Deserializer::from_bytes(bytes);
    let loaded = loader().deserialize(&mut world, &mut postcard);
    loaded.expect("it was saved");
    world
}

type Form = (&'static str, fn(&World) -> Vec<u8>, fn(&[u8]) -> World);

const FORMS: [Form; 2] = [
    ("columns", columns, load),
    ("columns in postcard", postcard, load_postcard),
];

pub(super) fn save(workload: &mut Workload) {
    let entities = workload.elements();
    for (form, save, load) in FORMS {
        workload.add(
            Ours,
            form,
            move || (world(entities).0, Vec::new()),
            move |(world, bytes)| *bytes = save(world),
            move |(_, bytes)| digest(&mut load(bytes)),
        );
    }
}

pub(super) fn load_all(workload: &mut Workload) {
    let entities = workload.elements();
    for (form, save, load) in FORMS {
        workload.add(
            Ours,
            form,
            move || (save(&world(entities).0), World::new()),
            move |(bytes, loaded)| *loaded = load(bytes),
            |(_, loaded)| digest(loaded),
        );
    }
}

type Copies = (World, Vec<Entity>, Vec<Entity>);

pub(super) fn clone_entities(workload: &mut Workload) {
    let entities = workload.elements();
    let plain = move || {
        let (world, ids) = world(entities);
        (world, ids, Vec::new())
    };
    let children = move || {
        let (mut world, ids) = world(entities);
        let parent = world.spawn(());
        for &id in &ids {
            world.relate(id, ChildOf, parent).expect("both are alive");
        }
        (world, ids, Vec::new())
    };
    let one_by_one = |(world, ids, copies): &mut Copies| {
        world.despawn_batch(copies.drain(..));
        for &id in &*ids {
            copies.push(world.clone_entity(id).expect("all components are data"));
        }
    };
    let all = |(world, ids, copies): &mut Copies| {
        world.despawn_batch(copies.drain(..));
        let cloned = Cloner::new().entities(world, ids.iter().copied());
        let cloned = cloned.expect("all components are data");
        copies.extend(cloned.pairs.iter().map(|&(_, copy)| copy));
    };
    let digest = |(world, ..): &mut Copies| digest(world);
    workload.add(Ours, "Cloner::entities", plain, all, digest);
    workload.add(Ours, "clone_entity", plain, one_by_one, digest);
    let form = "clone_entity, children of one";
    workload.add(Ours, form, children, one_by_one, digest);
}

pub(super) fn prefab(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "Prefab::spawn_n",
        || {
            let prefab = Prefab::load(&loader(), &columns(&world(1).0)[..]);
            (prefab.expect("it was saved"), World::new())
        },
        move |(prefab, world)| {
            *world = World::new();
            let spawned = prefab.spawn_n(world, entities as usize);
            spawned.expect("all of it can be cloned");
        },
        |(_, world)| digest(world),
    );
    workload.add(
        Ours,
        "Prefab::spawn_n, trees of 20",
        || {
            let mut world = World::new();
            let root = spawn_tree(&mut world);
            let prefab = Prefab::from_tree::<ChildOf>(&world, root);
            (prefab.expect("all of it is data"), World::new())
        },
        move |(prefab, world)| {
            *world = World::new();
            let spawned = prefab.spawn_n(world, entities as usize / TREE);
            spawned.expect("all of it can be cloned");
        },
        |(_, world)| digest(world),
    );
}

/// The number of entities in a tree.
const TREE: usize = 20;

fn spawn_tree(world: &mut World) -> Entity {
    let root = world.spawn(saves::row(0));
    for _ in 1..TREE {
        let (place, turn, speed) = saves::row(0);
        world.spawn((place, turn, speed, ChildOf.to(root)));
    }
    root
}

pub(super) fn prefab_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "spawn_batch",
        World::new,
        move |world| {
            *world = World::new();
            world.spawn_batch((0..entities).map(|_| saves::row(0)));
        },
        digest,
    );
    workload.add(
        Ours,
        "spawn, trees of 20",
        World::new,
        move |world| {
            *world = World::new();
            for _ in 0..entities as usize / TREE {
                spawn_tree(world);
            }
        },
        digest,
    );
}
