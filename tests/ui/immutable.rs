//! An immutable component is read and replaced, and not written.

use ecs_core::prelude::*;
use ecs_core::query::Any;

#[derive(Component)]
#[component(immutable)]
struct Team(u8);
#[derive(Component)]
#[component(immutable, track, storage = "sparse")]
struct Tag<T: Send + Sync + 'static>(T);
#[derive(Component)]
struct Velocity(f32);

#[derive(SystemParam)]
struct Teams<'w> {
    _velocities: CompMut<'w, Velocity>,
    _teams: CompMut<'w, Team>,
}
#[derive(QueryData)]
struct Player<'a> {
    _team: &'a mut Team,
    _velocity: &'a Velocity,
}

// All may read, insert and remove it.
#[system]
fn reads(_a: Comp<Team>, _b: Query<(&Team, &mut Velocity), Changed<Tag<u8>>>) {}
#[system]
fn commands(_commands: Commands, _one: Commands<(Team, Tag<u8>)>) {}

#[system]
fn by_view(_a: Comp<Velocity>, _b: CompMut<Team>) {}
#[system]
fn by_query(_a: Query<(&Velocity, Option<&mut Team>), Without<Tag<u8>>>) {}
#[system]
fn by_struct(_a: Query<Player<'_>>) {}
#[system]
fn by_any(_a: Query<Any<(&Velocity, &mut Team)>>) {}
#[system]
fn by_single(_a: Single<&mut Team>) {}
#[system(for_each)]
fn in_a_loop(_a: &mut Team) {}
#[system]
fn by_guard(_a: Query<Mut<'_, Tag<u8>>>) {}
#[system]
fn in_turns(_a: ParamSet<(CompMut<Team>, Comp<Team>)>) {}
#[system]
fn by_derived(_a: Teams<'_>) {}
#[system(writes(Team))]
fn declared(_a: CompMut<Team>) {}
#[system]
fn of_a_generic_type(_a: CompMut<Tag<u8>>) {}
#[system]
fn generic<T: Component>(_a: Comp<T>, _b: CompMut<Team>) {}

fn main() {}

//~ <Velocity>, _b: CompMut<Team>
//~ Query<(&Velocity, Option<&mut Team>), Without<Tag<u8>>>
//~ Query<Player<'_>>
//~ Query<Any<(&Velocity, &mut Team)>>
//~ Single<&mut Team>
//~ in_a_loop(_a: &mut Team
//~ Query<Mut<'_, Tag<u8>>>
//~ ParamSet<(CompMut<Team>, Comp<Team>)>
//~ Teams<'_>
//~ declared(_a: CompMut<Team>
//~ _a: CompMut<Tag<u8>>
//~ <T>, _b: CompMut<Team>
