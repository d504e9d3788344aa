//! Systems whose results could differ are refused before the first tick.

use ecs_core::command::Delay;
use ecs_core::index::Index;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use ecs_core::shard::{
    self, Birth, Gid, Grid, Inbox, Neighbours, Outbox, Reduce, Reduction, ShardCheckError,
    ShardConfig, ShardError, Shards, TickNumber, shard_check,
};
use ecs_core::tree::ChildOf;
use ecs_core::world::hooks::{DeferredWorld, OnAdd, Trigger};
use serde::{Deserialize, Serialize};

use crate::checkpoints::Folder;

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "refused.health")]
struct Health(i32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[component(data = "refused.mood", track)]
struct Mood(u32);

#[derive(Resource, Default)]
struct Best(i32);

fn error(game: impl Fn(&mut Shards) + Sync) -> String {
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
    #[system(for_each)]
    a_writer_of_events_is_refused(_gid: &Gid, _hits: EventWriter<u8>) => "writes the resource `Events<u8>`",
    #[system(for_each)]
    an_index_beside_a_loop_is_refused(_gid: &Gid, _moods: Index<Mood>) => "can see entities in an order, or of a number",
    #[system(for_each)]
    a_local_beside_a_loop_is_refused(_gid: &Gid, _seen: Local<u32>) => "remembers something",
    #[system(for_each, changed(Mood))]
    a_look_at_changes_is_refused(_mood: &Mood) => "looks at when components were added or changed",
    #[system(for_each, with(Health), added(Mood))]
    a_look_at_additions_is_refused(_gid: &Gid) => "looks at when components were added or changed",
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
fn tracked_components_are_written() {
    #[system(for_each)]
    fn cheer(mood: &mut Mood) {
        mood.0 += 1;
    }
    let game = |shards: &mut Shards| {
        shards.setup(|world| _ = world.spawn(Mood(0)));
        shards.systems(cheer);
    };
    let moods = shard::run(&ShardConfig::solo(), game, |shard| {
        shard.run(3)?;
        let moods = shard.world().query::<&Mood>();
        Ok(moods.iter().map(|mood| mood.0).sum::<u32>())
    });
    assert_eq!(moods.unwrap(), [3]);
}

#[test]
fn resources_that_a_system_needs_are_declared() {
    struct Sum;
    #[system(for_each)]
    fn look(_gid: &Gid, _near: Res<Neighbours<(Health,)>>) {}
    #[system(for_each)]
    fn perhaps(_gid: &Gid, _near: Option<Res<Neighbours<(Health,)>>>) {}
    #[system(for_each)]
    fn send(_gid: &Gid, _hits: Res<Outbox<u8>>) {}
    #[system(for_each)]
    fn read(_gid: &Gid, _hits: Res<Inbox<u8>>) {}
    #[system(for_each)]
    fn add(_gid: &Gid, _sum: Res<Reduce<Sum>>) {}
    let game = |shards: &mut Shards| {
        let place = shards.place(Grid::bounded(4, 1, 1.0), |_: &Mood| [0.0; 2]);
        place.mirror::<(Mood,)>(1.0);
        shards.systems((look, perhaps, send, read, add));
    };
    let found = error(game);
    assert!(found.starts_with("4 systems could"), "{found}");
    for (system, resource, help) in [
        (
            "look",
            "Neighbours<",
            "call `mirror` after `place`, with these components",
        ),
        ("send", "Outbox<u8>", "call `deliver` for the message"),
        ("read", "Inbox<u8>", "call `deliver` for the message"),
        ("add", "Reduce<", "call `reduce` for its name"),
    ] {
        let line = found
            .lines()
            .find(|line| line.contains(&format!("::{system}` needs")));
        let line = line.unwrap_or_else(|| panic!("{found}"));
        assert!(line.contains(resource) && line.ends_with(help), "{line}");
    }
    let declared = |shards: &mut Shards| {
        let place = shards.place(Grid::bounded(4, 1, 1.0), |_: &Mood| [0.0; 2]);
        place.mirror::<(Health,)>(1.0);
        shards.deliver::<u8>().reduce::<Sum>(Reduction::Sum);
        shards.systems((look, perhaps, send, read, add));
    };
    assert_eq!(error(declared), "");
}

#[test]
fn no_system_asks_a_value_whether_it_has_changed() {
    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "refused.idea")]
    struct Idea(u32);
    #[derive(QueryData)]
    struct Tired<'a> {
        mood: Mut<'a, Mood>,
    }
    #[derive(QueryData)]
    struct Thought<'a> {
        idea: &'a mut Idea,
        mood: &'a Mood,
    }
    #[system(for_each)]
    fn look(mood: Mut<Mood>, idea: &mut Idea) {
        idea.0 += u32::from(mood.is_changed());
    }
    #[system(for_each)]
    fn perhaps(mood: Option<ecs_core::component::Mut<Mood>>, idea: &mut Idea) {
        idea.0 += u32::from(mood.is_some_and(|mood| mood.is_changed()));
    }
    #[system(for_each)]
    fn rest(#[item] tired: Tired, idea: &mut Idea) {
        idea.0 += u32::from(tired.mood.is_changed());
    }
    #[system(for_each)]
    fn think(#[item] thought: Thought, gid: &Gid) {
        thought.idea.0 += thought.mood.0 + gid.number() as u32;
    }
    #[system(for_each)]
    fn write(mood: &mut Mood) {
        mood.0 += 1;
    }
    let game = |shards: &mut Shards| {
        shards.setup(|world| _ = world.spawn((Mood(0), Idea(0))));
        shards.systems((look, perhaps, rest, think, write));
    };
    let trusting = |systems: &'static [&str]| {
        error(move |shards| {
            game(shards);
            for system in systems {
                shards.trust(system, "a test");
            }
        })
    };
    let found = trusting(&[]);
    assert!(found.starts_with("2 systems could"), "{found}");
    for system in ["look", "perhaps"] {
        let text = format!("::{system}` gets a `Mut`, which tells whether the value has changed");
        assert!(found.contains(&text), "{found}");
    }
    let found = trusting(&["look", "perhaps"]);
    assert!(found.starts_with("1 system could"), "{found}");
    assert!(found.contains("::rest` gets a `Mut`"), "{found}");
    assert_eq!(trusting(&["look", "perhaps", "rest"]), "");
}

