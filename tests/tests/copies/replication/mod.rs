//! Keeps entities of a server up to date in the worlds of clients.

mod budget;
mod contents;
mod hooks;
#[allow(dead_code, reason = "the tests of hashes and differences use the rest")]
mod progress;
mod random;
mod refused;
mod without;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ecs_core::data::{ClientId, Protocol, Replica, Replicator};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};

use crate::data_steps::{ChildOf, Fast, Likes, Marked, Place, Text};

fn protocol() -> Protocol {
    Protocol::new()
        .with::<Place>()
        .with::<Text>()
        .with::<Fast>()
        .with::<Marked>()
        .with_relation::<ChildOf>()
        .with_relation::<Likes>()
}

/// Describes entities by their ids on the server; unknown entities are only marked as unknown.
fn describe(world: &World, known: &HashMap<Entity, Entity>) -> BTreeMap<Entity, String> {
    let name = |entity: Entity| known.get(&entity).copied();
    let describe = |entity: Entity| {
        let handle = world.entity(entity).unwrap();
        let place = handle.get::<Place>().map(|place| *place);
        let text = handle.get::<Text>();
        let text = text.map(|text| (text.0.clone(), text.1.map(name)));
        let parent = handle.get::<Target<ChildOf>>();
        let parent = parent.and_then(|target| name(target.entity()));
        let likes = handle.get::<Targets<Likes>>().map(|targets| {
            let edges = targets.iter().map(|edge| (name(edge.0), edge.1.0));
            Vec::from_iter(edges.filter(|edge| edge.0.is_some()))
        });
        let likes = likes.filter(|likes| !likes.is_empty());
        let fast = handle.get::<Fast>().map(|fast| *fast);
        let named = |sources: &[Entity]| Vec::from_iter(sources.iter().filter_map(|&e| name(e)));
        let children = handle.get::<Sources<ChildOf>>();
        let children = children.map_or(Vec::new(), |sources| named(&sources.to_vec()));
        let liked_by = handle.get::<Sources<Likes>>();
        let liked_by = liked_by.map_or(Vec::new(), |sources| named(&sources.to_vec()));
        format!(
            "{:?}",
            (
                (place, text, fast, handle.has::<Marked>()),
                (parent, children),
                (likes, liked_by)
            )
        )
    };
    let all = known.iter();
    all.map(|(&entity, &server)| (server, describe(entity)))
        .collect()
}

/// The length of a packet without news.
const EMPTY: usize = 8 + 8 + 4;

struct Client {
    id: ClientId,
    world: World,
    replica: Replica,
    /// The hidden entities, by index.
    blind: BTreeSet<u32>,
    /// The hidden entities at the last packet, if the server only asks about changes.
    asked: Option<BTreeSet<u32>>,
    /// True if only marked entities are sent.
    is_only_marked: bool,
    /// Packets on their way.
    packets: Vec<Vec<u8>>,
    acknowledgements: Vec<u64>,
}

impl Client {
    fn of(server: &mut Replicator) -> Self {
        let mut world = World::new();
        // Ids differ from the server's.
        for _ in 0..3 {
            world.spawn(());
        }
        Self {
            id: server.connect(),
            world,
            replica: Replica::new(protocol()),
            blind: BTreeSet::new(),
            asked: None,
            is_only_marked: false,
            packets: Vec::new(),
            acknowledgements: Vec::new(),
        }
    }

    /// Returns the entities that were hidden or shown since the last packet, if the server only asks about those.
    fn changed(&mut self) -> Option<Vec<Entity>> {
        let asked = self.asked.replace(self.blind.clone())?;
        let indices = asked.symmetric_difference(&self.blind);
        let entities = indices.flat_map(|&index| {
            (1..60_u64).filter_map(move |generation| {
                Entity::from_bits(generation << 32 | u64::from(index))
            })
        });
        Some(entities.collect())
    }

    fn send(&mut self, server: &mut Replicator) {
        if self.asked.is_some() {
            self.send_several(server, usize::MAX, 1);
            return;
        }
        let sees = |entity: Entity| !self.blind.contains(&entity.index());
        self.packets.push(server.packet(self.id, sees).unwrap());
    }

    /// Sends a packet of a limited size.
    #[track_caller]
    fn send_within(&mut self, server: &mut Replicator, bytes: usize) {
        self.send_several(server, bytes, 1);
    }

    /// Sends at most so many packets of a limited size at once.
    #[track_caller]
    fn send_several(&mut self, server: &mut Replicator, bytes: usize, most: usize) {
        let changed = self.asked.is_some().then(|| self.changed()).flatten();
        let sees = |entity: Entity| {
            let is_seen = !self.blind.contains(&entity.index());
            is_seen.then_some([1.0, 5.0, -1.0, f32::NAN][entity.index() as usize % 4])
        };
        let packets = match changed {
            None => server.packets_within(self.id, bytes, most, sees),
            Some(changed) => server.packets_again(self.id, bytes, most, &changed, sees, |_| &[]),
        };
        let packets = packets.unwrap();
        assert!((1..=most).contains(&packets.len()), "{}", packets.len());
        for packet in &packets {
            assert!(packet.len() <= bytes, "{} > {bytes}", packet.len());
        }
        self.packets.extend(packets);
    }

    fn receive(&mut self, packet: &[u8]) {
        self.replica.apply(&mut self.world, packet).unwrap();
        self.world.check_invariants();
        self.acknowledgements.push(self.replica.applied());
    }

    /// Sends the changes of the world, receives and acknowledges them, and checks the client. Returns the packet.
    #[track_caller]
    fn exchange(&mut self, world: &World, server: &mut Replicator) -> Vec<u8> {
        server.update(world).unwrap();
        self.send(server);
        let packet = self.packets.pop().unwrap();
        self.receive(&packet);
        self.check(world);
        let number = self.replica.applied();
        server.acknowledge(self.id, number).unwrap();
        packet
    }

    #[track_caller]
    fn check(&self, world: &World) {
        let entities = Vec::from_iter(&world.query::<Entity>());
        let has_any = |&entity: &Entity| {
            let handle = world.entity(entity).unwrap();
            handle.has::<Place>()
                || handle.has::<Text>()
                || handle.has::<Fast>()
                || handle.has::<Marked>()
                || handle.has::<Target<ChildOf>>()
                || handle.has::<Targets<Likes>>()
        };
        let is_sent = |entity: &Entity| match self.is_only_marked {
            true => world.has::<Marked>(*entity),
            false => has_any(entity),
        };
        let seen = entities.into_iter().filter(is_sent);
        let seen = seen.filter(|entity| !self.blind.contains(&entity.index()));
        let seen = seen.map(|entity| (entity, entity)).collect();
        let here = self.replica.entities().map(|(server, here)| (here, server));
        let here = describe(&self.world, &here.collect());
        assert_eq!(here, describe(world, &seen));
    }
}
