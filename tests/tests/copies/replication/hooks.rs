//! The hooks and observers that packets call, and hooks that panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::data::{Protocol, Replica, Replicator};
use ecs_core::prelude::*;
use ecs_core::relation::Target;
use ecs_core::world::hooks::{OnAdd, OnRemove, OnReplace};
use serde::{Deserialize, Serialize};

use crate::data_steps::{ChildOf, Fast, Place, Text};
use crate::replication::protocol;

/// The calls, and the value that makes a hook panic.
#[derive(Resource, Default)]
struct Log(Vec<String>, Option<f32>);

impl Log {
    fn take(world: &mut World) -> Vec<String> {
        core::mem::take(&mut world.resource_mut::<Log>().0)
    }
}

/// A server and a world that notes its calls.
struct Both {
    server: World,
    replicator: Replicator,
    client: ecs_core::data::ClientId,
    world: World,
    replica: Replica,
}

fn observe<T: Component>(world: &mut World, name: &'static str) {
    world.observe(move |add: OnAdd<T>, mut log: ResMut<Log>| {
        log.0.push(format!("{name} of {} comes", add.entity()));
    });
    world.observe(move |replace: OnReplace<T>, mut log: ResMut<Log>| {
        log.0
            .push(format!("{name} of {} is replaced", replace.entity()));
    });
    world.observe(move |remove: OnRemove<T>, mut log: ResMut<Log>| {
        log.0.push(format!("{name} of {} goes", remove.entity()));
    });
}

impl Both {
    fn new(protocol: Protocol) -> Self {
        let mut world = World::new();
        world.insert_resource(Log::default());
        let mut replicator = Replicator::new(protocol.clone());
        Self {
            server: World::new(),
            client: replicator.connect(),
            replicator,
            world,
            replica: Replica::new(protocol),
        }
    }

    fn packet(&mut self) -> Vec<u8> {
        self.replicator.update(&self.server).unwrap();
        self.replicator.packet(self.client, |_| true).unwrap()
    }

    fn send(&mut self) {
        let packet = self.packet();
        self.replica.apply(&mut self.world, &packet).unwrap();
        let applied = self.replica.applied();
        self.replicator.acknowledge(self.client, applied).unwrap();
        self.world.check_invariants();
    }
}

#[test]
fn calls_come_in_the_order_of_the_packet_and_for_new_entities_when_all_is_in_place() {
    let mut both = Both::new(protocol());
    observe::<Place>(&mut both.world, "place");
    observe::<Text>(&mut both.world, "text");
    observe::<Fast>(&mut both.world, "fast");
    observe::<Target<ChildOf>>(&mut both.world, "parent");
    // An entity that the first hook looks at: it is complete.
    both.world.observe(
        |add: OnAdd<Place>, places: Comp<Place>, texts: Comp<Text>, fast: Comp<Fast>| {
            if places.get(add.entity()).unwrap().1 == 1 {
                assert!(texts.contains(add.entity()) && fast.contains(add.entity()));
            }
        },
    );
    let text = || Text("x".to_owned(), None);
    let a = both.server.spawn((Place(0.0, 1), text(), Fast(1)));
    let b = both
        .server
        .spawn((Fast(2), Place(1.0, 1), text(), ChildOf.to(a)));
    let c = both.server.spawn(Place(2.0, 0));
    both.send();
    assert_eq!(
        Log::take(&mut both.world),
        [
            "place of 0v1 comes",
            "text of 0v1 comes",
            "fast of 0v1 comes",
            "place of 1v1 comes",
            "text of 1v1 comes",
            "fast of 1v1 comes",
            "parent of 1v1 comes",
            "place of 2v1 comes",
        ]
    );
    both.server.insert(a, (text(), ChildOf.to(c))).unwrap();
    both.server.remove::<Fast>(a).unwrap();
    both.server.despawn(b).unwrap();
    both.server.get_mut::<Place>(a).unwrap().0 = 9.0;
    both.server
        .insert(c, (Place(3.0, 0), Text("y".to_owned(), None)))
        .unwrap();
    both.server.spawn((Place(4.0, 0), ChildOf.to(a)));
    both.send();
    assert_eq!(
        Log::take(&mut both.world),
        [
            // Removed components, and edges that change.
            "parent of 1v1 goes",
            "fast of 0v1 goes",
            // Values in the order of the packet, and then edges.
            "place of 0v1 is replaced",
            "place of 2v1 is replaced",
            "text of 2v1 comes",
            "parent of 0v1 comes",
            // New entities.
            "place of 3v1 comes",
            "parent of 3v1 comes",
            // Entities that go.
            "place of 1v1 goes",
            "text of 1v1 goes",
            "fast of 1v1 goes",
        ]
    );
}

#[test]
fn after_the_panic_of_a_hook_the_rest_is_there_and_the_packet_comes_again() {
    let mut both = Both::new(protocol());
    both.world.observe(
        |add: OnAdd<Place>, places: Comp<Place>, mut log: ResMut<Log>| {
            let place = places.get(add.entity()).unwrap().0;
            assert!(log.1 != Some(place), "it is refused");
            log.0.push(place.to_string());
        },
    );
    let all = [0.0, 1.0, 2.0].map(|n| both.server.spawn((Place(n, 0), Fast(n as u16))));
    both.world.resource_mut::<Log>().1 = Some(1.0);
    let packet = both.packet();
    let apply = catch_unwind(AssertUnwindSafe(|| {
        both.replica.apply(&mut both.world, &packet)
    }));
    assert!(apply.is_err(), "the panic goes on");
    both.world.check_invariants();
    assert_eq!(both.replica.applied(), 0, "the server sends it again");
    for (n, server) in all.into_iter().enumerate() {
        let here = both.replica.local(server).unwrap();
        assert_eq!(both.world.get::<Place>(here).unwrap().0, n as f32);
        assert_eq!(both.world.get::<Fast>(here).unwrap().0, n as u16);
    }
    both.world.resource_mut::<Log>().1 = None;
    both.send();
    assert_eq!(both.replica.entities().count(), 3);
}

/// Has no value of its own where a packet has one.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "hooks.fuel")]
struct Fuel(u32);

impl Fuel {
    fn missing() -> Self {
        panic!("the packet has it")
    }
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "hooks.engine", require(Fuel = Fuel::missing(), Noise = Noise(7)))]
struct Engine(u32);

/// Is not sent.
#[derive(Component, Debug, PartialEq)]
struct Noise(u32);

#[test]
fn required_components_are_made_only_where_the_packet_has_none() {
    let mut both = Both::new(Protocol::new().with::<Engine>().with::<Fuel>());
    let ship = both.server.spawn((Engine(1), Fuel(2), Noise(3)));
    both.send();
    let here = both.replica.local(ship).unwrap();
    assert_eq!(*both.world.get::<Fuel>(here).unwrap(), Fuel(2));
    assert_eq!(
        *both.world.get::<Noise>(here).unwrap(),
        Noise(7),
        "it is made here"
    );
}

#[system]
fn news(texts: Query<Entity, Changed<Text>>) -> usize {
    texts.count()
}

#[test]
fn received_values_count_as_added_or_changed_once() {
    let mut both = Both::new(protocol());
    let a = both.server.spawn(Text("a".to_owned(), None));
    both.server.spawn(Text("b".to_owned(), None));
    both.send();
    assert_eq!(news(&both.world), 2);
    assert_eq!(news(&both.world), 0);
    both.server.get_mut::<Text>(a).unwrap().0 = "c".to_owned();
    both.send();
    assert_eq!([news(&both.world), news(&both.world)], [1, 0]);
}
