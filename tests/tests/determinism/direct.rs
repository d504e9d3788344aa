//! Small programs, each about one rule. Each uses types of its own, so that it controls when their ids and stores are
//! created.

use std::mem::forget;
use std::rc::Rc;

use ecs_core::component::ComponentId;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use ecs_core::schedule::{NextState, Transitions};
use ecs_core::view::InsertError;
use ecs_core::world::hooks::{DeferredWorld, OnAdd, OnDespawn};
use ecs_core::world::{Layout, LayoutError};

use crate::log::{Noted, log, logged};

/// Components that log when their entity is despawned and when they are dropped.
macro_rules! components {
    ($($name:ident [$($option:tt)*];)*) => {$(
        #[derive(Component)]
        #[component(on_despawn = Self::goes, $($option)*)]
        struct $name(#[expect(dead_code, reason = "dropped")] Noted);

        impl $name {
            fn goes(_: DeferredWorld, _: Entity) {
                log!(concat!(stringify!($name), " goes"));
            }

            fn new() -> Self {
                Self(Noted::new(stringify!($name), 0))
            }
        }
    )*};
}

#[test]
fn hooks_and_drops_of_an_entity_come_in_the_order_of_registration() {
    components! {
        A []; B [];
        C [storage = "sparse"]; D [storage = "sparse"];
    }
    let log = logged(|| {
        let mut other = World::new();
        let first = other.spawn((D::new(), B::new()));
        other.insert(first, (C::new(), A::new())).unwrap();

        let mut world = World::new();
        let entity = world.spawn((A::new(), C::new(), B::new(), D::new()));
        world.despawn(entity).unwrap();
        log!("and in the other world");
        other.despawn(first).unwrap();
    });
    let one = [
        "A goes", "B goes", "C goes", "D goes", "drop A 0", "drop B 0", "drop C 0", "drop D 0",
    ];
    let other = [
        "B goes", "A goes", "D goes", "C goes", "drop B 0", "drop A 0", "drop D 0", "drop C 0",
    ];
    assert_eq!(
        log,
        [&one[..], &["and in the other world"], &other].concat()
    );
}

#[test]
fn a_component_is_registered_when_it_is_first_inserted_or_observed_and_not_when_it_is_read() {
    components! {
        A []; B [];
        C [storage = "sparse"]; D [storage = "sparse"]; E [storage = "sparse"];
    }
    let log = logged(|| {
        let mut world = World::new();
        let entity = world.spawn_empty();
        assert!(world.view_mut::<A>().is_empty() && !world.has::<E>(entity));
        assert!(world.query_filtered::<&A, Without<D>>().single().is_err());
        world.observe(|_: OnDespawn<D>, _: DeferredWorld| log!("D is observed"));
        world.register::<B>();
        world.insert(entity, C::new()).unwrap();
        let bundle = (E::new(), D::new(), A::new(), B::new());
        world.insert(entity, bundle).unwrap();
        world.despawn(entity).unwrap();
    });
    let goes = ["B goes", "A goes", "D goes", "C goes", "E goes"];
    let drops = ["drop B 0", "drop A 0", "drop D 0", "drop C 0", "drop E 0"];
    assert_eq!(log, [&["D is observed"], &goes[..], &drops].concat());
}

#[test]
fn removing_an_unregistered_component_does_not_depend_on_its_store() {
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct A(#[expect(dead_code, reason = "dropped")] Noted);
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct B(#[expect(dead_code, reason = "dropped")] Noted);

    for mut world in [World::new(), world_with_store_for::<A>()] {
        let log = logged(|| {
            let entity = world.spawn_empty();
            world.remove::<A>(entity).unwrap();
            world.insert(entity, B(Noted::new("B", 0))).unwrap();
            world.insert(entity, A(Noted::new("A", 0))).unwrap();
            world.despawn(entity).unwrap();
        });
        assert_eq!(log, ["drop B 0", "drop A 0"]);
    }
}

#[test]
fn required_components_come_after_the_bundle_that_requires_them() {
    components! {
        Last []; Near [require(Last = Last::new())]; Other [];
        Needy [require(Near = Near::new())];
    }
    let log = logged(|| {
        World::new().spawn((Last::new(), Near::new()));
        let mut world = World::new();
        let entity = world.spawn((Needy::new(), Other::new()));
        log!("spawned");
        world.despawn(entity).unwrap();
    });
    let goes = ["Needy goes", "Other goes", "Near goes", "Last goes"];
    assert_eq!(log[3..7], goes);
}

#[derive(Relation)]
#[relation(sources = "despawn")]
struct First;
#[derive(Relation)]
#[relation(sources = "despawn")]
struct Second;

#[test]
fn sources_are_despawned_with_their_target_in_the_order_in_which_the_relations_were_registered() {
    let order = |names: [&str; 2]| {
        let mut world = World::new();
        for name in names {
            match name {
                "first" => world.register::<Target<First>>(),
                _ => world.register::<Sources<Second>>(),
            }
        }
        let target = world.spawn_empty();
        let [one, other] = [
            world.spawn(Second.to(target)),
            world.spawn(First.to(target)),
        ];
        world.observe(move |target: OnDespawn<Target<First>>, _: DeferredWorld| {
            assert_eq!(target.entity(), other);
            log!("the first");
        });
        world.observe(move |target: OnDespawn<Target<Second>>, _: DeferredWorld| {
            assert_eq!(target.entity(), one);
            log!("the second");
        });
        world.despawn(target).unwrap();
    };
    assert_eq!(
        logged(|| order(["second", "first"])),
        ["the second", "the first"]
    );
    assert_eq!(
        logged(|| order(["first", "second"])),
        ["the first", "the second"]
    );
}

/// Creates a world with a store for `T`: it registers a component with a higher id than `T`.
fn world_with_store_for<T: Component>() -> World {
    #[derive(Component)]
    struct Later<T: Send + Sync + 'static>(std::marker::PhantomData<T>);

    let mut world = World::new();
    let _ = ComponentId::of::<T>();
    world.register::<Later<T>>();
    world
}

#[test]
fn an_unregistered_component_can_be_borrowed_twice() {
    #[derive(Component)]
    struct A;
    #[derive(Component)]
    #[component(storage = "sparse", immediate)]
    struct B;

    fn borrow_twice<T: Component>(world: &World) {
        let (one, two) = (world.try_view_mut::<T>(), world.try_view_mut::<T>());
        assert!(one.is_ok() && two.is_ok() && world.try_view::<T>().is_ok());
        assert!(
            world
                .try_query_filtered::<(&mut T, Option<&mut T>), ()>()
                .is_ok()
        );
        assert!(
            world
                .try_query_filtered::<Entity, (With<T>, Without<T>)>()
                .is_ok()
        );
        assert!(!world.has::<T>(world.reserve_entity()));
        drop(two);
        forget(one);
    }

    for world in [
        &mut World::new(),
        &mut world_with_store_for::<A>(),
        &mut world_with_store_for::<B>(),
    ] {
        borrow_twice::<A>(world);
        borrow_twice::<B>(world);
        // A registered component starts unborrowed, even if a handle was leaked before.
        world.spawn((A, B));
        let (one, two) = (world.try_view_mut::<A>(), world.try_view::<A>());
        assert!(one.is_ok() && two.is_err());
        let (one, two) = (
            world.try_view_mut::<B>(),
            world.try_query_filtered::<Entity, With<B>>(),
        );
        assert!(one.is_ok() && two.is_err());
    }
}

#[test]
fn an_unregistered_component_is_not_inserted_through_a_view() {
    #[derive(Component)]
    #[component(storage = "sparse", immediate)]
    struct Immediate;

    for mut world in [World::new(), world_with_store_for::<Immediate>()] {
        let entity = world.spawn_empty();
        let result = world.view_mut::<Immediate>().insert(entity, Immediate);
        assert!(matches!(result, Err(InsertError::Unknown { .. })));
        assert!(world.view_mut::<Immediate>().remove(entity).is_none());
        world.register::<Immediate>();
        assert!(
            world
                .view_mut::<Immediate>()
                .insert(entity, Immediate)
                .is_ok()
        );
    }
}

#[test]
fn an_unregistered_component_is_in_no_group() {
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Known;
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Unregistered;

    // Its id comes before the id of `Unregistered`, so that the first world has no store for the latter.
    let _ = ComponentId::of::<Known>();
    for mut world in [World::new(), world_with_store_for::<Unregistered>()] {
        world.spawn_batch([Known, Known, Known]);
        let (known, unregistered) = (world.view::<Known>(), world.view::<Unregistered>());
        assert!(known.exclude(&unregistered).try_slices().is_err());
        assert!(known.include(&unregistered).try_slices().is_err());
        assert!(unregistered.exclude(&known).try_slices().is_err());
        assert!(unregistered.include(&known).try_slices().is_err());
        assert_eq!(
            unregistered
                .include(&unregistered)
                .try_slices()
                .map(<[Unregistered]>::len),
            Ok(0)
        );
        assert_eq!(known.exclude(&unregistered).iter().count(), 3);
    }
}

#[test]
fn members_of_groups_and_of_bundles_are_named_in_the_order_in_which_they_were_written() {
    #[derive(Component)]
    #[component(storage = "sparse", name = "a")]
    struct A;
    #[derive(Component)]
    #[component(storage = "sparse", name = "b")]
    struct B;
    #[derive(Component)]
    #[component(storage = "sparse", name = "c")]
    struct C;
    #[derive(Component)]
    struct Generic<T: Send + Sync + 'static>(std::marker::PhantomData<T>);

    let _ids = (
        ComponentId::of::<C>(),
        ComponentId::of::<B>(),
        ComponentId::of::<A>(),
    );
    let layout = Layout::new().group::<(A, B, C)>().group::<(C, B, A)>();
    assert_eq!(
        format!("{layout:?}").matches("ComponentId").count(),
        3,
        "one group, independent of the order"
    );
    let twice = Layout::new().group::<(A, B, C, B, A)>();
    let refused = World::new().set_layout(&twice).unwrap_err();
    assert!(
        matches!(refused, LayoutError::Duplicate { component: "b", .. }),
        "{refused}"
    );
    let overlap = Layout::new().group::<(A, B, C)>().group::<(B, A, Never)>();
    let refused = World::new().set_layout(&overlap).unwrap_err();
    assert!(
        matches!(refused, LayoutError::Overlap { shared: "b", .. }),
        "{refused}"
    );

    let _ids = (
        ComponentId::of::<Generic<u8>>(),
        ComponentId::of::<Generic<u16>>(),
    );
    let panic = std::panic::catch_unwind(|| {
        let (one, two) = (
            || Generic::<u16>(std::marker::PhantomData),
            || Generic::<u8>(std::marker::PhantomData),
        );
        World::new().spawn((one(), two(), one(), two()));
    });
    let message = *panic.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("Generic<u16>` twice"), "{message}");
}

#[derive(Component)]
#[component(storage = "sparse")]
struct Never;

#[test]
fn a_group_is_packed_in_the_order_of_the_member_that_was_named_first() {
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct A(u8);
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct B(u8);

    let _ids = (ComponentId::of::<B>(), ComponentId::of::<A>());
    let packed = |layout: Layout| {
        let mut world = World::new();
        let all = [1, 2, 3].map(|n| world.spawn(A(n)));
        for (n, &entity) in [3, 2, 1].iter().zip(all.iter().rev()) {
            world.insert(entity, B(*n)).unwrap();
        }
        world.set_layout(&layout).unwrap();
        let (a, b) = (world.view::<A>(), world.view::<B>());
        let (a, b) = (&a, &b).slices();
        let a: Vec<u8> = a.iter().map(|a| a.0).collect();
        assert!(a.iter().eq(b.iter().map(|b| &b.0)));
        a
    };
    assert_eq!(packed(Layout::new().group::<(A, B)>()), [1, 2, 3]);
    assert_eq!(packed(Layout::new().group::<(B, A)>()), [3, 2, 1]);
}

struct Thing<const N: u64>(#[expect(dead_code, reason = "dropped")] Noted);

fn thing<const N: u64>() -> Thing<N> {
    Thing(Noted::new("thing", N))
}

#[test]
fn resources_are_dropped_and_printed_in_the_order_in_which_they_were_inserted() {
    let log = logged(|| {
        let mut world = World::new();
        let resources = world.resources_mut();
        resources.insert(thing::<3>());
        resources.insert(thing::<0>());
        resources.insert(thing::<2>());
        resources.insert(thing::<1>());
        drop(resources.insert(thing::<0>()));
        let printed = format!("{resources:?}");
        let places = [3, 2, 1, 0].map(|n| printed.find(&format!("Thing<{n}>")).unwrap());
        assert!(places.is_sorted(), "{printed}");
        world.insert_non_send((Rc::new(()), thing::<7>()));
        world.insert_non_send((thing::<5>(), Rc::new(())));
        world.insert_non_send(Rc::new(thing::<6>()));
        world.insert_non_send((thing::<4>(), Rc::new(())));
        log!("the world goes");
    });
    let numbers = [0, 3, 2, 1, 0, 7, 5, 6, 4].map(|n| format!("drop thing {n}"));
    assert_eq!(log[0], numbers[0]);
    assert_eq!(log[2..], numbers[1..]);
}

struct Memory<const N: u64>(#[expect(dead_code, reason = "dropped")] Noted);

impl<const N: u64> Default for Memory<N> {
    fn default() -> Self {
        Self(Noted::new("memory", N))
    }
}

#[system]
fn remember<const N: u64>(_memory: Local<Memory<N>>) {}

#[test]
fn states_of_systems_are_dropped_in_the_order_of_their_last_calls() {
    let log = logged(|| {
        let world = World::new();
        remember::<3>(&world);
        remember::<1>(&world);
        remember::<0>(&world);
        remember::<2>(&world);
        remember::<1>(&world);
    });
    assert_eq!(log, [3, 0, 2, 1].map(|n| format!("drop memory {n}")));
}

#[test]
fn the_systems_of_transitions_are_dropped_in_the_order_in_which_the_states_were_named() {
    let log = logged(|| {
        let mut world = World::new();
        world.add_state(0_u8);
        let mut states = Transitions::new();
        states
            .on_enter(4_u8, remember::<4>)
            .on_enter(1_u8, remember::<1>)
            .on_enter(0_u8, remember::<0>);
        states
            .on_enter(3_u8, remember::<3>)
            .on_enter(2_u8, remember::<2>);
        let mut schedule = Schedule::new();
        schedule.add(states);
        for next in [1, 2, 3, 4, 0] {
            world.resource_mut::<NextState<u8>>().set(next);
            schedule.run(&mut world).unwrap();
        }
    });
    assert_eq!(log, [4, 1, 0, 3, 2].map(|n| format!("drop memory {n}")));
}

#[test]
fn observers_are_numbered_by_world_and_dropped_in_the_order_in_which_they_were_registered() {
    #[derive(Component)]
    struct A;
    #[derive(Component)]
    struct B;

    fn noted<T: Component>(world: &mut World, number: u64) -> String {
        let noted = Noted::new("observer", number);
        let id = world.observe(move |_: OnAdd<T>, _: DeferredWorld| log!("{}", noted.number()));
        format!("{id:?}")
    }

    let _ids = (ComponentId::of::<B>(), ComponentId::of::<A>());
    let log = logged(|| {
        noted::<A>(&mut World::new(), 9);
        let mut world = World::new();
        assert_eq!(noted::<A>(&mut world, 0), "ObserverId(1)");
        assert_eq!(noted::<B>(&mut world, 1), "ObserverId(2)");
        assert_eq!(noted::<A>(&mut world, 2), "ObserverId(3)");
        let other = World::new().observe(|_: OnAdd<B>, _: DeferredWorld| {});
        assert!(!world.unobserve(other), "it is one of another world");
    });
    assert_eq!(log, [9, 0, 1, 2].map(|n| format!("drop observer {n}")));
}

#[test]
fn ids_of_components_do_not_reveal_the_order_of_first_use() {
    #[derive(Component)]
    #[component(name = "shop.apple")]
    struct Apple;

    assert_eq!(
        format!("{:?}", ComponentId::of::<Apple>()),
        "ComponentId(shop.apple)"
    );
}