#[test]
fn a_resumed_system_knows_which_resources_it_has_seen() {
    #[derive(Resource, Default, Clone, Debug, Serialize, Deserialize)]
    #[resource(data = "refused.day")]
    struct Day(u64);
    #[derive(Resource, Default, Clone, Debug, Serialize, Deserialize)]
    #[resource(data = "refused.days")]
    struct Days(u64);
    #[system]
    fn dawn(tick: Res<TickNumber>, mut day: ResMut<Day>) {
        if tick.number().is_multiple_of(4) {
            day.0 += 1;
        }
    }
    #[system]
    fn count(day: Res<Day>, mut days: ResMut<Days>) {
        days.0 += u64::from(day.is_changed());
    }
    let folder = Folder::new("seen");
    let game = |shards: &mut Shards| {
        shards.setup(|world| {
            world.insert_resource(Day::default());
            world.insert_resource(Days::default());
        });
        shards.systems((dawn, count).chain());
        shards.checkpoint(&folder.0, 5);
    };
    let days = |shards: usize, until| {
        let config = ShardConfig::threads(shards.try_into().unwrap()).resume();
        let days = shard::run(&config, game, |shard| {
            while shard.ticks() < until {
                shard.tick()?;
            }
            Ok(shard.world().resource::<Days>().0)
        });
        days.unwrap()
    };
    for (shards, until, expected) in [(2, 12, 3), (2, 23, 6), (3, 30, 8)] {
        assert_eq!(days(shards, until), vec![expected; shards]);
    }
}

