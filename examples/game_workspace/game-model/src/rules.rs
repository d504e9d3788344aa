//! The rules, as systems.

use ecs_core::prelude::*;

use crate::{Ant, Food, Nest, Position, Stores};

/// Adds the rules in their order to the schedule of a server or client.
pub fn rules(schedule: &mut Schedule) {
    schedule.add((seek, walk, carry));
}

/// Chooses a goal: the nest if the ant carries food, else the nearest heap. A despawned heap is dropped as a goal.
#[system]
pub fn seek(
    mut ants: CompMut<Ant>,
    positions: Comp<Position>,
    food: Comp<Food>,
    nests: Comp<Nest>,
) {
    for (ant, &at) in (&mut ants, &positions).iter() {
        let distance = |id: Entity| positions.get(id).map_or(i32::MAX, |p| p.distance(at));
        let choices: Box<dyn Iterator<Item = Entity>> = if ant.carries {
            Box::new((&nests).entities())
        } else {
            Box::new((&food).entities())
        };
        ant.goal = choices.min_by_key(|&id| (distance(id), id));
    }
}

#[system]
pub fn walk(mut positions: CompMut<Position>, ants: Comp<Ant>) {
    let walkers: Vec<(Entity, Entity)> = (ants.with_entity().iter())
        .filter_map(|(id, ant)| Some((id, ant.goal?)))
        .collect();
    for (id, goal) in walkers {
        // Two values of one component, one of them borrowed mutably.
        if let (Some(at), Some(goal)) = positions.get_pair_mut(id, goal) {
            *at = at.towards(*goal);
        }
    }
}

/// Takes a piece of food at a heap, or puts it down at the nest. An empty heap is despawned.
#[system]
pub fn carry(
    mut ants: CompMut<Ant>,
    positions: Comp<Position>,
    mut food: CompMut<Food>,
    mut stores: ResMut<Stores>,
    mut commands: Commands,
) {
    for (ant, at) in (&mut ants, &positions).iter() {
        let Some(goal) = ant.goal.filter(|&goal| positions.get(goal) == Some(at)) else {
            continue;
        };
        if ant.carries {
            stores.0 += 1;
            ant.carries = false;
        } else if let Some(heap) = food.get_mut(goal).filter(|heap| heap.left > 0) {
            heap.left -= 1;
            ant.carries = true;
            if heap.left == 0 {
                commands.despawn(goal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ant_brings_a_piece_home() {
        let mut world = World::new();
        world.insert_resource(Stores::default());
        let nest = world.spawn((Nest, Position { x: 0, y: 0 }));
        let heap = world.spawn((Food { left: 1 }, Position { x: 3, y: 1 }));
        let ant = world.spawn((Ant::default(), Position { x: 0, y: 0 }));
        let mut day = Schedule::new();
        rules(&mut day);
        for _ in 0..3 {
            day.run(&mut world).unwrap();
        }
        assert!(world.get::<Ant>(ant).unwrap().carries);
        assert!(!world.contains(heap), "the heap is empty");
        for _ in 0..3 {
            day.run(&mut world).unwrap();
        }
        assert_eq!(*world.resource::<Stores>(), Stores(1));
        assert_eq!(world.get::<Ant>(ant).unwrap().goal, Some(nest));
    }
}
