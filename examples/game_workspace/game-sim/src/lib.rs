//! The part of a server that adds to the rules: the ants, and food from time to time. It knows the components of the game,
//! but not its rules.
#![forbid(unsafe_code)]

use ecs::prelude::*;
use game_model::{Ant, Field, Food, Nest, Position, Rules};

/// Adds ants and food to a field; a plugin.
#[derive(Clone, Copy, Debug)]
pub struct Colony {
    /// The size of the field.
    pub field: Field,
    /// The number of ants.
    pub ants: u32,
}

impl Default for Colony {
    fn default() -> Self {
        let field = Field {
            width: 40,
            height: 12,
        };
        Self { field, ants: 5 }
    }
}

impl Plugin for Colony {
    fn build(self, app: &mut App) {
        app.insert_resource(self.field)
            .add_systems(Startup, move |mut commands: Commands| {
                let home = Position {
                    x: self.field.width / 2,
                    y: self.field.height / 2,
                };
                commands.spawn((Nest, home));
                commands.spawn_batch((0..self.ants).map(move |_| (Ant::default(), home)));
                commands.spawn((Food { left: 20 }, Position { x: 1, y: 1 }));
            })
            .add_systems(FixedUpdate, feed.after(Rules));
    }
}

/// Spawns a heap of food now and then. In `FixedUpdate`, time counts ticks.
#[system]
fn feed(time: Res<Time>, field: Res<Field>, mut commands: Commands) {
    if time.frame().is_multiple_of(50) {
        let n = time.frame() as i32 / 50;
        let at = Position {
            x: (n * 17) % field.width,
            y: (n * 7) % field.height,
        };
        commands.spawn((Food { left: 10 }, at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_model::Stores;

    #[test]
    fn no_piece_of_food_is_lost() {
        let mut app = App::new();
        app.add_plugin(game_model::rules)
            .add_plugin(Colony::default());
        for tick in 1..=500_u32 {
            app.update_by(App::DEFAULT_FIXED_STEP);
            let world = app.world();
            let lying: u32 = world.view::<Food>().iter().map(|food| food.left).sum();
            let carried = world.view::<Ant>().iter().filter(|ant| ant.carries).count() as u32;
            let stored = world.resource::<Stores>().0;
            assert_eq!(lying + carried + stored, 20 + tick / 50 * 10);
        }
        assert!(app.world().resource::<Stores>().0 > 20);
    }

    #[test]
    fn plugins_can_be_added_in_any_order_and_alone() {
        // The ants after each tick.
        let ways = |plugins: fn(&mut App)| {
            let mut app = App::new();
            plugins(&mut app);
            let mut ways = Vec::new();
            for _ in 0..500 {
                assert_eq!(app.update_by(App::DEFAULT_FIXED_STEP), None);
                let ants = app.world().query_filtered::<&Position, With<Ant>>();
                ways.extend(ants.iter().copied());
            }
            ways
        };
        let before = ways(|app| {
            app.add_plugin(game_model::rules)
                .add_plugin(Colony::default());
        });
        let after = ways(|app| {
            app.add_plugin(Colony::default())
                .add_plugin(game_model::rules);
        });
        let alone = ways(|app| {
            app.add_plugin(Colony::default());
        });
        assert!(before == after && before != alone);
    }
}
