//! Systems whose results could differ are refused before the first tick.

use ecs_core::prelude::*;
use ecs_core::shard::{self, Gid, Neighbours, ShardConfig, ShardError, Shards};
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "refused.health")]
struct Health(i32);

#[derive(Resource, Default)]
struct Best(i32);

fn error(game: fn(&mut Shards)) -> String {
    let result = shard::run(&ShardConfig::solo(), game, |shard| shard.run(1));
    result
        .err()
        .map_or_else(String::new, |error| error.to_string())
}

macro_rules! refused {
    ($($(#[$attribute:meta])* $name:ident($($param:tt)*) => $message:literal,)+) => {$(
        #[test]
        fn $name() {
            $(#[$attribute])*
            fn strange($($param)*) {}
            let error = error(|shards| {
                shards.setup(|world| _ = world.insert_resource(Best::default()));
                shards.systems(strange);
            });
            assert!(error.contains("strange` "), "{error}");
            assert!(error.contains($message), "{error}");
        }
    )+};
}

refused! {
    #[system]
    the_whole_world_is_refused(_world: &World) => "borrows the whole world",
    #[system]
    a_local_is_refused(_seen: Local<u32>) => "remembers something",
    #[system]
    a_reader_is_refused(_hits: EventReader<u8>) => "remembers something",
    #[system]
    a_query_over_others_is_refused(_all: Query<&mut Health>) => "depends on borders",
    #[system]
    a_view_is_refused(_all: Comp<Health>) => "depends on borders",
    #[system]
    spawning_everywhere_is_refused(_commands: Commands) => "depends on borders",
    #[system(for_each)]
    a_shared_resource_that_a_loop_writes_is_refused(_health: &Health, _best: ResMut<Best>) => "writes the resource `world::refused::Best`",
    #[system(for_each)]
    a_view_beside_a_loop_is_refused(_gid: &Gid, _all: Comp<Health>) => "depends on borders",
    #[system]
    a_resource_made_of_neighbours_is_refused(_near: Res<Neighbours<(Health,)>>, _best: ResMut<Best>) => "what is only known on this shard",
}

#[system]
fn rank(all: Query<&Health>, mut best: ResMut<Best>) {
    best.0 = all.iter().map(|health| health.0).max().unwrap_or(0);
}

#[test]
fn a_refused_system_can_be_trusted_by_name() {
    let trusted = |shards: &mut Shards| {
        shards.setup(|world| _ = world.insert_resource(Best::default()));
        shards
            .systems(rank)
            .trust("rank", "the maximum of one shard is only shown");
    };
    assert_eq!(error(trusted), "");
    let mistyped =
        |shards: &mut Shards| _ = shards.systems(rank).trust("rang", "of a typing error");
    assert!(error(mistyped).contains("there is no such system"));
}

#[test]
fn a_system_of_shared_resources_runs_everywhere() {
    #[system]
    fn age(mut best: ResMut<Best>) {
        best.0 += 1;
    }
    let game = |shards: &mut Shards| {
        shards.setup(|world| _ = world.insert_resource(Best::default()));
        shards.systems(age);
    };
    assert_eq!(error(game), "");
}

#[test]
fn births_need_a_place_in_the_order() {
    #[system(for_each)]
    fn breed(_health: &Health, mut commands: Commands) {
        commands.spawn(Health(1));
    }
    let game = |shards: &mut Shards| {
        shards.setup(|world| _ = world.spawn(Health(1)));
        shards.systems(breed);
    };
    assert!(
        error(game).contains(
            "1 new entities have no `Birth`, the first one with the components `refused.health`"
        ),
        "{}",
        error(game)
    );
}

#[test]
fn components_that_are_no_data_cannot_travel() {
    #[derive(Component)]
    struct Socket;
    let game = |shards: &mut Shards| _ = shards.setup(|world| _ = world.spawn(Socket));
    let result = shard::run(&ShardConfig::solo(), game, |_| Ok(()));
    let Err(ShardError::NotData { components }) = result else {
        panic!("{result:?}")
    };
    assert!(components[0].ends_with("Socket"));
}
