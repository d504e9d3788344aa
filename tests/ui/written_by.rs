//! A system outside of the modules that own some data cannot write it.

use ecs_core::prelude::*;
use ecs_core::query::Any;
use ecs_tests::owned::Momentum;

#[derive(Component)]
#[component(written_by = "game::physics")]
struct Position(f32);
#[derive(Component)]
#[component(written_by("game::physics", "game::load"), storage = "sparse")]
struct Tag<T: Send + Sync + 'static>(T);
#[derive(Component)]
struct Velocity(f32);
#[derive(Resource)]
#[resource(written_by = "game::clock")]
struct Clock(f32);

#[derive(SystemParam)]
struct Bodies<'w> {
    _velocities: CompMut<'w, Velocity>,
    _positions: CompMut<'w, Position>,
}
#[derive(QueryData)]
struct Body<'a> {
    _position: &'a mut Position,
    _velocity: &'a Velocity,
}
type Writing<'w> = CompMut<'w, Position>;

// All may read, and commands that declare nothing may do anything.
#[system]
fn reads(_a: Comp<Position>, _b: Query<(&Position, &mut Velocity), With<Tag<u8>>>, _c: Res<Clock>) {}
#[system]
fn commands(_commands: Commands, _one: Commands<Velocity>, _clock: Option<Res<Clock>>) {}

#[system]
fn by_view(_a: Comp<Velocity>, _b: CompMut<Position>) {}
#[system]
fn alone(_a: CompMut<Position>) {}
#[system]
fn by_alias(_a: Writing<'_>) {}
#[system]
fn by_query(_a: Query<(&Velocity, Option<&mut Position>), Without<Tag<u8>>>) {}
#[system]
fn by_struct(_a: Query<Body<'_>>) {}
#[system]
fn by_any(_a: Query<Any<(&Velocity, &mut Position)>>) {}
#[system(for_each)]
fn in_a_loop(_a: &mut Position) {}
#[system]
fn in_turns(_a: ParamSet<(CompMut<Position>, Comp<Position>)>) {}
#[system]
fn by_derived(_a: Bodies<'_>) {}
#[system]
fn in_a_tuple(_a: (Res<Clock>, CompMut<Position>)) {}
#[system]
fn of_another_crate(_a: CompMut<Momentum>) {}
#[system]
fn of_a_generic_type(_a: CompMut<Tag<u8>>) {}
#[system]
fn generic<T: Component>(_a: Comp<T>, _b: CompMut<Position>) {}
#[system]
fn by_commands(_a: Commands<(Velocity, Position)>) {}
#[system]
fn of_a_resource(_a: ResMut<Clock>) {}
#[system]
fn of_an_optional_one(_a: Option<ResMut<Clock>>) {}
#[system]
fn with_an_argument(_n: u8, _a: CompMut<Position>) {}

fn main() {}

//~ <Velocity>, _b: CompMut<Position>
//~ <T>, _b: CompMut<Position>
//~ alone(_a: CompMut<Position>
//~ u8, _a: CompMut<Position>
//~ Writing<'_>
//~ Query<(&Velocity, Option<&mut Position>), Without<Tag<u8>>>
//~ Query<Body<'_>>
//~ Query<Any<(&Velocity, &mut Position)>>
//~ _a: &mut Position
//~ ParamSet<(CompMut<Position>, Comp<Position>)>
//~ Bodies<'_>
//~ (Res<Clock>, CompMut<Position>)
//~ CompMut<Momentum>
//~ CompMut<Tag<u8>>
//~ Commands<(Velocity, Position)>
//~ _a: ResMut<Clock>
//~ Option<ResMut<Clock>>
