//! This example shows a scene graph: a tree spawned as one bundle, positions relative to the parent, drawing in z-order
//! by a sorted iteration, finding an entity by its path, and removing a bundle.

use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use ecs_core::tree::{ChildOf, Name, children};

/// The position relative to the parent.
#[derive(Component, Clone, Copy)]
struct Offset {
    x: i32,
    z: i32,
}

/// The position relative to the root of the tree; computed before each picture.
#[derive(Component, Clone, Copy, Default)]
struct Place {
    x: i32,
    z: i32,
}

/// The letter to draw; optional, because nodes without one only group others.
#[derive(Component)]
struct Sprite(char);

#[derive(Component)]
struct Health(u32);

/// The components of a node that is alive.
#[derive(Bundle)]
struct Mind {
    health: Health,
    thought: Thought,
}

#[derive(Component)]
struct Thought(&'static str);

/// Computes the place of every node, parents before children.
#[system]
fn place(
    mut places: CompMut<Place>,
    offsets: Comp<Offset>,
    children: Comp<Sources<ChildOf>>,
    parents: Comp<Target<ChildOf>>,
) {
    for (root, _) in offsets.exclude(&parents).with_entity().iter() {
        for node in std::iter::once(root).chain(children.descendants(root)) {
            let parent = parents.get(node).map(|parent| parent.entity());
            let from = parent.and_then(|parent| places.get(parent)).copied();
            let from = from.unwrap_or_default();
            if let (Some(place), Some(offset)) = (places.get_mut(node), offsets.get(node)) {
                *place = Place {
                    x: from.x + offset.x,
                    z: from.z + offset.z,
                };
            }
        }
    }
}

/// Draws sprites from back to front: later ones overwrite earlier ones.
#[system]
fn draw(nodes: Query<(&Place, &Sprite)>) -> String {
    let mut row = vec!['.'; 24];
    for (place, sprite) in nodes.sorted_by_key(|(place, _)| place.z) {
        if let Some(cell) = row.get_mut(place.x as usize) {
            *cell = sprite.0;
        }
    }
    row.into_iter().collect()
}

fn node(x: i32, z: i32) -> (Offset, Place) {
    (Offset { x, z }, Place::default())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let mind = Mind {
        health: Health(3),
        thought: Thought("ahoy"),
    };
    let ship = world.spawn((
        Name::new("ship"),
        node(4, 0),
        children![
            (node(0, 0), Sprite('<')),
            (
                node(1, 0),
                Sprite('='),
                children![(node(0, 5), Sprite('o'))]
            ),
            (node(2, 0), Sprite('=')),
            (node(3, 0), Sprite('>')),
            (Name::new("captain"), node(2, 9), Sprite('@'), mind),
        ],
    ));
    let captain = world.find("ship/captain")?;
    world.spawn((node(6, 1), Sprite('~')));

    let picture = |world: &World| {
        place(world);
        let picture = draw(world);
        println!("{picture}");
        picture
    };
    // The wave is in front of the deck, and behind the captain who stands on it.
    assert_eq!(picture(&world), "....<o@>................");

    // Parents move their children.
    if let Some(offset) = world.get_mut::<Offset>(ship) {
        offset.x += 8;
    }
    assert_eq!(picture(&world), "......~.....<o@>........");

    // The captain loses his mind, and is still drawn.
    let thought = world
        .get::<Thought>(captain)
        .map_or("", |thought| thought.0);
    let health = world.get::<Health>(captain).map_or(0, |health| health.0);
    println!("{thought}! (health {health})");
    world
        .entity_mut(captain)?
        .remove::<Mind>()
        .insert(Sprite('x'));
    assert!(!world.has::<Health>(captain) && !world.has::<Thought>(captain));
    assert_eq!(picture(&world), "......~.....<ox>........");

    world.despawn(captain)?;
    assert_eq!(picture(&world), "......~.....<o=>........");
    world.despawn(ship)?; // despawns its children, too
    assert_eq!(world.len(), 1);
    assert_eq!(picture(&world), "......~.................");
    Ok(())
}
