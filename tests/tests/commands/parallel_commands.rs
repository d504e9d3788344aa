//! Commands of parallel loops: the result is the same as on one thread.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use proptest::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Number(u32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Child(Entity);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Marked(u32);

#[derive(Resource, Default, Debug, PartialEq)]
struct Log(Vec<u32>);

fn world(len: u32) -> World {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world.spawn_batch((0..len).map(Number));
    // A second table.
    world.spawn_batch((len..len + len / 2).map(|n| (Number(n), Marked(n))));
    world
}

/// The actions of a loop on an entity, by a random number.
macro_rules! change {
    ($commands:expr, $entity:expr, $number:expr, $salt:expr) => {
        match $number.wrapping_mul(2_654_435_761).wrapping_add($salt) >> 28 {
            0 | 1 => $commands.despawn($entity),
            2..=4 => {
                $commands.spawn((Child($entity), Number(0)));
            }
            5 => $commands.insert($entity, Marked($number)),
            6 => $commands.remove::<Marked>($entity),
            7 => {
                let number = $number;
                $commands
                    .queue(move |world: &mut World| world.resource_mut::<Log>().0.push(number));
            }
            _ => {}
        }
    };
}

#[system]
fn parallel(salt: u32, mut all: Query<(Entity, &mut Number)>, mut commands: Commands) {
    all.par_for_each_commands(&mut commands, |commands, (entity, number)| {
        change!(commands, entity, number.0, salt);
        number.0 += 1;
    });
}

type State = (Vec<(Entity, u32, Option<Child>, Option<Marked>)>, Vec<u32>);

fn state(world: &World) -> State {
    let query = world.query::<(Entity, &Number, Option<&Child>, Option<&Marked>)>();
    let all = query
        .iter()
        .map(|(e, n, c, m)| (e, n.0, c.copied(), m.copied()));
    (all.collect(), world.resource::<Log>().0.clone())
}

fn on_threads(threads: usize, world: &mut World, salts: &[u32]) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| {
        for &salt in salts {
            parallel(salt, world);
            world.flush();
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(12)))]

    #[test]
    fn the_result_does_not_depend_on_threads(
        len in prop_oneof![0..50_u32, 2_000..20_000_u32],
        salts in prop::collection::vec(any::<u32>(), 1..4),
    ) {
        let mut plain = world(len);
        for &salt in &salts {
            let all: Vec<(Entity, u32)> =
                plain.query::<(Entity, &Number)>().iter().map(|(entity, number)| (entity, number.0)).collect();
            plain.query::<&mut Number>().for_each(|number| number.0 += 1);
            for (entity, number) in all {
                let mut one = One(&mut plain);
                change!(one, entity, number, salt);
            }
        }
        for threads in [1, 2, 8] {
            let mut world = world(len);
            on_threads(threads, &mut world, &salts);
            prop_assert!(state(&world) == state(&plain), "{threads} threads");
            world.check_invariants();
        }
    }
}

/// Makes the changes immediately.
struct One<'w>(&'w mut World);

impl One<'_> {
    fn despawn(&mut self, entity: Entity) {
        self.0.despawn(entity).unwrap();
    }

    fn spawn(&mut self, bundle: (Child, Number)) {
        self.0.spawn(bundle);
    }

    fn insert(&mut self, entity: Entity, marked: Marked) {
        self.0.insert(entity, marked).unwrap();
    }

    fn remove<B: Bundle>(&mut self, entity: Entity) {
        self.0.remove::<B>(entity).unwrap();
    }

    fn queue(&mut self, command: impl FnOnce(&mut World)) {
        command(self.0);
    }
}

#[test]
fn a_panic_in_the_loop_adds_no_commands() {
    let world = world(10_000);
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut all = world.query::<(Entity, &Number)>();
        let mut queue = ecs_core::CommandQueue::new();
        let mut commands = Commands::new(&mut queue, world.entities());
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            all.par_for_each_commands(&mut commands, |commands, (entity, number)| {
                assert!(number.0 != 7_000, "this entity panics");
                commands.despawn(entity);
            });
        }));
        assert!(outcome.is_err());
        assert!(queue.is_empty());
    }));
    result.unwrap();
    assert_eq!(world.len(), 15_000);
}
