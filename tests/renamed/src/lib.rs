//! The macros in a crate that renames the dependency on `ecs-core`.

use other_name::prelude::*;
use other_name::statics::{add_entity, component, component_mut, spawn, world};

/// A component.
#[derive(Component)]
pub struct Position(pub f32);

/// A relation.
#[derive(Relation)]
pub struct ChildOf;

/// A resource.
#[derive(Resource)]
pub struct Step(pub f32);

/// A bundle.
#[derive(Bundle)]
pub struct Body {
    /// The position.
    pub position: Position,
}

/// A system with parameters.
#[system]
pub fn advance(times: u8, mut positions: CompMut<Position>, step: Res<Step>) {
    for position in &mut positions {
        position.0 += step.0 * f32::from(times);
    }
}

/// A system called for each entity.
#[system(for_each)]
pub fn reset(position: &mut Position) {
    position.0 = 0.0;
}

world! {
    /// A closed world.
    pub Closed { Position }
}

/// Uses all macros of closed worlds.
pub fn closed() -> f32 {
    let mut closed = Closed::new();
    let entity = spawn!(closed; Position(1.0));
    add_entity!(closed; Position(2.0));
    other_name::statics::system!(closed, |position: &mut Position| position.0 += 1.0);
    component_mut!(closed, Position).get_mut(entity).unwrap().0 += 1.0;
    component!(closed, Position)
        .iter()
        .map(|position| position.0)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_world_finds_it_too() {
        assert_eq!(closed(), 6.0);
    }

    #[test]
    fn generated_code_finds_the_crate() {
        let mut world = World::new();
        world.insert_resource(Step(0.5));
        let position = Position(1.0);
        let entity = world.spawn(Body { position });
        advance(2, &world);
        assert_eq!(world.get::<Position>(entity).unwrap().0, 2.0);
        world.run(reset);
        assert_eq!(world.get::<Position>(entity).unwrap().0, 0.0);
    }
}
