//! The rules: a set of systems.

use ecs_core::prelude::*;

use crate::{Ant, Food, Nest, Position, Stores};

/// The set of the rules in `FixedUpdate`, for systems that run before or after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules;

/// Adds the rules in their order; a plugin.
pub fn rules(app: &mut App) {
    app.init_resource::<Stores>();
    app.add_systems(FixedUpdate, (seek, walk, carry).in_set(Rules));
}

/// Chooses a goal: the nest if the ant carries food, otherwise the nearest heap. Drops a goal that has been despawned.
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

/// Takes a piece of food at a heap, or puts it down at the nest. Despawns an empty heap.
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
        let mut app = App::new();
        app.add_plugin(rules);
        let world = app.world_mut();
        let nest = world.spawn((Nest, Position { x: 0, y: 0 }));
        let heap = world.spawn((Food { left: 1 }, Position { x: 3, y: 1 }));
        let ant = world.spawn((Ant::default(), Position { x: 0, y: 0 }));
        app.update_by(3 * App::DEFAULT_FIXED_STEP);
        assert!(app.world().get::<Ant>(ant).unwrap().carries);
        assert!(!app.world().contains(heap), "the heap is empty");
        app.update_by(3 * App::DEFAULT_FIXED_STEP);
        assert_eq!(*app.world().resource::<Stores>(), Stores(1));
        assert_eq!(app.world().get::<Ant>(ant).unwrap().goal, Some(nest));
    }
}
