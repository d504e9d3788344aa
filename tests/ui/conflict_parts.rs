#![allow(unused)]

use ecs_core::prelude::*;
use ecs_core::With;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Player;
#[derive(Resource)]
struct Time;

#[system]
fn inside_of_a_tuple((a, b): (CompMut<Position>, (Res<Time>, Comp<Position>))) {}

#[system]
fn tuples((a, time): (Comp<Position>, Res<Time>), (b, c): (Local<u8>, ResMut<Time>)) {}

type Both<'w> = (Commands<'w>, Query<'w, &'static mut Position, With<Player>>);

#[system]
fn alias_of_a_tuple(players: Query<&Position>, both: Both<'_>) {}

#[system]
fn resources_beside_all_resources(mut time: ResMut<Time>, all: &ecs_core::ResourceMap) {}

#[system]
fn world_beside_a_writer(world: &World, mut positions: CompMut<Position>) {}

#[system]
fn writing_query_beside_the_world(positions: Query<(Entity, &mut Position)>, world: &World) {}

#[system]
fn writer_of_events_beside_the_world(hits: EventWriter<u8>, #[param] world: &World) {}

#[system(for_each)]
fn item_and_view(_position: &mut Position, _player: &Player, positions: Comp<Position>) {}

#[system(for_each, with(Player))]
fn items_twice(time: ResMut<Time>, _position: &mut Position, _again: Option<&Position>, again: Res<Time>) {}

struct Hit;

#[derive(SystemParam)]
struct Hits<'w> {
    hits: EventWriter<'w, Hit>,
}

/// Its events need not be resources.
#[derive(SystemParam)]
struct AnyEvents<'w, E: Send + Sync + 'static> {
    writer: EventWriter<'w, E>,
    time: Res<'w, Time>,
}

type Out<'w> = EventWriter<'w, Hit>;

#[system]
fn derived_writer_of_events(hits: Hits<'_>, read_beside_derived: EventReader<Hit>) {}

#[system]
fn alias_of_a_writer_of_events(hits: Out<'_>, read_beside_alias: EventReader<Hit>) {}

#[system]
fn writer_of_events_in_a_tuple(tuple: (EventWriter<Hit>, Comp<Position>), read_beside_tuple: EventReader<Hit>) {}

#[system]
fn writer_of_events_in_a_set(set: ParamSet<(EventWriter<Hit>, EventReader<Hit>)>, read_beside_set: EventReader<Hit>) {}

#[derive(SystemParam)]
struct EventsTwice<'w> {
    writer: EventWriter<'w, Hit>,
    field_beside_field: EventReader<'w, Hit>,
}

#[system]
fn other_events_are_no_conflict(hits: Hits<'_>, others: EventReader<u8>, (time, writer): (ResMut<Time>, EventWriter<u16>)) {}

fn main() {}

//~ (CompMut<Position>, (Res<Time>, Comp<Position>))
//~ (Local<u8>, ResMut<Time>)
//~ Both<'_>
//~ &ecs_core::ResourceMap
//~ mut positions: CompMut<Position>
//~ fn writing_query_beside_the_world(positions: Query<(Entity, &mut Position)>, world: &World) {}
//~ #[param] world: &World
//~ positions: Comp<Position>
//~ &mut Position, _again: Option<&Position>
//~ again: Res<Time>
//~ read_beside_derived: EventReader<Hit>
//~ read_beside_alias: EventReader<Hit>
//~ read_beside_tuple: EventReader<Hit>
//~ read_beside_set: EventReader<Hit>
//~ EventReader<'w, Hit>
