//! The counters of a shard, over the API of the inspector: an app beside each shard shows them, as the guide's chapter has it.

use std::time::Duration;

use ecs_core::inspect::Inspect;
use ecs_core::prelude::*;
use ecs_core::shard::{self, Gid, Grid, Shard, ShardConfig, ShardError, ShardStats, Shards};
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "shard_counters.place")]
struct Place([f32; 2]);

#[system(for_each)]
fn walk(gid: &Gid, place: &mut Place) {
    place.0[0] = (place.0[0] + (gid.number() % 3) as f32) % 12.0;
}

fn walkers(shards: &mut Shards) {
    shards.setup(|world| _ = world.spawn_batch((0..24).map(|n| Place([n as f32 % 12.0, 0.5]))));
    let place = shards.place(Grid::torus(12, 1.0), |place: &Place| place.0);
    place.mirror::<(Place,)>(1.0);
    shards.systems(walk);
}

/// Runs a shard, and returns its counters as they are, and as the inspector shows them.
fn watched(shard: &mut Shard<'_>) -> Result<(ShardStats, String), ShardError> {
    let mut monitor = App::new();
    monitor.world_mut().register_data_resource::<ShardStats>();
    let inspector = Inspect::new(0).attach(&mut monitor);
    for _ in 0..20 {
        shard.tick()?;
        monitor.world_mut().insert_resource(*shard.stats());
        monitor.update_by(Duration::from_millis(1));
    }
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"world.get_resources","params":{"resource":"ecs.shard_stats"}}"#;
    Ok((*shard.stats(), inspector.answer(&mut monitor, request)))
}

#[test]
fn an_inspector_shows_the_counters_of_each_shard() {
    let two = ShardConfig::threads(2.try_into().unwrap());
    for (stats, shown) in shard::run(&two, walkers, watched).unwrap() {
        assert!(
            stats.rounds > 20 && stats.migrants > 0 && stats.ghosts > 0,
            "{stats:?}"
        );
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let shown = &shown["result"]["value"];
        for (name, number) in [
            ("rounds", stats.rounds),
            ("bytes", stats.bytes),
            ("migrants", stats.migrants),
            ("ghosts", stats.ghosts),
            ("messages", stats.messages),
            ("births", stats.births),
        ] {
            assert_eq!(shown[name], number, "{name} in {shown}");
        }
    }
}
