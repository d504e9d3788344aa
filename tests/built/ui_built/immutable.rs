//! Code outside of systems cannot write an immutable component, nor can an instance of a generic system.

use ecs_core::prelude::*;
use ecs_core::world::hooks::DeferredWorld;

#[derive(Component)]
#[component(immutable)]
struct Team(u8);

#[system]
fn set<T: Component>(_values: CompMut<T>) {}

#[derive(Component)]
#[component(on_add = Player::join)]
struct Player;

impl Player {
    fn join(mut world: DeferredWorld, player: Entity) {
        let _ = world.get_mut::<Team>(player);
    }
}

fn main() {
    let mut world = World::new();
    let blue = world.spawn((Team(1), Player));
    let _ = world.get_mut::<Team>(blue);
    let _ = world.view_mut::<Team>();
    let _ = world.query::<(Entity, Option<&mut Team>)>();
    let _ = world.query_mut::<&mut Team>();
    let _ = world.entity_mut(blue).unwrap().get_mut::<Team>();
    let _ = world.entity_mut(blue).unwrap().get_mut::<(Entity, &mut Team)>();
    world.run(set::<Team>);
}

//~ CompMut<T>
//~ world.get_mut::<Team>(player)
//~ world.get_mut::<Team>(blue)
