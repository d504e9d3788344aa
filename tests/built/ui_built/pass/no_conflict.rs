//! Parameters that look like conflicts but are not, under `forbid`.

#![forbid(warnings, unsafe_code)]

use ecs_core::prelude::*;
use ecs_core::{Or, ResourceMap, With, Without};

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);
#[derive(Component)]
struct Player;
#[derive(Component)]
struct Tag<T: Send + Sync + 'static>(T);
// A component and a resource.
#[derive(Component, Resource)]
struct Both(u8);

mod other {
    #[derive(ecs_core::Component)]
    pub struct Position(pub f32);
}

#[system]
fn readers(a: Comp<Position>, b: Comp<Position>, c: Query<(&Position, &Position)>) -> usize {
    a.len() + b.len() + c.count()
}

#[system]
fn same_name(mut a: CompMut<Position>, mut b: CompMut<other::Position>) {
    a.iter_mut().for_each(|a| a.0 += 1.0);
    b.iter_mut().for_each(|b| b.0 += 1.0);
}

#[system]
fn component_and_resource(a: CompMut<Both>, mut b: ResMut<Both>) {
    b.0 = a.iter().map(|a| a.0).sum();
}

#[system]
fn other_resources(mut a: ResMut<Vec<u8>>, b: Res<Vec<u16>>, c: ResMut<u8>, d: Option<ResMut<u16>>) {
    a.push(*c + u8::from(b.is_empty()) + u8::from(d.is_some()));
}

#[system]
fn other_instances(mut a: CompMut<Tag<u8>>, b: Comp<Tag<u16>>) {
    a.iter_mut().for_each(|a| a.0 = u8::try_from(b.iter().map(|b| b.0).sum::<u16>()).unwrap_or(0));
}

type Bytes<'w> = Query<'w, &'static mut Tag<u8>>;
type Others<'w> = Query<'w, &'static Tag<u8>, Without<Tag<u8>>>;

#[system]
fn other_instances_by_an_alias(mut a: Bytes<'_>, b: Query<&Tag<u16>>, c: Others<'_>) {
    let sum = b.iter().map(|b| b.0).sum::<u16>() + u16::try_from(c.iter().count()).unwrap_or(0);
    a.for_each(|a| a.0 = u8::try_from(sum).unwrap_or(0));
}

#[system]
fn disjoint(
    mut a: Query<&mut Position, With<Player>>,
    b: Query<&Position, (Without<Player>, Or<(With<Velocity>, Without<Velocity>)>)>,
) {
    let sum: f32 = b.iter().map(|b| b.0).sum();
    a.for_each(|a| a.0 += sum);
}

#[system]
fn disjoint_by_all_alternatives(
    mut a: Query<&mut Position, Or<(With<Player>, With<Velocity>)>>,
    b: Query<&Position, (Without<Player>, Without<Velocity>)>,
) {
    let sum: f32 = b.iter().map(|b| b.0).sum();
    a.for_each(|a| a.0 += sum);
}

#[system]
fn disjoint_by_a_filter(mut a: Query<(&mut Position, &Player)>, b: Query<&Position, Without<Player>>) {
    let sum: f32 = b.iter().map(|b| b.0).sum();
    a.for_each(|(a, _)| a.0 += sum);
}

#[system]
fn disjoint_in_a_loop_of_its_own(
    mut a: Query<Option<&mut Velocity>, With<Player>>,
    mut b: Query<(Entity, &mut Velocity), Without<Player>>,
) {
    for a in (&mut a).into_iter().flatten() {
        b.for_each(|(_, b)| core::mem::swap(a, b));
    }
}

#[system(for_each, without(Player))]
fn item_and_query(position: &mut Position, players: Query<&Position, With<Player>>) {
    position.0 += players.iter().map(|p| p.0).sum::<f32>();
}

#[system]
fn tested_only(mut a: CompMut<Player>, b: Query<&mut Position, With<Player>>, c: Query<Entity, Without<Player>>) {
    assert!(a.iter_mut().count() + b.count() + c.count() > 0);
}

#[system]
fn beside_commands(mut a: CompMut<Position>, mut one: Commands, mut two: Commands, ids: Entities, n: Local<u8>) {
    one.spawn(Position(f32::from(*n)));
    two.spawn(Position(0.0));
    a.iter_mut().for_each(|a| a.0 += ids.len() as f32);
}

#[system]
fn beside_the_world(a: Comp<Position>, world: &World, mut commands: Commands, b: Res<u8>, again: &World) {
    commands.spawn(Position(f32::from(*b)));
    assert!(world.len() == again.len() && world.len() >= a.len());
}

#[system]
fn beside_the_resources(mut a: CompMut<Position>, all: &ResourceMap, b: Res<u8>) {
    assert_eq!(*b, *all.borrow::<u8>());
    a.iter_mut().for_each(|a| a.0 += 1.0);
}

#[system]
fn in_tuples((mut a, b): (CompMut<Position>, Comp<Velocity>), (c, mut d): (Res<u16>, ResMut<u8>)) {
    (&mut a, &b).for_each(|(a, b)| a.0 += b.0);
    *d += u8::from(*c == 0);
}

#[system]
fn generic<T: Component, U: Component>(a: CompMut<T>, b: Query<&mut U>, time: Res<u8>) -> usize {
    a.len() + b.count() + usize::from(*time)
}

#[system]
fn configured(#[cfg(not(all()))] a: Res<u8>, #[cfg(all())] mut a: ResMut<u8>, b: Res<u16>) {
    *a += u8::from(*b == 0);
}

const _: () = assert!(!ecs_core::meta::may_conflict(&ecs_core::meta(&readers), &ecs_core::meta(&readers)));

fn main() {
    let mut world = World::new();
    for value in [1.0, 2.0] {
        world.spawn((Position(value), Velocity(value), Player));
        world.spawn((Position(value), other::Position(value), Tag(1_u8), Tag(1_u16), Both(1)));
        world.spawn((Position(value), Velocity(0.0)));
    }
    world.insert_resource(Both(1));
    world.insert_resource(vec![1_u8]);
    world.insert_resource(vec![1_u16]);
    world.insert_resource(1_u8);
    world.insert_resource(1_u16);
    let mut all = Schedule::new();
    all.add((same_name, component_and_resource, other_resources, other_instances));
    all.add((disjoint, disjoint_by_a_filter, disjoint_in_a_loop_of_its_own, item_and_query));
    all.add((tested_only, beside_commands, beside_the_world, beside_the_resources, in_tuples));
    all.add(configured);
    all.run(&mut world).expect("no conflict");
    assert_eq!(readers(&world), 3 * 9);
    assert_eq!(generic::<Position, Velocity>(&world), 9 + 4 + usize::from(*world.resource::<u8>()));
}