#[test]
fn a_resource_that_no_checkpoint_has_is_not_written() {
    #[derive(Resource, Default, Clone, Debug, Serialize, Deserialize)]
    #[resource(data = "refused.age")]
    struct Age(u32);
    #[system]
    fn age(mut age: ResMut<Age>) {
        age.0 += 1;
    }
    #[system]
    fn improve(mut best: ResMut<Best>) {
        best.0 += 1;
    }
    let error = error(|shards| {
        shards.setup(|world| {
            world.insert_resource(Best::default());
            world.insert_resource(Age::default());
        });
        shards.systems((age, improve));
        shards.checkpoint(std::env::temp_dir(), 4);
    });
    assert!(
        error.starts_with("1 system")
            && error
                .contains("improve` writes the resource `world::refused::Best`, which is not data"),
        "{error}"
    );
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

#[test]
fn an_observer_of_one_entity_is_refused_with_the_fix() {
    #[system]
    fn hear(_: Trigger<u8>) {}
    let error = error(|shards| {
        shards.setup(|world| {
            let entity = world.spawn(Health(1));
            world.observe_on(entity, hear).unwrap();
        });
    });
    assert!(
        error.contains("help: register no observer by `observe_on`"),
        "{error}"
    );
}

#[test]
fn an_observer_is_refused_and_can_be_trusted() {
    let game = |shards: &mut Shards| {
        shards.setup(|world| {
            _ = world.observe(|_: OnAdd<Health>, mut best: ResMut<Best>| best.0 += 1);
        });
    };
    let error = error(game);
    assert!(
        error.contains("observes `") && error.contains("help: send messages"),
        "{error}"
    );
}

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "refused.listed", on_add = Self::listed)]
struct Listed(u32);

impl Listed {
    fn listed(_: DeferredWorld, _: Entity) {}
}

#[test]
fn a_component_with_hooks_is_refused_and_can_be_trusted() {
    let game = |shards: &mut Shards| _ = shards.setup(|world| _ = world.spawn(Listed(1)));
    let error = error(game);
    assert!(
        error.contains("Listed` is a component with hooks") && error.contains("help: do the same"),
        "{error}"
    );
    let trusted = |shards: &mut Shards| {
        game(shards);
        shards.trust("Listed", "the hook does nothing");
    };
    shard::run(&ShardConfig::solo(), trusted, |shard| shard.run(2)).unwrap();
}

#[test]
fn a_component_with_unique_values_is_refused_and_can_be_trusted() {
    #[derive(Component, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[component(data = "refused.nick", unique)]
    struct Nick(String);
    let game = |shards: &mut Shards| {
        shards.setup(|world| {
            world.spawn_batch((0..9).map(|n| (Health(n), Nick(n.to_string()))));
        });
    };
    let error = error(game);
    assert!(
        error.contains("Nick` is a component with unique values")
            && error.contains("help: make values of the `Gid`"),
        "{error}"
    );
    let trusted = |shards: &mut Shards| {
        game(shards);
        shards.trust("Nick", "they get it in the setup only");
    };
    shard_check(trusted, 3).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_component_with_hooks_is_named_once_however_many_kinds_of_entities_have_it() {
    #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    #[component(data = "refused.kind")]
    struct Kind;
    #[system(for_each)]
    fn list(gid: &Gid, entity: Entity, health: &mut Health, mut commands: Commands) {
        health.0 = (health.0 + 1) % 4;
        match gid.number() % 2 {
            0 => commands.insert(entity, Listed(1)),
            _ => commands.insert(entity, (Kind, Listed(1))),
        }
    }
    let game = |shards: &mut Shards| {
        shards.setup(|world| {
            world.spawn_batch((0..8).map(Health));
        });
        shards.place(Grid::bounded(4, 1, 1.0), |health: &Health| {
            [health.0 as f32, 0.5]
        });
        shards.systems(list);
    };
    let two = ShardConfig::threads(2.try_into().unwrap());
    let error = shard::run(&two, game, |shard| shard.run(4)).unwrap_err();
    let error = error.to_string();
    assert_eq!(error.matches("Listed` is").count(), 1, "{error}");
}

#[test]
fn a_component_with_hooks_that_comes_later_is_refused_when_it_moves() {
    #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    #[component(data = "refused.place")]
    struct Place([f32; 2]);
    #[system(for_each)]
    fn walk(entity: Entity, place: &mut Place, mut commands: Commands) {
        place.0[0] = (place.0[0] + 1.0) % 4.0;
        commands.insert(entity, Listed(1));
    }
    let game = |shards: &mut Shards| {
        shards.setup(|world| _ = world.spawn(Place([0.5; 2])));
        shards.place(Grid::bounded(4, 1, 1.0), |place: &Place| place.0);
        shards.systems(walk);
    };
    let two = ShardConfig::threads(2.try_into().unwrap());
    let error = shard::run(&two, game, |shard| shard.run(4)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("Listed` is a component with hooks"),
        "{error}"
    );
    let trusted = |shards: &mut Shards| {
        shards.setup(|world| world.register::<Listed>());
        game(shards);
        shards.trust("Listed", "the hook does nothing");
    };
    shard::run(&two, trusted, |shard| shard.run(4)).unwrap();
}

#[test]
fn a_message_with_an_entity_is_refused() {
    #[derive(Clone, Serialize, Deserialize)]
    struct Aim(Entity);
    #[system(for_each)]
    fn aim(entity: Entity, gid: &Gid, aims: Res<Outbox<Aim>>) {
        aims.send(*gid, *gid, Aim(entity));
    }
    let game = |shards: &mut Shards| {
        shards.setup(|world| _ = world.spawn(Health(1)));
        shards.systems(aim).deliver::<Aim>();
    };
    assert!(
        error(game).contains("has an `Entity`, which means nothing on another shard"),
        "{}",
        error(game)
    );
}

#[test]
fn a_mirrored_entity_is_refused() {
    #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    #[component(data = "refused.aim")]
    struct Aim(Entity);
    let game = |shards: &mut Shards| {
        shards.setup(|world| {
            let one = world.spawn(Health(1));
            world.insert(one, Aim(one)).unwrap();
        });
        let place = shards.place(Grid::torus(4, 1.0), |_: &Health| [0.5, 0.5]);
        place.mirror::<(Aim,)>(1.0);
    };
    let two = ShardConfig::threads(2.try_into().unwrap());
    let error = shard::run(&two, game, |shard| shard.run(1))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("has an `Entity`, which means nothing on another shard"),
        "{error}"
    );
}

