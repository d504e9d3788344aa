//! Systems keep the contract of their crate.

use ecs_core::prelude::*;
use ecs_core::query::Any;

mod physics {
    use ecs_core::prelude::*;

    #[derive(Component)]
    pub struct Velocity(pub f32);
    #[derive(Component)]
    #[component(storage = "sparse")]
    pub struct Frozen;
    #[derive(Resource)]
    pub struct Gravity(pub f32);

    #[system(for_each)]
    pub fn fall(velocity: &mut Velocity, gravity: ResMut<Gravity>) {
        velocity.0 -= gravity.0;
    }
    #[system]
    pub fn freeze(_commands: Commands<(Frozen, Velocity)>) {}
}
mod load {
    use super::physics::{Gravity, Velocity};
    use ecs_core::prelude::*;

    #[system]
    pub fn inside(_velocities: CompMut<Velocity>, _gravity: Res<Gravity>, _hits: EventWriter<u8>) {}
    #[system]
    pub fn gravity(_gravity: ResMut<Gravity>) {}
}
mod ui {
    use super::physics::{Frozen, Gravity, Velocity};
    use ecs_core::prelude::*;

    #[derive(Component)]
    pub struct Label;

    #[system]
    pub fn label(_labels: CompMut<Label>, _velocities: Comp<Velocity>, _all: Query<&Frozen>) {}
    #[system]
    pub fn drag(_labels: CompMut<Label>, _all: Query<(&mut Velocity, Option<&mut Frozen>)>) {}
    #[system]
    pub fn freeze(_commands: Commands<Frozen>) {}
    #[system]
    pub fn undeclared(_commands: Commands) {}
    pub mod menu {
        use super::{Gravity, Velocity};
        use ecs_core::prelude::*;

        #[system]
        pub fn both(_velocities: CompMut<Velocity>, _gravity: Option<ResMut<Gravity>>) {}
    }
}
mod view {
    use super::ui::Label;
    use ecs_core::prelude::*;

    #[system]
    pub fn writes(_labels: Query<&mut Label>) {}
    #[system]
    pub fn sends(_hits: EventWriter<u8>) {}
}

contract! {
    only physics, load writes physics::Velocity, physics::Frozen;
    only crate::physics writes physics::Gravity;
    ui writes nothing of physics;
    view writes nothing;
}

type Writing<'w> = CompMut<'w, physics::Velocity>;
#[system]
fn at_the_root(_one: Writing<'_>, _two: CompMut<physics::Frozen>) {}
#[system]
fn generic<T: Component>(_a: Comp<T>, _all: Query<Any<(&T, &mut physics::Velocity)>>) {}
#[system(for_each)]
fn in_a_loop(_velocity: &mut physics::Velocity) {}

fn main() {}

//~ _all: Query<(&mut Velocity, Option<&mut Frozen>)>
//~ _velocities: CompMut<Velocity>, _gravity: Option
//~ Option<ResMut<Gravity>>
//~ Query<&mut Label>
//~ _one: Writing<'_>
//~ _two: CompMut<physics::Frozen>
//~ Commands<Frozen>
//~ _velocity: &mut physics::Velocity
//~ _gravity: ResMut<Gravity>) {}
//~ sends(_hits: EventWriter<u8>
