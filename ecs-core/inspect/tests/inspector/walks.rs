//! Searches that are cut and continued while the world changes, against one walk.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::*;

/// Random numbers, by a linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        let Self(state) = self;
        *state = state.wrapping_mul(6_364_136_223_846_793_005);
        *state = state.wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize % end
    }
}

const QUERIES: [&str; 8] = [
    "game.health",
    "",
    "game.health, !game.target",
    "game.health.now > 4, ?game.name",
    "game.name",
    "game.health, (game.name || game.secret)",
    "game.target, game.health.max != 2",
    "!game.secret",
];

fn game(random: &mut Random) -> App {
    let mut app = App::new();
    let world = app.world_mut();
    // All names are known to each query.
    let first = world.spawn((
        Health { now: 7, max: 9 },
        Name("first".to_owned()),
        Secret(1),
    ));
    world.insert(first, Target { entity: first }).unwrap();
    for _ in 0..20 + random.below(40) {
        spawn(world, random);
    }
    app
}

fn spawn(world: &mut World, random: &mut Random) {
    let entity = world.spawn(());
    for kind in 0..4 {
        if random.below(2) == 0 {
            insert(world, entity, kind, random);
        }
    }
}

fn insert(world: &mut World, entity: Entity, kind: usize, random: &mut Random) {
    let inserted = match kind {
        0 => world
            .insert(
                entity,
                Health {
                    now: random.below(10) as i32,
                    max: random.below(4) as i32,
                },
            )
            .is_ok(),
        1 => world.insert(entity, Target { entity }).is_ok(),
        2 => world.insert(entity, Secret(1)).is_ok(),
        _ => world.insert(entity, Name("x".to_owned())).is_ok(),
    };
    assert!(inserted);
}

fn any(world: &World, random: &mut Random) -> Entity {
    let all: Vec<Entity> = world.entities().iter().collect();
    all[random.below(all.len())]
}

/// Changes the world, in a way that moves no row, or in one that may.
fn change(world: &mut World, random: &mut Random, may_move: bool) {
    let entity = any(world, random);
    match random.below(if may_move { 8 } else { 4 }) {
        0 => spawn_at_once(world),
        1 => insert(world, entity, 3, random),
        2 => _ = world.remove::<Name>(entity),
        3 => {
            if let Some(health) = world.get_mut::<Health>(entity) {
                health.now = random.below(10) as i32;
            }
        }
        4 => _ = world.despawn(entity),
        5 => insert(world, entity, random.below(3), random),
        6 => _ = world.remove::<Target>(entity),
        _ => _ = world.remove::<Health>(entity),
    }
}

/// Spawns with all components, so that the entity never changes its table.
fn spawn_at_once(world: &mut World) {
    world.spawn((Health { now: 5, max: 1 }, Secret(2)));
}

fn find(app: &mut App, inspector: &Inspector, params: &str, is_cut: bool) -> Json {
    let request =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"entities.find","params":{params}}}"#);
    let answer = match is_cut {
        true => inspector.answer_in_pieces(app, &request, false, &mut || {}),
        false => inspector.answer(app, &request),
    };
    let answer: Json = serde_json::from_str(&answer).unwrap();
    assert!(answer["error"].is_null(), "{params}: {answer}");
    answer["result"].clone()
}

fn ids(page: &Json) -> Vec<String> {
    let rows = page["rows"].as_array().unwrap().iter();
    rows.map(|row| row["entity"].as_str().unwrap().to_owned())
        .collect()
}

/// Returns all matches, by one walk.
fn whole(app: &mut App, inspector: &Inspector, query: &str) -> Vec<String> {
    let page = find(
        app,
        inspector,
        &format!(r#"{{"query":"{query}","limit":200}}"#),
        false,
    );
    assert!(page["next"].is_null() && page["moved"] == false);
    ids(&page)
}

/// The outcome of a search by pages.
struct Pages {
    /// The number of times that each entity came.
    seen: BTreeMap<String, u32>,
    /// The entities that matched at the start, between all pages, and at the end.
    stayed: Vec<String>,
    moved: bool,
}

fn pages(random: &mut Random, query: &str, may_move: bool) -> Pages {
    let mut app = game(random);
    let inspector = Inspect::new(0).attach(&mut app);
    let mut stayed = whole(&mut app, &inspector, query);
    let (mut seen, mut moved) = (BTreeMap::new(), false);
    let (mut after, mut count) = (String::new(), 0);
    loop {
        let (limit, is_cut) = (1 + random.below(7), random.below(2) == 0);
        let params = format!(r#"{{"query":"{query}","limit":{limit}{after}}}"#);
        let page = find(&mut app, &inspector, &params, is_cut);
        moved |= page["moved"] == true;
        for id in ids(&page) {
            *seen.entry(id).or_insert(0) += 1;
        }
        let Some(next) = page["next"].as_str() else {
            break;
        };
        after = format!(r#","after":"{next}""#);
        count += 1;
        assert!(count < 500, "the walk has an end");
        // The world grows slower than the pages get on.
        if random.below(2) == 0 {
            change(app.world_mut(), random, may_move);
            let now = whole(&mut app, &inspector, query);
            stayed.retain(|id| now.contains(id));
        }
    }
    Pages {
        seen,
        stayed,
        moved,
    }
}

fn each_once(pages: &Pages) -> bool {
    let is_once = |id| pages.seen.get(id) == Some(&1);
    pages.stayed.iter().all(is_once) && pages.seen.values().all(|times| *times == 1)
}

#[test]
fn pages_of_a_world_whose_rows_stay_have_each_entity_once_and_say_so() {
    let mut random = Random(1);
    for round in 0..200 {
        let query = QUERIES[round % QUERIES.len()];
        let pages = pages(&mut random, query, false);
        assert!(!pages.moved, "round {round}: `{query}`");
        assert!(
            each_once(&pages),
            "round {round}: `{query}`: {:?}",
            pages.seen
        );
    }
}

#[test]
fn pages_say_that_rows_have_moved_whenever_an_entity_is_missed_or_comes_twice() {
    let mut random = Random(2);
    let (mut missed, mut moved) = (0, 0);
    for round in 0..600 {
        let query = QUERIES[round % QUERIES.len()];
        let pages = pages(&mut random, query, true);
        missed += u32::from(!each_once(&pages));
        moved += u32::from(pages.moved);
        assert!(
            pages.moved || each_once(&pages),
            "round {round}: `{query}`: {:?}",
            pages.seen
        );
    }
    // The test sees both, and a search that always warns would be of no use.
    assert!(
        missed > 20 && moved > missed && moved < 550,
        "{missed} {moved}"
    );
}

#[test]
fn a_search_begun_again_has_what_one_walk_has() {
    let mut random = Random(3);
    for round in 0..100 {
        let query = QUERIES[round % QUERIES.len()];
        let mut app = game(&mut random);
        let inspector = Inspect::new(0).attach(&mut app);
        for _ in 0..random.below(10) {
            change(app.world_mut(), &mut random, true);
        }
        let (mut after, mut found) = (String::new(), Vec::new());
        loop {
            let params = format!(
                r#"{{"query":"{query}","limit":{}{after}}}"#,
                1 + random.below(5)
            );
            let page = find(&mut app, &inspector, &params, random.below(2) == 0);
            assert_eq!(page["moved"], false);
            found.extend(ids(&page));
            match page["next"].as_str() {
                Some(next) => after = format!(r#","after":"{next}""#),
                None => break,
            }
        }
        assert_eq!(
            found,
            whole(&mut app, &inspector, query),
            "round {round}: `{query}`"
        );
    }
}
