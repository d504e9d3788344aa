//! Loads that replace a part of the world, and leave the rest.

use ecs_core::Disabled;
use ecs_core::data::{LoadError, Loader, Value, WorldData};
use ecs_core::prelude::*;
use ecs_core::query::AndDisabled;
use ecs_core::relation::Target;
use ecs_core::world::hooks::DeferredWorld;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "replacing.hero", storage = "sparse")]
struct Hero(u32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "replacing.chest")]
struct Chest(u32);

#[derive(Component)]
struct Sprite;

#[derive(Relation)]
#[relation(sources = "despawn")]
struct Shows;

#[derive(Relation)]
struct LooksAt;

fn heroes(world: &World) -> Vec<u32> {
    let heroes = world.query_filtered::<&Hero, AndDisabled>();
    let mut heroes: Vec<u32> = heroes.iter().map(|hero| hero.0).collect();
    heroes.sort_unstable();
    heroes
}

fn chests(world: &World) -> Vec<u32> {
    world
        .query::<&Chest>()
        .iter()
        .map(|chest| chest.0)
        .collect()
}

fn loader() -> Loader {
    Loader::new().with::<Hero>().with::<Chest>()
}

fn saved(heroes: &[u32]) -> Vec<u8> {
    let mut world = World::new();
    world.spawn_batch(heroes.iter().map(|&hero| Hero(hero)));
    world.save().to_vec().unwrap()
}

#[test]
fn a_load_replaces_what_the_filter_finds_and_leaves_the_rest() {
    let mut world = World::new();
    let camera = world.spawn(Sprite);
    let old = world.spawn(Hero(7));
    world.spawn((Hero(8), Disabled));
    world.spawn(Chest(1));
    // Goes with the hero, and loses its edge.
    let sprite = world.spawn(Shows.to(old));
    world.insert(camera, LooksAt.to(old)).unwrap();

    let by_hero = loader().replacing::<With<Hero>>();
    by_hero.load_bytes(&mut world, &saved(&[1, 2])).unwrap();
    world.check_invariants();
    assert_eq!((heroes(&world), chests(&world)), (vec![1, 2], vec![1]));
    assert!(!world.contains(old) && !world.contains(sprite) && world.contains(camera));
    assert!(world.get::<Target<LooksAt>>(camera).is_none());
    // The next load replaces loaded entities, from rows as well.
    let text = r#"{ "entities": [{ "replacing.hero": 3 }, { "replacing.chest": 2 }] }"#;
    let mut json = serde_json::Deserializer::from_str(text);
    by_hero.deserialize(&mut world, &mut json).unwrap();
    assert_eq!((heroes(&world), chests(&world)), (vec![3], vec![1, 2]));
    let both = by_hero.replacing::<With<Chest>>();
    both.load_bytes(&mut world, &saved(&[4])).unwrap();
    assert_eq!((heroes(&world), chests(&world)), (vec![4], vec![]));
    both.load_bytes(&mut world, &saved(&[])).unwrap();
    assert_eq!(world.len(), 1, "the camera");
}

#[test]
fn an_entity_that_two_filters_find_is_replaced_once() {
    let mut world = World::new();
    world.spawn((Hero(1), Chest(1)));
    let both = loader()
        .replacing::<With<Hero>>()
        .replacing::<With<Chest>>();
    both.load_bytes(&mut world, &saved(&[2])).unwrap();
    assert_eq!(heroes(&world), [2]);
    assert_eq!(world.len(), 1);
}

#[test]
fn a_load_that_fails_replaces_nothing() {
    let mut world = World::new();
    let old = world.spawn((Hero(7), Chest(1)));
    let by_hero = loader().replacing::<With<Hero>>();
    let mut bytes = saved(&[1]);
    *bytes.last_mut().unwrap() ^= 1;
    by_hero.load_bytes(&mut world, &bytes).unwrap_err();
    by_hero.load_bytes(&mut world, &bytes[..20]).unwrap_err();
    for text in [
        r#"{ "entities": [{ "replacing.hero": "many" }] }"#,
        r#"{ "entities": [{ "replacing.villain": 1 }] }"#,
    ] {
        let mut json = serde_json::Deserializer::from_str(text);
        by_hero.deserialize(&mut world, &mut json).unwrap_err();
    }
    assert_eq!(world.len(), 1);
    assert_eq!(world.get::<Hero>(old).unwrap().0, 7);
}

