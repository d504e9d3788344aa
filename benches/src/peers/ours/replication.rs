//! Changes that are sent to a client.

use ecs_core::data::{ClientId, Protocol, Replica, Replicator};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::saves::{self, EVERY};

/// A position with tracked changes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ecs_core::Component)]
#[component(data = "bench.tracked_place", track)]
struct Tracked([f32; 3]);

/// A server with one client.
struct Both {
    world: World,
    ids: Vec<Entity>,
    server: Replicator,
    client: ClientId,
    copy: World,
    replica: Replica,
    frame: usize,
}

impl Both {
    fn of(entities: u32) -> Self {
        let mut world = World::new();
        let rows = (0..entities).map(|number| Tracked(saves::row(number).0.0));
        let ids = world.spawn_batch(rows).to_vec();
        let protocol = Protocol::new().with::<Tracked>();
        let mut server = Replicator::new(protocol.clone());
        let client = server.connect();
        let mut both = Self {
            world,
            ids,
            server,
            client,
            copy: World::new(),
            replica: Replica::new(protocol),
            frame: 0,
        };
        both.send();
        both
    }

    /// Changes one value in a hundred, and sends the changes.
    fn step(&mut self) {
        for &entity in self.ids.iter().skip(self.frame % EVERY).step_by(EVERY) {
            let place = self.world.get_mut::<Tracked>(entity);
            place.expect("it is not despawned").0[1] += 1.0;
        }
        self.frame += 1;
        self.send();
    }

    fn send(&mut self) {
        let updated = self.server.update(&self.world);
        updated.expect("floats can be written");
        let packet = self.server.packet(self.client, |_| true);
        let packet = packet.expect("it is connected");
        let applied = self.replica.apply(&mut self.copy, &packet);
        applied.expect("it is a packet of the server");
        let confirmed = self.server.acknowledge(self.client, self.replica.applied());
        confirmed.expect("it is connected");
    }
}

pub(super) fn replicate(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "Replicator and Replica",
        move || Both::of(entities),
        Both::step,
        |both| Digest::of(both.copy.view::<Tracked>().iter().map(|place| place.0)),
    );
}
