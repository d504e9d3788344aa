//! Searches in an order, with ancestors and disabled entities.

use ecs_core::Disabled;
use ecs_core::data::Value;
use ecs_core::inspect::{Inspect, Inspector};
use ecs_core::prelude::*;

use super::{ChildOf, Health, Name, Secret, call, game};

fn find(app: &mut App, inspector: &Inspector, params: &str) -> Value {
    let answer = call(app, inspector, "entities.find", params);
    let answer: Value = serde_json::from_str(&format!("{{{answer}}}")).unwrap();
    answer
        .get("result")
        .unwrap_or_else(|| panic!("{params}: {answer}"))
        .clone()
}

fn entities(result: &Value) -> Vec<Entity> {
    let rows = result.get("rows").unwrap().as_list().unwrap().iter();
    rows.map(|row| {
        row.get("entity")
            .unwrap()
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    })
    .collect()
}

/// A game with many rats in several tables, whose health is in no order and often equal.
fn rats() -> (App, Inspector, Vec<(i32, Entity)>) {
    let (mut app, inspector) = game(Inspect::new(0));
    let world = app.world_mut();
    let mut all = Vec::new();
    for number in 0..3000_i32 {
        let now = number.wrapping_mul(7919).rem_euclid(1009) - 500;
        let health = Health { now, max: 1 };
        let rat = match number % 3 {
            0 => world.spawn(health),
            1 => world.spawn((health, Secret(1))),
            _ => world.spawn((health, Name(format!("Rat {number:04}")))),
        };
        all.push((now, rat));
    }
    (app, inspector, all)
}

#[test]
fn pages_of_a_sorted_search_are_the_pages_of_the_sorted_list() {
    let (mut app, inspector, mut all) = rats();
    for (sign, expected) in [
        ("", {
            all.sort_unstable();
            all.clone()
        }),
        ("-", {
            all.sort_unstable_by_key(|&(now, rat)| (-now, rat));
            all.clone()
        }),
    ] {
        // A column may be a field, or have it.
        let queries = [
            "game.health.now < 600, game.health.max == 1",
            "game.health, game.health.max == 1",
        ];
        for (query, from) in queries
            .iter()
            .flat_map(|query| [0, 1, 150, 2900].map(|from| (query, from)))
        {
            let params = format!(
                r#"{{"query":"{query}","sort":"{sign}game.health.now","from":{from},"limit":120}}"#
            );
            let found = find(&mut app, &inspector, &params);
            let page: Vec<Entity> = expected
                .iter()
                .map(|&(_, rat)| rat)
                .skip(from)
                .take(120)
                .collect();
            assert_eq!(entities(&found), page, "{params}");
            assert_eq!(
                found.get("count.at_least").and_then(Value::as_int),
                Some(3000)
            );
        }
    }
}

#[test]
fn a_page_in_the_middle_of_many_rows_is_found() {
    let mut app = App::new();
    let world = app.world_mut();
    let number = |now: i32| now.wrapping_mul(7919).rem_euclid(40_009);
    world.spawn_batch((0..40_009).map(|now| Health {
        now: number(now),
        max: 1,
    }));
    let inspector = Inspect::new(0).attach(&mut app);
    for (from, first) in [(0, 0), (20_000, 20_000), (40_000, 40_000), (41_000, -1)] {
        let params = format!(
            r#"{{"query":"game.health","sort":"game.health.now","from":{from},"limit":40}}"#
        );
        let found = find(&mut app, &inspector, &params);
        let rows = found.get("rows").unwrap().as_list().unwrap();
        let now = rows.iter().map(|row| {
            let health = row.get("components").unwrap().as_map().unwrap();
            health[0].1.get("now").unwrap().as_int().unwrap()
        });
        let expected = (first..40_009).take(if first < 0 { 0 } else { 40 });
        assert!(now.eq(expected.map(i128::from)), "{params}");
        assert_eq!(found.get("count.at_least").unwrap().as_int(), Some(40_009));
        assert_eq!(found.get("moved").unwrap().as_bool(), Some(false));
    }
}

#[test]
fn rows_without_a_value_come_last_in_both_orders() {
    let (mut app, inspector, _) = rats();
    for (sort, first) in [("game.name", "Hero"), ("-game.name", "Rat 2999")] {
        let params = format!(
            r#"{{"query":"game.health","columns":["game.name"],"sort":"{sort}","limit":1}}"#
        );
        let found = find(&mut app, &inspector, &params);
        let name = found.get("rows[0].components").unwrap().as_map().unwrap();
        assert_eq!(name[1].1.as_str(), Some(first));
        let params = params.replace("\"limit\":1", "\"limit\":1,\"from\":2000");
        let found = find(&mut app, &inspector, &params);
        assert_eq!(
            found
                .get("rows[0].components")
                .unwrap()
                .as_map()
                .unwrap()
                .len(),
            1
        );
    }
}

#[test]
fn disabled_entities_are_found_on_request() {
    let (mut app, inspector) = game(Inspect::new(0));
    let goblin: Entity = "1v1".parse().unwrap();
    app.world_mut().insert(goblin, Disabled).unwrap();
    let found = find(&mut app, &inspector, r#"{"query":"game.health"}"#);
    assert!(!entities(&found).contains(&goblin));
    for query in ["game.health", " ", "game.health.max > 3 "] {
        let params = format!(r#"{{"query":"{query}","disabled":true}}"#);
        assert!(
            entities(&find(&mut app, &inspector, &params)).contains(&goblin),
            "{query}"
        );
    }
}

#[test]
fn hits_show_their_ancestors() {
    let (mut app, inspector) = game(Inspect::new(0));
    let goblin: Entity = "1v1".parse().unwrap();
    let flea = app.world_mut().spawn((Secret(1), ChildOf.to(goblin)));
    let above = |inspector: &Inspector, app: &mut App, more: &str| {
        let params = format!(r#"{{"query":"game.secret"{more}}}"#);
        let found = find(app, inspector, &params);
        assert_eq!(entities(&found), [flea]);
        found.get("rows[0].ancestors").map(Value::to_string)
    };
    assert_eq!(above(&inspector, &mut app, ""), None);
    let expected = r#"[{"entity": "1v1", "name": null}, {"entity": "0v1", "name": "Hero"}]"#;
    for sort in ["", r#","sort":"game.secret""#] {
        let more = format!(r#","ancestors":["game.name"]{sort}"#);
        assert_eq!(
            above(&inspector, &mut app, &more).as_deref(),
            Some(expected)
        );
    }
    let inspector = Inspect::new(0).hide::<ChildOf>().attach(&mut app);
    assert_eq!(
        above(&inspector, &mut app, r#","ancestors":true"#).as_deref(),
        Some("[]")
    );
    let inspector = Inspect::new(0).hide::<Name>().attach(&mut app);
    let above = above(&inspector, &mut app, r#","ancestors":["game.name"]"#);
    assert_eq!(
        above.as_deref(),
        Some(&*expected.replace("\"Hero\"", "null"))
    );
}
