//! Pictures and traces of schedules with arbitrary names: they stay well-formed, and show each name exactly.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Mutex;

use arbitrary::Arbitrary;
use ecs_core::inspect;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::{in_state, not};
use ecs_core::schedule::{SchedulePlan, Trace, TraceKind};
use serde_json::Value;

use crate::name::arguments;

/// The names.
#[derive(Arbitrary, Debug)]
pub struct Input {
    /// The name of the nested schedule.
    schedule: String,
    thread: String,
    /// The names of the states under which systems run.
    states: [String; 3],
    /// The name of a missing set.
    set: String,
}

/// A value whose `Debug` output is the bare text; a string's output would be escaped.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Name(String);

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[system]
fn write(mut number: ResMut<u32>, mut commands: Commands) {
    *number += 1;
    commands.spawn_empty();
}

#[system]
fn read(_: Res<u32>) {}

#[system]
fn look(_: &World) {}

/// Leaks a text, once per distinct text.
fn kept(text: String) -> &'static str {
    static ALL: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut all = ALL.lock().unwrap();
    if let Some(known) = all.get(&*text) {
        return known;
    }
    let text: &'static str = text.leak();
    all.insert(text);
    text
}

/// Splits a text into the part outside of quotes and the quoted strings.
fn unquoted(text: &str, escape: Option<char>) -> (String, Vec<String>) {
    let (mut rest, mut labels) = (String::new(), Vec::new());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        rest.push(character);
        if character != '"' {
            continue;
        }
        let mut label = String::new();
        loop {
            match characters.next().expect("a quote for each quote") {
                '"' => break,
                mark if Some(mark) == escape => {
                    label.push(characters.next().expect("what is escaped"));
                }
                other => label.push(other),
            }
        }
        labels.push(label);
    }
    (rest, labels)
}

/// Decodes a label of Mermaid. Characters that are special even between quotes must be escaped.
fn decoded(label: &str) -> String {
    let mut text = String::new();
    let mut parts = label.split('#');
    let plain = |text: &str| {
        let is_mark = |c: char| c.is_control() || "<>&;`\\%".contains(c);
        assert!(!text.contains(is_mark), "{label:?}");
        text.to_owned()
    };
    text += &plain(parts.next().unwrap());
    for part in parts {
        let (number, rest) = part.split_once(';').expect("the end of an escape");
        text.push(char::from_u32(number.parse().unwrap()).unwrap());
        text += &plain(rest);
    }
    text
}

/// Replaces the characters that XML cannot contain.
fn shown(text: &str) -> String {
    let is_left_out =
        |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.replace(is_left_out, "\u{fffd}")
}

fn check_pictures(plan: &SchedulePlan, tame: &SchedulePlan) {
    let names: Vec<String> = plan.steps().map(|step| format!("{step:?}")).collect();

    let (dot, labels) = unquoted(&inspect::to_dot(plan), Some('\\'));
    assert_eq!(dot, unquoted(&inspect::to_dot(tame), Some('\\')).0);
    assert_eq!(labels[..names.len()], names);

    let (mermaid, labels) = unquoted(&inspect::to_mermaid(plan), None);
    assert_eq!(mermaid, unquoted(&inspect::to_mermaid(tame), None).0);
    let labels: Vec<String> = labels.iter().map(|label| decoded(label)).collect();
    assert_eq!(labels[..names.len()], names);

    let (drawing, tame) = (inspect::to_svg(plan), inspect::to_svg(tame));
    let [drawing, tame] = [&drawing, &tame].map(|text| {
        roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{error} in {text}"))
    });
    let elements = |document: &roxmltree::Document<'_>| -> Vec<String> {
        let all = document.descendants().filter(|node| node.is_element());
        let names = all.map(|node| node.tag_name().name().to_owned());
        // An empty name has no text element.
        names.filter(|name| name != "text").collect()
    };
    assert_eq!(elements(&drawing), elements(&tame));
    let titles: Vec<&str> = drawing
        .descendants()
        .filter(|node| node.has_tag_name("title"))
        .filter_map(|node| node.text())
        .collect();
    for name in names {
        let name = shown(&name);
        assert!(
            titles.iter().any(|title| title.starts_with(&name)),
            "{name:?} in {titles:?}"
        );
    }
}

fn check_trace(trace: &Trace, thread: &str) {
    let text = inspect::to_chrome_json(&trace);
    let json: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
    let events = json["traceEvents"].as_array().unwrap();
    let of =
        |phase: &str| -> Vec<&Value> { events.iter().filter(|one| one["ph"] == phase).collect() };
    assert_eq!(of("M")[0]["args"]["name"], thread);
    let spans = of("X");
    assert_eq!(spans.len(), trace.spans().len());
    for (event, span) in spans.into_iter().zip(trace.spans()) {
        assert_eq!(event["name"], span.name());
    }
    assert!(
        trace
            .spans()
            .iter()
            .any(|span| span.kind() == TraceKind::Condition)
    );
}

fn schedule(states: [String; 3], nested: &'static str) -> Schedule {
    let [one, two, three] = states.map(Name);
    let mut inner = Schedule::named(nested);
    inner.add(read);
    let mut schedule = Schedule::new();
    schedule.add(write.run_if(in_state(one.clone())));
    schedule.add(read.run_if(in_state(two.clone()).or(in_state(one))));
    schedule.add((inner.run_if(in_state(three)), look));
    schedule.add(write.run_if(not(in_state(two))));
    schedule
}

/// Draws a schedule with these names, and runs it on a thread with the given name.
///
/// # Panics
/// If a parser of the format cannot read the names, or misreads part of a name.
pub fn run(input: Input) {
    let Input {
        schedule: nested,
        mut thread,
        states,
        set,
    } = input;
    let part = arguments(&nested);
    assert!(nested.ends_with(part));
    assert!(part.is_empty() || part.starts_with('<') && part.ends_with('>'));

    let mut tame = schedule(["a", "b", "c"].map(String::from), "nested");
    let first = Name(states[0].clone());
    let mut wild = schedule(states, kept(nested));
    check_pictures(wild.plan().unwrap(), tame.plan().unwrap());

    thread.retain(|c| c != '\0');
    let run = std::thread::Builder::new()
        .name(thread.clone())
        .spawn(move || {
            let mut world = World::new();
            world.insert_resource(0_u32);
            world.add_state(first);
            wild.trace_next_run();
            wild.run_seq(&mut world).unwrap();
            wild.take_trace().unwrap()
        });
    check_trace(&run.unwrap().join().unwrap(), &thread);

    tame.add(read.after(Name(set.clone())));
    let notes = tame.plan().unwrap().notes();
    assert!(notes.iter().any(|note| note.contains(&set)), "{notes:?}");
}
