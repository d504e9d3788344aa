//! An error in one of the types that a parameter names is shown at that type.

use ecs_core::prelude::*;
use ecs_core::relation::{Targets, Up};
use ecs_core::toggle::{Toggle, TurnedOn};
use ecs_core::tree::ChildOf;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);
#[derive(Resource)]
struct Score(u32);
struct Plain(u32);
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Screen {
    Menu,
}
struct Moving<'a> {
    _position: &'a Position,
}

#[system]
fn by_value(_all: Query<(&mut Position, Velocity)>) {}
#[system]
fn alone(_all: Query<Position>) {}
#[system]
fn optional(_all: Query<(Entity, Option<Velocity>)>) {}
#[system]
fn nested(_all: Query<(Entity, (&Position, (Velocity,)))>) {}
#[system]
fn not_derived(_all: Query<(Entity, Moving)>) {}
#[system]
fn plain_in_a_view(_all: CompMut<Plain>) {}
#[system]
fn plain_behind_a_reference(_all: Query<(&Position, &mut Plain)>) {}
#[system]
fn resource_behind_a_reference(_all: Query<(&Position, &Score)>) {}
#[system]
fn filter_of_plain(_all: Query<&Position, With<Plain>>) {}
#[system]
fn alternative(_all: Query<&Position, Or<(With<Velocity>, Without<Plain>)>>) {}
#[system]
fn untracked(_all: Query<&Position, (With<Velocity>, Changed<Position>)>) {}
#[system]
fn without_toggle(_all: Query<&Position, TurnedOn<Velocity>>) {}
#[system]
fn toggle_of_none(_all: Query<(&Position, &mut Toggle<Position>)>) {}
#[system]
fn component_as_a_resource(_value: Res<Position>) {}
#[system]
fn optional_resource(_value: Option<ResMut<Plain>>) {}
#[system]
fn state_as_a_resource(mut value: ResMut<Screen>) {
    *value = Screen::Menu;
}
#[system]
fn no_first_value(_value: Local<Plain>) {}
#[system]
fn in_a_set(_all: ParamSet<(Comp<Position>, Comp<Plain>)>) {}
#[system]
fn in_a_tuple(_all: (Comp<Velocity>, Res<Plain>)) {}
#[system]
fn relation_in_a_view(_all: Comp<ChildOf>) {}
#[system]
fn relation_in_a_query(_all: Query<(&Velocity, &ChildOf)>) {}
#[system]
fn many_targets(_all: Comp<Targets<ChildOf>>) {}
#[system]
fn above_by_value(_all: Query<(&Velocity, Up<ChildOf, Position>)>) {}
#[system]
fn above_of_no_relation(_all: Query<(&Velocity, Up<Score, &Position>)>) {}
#[system]
fn without_a_relation(_all: Query<(&Velocity, Up<&Position>)>) {}
#[system]
fn twice(_all: Query<(&mut Position, (Entity, &Position))>) {}
#[system]
fn here_and_above(_all: Query<(&mut Position, Up<ChildOf, (Entity, &Position)>)>) {}
#[system]
fn tuple_in_a_view(_all: CompMut<(Position, Velocity)>) {}
#[system]
fn reference_to_an_option(_all: Query<(Entity, &mut Option<Velocity>)>) {}
#[system]
fn reference_as_a_filter(_all: Query<&mut Position, &Velocity>) {}
#[system]
fn bound_of_another_kind<T: Component>(_value: Res<T>) {}
#[system(for_each)]
fn of_each(_: &Position, _value: Res<Plain>) {}
#[system(for_each)]
fn option_of_each(_: &Position, _: &mut Option<Velocity>) {}
#[system(for_each)]
fn value_of_each(_: &Position, _: Option<Velocity>) {}
#[system(for_each)]
fn query_alone(_all: Query<&mut Velocity>) {}
#[system(for_each, with(&Velocity))]
fn with_a_reference(_: &Position) {}
#[system(for_each, without(Without<Velocity>))]
fn with_a_filter(_: &Position) {}

#[derive(Event, Clone)]
#[component(data = "hit")]
struct Hit;
#[derive(QueryFilter)]
struct Fast<'a> {
    _velocity: &'a Velocity,
}

fn main() {}

//~ (&mut Position, Velocity)
//~ alone(_all: Query<Position>
//~ Query<(Entity, Option<Velocity>)
//~ (&Position, (Velocity,))
//~ (Entity, Moving)
//~ CompMut<Plain>
//~ (&Position, &mut Plain)
//~ (&Position, &Score)
//~ Query<&Position, With<Plain>>
//~ Without<Plain>)>
//~ Changed<Position>
//~ TurnedOn<Velocity>>
//~ &mut Toggle<Position>
//~ Res<Position>
//~ Option<ResMut<Plain>>
//~ ResMut<Screen>
//~ Local<Plain>
//~ Comp<Plain>)
//~ (Comp<Velocity>, Res<Plain>)
//~ Comp<ChildOf>
//~ &ChildOf
//~ Targets<ChildOf>>
//~ Up<ChildOf, Position>
//~ Up<Score, &Position>
//~ Up<&Position>
//~ (Entity, &Position))>) {}
//~ (Entity, &Position)>)>
//~ CompMut<(Position, Velocity)>
//~ &mut Option<Velocity>)>
//~ Query<&mut Position, &Velocity>
//~ Res<T>
//~ _value: Res<Plain>) {} #[system(for_each)] fn option
//~ _: &mut Option<Velocity>) {}
//~ _: Option<Velocity>
//~ Query<&mut Velocity>
//~ with(&Velocity)
//~ without(Without<Velocity>)
//~ #[component(data = "hit")]
//~ &'a Velocity
