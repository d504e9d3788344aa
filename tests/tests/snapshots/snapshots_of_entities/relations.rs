//! Edges between entities that return and others.

use ecs_core::prelude::*;
use ecs_core::relation::Target;
use ecs_core::snapshot::Ring;
use ecs_core::world::hooks::OnDespawn;

use super::{Glow, Owner, PartOf, Place, Simulated, Spark, snapshotter};

#[test]
fn entities_of_the_renderer_stay_in_a_ring() {
    let mut world = World::new();
    let player = world.spawn((Simulated, Place(10)));
    let mut ring = Ring::new(snapshotter(), 8);
    ring.take(0, &mut world).unwrap();
    let spark = world.spawn((Spark("hot".into()), Glow("red".into())));
    world.relate(spark, PartOf(1), player).unwrap();
    world.get_mut::<Place>(player).unwrap().0 = 3;
    ring.restore(0, &mut world).unwrap();
    assert_eq!(world.get::<Place>(player).unwrap().0, 10);
    assert_eq!(world.get::<Spark>(spark).unwrap().0, "hot");
    assert_eq!(world.get::<Target<PartOf>>(spark).unwrap().entity(), player);
    world.check_invariants();
}

#[test]
fn sources_of_an_entity_that_is_gone_go_with_it_or_are_unrelated() {
    let mut world = World::new();
    world.reserve_local_ids(10);
    let snapshotter = snapshotter();
    let mut before = snapshotter.take(&mut world).unwrap();
    let bullet = world.with_simulated_ids(|world| world.spawn(Simulated));
    let [part, owned, part_of_part] = [(); 3].map(|()| world.spawn(Spark("x".into())));
    world.relate(part, PartOf(1), bullet).unwrap();
    world.relate(part_of_part, PartOf(1), part).unwrap();
    world.relate(owned, Owner, bullet).unwrap();
    world.insert_resource(Vec::<Entity>::new());
    world.observe(|event: OnDespawn<Spark>, mut gone: ResMut<Vec<Entity>>| {
        gone.push(event.entity());
    });
    let snapshotter = snapshotter.without_resource::<Vec<Entity>>();
    snapshotter.restore(&mut world, &mut before).unwrap();
    assert!(!world.contains(bullet) && !world.contains(part) && !world.contains(part_of_part));
    assert!(world.contains(owned) && !world.has::<Target<Owner>>(owned));
    let mut gone = world.resource::<Vec<Entity>>().clone();
    gone.sort();
    assert_eq!(gone, [part, part_of_part], "observers see it");
    world.check_invariants();
}

#[test]
fn an_edge_to_what_is_not_part_of_a_snapshot_is_refused_by_name() {
    let mut world = World::new();
    let (player, lamp) = (world.spawn(Simulated), world.spawn(Spark("x".into())));
    world.relate(player, Owner, lamp).unwrap();
    let error = snapshotter().take(&mut world).unwrap_err();
    let (name, source, target) = error.edges[0];
    assert_eq!((source, target), (player, lamp));
    assert!(name.contains("owner") || name.contains("Owner"), "{name}");
    assert!(error.to_string().contains("is related by"), "{error}");
}
