//! Events that observers change, and keep from other observers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ecs_core::observer;
use ecs_core::prelude::*;
use ecs_core::world::hooks::{DeferredWorld, TriggerMut};
use proptest::prelude::*;

#[derive(Relation)]
#[relation(tree)]
struct PartOf;

/// The numbers of the observers that got it.
#[derive(Debug, Default)]
struct Parcel {
    stamps: Vec<usize>,
    of: Arc<()>,
}

/// The end of an observer, after it has stamped the parcel.
#[derive(Clone, Copy, Debug)]
enum Then {
    Continue,
    Stop,
    StopAll,
}

fn then() -> impl Strategy<Value = Then> {
    prop_oneof![4 => Just(Then::Continue), 1 => Just(Then::Stop), 1 => Just(Then::StopAll)]
}

/// The place of an observer: all entities, or one of a path.
type Place = Option<usize>;

#[derive(Resource, Default)]
struct Asked(Vec<usize>);

fn stamp(number: usize, then: Then, mut parcel: TriggerMut<Parcel>) {
    parcel.stamps.push(number);
    match then {
        Then::Continue => {}
        Then::Stop => parcel.stop(),
        Then::StopAll => {
            parcel.stop_all();
            // The weaker one does not undo it.
            parcel.stop();
        }
    }
}

proptest! {
    #[test]
    fn each_observer_sees_what_the_ones_before_have_made_of_the_event(
        observers in proptest::collection::vec((proptest::option::of(0..3_usize), then(), any::<bool>()), 0..10),
        ways in proptest::collection::vec(0..3_u8, 1..5),
    ) {
        let mut world = World::new();
        world.insert_resource(Asked::default());
        let root = world.spawn(());
        let node = world.spawn(PartOf.to(root));
        let leaf = world.spawn(PartOf.to(node));
        let path = [leaf, node, root];
        for (number, &(place, then, is_conditional)) in observers.iter().enumerate() {
            let function = move |parcel: TriggerMut<Parcel>, _: DeferredWorld| stamp(number, then, parcel);
            let asked = move |mut asked: ResMut<Asked>| {
                asked.0.push(number);
                number % 3 > 0
            };
            match (place, is_conditional) {
                (None, false) => _ = world.observe(function),
                (None, true) => _ = world.observe(observer(function).run_if(asked)),
                (Some(at), false) => _ = world.observe_on(path[at], function).unwrap(),
                (Some(at), true) => _ = world.observe_on(path[at], observer(function).run_if(asked)).unwrap(),
            }
        }
        for way in ways {
            let of = Arc::new(());
            let event = Parcel { stamps: Vec::new(), of: Arc::clone(&of) };
            let (event, visited) = match way {
                0 => (world.trigger(event), 0),
                1 => (world.trigger_on(leaf, event).unwrap(), 1),
                _ => (world.trigger_up::<PartOf, _>(leaf, event).unwrap(), 3),
            };
            let (mut stamps, mut asked) = (Vec::new(), Vec::new());
            // The world's own observers, and then the entity's, of each entity in turn.
            let turns: Vec<[Place; 2]> = match visited {
                0 => vec![[None, None]],
                _ => (0..visited).map(|at| [None, Some(at)]).collect(),
            };
            'event: for turn in turns {
                let mut stopped = false;
                for place in &turn[..if visited == 0 { 1 } else { 2 }] {
                    for (number, &(at, then, is_conditional)) in observers.iter().enumerate() {
                        if at != *place {
                            continue;
                        }
                        if is_conditional {
                            asked.push(number);
                            if number % 3 == 0 {
                                continue;
                            }
                        }
                        stamps.push(number);
                        match then {
                            Then::Continue => {}
                            Then::Stop => stopped = true,
                            Then::StopAll => break 'event,
                        }
                    }
                }
                if stopped {
                    break;
                }
            }
            prop_assert_eq!(&event.stamps, &stamps);
            prop_assert_eq!(&std::mem::take(&mut world.resource_mut::<Asked>().0), &asked);
            // It was moved, not copied.
            prop_assert_eq!(Arc::strong_count(&event.of), 2);
        }
    }
}

#[test]
fn an_event_within_an_event_is_one_of_its_own() {
    struct Outer(u32);
    struct Inner(u32);

    let mut world = World::new();
    world.observe(|mut inner: TriggerMut<Inner>| inner.0 *= 2);
    world.observe(|mut inner: TriggerMut<Inner>| {
        inner.0 += 1;
        inner.stop_all();
    });
    world.observe(|mut inner: TriggerMut<Inner>| inner.0 = 0);
    world.observe(|mut outer: TriggerMut<Outer>, mut commands: Commands| {
        outer.0 += 1;
        let start = outer.0;
        commands.queue(move |world: &mut World| {
            let inner = world.trigger(Inner(start));
            world.insert_resource(inner.0);
        });
    });
    world.observe(|mut outer: TriggerMut<Outer>| outer.0 *= 10);
    assert_eq!(world.trigger(Outer(4)).0, 50);
    assert_eq!(*world.resource::<u32>(), 11);
}

#[test]
fn the_event_is_dropped_once_if_an_observer_panics_or_there_is_no_entity() {
    let of = Arc::new(());
    let parcel = || Parcel {
        stamps: Vec::new(),
        of: Arc::clone(&of),
    };
    let mut world = World::new();
    world.observe(|mut parcel: TriggerMut<Parcel>, fails: Res<bool>| {
        parcel.stamps.push(1);
        assert!(!*fails);
    });
    world.insert_resource(true);
    let entity = world.spawn(());
    assert!(catch_unwind(AssertUnwindSafe(|| world.trigger_on(entity, parcel()))).is_err());
    assert_eq!(Arc::strong_count(&of), 1);
    world.insert_resource(false);
    assert_eq!(world.trigger_on(entity, parcel()).unwrap().stamps, [1]);
    world.despawn(entity).unwrap();
    assert!(world.trigger_on(entity, parcel()).is_err());
    assert_eq!(Arc::strong_count(&of), 1);
}

#[test]
fn an_event_made_by_hand_is_changed_in_place() {
    #[system]
    fn double(mut count: TriggerMut<u32>) {
        *count *= 2;
        count.stop_all();
    }

    let world = World::new();
    let mut count = 4_u32;
    double(TriggerMut::new(&mut count), &world);
    assert_eq!(count, 8);
}
