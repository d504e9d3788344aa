//! This example shows that a system is still a function: it takes arguments, returns values, can be called at any time and
//! tested without a world, and lists its borrows in a constant.

use ecs_core::prelude::*;

#[derive(Component)]
struct Name(&'static str);

#[derive(Component)]
struct Place(f32);

#[derive(Resource)]
struct Range(f32);

/// Returns the entity in range that is nearest to `to`. Arguments come first, parameters from the world follow.
#[system]
fn nearest(to: f32, places: Comp<Place>, range: Res<Range>) -> Option<Entity> {
    let mut best = None;
    let mut least = range.0;
    for (id, place) in places.with_entity().iter() {
        let distance = (place.0 - to).abs();
        if distance <= least {
            (best, least) = (Some(id), distance);
        }
    }
    best
}

/// A system can be generic.
#[system]
fn count<T: Component>(all: Comp<T>) -> usize {
    all.len()
}

#[system]
fn double(mut range: ResMut<Range>) {
    range.0 *= 2.0;
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Range(1.0));
    for (name, place) in [("oak", 0.0), ("elm", 3.0), ("ash", 8.0)] {
        world.spawn((Name(name), Place(place)));
    }

    // Called with a world, a system borrows its parameters and returns its result.
    println!("{} trees", count::<Name>(&world));
    println!("near 5, in range 1: {:?}", nearest(5.0, &world));
    double(&world);
    let id = nearest(5.0, &world).expect("the elm is in range 2");
    println!("near 5, in range 2: {}", world.get::<Name>(id).unwrap().0);

    // Called with values, it needs no world at all.
    let mut range = Range(7.0);
    ecs_core::inner(&double)(ResMut::from(&mut range));
    assert_eq!(range.0, 14.0);

    // Its borrows are a constant, computed from the signature.
    const NEAREST: ecs_core::meta::SystemMeta = ecs_core::meta(&nearest);
    println!("{} borrows:", NEAREST.name);
    for param in NEAREST.params {
        println!("  {}: {}", param.name, param.ty);
    }
}
