//! Asks three judges whether parameters conflict: the metadata, the borrows of a direct call, and a schedule, which
//! takes no borrows. Their answers are compared.

use alloc::vec::Vec;
use core::any::type_name;

use super::held_borrows::{HeldBorrows, check};
use super::{ParamError, ParamSet, SystemParam};
use crate::component::ComponentId;
use crate::meta::{Compatibility, Kind, ParamAccess, ParamInfo, SystemMeta};
use crate::query::{Query, With, Without};
use crate::test_components::{DropName, Position, Stunned, Tag, Velocity};
use crate::view::{Comp, CompMut};
use crate::world::World;

/// Locks a parameter while `then` runs; returns the result of `then`, or the error of the lock.
type Hold = fn(&World, &HeldBorrows<'_>, &mut dyn FnMut() -> bool) -> Result<bool, ParamError>;

struct Param {
    name: fn() -> &'static str,
    access: &'static ParamAccess,
    hold: Hold,
}

fn hold<P: SystemParam>(
    world: &World,
    held: &HeldBorrows<'_>,
    then: &mut dyn FnMut() -> bool,
) -> Result<bool, ParamError> {
    let mut state = P::init(world);
    let mut guard = P::lock(&mut state, world, held)?;
    let _item = P::item(&mut guard);
    Ok(then())
}

/// Locks the parameters one after the other, and then the first again.
fn hold_set<A: SystemParam, B: SystemParam>(
    world: &World,
    held: &HeldBorrows<'_>,
    then: &mut dyn FnMut() -> bool,
) -> Result<bool, ParamError> {
    let mut state = <ParamSet<'_, (A, B)>>::init(world);
    let mut guard = <ParamSet<'_, (A, B)>>::lock(&mut state, world, held)?;
    let mut set = <ParamSet<'_, (A, B)>>::item(&mut guard);
    for _ in 0..2 {
        let item = set.try_p0()?;
        let first = then();
        drop(item);
        let _item = set.try_p1()?;
        if !first || !then() {
            return Ok(false);
        }
    }
    Ok(true)
}

const fn one<P: SystemParam>() -> Param {
    Param {
        name: type_name::<P>,
        access: P::ACCESS,
        hold: hold::<P>,
    }
}

const fn set<A: SystemParam, B: SystemParam>() -> Param {
    Param {
        name: type_name::<(A, B)>,
        access: <ParamSet<'_, (A, B)> as SystemParam>::ACCESS,
        hold: hold_set::<A, B>,
    }
}

const PARAMS: &[Param] = &[
    one::<Comp<'_, Position>>(),
    one::<CompMut<'_, Position>>(),
    one::<Comp<'_, Stunned>>(),
    one::<Query<'_, &Position>>(),
    one::<Query<'_, &mut Position, With<Tag>>>(),
    one::<Query<'_, &mut Position, Without<Tag>>>(),
    one::<Query<'_, &Position, Without<Tag>>>(),
    one::<Query<'_, (&mut Position, &Stunned), With<Tag>>>(),
    one::<Query<'_, Option<&mut Stunned>, Without<Tag>>>(),
    one::<(Query<'_, &Position, With<Tag>>, Comp<'_, Velocity>)>(),
    one::<(
        Query<'_, &mut Stunned, With<Tag>>,
        Query<'_, &mut Stunned, Without<Tag>>,
    )>(),
    set::<Query<'_, &mut Position, With<Tag>>, Query<'_, &Position, With<Tag>>>(),
    set::<Query<'_, &Position, With<Tag>>, Query<'_, &mut Stunned, With<Tag>>>(),
    set::<Query<'_, &mut Position, With<Tag>>, Comp<'_, Position>>(),
    set::<CompMut<'_, Position>, Query<'_, (&Position, &mut Stunned), With<Tag>>>(),
    set::<CompMut<'_, Stunned>, Comp<'_, Stunned>>(),
    set::<Query<'_, &mut Position, Without<Tag>>, (Query<'_, &Stunned>, Comp<'_, Position>)>(),
    set::<
        (
            Query<'_, &mut Position, With<Tag>>,
            Query<'_, &mut Position, Without<Tag>>,
        ),
        CompMut<'_, Position>,
    >(),
    set::<ParamSet<'_, (Query<'_, &mut Stunned, With<Tag>>,)>, CompMut<'_, Velocity>>(),
];

/// Spawns a world that has all components.
fn world() -> World {
    let mut world = World::new();
    world.spawn((Position::default(), Velocity::default(), Tag, Stunned(1)));
    world.spawn((Position::default(), Stunned(2), DropName::new("b")));
    world
}

/// Returns true if all parameters can be locked at the same time.
fn can_be_locked_together(params: &[&Param], world: &World, held: &HeldBorrows<'_>) -> bool {
    let Some((param, rest)) = params.split_first() else {
        return true;
    };
    let held = (param.hold)(world, held, &mut || {
        can_be_locked_together(rest, world, held)
    });
    held.unwrap_or(false)
}