#[test]
fn two_births_in_one_place_of_the_order_are_refused() {
    #[system(for_each)]
    fn breed(gid: &Gid, mut commands: Commands) {
        commands.spawn((Health(1), Birth::of(*gid, 0)));
        commands.spawn((Health(2), Birth::of(*gid, 0)));
    }
    let game = |shards: &mut Shards| {
        shards.setup(|world| _ = world.spawn(Health(1)));
        shards.systems(breed);
    };
    assert!(
        error(game).contains("`Birth::of(#0, 0)`"),
        "{}",
        error(game)
    );
}

#[test]
fn a_node_far_from_the_root_of_its_tree_is_refused() {
    let game = |shards: &mut Shards| {
        shards.setup(|world| {
            let root = world.spawn(Health(0));
            world.spawn((Health(3), ChildOf.to(root)));
        });
        let place = shards.place(Grid::torus(8, 1.0), |health: &Health| {
            [health.0 as f32, 0.5]
        });
        place.keep_together::<ChildOf>(2.0);
    };
    assert!(
        error(game).contains("is 3 away from the root of its tree, and `keep_together` allows 2"),
        "{}",
        error(game)
    );
}

#[test]
fn a_stub_is_not_despawned() {
    #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    #[component(data = "refused.hates")]
    struct Hates(Entity);
    #[system(for_each)]
    fn strike(hates: &Hates, mut commands: Commands) {
        commands.despawn(hates.0);
    }
    let game = |shards: &mut Shards| {
        shards.setup(|world| {
            let far = world.spawn(Health(7));
            world.spawn((Health(1), Hates(far)));
        });
        shards.place(Grid::bounded(8, 1, 1.0), |health: &Health| {
            [health.0 as f32, 0.5]
        });
        shards.systems(strike);
    };
    let two = ShardConfig::threads(2.try_into().unwrap());
    let error = shard::run(&two, game, |shard| shard.run(1))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("has despawned the entity #0, which lives on another shard"),
        "{error}"
    );
}

#[derive(Relation, Clone, Copy, Debug, Serialize, Deserialize)]
#[relation(data = "refused.follows")]
struct Follows;

/// Twelve entities, each of which follows the one before.
fn followers(shards: &mut Shards) {
    shards.setup(|world| {
        let mut last = None;
        for n in 0..12 {
            let one = world.spawn(Health(n));
            if let Some(last) = last.replace(one) {
                world.insert(one, Follows.to(last)).unwrap();
            }
        }
    });
}

fn health_as_place(health: &Health) -> [f32; 2] {
    [health.0 as f32, 0.5]
}

#[system(for_each)]
fn follow(health: &mut Health, leader: Option<&Target<Follows>>) {
    health.0 = health.0 % 6 + i32::from(leader.is_some());
}