#[test]
fn a_hook_of_a_loaded_entity_finds_the_replaced_ones_gone() {
    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "replacing.only_one", on_insert = note)]
    struct OnlyOne;
    #[derive(Resource, Default)]
    struct Counts(Vec<usize>);
    fn note(world: DeferredWorld<'_>, _: Entity) {
        let count = world.query::<&OnlyOne>().count();
        world.resource_mut::<Counts>().0.push(count);
    }

    let mut world = World::new();
    world.insert_resource(Counts::default());
    world.spawn(OnlyOne);
    let bytes = world.save().to_vec().unwrap();
    let loader = Loader::new().replacing::<With<OnlyOne>>();
    loader.load_bytes(&mut world, &bytes).unwrap();
    assert_eq!(world.resource::<Counts>().0, [1, 1]);
}

#[test]
fn waiting_commands_are_applied_before_the_entities_are_found() {
    #[system]
    fn summon(hero: u32, mut commands: Commands<Hero>) {
        commands.spawn(Hero(hero));
    }
    let mut world = World::new();
    world.spawn(Hero(1));
    let bytes = world.save().to_vec().unwrap();
    let by_hero = loader().replacing::<With<Hero>>();
    summon(7, &world);
    by_hero.load_bytes(&mut world, &bytes).unwrap();
    world.flush();
    assert_eq!(heroes(&world), [1]);
    summon(8, &world);
    let text = r#"{ "entities": [{ "replacing.hero": 3 }] }"#;
    let mut json = serde_json::Deserializer::from_str(text);
    by_hero.deserialize(&mut world, &mut json).unwrap();
    world.flush();
    assert_eq!(heroes(&world), [3]);
}

#[test]
fn a_save_does_not_lead_to_an_entity_that_its_load_replaces() {
    #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
    #[relation(data = "replacing.owned_by", sources = "despawn")]
    struct OwnedBy;
    #[derive(Component)]
    struct Key;

    fn find(world: &World, _: &Value) -> Option<Entity> {
        let keys = world.query_filtered::<Entity, With<Key>>();
        keys.iter().next()
    }
    let loader = loader()
        .with::<ecs_core::relation::Sources<OwnedBy>>()
        .resolve_ids(find)
        .replacing::<With<Hero>>();
    let bytes_of = |world: &World, ship| {
        let save = world.save().only([ship]).map_ids(|_| Some("key"));
        save.to_vec().unwrap()
    };
    // The owner is replaced, or goes with one that is.
    for depends in [false, true] {
        let mut world = World::new();
        let owner = world.spawn(Key);
        let hero = match depends {
            true => {
                let hero = world.spawn(Hero(1));
                world.insert(owner, Shows.to(hero)).unwrap();
                hero
            }
            false => {
                world.insert(owner, Hero(1)).unwrap();
                owner
            }
        };
        let ship = world.spawn((Chest(2), OwnedBy.to(owner)));
        let bytes = bytes_of(&world, ship);
        let error = loader.load_bytes(&mut world, &bytes).unwrap_err();
        assert!(matches!(error, LoadError::Replaced { .. }), "{error}");
        assert_eq!(world.len(), 2 + usize::from(depends), "nothing has changed");
        // One that stays is found.
        world.remove::<Hero>(hero).unwrap();
        let loaded = loader.load_bytes(&mut world, &bytes).unwrap();
        let target = world.get::<Target<OwnedBy>>(loaded.entities[0]);
        assert_eq!(target.unwrap().entity(), owner);
    }
}
