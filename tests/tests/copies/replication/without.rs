//! Components that a client gets of some entities only.

use ecs_core::component::ComponentId;
use proptest::prelude::*;

use super::*;

/// A change of the server's world, or of the client's view of it.
#[derive(Clone, Debug)]
enum Change {
    Spawn(bool),
    Move(usize, i32),
    Remove(usize),
    Despawn(usize),
    /// Components are hidden from the client, or shown: `Place`, `Text`.
    Hide(usize, bool, bool),
    Blind(usize, bool),
}

fn change() -> impl Strategy<Value = Change> {
    let at = 0..8_usize;
    prop_oneof![
        any::<bool>().prop_map(Change::Spawn),
        (at.clone(), any::<i32>()).prop_map(|(at, x)| Change::Move(at, x)),
        at.clone().prop_map(Change::Remove),
        at.clone().prop_map(Change::Despawn),
        (at.clone(), any::<bool>(), any::<bool>()).prop_map(|(at, a, b)| Change::Hide(at, a, b)),
        (at, any::<bool>()).prop_map(|(at, on)| Change::Blind(at, on)),
    ]
}

proptest! {
    #[test]
    fn a_client_has_each_value_that_it_may_see_and_no_other(
        rounds in prop::collection::vec((prop::collection::vec(change(), 0..4), any::<bool>()), 1..25),
        budget in prop_oneof![Just(usize::MAX), 60..400_usize],
        most in 1..5_usize,
    ) {
        let (mut world, mut server) = (World::new(), Replicator::new(protocol()));
        let client = server.connect();
        // It is only asked about changes, and sends the same.
        let mut twin = Replicator::new(protocol());
        prop_assert_eq!(twin.connect(), client);
        let (mut copy, mut replica) = (World::new(), Replica::new(protocol()));
        let mut all: Vec<(Entity, [bool; 2], bool)> = Vec::new();
        let hidden = [ComponentId::of::<Place>(), ComponentId::of::<Text>()];
        // Afterwards everything arrives.
        let rounds = rounds.into_iter().chain((0..120).map(|_| (Vec::new(), true)));
        for (changes, arrives) in rounds {
            let mut changed = Vec::new();
            for change in changes {
                let count = all.len();
                match change {
                    Change::Spawn(both) => {
                        let entity = world.spawn(Place(0.0, 0));
                        if both {
                            world.insert(entity, Text("a".repeat(40), None)).unwrap();
                        }
                        all.push((entity, [false; 2], false));
                    }
                    _ if count == 0 => {}
                    Change::Move(at, x) => {
                        world.insert(all[at % count].0, Place(x as f32, 1)).unwrap();
                    }
                    Change::Remove(at) => _ = world.remove::<Text>(all[at % count].0),
                    Change::Despawn(at) => {
                        let gone = all.swap_remove(at % count);
                        world.despawn(gone.0).unwrap();
                    }
                    Change::Hide(at, one, other) => {
                        all[at % count].1 = [one, other];
                        changed.push(all[at % count].0);
                    }
                    Change::Blind(at, on) => {
                        all[at % count].2 = on;
                        changed.push(all[at % count].0);
                    }
                }
            }
            server.update(&world).unwrap();
            let of = |entity: Entity| all.iter().find(|known| known.0 == entity).unwrap();
            let sees = |entity| (!of(entity).2).then_some(1.0);
            let without = |entity: Entity| match of(entity).1 {
                [false, false] => &hidden[..0],
                [true, false] => &hidden[..1],
                [false, true] => &hidden[1..],
                [true, true] => &hidden[..],
            };
            let packets = server.packets_without(client, budget, most, sees, without).unwrap();
            twin.update(&world).unwrap();
            let same = twin.packets_again(client, budget, most, &changed, sees, without);
            prop_assert_eq!(&same.unwrap(), &packets);
            for packet in packets.iter().filter(|_| arrives) {
                replica.apply(&mut copy, packet).unwrap();
                server.acknowledge(client, replica.applied()).unwrap();
                twin.acknowledge(client, replica.applied()).unwrap();
            }
            // What is hidden when a packet is made is never in it.
            if arrives {
                for &(entity, [place, text], _) in &all {
                    let Some(here) = replica.local(entity) else { continue };
                    if budget == usize::MAX {
                        prop_assert!(!place || !copy.has::<Place>(here));
                        prop_assert!(!text || !copy.has::<Text>(here));
                    }
                }
            }
        }
        let seen = all.iter().filter(|known| !known.2).count();
        prop_assert_eq!(replica.entities().count(), seen);
        for &(entity, [no_place, no_text], blind) in &all {
            let Some(here) = replica.local(entity) else {
                prop_assert!(blind);
                continue;
            };
            let place = copy.get::<Place>(here).map(|place| *place);
            let expected = world.get::<Place>(entity).map(|place| *place);
            prop_assert_eq!(place, expected.filter(|_| !no_place));
            prop_assert_eq!(copy.has::<Text>(here), world.has::<Text>(entity) && !no_text);
        }
    }
}
