//! A component and a subtype of it: `Sub` coerces to `Super`, but is another component.

use ecs_core::prelude::*;
use ecs_core::world::Ref;

#[derive(Component, Resource)]
struct Of<F: Send + Sync + 'static>(F, u64);

type Sub = Of<for<'a> fn(&'a u8)>;
type Super = Of<fn(&'static u8)>;

fn ignore(_: &u8) {}

fn with_both() -> (World, Entity) {
    let mut world = World::new();
    let entity = world.spawn((
        Of(ignore as for<'a> fn(&'a u8), 1),
        Of(ignore as fn(&'static u8), 2),
    ));
    (world, entity)
}

#[test]
fn a_type_and_its_subtype_are_two_components() {
    let (mut world, entity) = with_both();
    assert_eq!(world.get::<Sub>(entity).unwrap().1, 1);
    assert_eq!(world.get::<Super>(entity).unwrap().1, 2);
    let mut of_sub: Query<&mut Sub> = world.query();
    let mut of_super = world.view_mut::<Super>();
    of_sub.get_mut(entity).unwrap().1 += 10;
    of_super.get_mut(entity).unwrap().1 += 10;
    assert!(world.try_view::<Sub>().is_err() && world.try_view::<Super>().is_err());
    drop((of_sub, of_super));
    assert_eq!(
        world.take::<(Sub, Super)>(entity).map(|(a, b)| (a.1, b.1)),
        Ok((11, 12))
    );
}

#[test]
fn a_borrowed_value_becomes_one_of_the_supertype_and_its_borrow_stays_that_of_the_subtype() {
    let (world, entity) = with_both();
    let value: Ref<Super> = world.get::<Sub>(entity).unwrap();
    assert_eq!(value.1, 1);
    assert!(world.try_view_mut::<Sub>().is_err());
    assert!(world.try_view_mut::<Super>().is_ok());
    drop(value);
    assert!(world.try_view_mut::<Sub>().is_ok());
}

#[test]
fn a_borrowed_resource_becomes_one_of_the_supertype_and_its_borrow_stays_that_of_the_subtype() {
    let mut world = World::new();
    world.insert_resource::<Sub>(Of(ignore, 1));
    world.insert_resource::<Super>(Of(ignore, 2));
    let value: Res<Super> = world.resource::<Sub>();
    assert_eq!(value.1, 1);
    assert!(world.resources().try_borrow_mut::<Sub>().is_err());
    assert!(world.resources().try_borrow_mut::<Super>().is_ok());
}
