//! Many parameters, and forms of systems that no other file tests.

use ecs_core::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Position(u32);

macro_rules! forty {
    ($($name:ident)*) => {
        #[system]
        fn forty(first: u32, $(mut $name: Local<u32>),*) -> u32 {
            $(*$name += first;)*
            0 $(+ *$name)*
        }

        #[derive(SystemParam)]
        struct Forty<'s> {
            $($name: Local<'s, u32>,)*
        }

        #[system]
        fn forty_fields(mut forty: Forty<'_>, numbers: Res<u32>) -> u32 {
            $(*forty.$name += *numbers;)*
            0 $(+ *forty.$name)*
        }

        #[derive(Resource)]
        struct Many;

        #[systems]
        impl Many {
            #[system]
            fn forty(&self, $($name: Option<Res<u32>>),*) -> u32 {
                0 $(+ $name.map_or(0, |number| *number))*
            }
        }
    };
}

forty!(a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 d0 d1 d2 d3 d4 d5 d6 d7 d8 d9);

#[test]
fn a_system_has_forty_parameters() {
    let mut world = World::new();
    assert_eq!((forty(1, &world), forty(2, &world)), (40, 120));
    world.insert_resource(3_u32);
    assert_eq!((forty_fields(&world), forty_fields(&world)), (120, 240));
    world.insert_resource(Many);
    assert_eq!(Many::forty(&world), 120);
}

#[system]
fn sized<T: Component + From<u32>, const N: usize>(
    names: &[&str; N],
    mut commands: Commands,
    all: Query<&T>,
) -> usize
where
    for<'a> &'a T: Sized,
{
    commands.spawn(T::from(N as u32));
    names.len() + all.count()
}

impl From<u32> for Position {
    fn from(number: u32) -> Self {
        Self(number)
    }
}

#[test]
fn a_generic_system_takes_references_constants_and_bounds() {
    let mut world = World::new();
    assert_eq!(sized::<Position, 2>(&["a", "b"], &world), 2);
    world.flush();
    assert_eq!(sized::<Position, 1>(&["a"], &world), 2);
}

#[system]
fn both(world: &World, entities: Entities, mut seen: Local<Vec<Entity>>) -> usize {
    seen.extend(
        entities
            .iter()
            .filter(|&entity| world.has::<Position>(entity)),
    );
    seen.len()
}

#[test]
fn the_world_is_used_beside_parameters_without_data() {
    let mut world = World::new();
    world.spawn(Position(1));
    world.spawn_empty();
    assert_eq!((both(&world), both(&world)), (1, 2));
}

#[system]
fn events(
    mut reader: EventReader<u32>,
    mut set: ParamSet<(EventWriter<u8>, EventReader<u8>)>,
    none: Option<ResMut<u64>>,
) -> (u32, usize) {
    let sum = reader.read().sum();
    assert!(none.is_none());
    set.p0().send(1);
    (sum, set.p1().read().count())
}

#[test]
fn a_system_writes_and_reads_events_by_a_set() {
    let mut world = World::new();
    world.add_event::<u32>();
    world.add_event::<u8>();
    world.send_event(4_u32);
    assert_eq!(events(&world), (4, 1));
    world.send_event(5_u32);
    assert_eq!(events(&world), (5, 1));
}

/// Types of arguments are the caller's: the system is the same for all of them.
mod borrowed_arguments {
    use super::Position;
    use ecs_core::prelude::*;

    #[system]
    fn visit<F: FnMut(&mut Position)>(f: F, mut all: CompMut<Position>) {
        all.iter_mut().for_each(f);
    }

    #[system]
    fn collect<'a, T, C, F>(mut f: F, into: &'a mut Vec<T>, all: Comp<C>)
    where
        F: FnMut(&C) -> T,
        T: 'a,
        C: Component,
    {
        all.iter().for_each(|value| into.push(f(value)));
    }

    #[system]
    fn exclusively<F: FnOnce(&mut World)>(f: F, world: &mut World) {
        f(world);
    }

    #[system]
    fn add<T: Into<u64>>(x: T, mut sum: Local<u64>) -> u64 {
        *sum += x.into();
        *sum
    }

    #[test]
    fn closures_that_borrow_are_arguments_of_direct_calls() {
        let mut world = World::new();
        world.spawn_batch([Position(1), Position(2)]);
        let mut sum = 0;
        visit(|position| sum += position.0, &world);
        assert_eq!(sum, 3);
        let word = String::from("borrowed");
        let mut parts = Vec::new();
        let part = |position: &Position| &word[..position.0 as usize];
        collect(part, &mut parts, &world);
        assert_eq!(parts, ["b", "bo"]);
        let insert = |world: &mut World| {
            world.insert_resource(sum);
        };
        exclusively(insert, &mut world);
        assert_eq!(*world.resource::<u32>(), 3);
    }

    #[test]
    fn all_instances_by_argument_are_one_system() {
        let world = World::new();
        assert_eq!((add(1_u8, &world), add(2_u32, &world)), (1, 3));
        assert_eq!(
            ecs_core::meta(&add::<u8>).name,
            "systems::system_forms::borrowed_arguments::add"
        );
        let mut sum = 5;
        assert_eq!(ecs_core::inner(&add::<u8>)(1_u8, Local::from(&mut sum)), 6);
    }
}