#[system(for_each)]
fn die(entity: Entity, gid: &Gid, tick: Res<TickNumber>, mut commands: Commands) {
    if gid.number() == tick.number() + 2 {
        commands.despawn(entity);
    }
}

#[test]
fn targets_are_seen_before_they_may_die() {
    let grid = Grid::bounded(12, 1, 1.0);
    let after = |shards: &mut Shards| {
        followers(shards);
        shards.place(grid, health_as_place);
        shards.systems((die, follow).chain());
    };
    let found = error(after);
    assert!(
        found.contains("follow` sees `Target<world::refused::Follows>` after `world::refused::die`, which may despawn targets"),
        "{found}"
    );
    // And with good reason.
    let trusted = |shards: &mut Shards| {
        after(shards);
        shards.trust("follow", "not true");
    };
    assert!(matches!(
        shard_check(trusted, 6),
        Err(ShardCheckError::Different(_))
    ));
    let before = |shards: &mut Shards| {
        followers(shards);
        shards.place(grid, health_as_place);
        shards.systems((follow, die).chain());
    };
    shard_check(before, 6).unwrap_or_else(|error| panic!("{error}"));
    let together = |shards: &mut Shards| {
        followers(shards);
        shards
            .place(grid, health_as_place)
            .keep_together::<Follows>(12.0);
        shards.systems((die, follow).chain());
    };
    shard_check(together, 6).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn one_relation_keeps_entities_together() {
    let found = error(|shards| {
        let place = shards.place(Grid::bounded(12, 1, 1.0), health_as_place);
        place
            .keep_together::<Follows>(0.0)
            .keep_together::<ChildOf>(0.0);
    });
    assert!(
        found.starts_with("`keep_together` is called twice"),
        "{found}"
    );
}

#[test]
fn a_tree_whose_sources_are_seen_gets_no_node_from_another_shard() {
    #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    #[component(data = "refused.orphan")]
    struct Orphan(Entity);
    #[system(for_each)]
    fn adopt(entity: Entity, orphan: &Orphan, mut commands: Commands) {
        let parent = orphan.0;
        commands.relate(entity, ChildOf, parent);
    }
    #[system(for_each)]
    fn count(health: &mut Health, children: Option<&Sources<ChildOf>>) {
        health.0 += children.map_or(0, |children| children.len() as i32);
    }
    let game = |shards: &mut Shards| {
        shards.setup(|world| {
            let far = world.spawn(Health(7));
            world.spawn((Health(1), Orphan(far)));
        });
        let place = shards.place(Grid::bounded(9, 1, 1.0), health_as_place);
        place.keep_together::<ChildOf>(9.0);
        shards.systems(adopt);
    };
    // It is no difference if no system looks.
    shard_check(game, 3).unwrap_or_else(|error| panic!("{error}"));
    let counted = |shards: &mut Shards| {
        game(shards);
        shards.systems(count);
    };
    let error = shard_check(counted, 3).unwrap_err().to_string();
    assert!(
        error.contains("the entity #1 was related to the tree of #0, which lives on another shard"),
        "{error}"
    );
}

#[test]
fn delays_are_refused_when_the_tick_ends() {
    struct Hatches;
    #[system(for_each)]
    fn hatch(gid: &Gid, mut commands: Commands) {
        if gid.number() == 3 {
            commands.delay(Delay::Runs(2), |_| {});
            commands.delay_event(Delay::Runs(9), Hatches);
        }
    }
    let game = |shards: &mut Shards| {
        shards.setup(|world| {
            world.spawn_batch((0..8).map(Health));
        });
        shards.systems(hatch);
    };
    for shards in [1, 2] {
        let config = ShardConfig::threads(shards.try_into().unwrap());
        let error = shard::run(&config, game, |shard| shard.run(1)).unwrap_err();
        let ShardError::Delayed { functions, events } = &error else {
            panic!("{error}");
        };
        assert_eq!((functions.len(), events.len()), (1, 1));
        let error = error.to_string();
        assert!(error.contains("refused.rs:"), "{error}");
        assert!(error.contains("::Hatches`\nhelp: "), "{error}");
    }
    let setup = |shards: &mut Shards| {
        shards.setup(|world| {
            world.spawn(Health(1));
            world.delay(Delay::Runs(1), |_| {});
        });
    };
    assert!(error(setup).starts_with("something was delayed"));
}