/// Asserts that the metadata and the borrows agree.
fn compare(params: &[&Param], world: &World) {
    let names: Vec<&str> = params.iter().map(|param| (param.name)()).collect();
    let infos = params.iter().map(|p| ParamInfo::new("p", "P", p.access));
    let infos: &[ParamInfo] = Vec::leak(infos.collect());
    let meta = SystemMeta::new("system", infos);
    let (known, truth) = (meta.compatibility_in_const(), meta.compatibility());
    let conflicts = |found| matches!(found, Compatibility::Conflict(_));
    assert!(
        known == Compatibility::Unknown || conflicts(known) == conflicts(truth),
        "{names:?}"
    );
    assert_eq!(meta.refusal().is_some(), conflicts(truth), "{names:?}");
    if conflicts(truth) {
        return;
    }
    let mut checked = check(&meta, "");
    let Ok(entered) = checked.enter(world) else {
        panic!("borrowed: {names:?}");
    };
    assert!(
        can_be_locked_together(params, world, entered.held()),
        "called: {names:?}"
    );
    drop(entered);
    // SAFETY: no other code uses the world, the parameters were checked, and none locks at run time.
    let held = unsafe { HeldBorrows::all() };
    assert!(
        can_be_locked_together(params, world, held),
        "scheduled: {names:?}"
    );
    assert!(world.try_view_mut::<Position>().is_ok(), "{names:?}");
    assert!(world.try_view_mut::<Stunned>().is_ok(), "{names:?}");
}

#[test]
#[cfg_attr(miri, ignore = "leaks the metadata of 6,859 systems")]
fn parameters_that_do_not_conflict_can_be_locked_at_once_in_calls_and_in_schedules() {
    let world = world();
    compare(&[], &world);
    for one in PARAMS {
        compare(&[one], &world);
        for two in PARAMS {
            compare(&[one, two], &world);
            for three in PARAMS {
                compare(&[one, two, three], &world);
            }
        }
    }
}

#[test]
fn borrows_of_a_system_for_its_queries_exclude_other_code() {
    let world = world();
    type Reads = Query<'static, &'static Position, Without<Tag>>;
    type Writes = Query<'static, &'static mut Position, With<Tag>>;
    type Set = ParamSet<'static, (Writes, Comp<'static, Position>)>;
    let meta = SystemMeta::new(
        "system",
        const {
            &[
                ParamInfo::new("reads", "Reads", Reads::ACCESS),
                ParamInfo::new("set", "Set", Set::ACCESS),
            ]
        },
    );
    let mut checked = check(&meta, "");
    let entered = checked.enter(&world);
    let entered = entered.unwrap_or_else(|_| panic!("nothing is borrowed"));
    let held = [one::<Reads>(), set::<Writes, Comp<'_, Position>>()];
    assert!(can_be_locked_together(
        &[&held[0], &held[1]],
        &world,
        entered.held()
    ));
    assert!(world.try_view::<Position>().is_err(), "the set writes");
    assert!(world.try_view_mut::<Stunned>().is_ok());
    drop(entered);
    let view = world.view::<Position>();
    assert!(checked.enter(&world).is_err());
    drop(view);
    assert!(checked.enter(&world).is_ok());
}

#[test]
fn borrows_of_a_system_for_reading_do_not_allow_writing() {
    let world = world();
    type Data = (&'static Position, &'static mut Stunned);
    let infos = const {
        &[
            ParamInfo::new("a", "A", <Query<'_, Data, With<Tag>>>::ACCESS),
            ParamInfo::new("b", "B", <Query<'_, Data, Without<Tag>>>::ACCESS),
        ]
    };
    let mut checked = check(&SystemMeta::new("system", infos), "");
    let Ok(entered) = checked.enter(&world) else {
        panic!("nothing is borrowed")
    };
    let held = entered.held();
    for (kind, position) in [(Kind::Read, true), (Kind::Write, false)] {
        assert_eq!(
            held.holds_view(ComponentId::of::<Position>(), kind),
            position
        );
        assert!(held.holds_view(ComponentId::of::<Stunned>(), kind));
        assert!(!held.holds_view(ComponentId::of::<Velocity>(), kind));
    }
    let can_be_locked = |param: Param| can_be_locked_together(&[&param], &world, held);
    assert!(can_be_locked(one::<Comp<'_, Position>>()));
    assert!(can_be_locked(one::<Query<'_, Data>>()));
    assert!(can_be_locked(one::<CompMut<'_, Stunned>>()));
    // These take a borrow of their own, which conflicts with the system's borrow.
    assert!(!can_be_locked(one::<CompMut<'_, Position>>()));
    assert!(!can_be_locked(one::<Query<'_, &mut Position>>()));
    assert!(!can_be_locked(one::<
        Query<'_, (&mut Position, &mut Stunned)>,
    >()));
}
