//! This example shows a scene graph: parents and children as plain components that hold ids, positions that count from the
//! parent, drawing in z-order by a sorted iteration, and an entity that loses a bundle and keeps the rest.

use ecs_core::prelude::*;

/// Whose child it is, and where it is seen from there.
#[derive(Component)]
struct Parent(Entity);

/// Ids of other entities are plain values; nothing keeps them up to date but the code below.
#[derive(Component, Default)]
struct Children(Vec<Entity>);

#[derive(Component, Clone, Copy)]
struct Offset {
    x: i32,
    z: i32,
}

/// From the root of the tree; made anew before each picture.
#[derive(Component, Clone, Copy, Default)]
struct Place {
    x: i32,
    z: i32,
}

/// Optional: what has none groups others.
#[derive(Component)]
struct Sprite(char);

#[derive(Component)]
struct Health(u32);

/// What makes a figure of something.
#[derive(Bundle)]
struct Mind {
    health: Health,
    thought: Thought,
}

#[derive(Component)]
struct Thought(&'static str);

/// Hangs a node under another one.
fn attach(
    world: &mut World,
    child: Entity,
    parent: Entity,
) -> Result<(), ecs_core::world::NoSuchEntity> {
    world.insert(child, Parent(parent))?;
    let mut parent = world.entity_mut(parent)?;
    if !parent.has::<Children>() {
        parent.with(Children::default());
    }
    if let Some(children) = parent.get_mut::<Children>() {
        children.0.push(child);
    }
    Ok(())
}

/// Despawns a node with all that hangs under it. A list, not recursion: trees may be deep.
fn fell(world: &mut World, root: Entity) {
    let parent = world.get::<Parent>(root).map(|parent| parent.0);
    if let Some(siblings) = parent.and_then(|parent| world.get_mut::<Children>(parent)) {
        siblings.0.retain(|&child| child != root);
    }
    let mut doomed = vec![root];
    while let Some(entity) = doomed.pop() {
        if let Ok(children) = world.take::<Children>(entity) {
            doomed.extend(children.0);
        }
        // Somebody else may have despawned it before.
        let _ = world.despawn(entity);
    }
}

/// Gives every node its place, parents before children.
#[system]
fn place(
    mut places: CompMut<Place>,
    offsets: Comp<Offset>,
    children: Comp<Children>,
    parents: Comp<Parent>,
) {
    let roots = (&offsets).exclude(&parents).with_entity();
    let mut open: Vec<(Entity, Place)> = (roots.iter())
        .map(|(root, _)| (root, Place::default()))
        .collect();
    while let Some((entity, from)) = open.pop() {
        let Some(offset) = offsets.get(entity) else {
            continue;
        };
        let place = Place {
            x: from.x + offset.x,
            z: from.z + offset.z,
        };
        if let Some(own) = places.get_mut(entity) {
            *own = place;
        }
        let children = children
            .get(entity)
            .into_iter()
            .flat_map(|children| &children.0);
        open.extend(children.map(|&child| (child, place)));
    }
}

/// From back to front: what comes later is drawn over what was there.
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
    let ship = world.spawn(node(4, 0));
    for (x, z, letter) in [
        (0, 0, '<'),
        (1, 0, '='),
        (2, 0, '='),
        (3, 0, '>'),
        (1, 5, 'o'),
    ] {
        let part = world.spawn((node(x, z), Sprite(letter)));
        attach(&mut world, part, ship)?;
    }
    let mind = Mind {
        health: Health(3),
        thought: Thought("ahoy"),
    };
    let captain = world.spawn((node(2, 9), Sprite('@'), mind));
    attach(&mut world, captain, ship)?;
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

    // The captain loses what makes a figure of him, and is still drawn.
    let thought = world
        .get::<Thought>(captain)
        .map_or("", |thought| thought.0);
    let health = world.get::<Health>(captain).map_or(0, |health| health.0);
    println!("{thought}! (health {health})");
    world
        .entity_mut(captain)?
        .remove::<Mind>()
        .with(Sprite('x'));
    assert!(!world.has::<Health>(captain) && !world.has::<Thought>(captain));
    assert_eq!(picture(&world), "......~.....<ox>........");

    fell(&mut world, captain);
    assert_eq!(picture(&world), "......~.....<o=>........");
    fell(&mut world, ship);
    assert!(!world.contains(captain) && world.len() == 1);
    assert_eq!(picture(&world), "......~.................");
    Ok(())
}
