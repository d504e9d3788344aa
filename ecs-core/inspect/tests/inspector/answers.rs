//! The answers to requests, as text beside this file. `INSPECT_ANSWERS=write` writes them; read the difference.
//!
//! A line `> method params` is a call and `= ..` its answer, `! frames` runs frames, and each `#` begins with a new game. Numbers
//! that differ from run to run, such as times and amounts of memory, are `0`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ecs_core::data::Value;
use ecs_core::inspect::{Inspect, Inspector};
use ecs_core::prelude::*;
use ecs_core::world::hooks::{DeferredWorld, Trigger};

use super::{Hit, call, game, give, plain};

const METHODS: &str = include_str!("../../methods.md");
const GUIDE: &str = include_str!("../../../src/guide/inspector.md");
const ANSWERS: &str = include_str!("answers.txt");

/// Returns an answer without times and amounts of memory.
fn exact(answer: &str) -> String {
    let mut answer: Value = serde_json::from_str(&format!("{{{answer}}}")).unwrap();
    without_amounts(&mut answer);
    let text = serde_json::to_string(&answer).unwrap();
    text[1..text.len() - 1].to_owned()
}

fn without_amounts(value: &mut Value) {
    match value {
        Value::List(list) => list.iter_mut().for_each(without_amounts),
        Value::Map(entries) => {
            for (key, value) in entries {
                let key = key.as_str().unwrap_or_default();
                let is_time = key.ends_with("_us")
                    || key.ends_with("ms")
                    || ["elapsed", "max_frame", "used", "reserved"].contains(&key);
                match value {
                    Value::String(text) if key == "text" => {
                        // The rest names the world.
                        let ids = text
                            .split('@')
                            .map(|part| part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
                        *value = ids.collect::<Vec<_>>().join("@").into();
                    }
                    Value::Int(_) | Value::Float(_) if is_time => *value = 0.into(),
                    Value::List(list) if ["times", "since"].contains(&key) => list.fill(0.into()),
                    value => without_amounts(value),
                }
            }
        }
        _ => {}
    }
}

/// A game, with an observer of one entity unless it is to step back.
fn new(title: &str) -> (App, Inspector) {
    let inspect = Inspect::new(0).name("game").history(4);
    let inspect = inspect.method("game.give", give);
    if title.contains("back") {
        return plain(inspect);
    }
    let (mut app, inspector) = game(inspect);
    let goblin = "1v1".parse().unwrap();
    let observer = |_: Trigger<Hit>, _: DeferredWorld| {};
    app.world_mut().observe_on(goblin, observer).unwrap();
    (app, inspector)
}

#[test]
fn every_method_and_its_errors_have_the_answers_of_the_file() {
    let (mut app, mut inspector) = new("");
    let (mut written, mut called) = (String::new(), BTreeMap::<String, [usize; 2]>::new());
    for line in ANSWERS.lines() {
        if let Some(request) = line.strip_prefix("> ") {
            let (method, params) = request.split_once(' ').unwrap();
            let answer = exact(&call(&mut app, &inspector, method, params));
            let is_error = answer.starts_with("\"error\"");
            called.entry(method.to_owned()).or_default()[usize::from(is_error)] += 1;
            writeln!(written, "{line}\n= {answer}").unwrap();
            continue;
        }
        if line.starts_with('#') {
            (app, inspector) = new(line);
        } else if let Some(frames) = line.strip_prefix("! ") {
            (0..frames.parse().unwrap()).for_each(|_| _ = app.update());
        }
        if !line.starts_with("= ") {
            writeln!(written, "{line}").unwrap();
        }
    }
    if std::env::var("INSPECT_ANSWERS").is_ok_and(|what| what == "write") {
        return std::fs::write("tests/inspector/answers.txt", &written).unwrap();
    }
    for (expected, answer) in ANSWERS.lines().zip(written.lines()) {
        assert_eq!(answer, expected);
    }
    assert_eq!(written.lines().count(), ANSWERS.lines().count());
    let methods = call(&mut app, &inspector, "rpc.discover", "{}");
    let methods: Value = serde_json::from_str(&format!("{{{methods}}}")).unwrap();
    for method in methods.get("result.methods").unwrap().as_list().unwrap() {
        let text = |key| method.get(key).unwrap().as_str().unwrap();
        let name = text("name");
        let [results, errors] = called.get(name).copied().unwrap_or_default();
        assert!(results > 0, "no answer of `{name}` in answers.txt");
        let is_own = ["game.give", "rpc.discover"].contains(&name);
        for (page, text) in [("methods.md", METHODS), ("the guide", GUIDE)] {
            let has_it = is_own || text.contains(&format!("`{name}`"));
            assert!(has_it, "no `{name}` in {page}");
        }
        let has_params = !text("params").is_empty();
        assert!(
            errors > 0 || !has_params,
            "no error of `{name}` in answers.txt"
        );
    }
}
