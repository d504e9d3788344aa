//! Only systems of the owners of some data write it: the compiler or the plan refuses all others.

use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::PlanError;
use ecs_core::system::In;
use ecs_tests::owned::{Kept, Momentum, count, double, push};

#[derive(Component)]
#[component(written_by = "schedules::owners::physics")]
struct Position(f32);
#[derive(Component)]
#[component(
    written_by("schedules::owners::physics", "schedules::owners::load"),
    storage = "sparse"
)]
struct Tag<T: Send + Sync + 'static>(T);
#[derive(Resource)]
#[resource(written_by = "schedules::owners::physics")]
struct Clock(f32);
#[derive(Component)]
struct Free;

mod physics {
    use super::*;

    #[system(for_each)]
    pub(super) fn fall(position: &mut Position, clock: Res<Clock>) {
        position.0 -= clock.0;
    }
    #[system]
    pub(super) fn tag(mut commands: Commands<(Position, Tag<u8>)>, mut clock: ResMut<Clock>) {
        clock.0 += 1.0;
        commands.spawn((Position(0.0), Tag(1_u8)));
    }
    pub(super) mod inside {
        use super::*;

        #[system]
        pub(crate) fn move_all<T: Component>(_: CompMut<Position>, _: Comp<T>) {}
    }
    pub(super) fn closure() -> Schedule {
        let mut schedule = Schedule::new();
        schedule.add(|mut positions: CompMut<Position>| {
            positions.iter_mut().for_each(|position| position.0 = 7.0);
        });
        schedule
    }
    #[system]
    pub(super) fn height(positions: CompMut<Position>) -> usize {
        positions.len()
    }
}
mod load {
    use super::*;

    #[system]
    pub(super) fn generic<T: Component>(_: CompMut<T>) {}
    #[system]
    pub(super) fn spawns(mut commands: Commands) {
        commands.spawn(Position(5.0));
    }
    #[system]
    pub(super) fn see(_n: usize) {}
}

fn error<M>(
    systems: impl IntoConfigs<M>,
) -> (&'static str, &'static str, &'static [&'static str], String) {
    let mut frame = Schedule::new();
    frame.add(systems);
    match frame.plan() {
        Err(PlanError::ForeignWrite {
            system,
            data,
            owners,
            message,
        }) => (system, data, owners, message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn systems_of_the_owner_and_undeclared_commands_write() {
    let mut world = World::new();
    world.insert_resource(Clock(1.0));
    let mut frame = Schedule::new();
    frame.add((
        load::spawns,
        physics::fall,
        physics::tag,
        physics::inside::move_all::<Free>,
    ));
    frame.run(&mut world).unwrap();
    frame.run(&mut world).unwrap();
    physics::closure().run(&mut world).unwrap();
    assert!(
        world
            .view::<Position>()
            .iter()
            .all(|position| position.0 == 7.0)
    );
    assert_eq!(
        world
            .query::<&Tag<u8>>()
            .iter()
            .map(|tag| tag.0)
            .sum::<u8>(),
        2
    );
}

#[test]
fn a_crate_owns_its_data_in_other_programs() {
    let mut world = World::new();
    let entity = world.spawn(());
    push(entity, &world);
    world.flush();
    double(&world);
    assert_eq!(*world.get::<Momentum>(entity).unwrap(), Momentum(2.0));
}

#[test]
fn the_plan_refuses_closures() {
    let (system, data, owners, message) = error(|_: Res<Clock>, _: CompMut<Position>| ());
    assert!(
        system.starts_with("schedules::owners::the_plan_refuses"),
        "{system}"
    );
    assert_eq!(data, "schedules::owners::Position");
    assert_eq!(owners, ["schedules::owners::physics"]);
    let expected = "` may not write the component `schedules::owners::Position` by `1: _`: only systems in `schedules::owners::physics` may (`written_by`); help: ";
    assert!(
        message.starts_with(&format!("the system `{system}")) && message.contains(expected),
        "{message}"
    );
    let (_, data, ..) = error(|_: Option<ResMut<Clock>>| ());
    assert_eq!(data, "schedules::owners::Clock");
    let (_, _, _, message) = error(|_: Commands<Position>| ());
    assert!(
        message.contains("may not insert or remove the component"),
        "{message}"
    );
    let mut frame = Schedule::new();
    frame.add((
        load::generic::<Tag<u8>>,
        load::generic::<Free>,
        |_: CompMut<Free>| (),
    ));
    frame.plan().unwrap();
}

#[test]
fn each_system_of_a_pipe_is_in_its_own_module() {
    let mut frame = Schedule::new();
    frame.add(physics::height.pipe(load::see));
    frame.plan().unwrap();
    let (system, ..) =
        error(physics::height.pipe(from_fn(|In(_): In<usize>, _: CompMut<Position>| ())));
    assert!(system.contains(" | "), "{system}");
}

#[system]
fn keep(_kept: CompMut<Kept>) {}

#[system]
fn keep_any<T: Component>(_: Query<&mut T>, _: Commands<T>) {}

/// The system of the other crate brings its contract into the plan.
#[test]
fn a_contract_holds_for_all_systems_beside_those_of_its_crate() {
    let mut alone = Schedule::new();
    alone.add(keep);
    alone.plan().unwrap();
    let (system, data, owners, message) = error((count, keep));
    assert_eq!(
        (system, data),
        ("schedules::owners::keep", "ecs_tests::owned::Kept")
    );
    assert_eq!(owners, ["ecs_tests::owned"]);
    assert!(
        message.contains("by `_kept: CompMut<Kept>`: only systems in `ecs_tests::owned` may (`contract!`); help: read it"),
        "{message}"
    );
    let (system, ..) = error((count, |_: CompMut<Kept>| ()));
    assert!(
        system.starts_with("schedules::owners::a_contract"),
        "{system}"
    );
    let (_, data, ..) = error((count, keep_any::<Kept>));
    assert_eq!(data, "ecs_tests::owned::Kept");
    let mut others = Schedule::new();
    others.add((count, keep_any::<Free>, |_: Comp<Kept>| ()));
    others.plan().unwrap();
}
