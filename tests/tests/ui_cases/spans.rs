//! The spans of generated code, shown by the compiler.
//!
//! A name with the macro's own span contains the position of the macro in its module. In a function or a constant it makes
//! the compiler check that again after each edit above it.

use crate::suggestions;

const CODE: &str = "
use ecs_core::prelude::*;
use ecs_core::world::hooks::OnAdd;

#[derive(Component)]
struct Position(f32);

#[system]
fn plain(a: Comp<Position>, b: Query<&Position>, c: Query<&Position>) -> f32 {
    a.iter().chain(&b).chain(&c).map(|a| a.0).sum()
}

#[system(for_each)]
fn each(a: &mut Position, by: Local<f32>) {
    a.0 += *by;
}

#[system]
fn generic<T: Component>(a: Comp<T>, b: Query<&T>) -> bool {
    a.iter().count() == b.iter().count()
}

#[system]
fn observer(event: OnAdd<Position>, a: Comp<Position>) {
    let _ = (&event, &a);
}

fn main() {}
";

/// The functions and constants of a system that take time to check.
const ITEMS: [(&str, usize); 7] = [
    ("fn plain /*", 2),
    ("fn each /*", 2),
    ("fn generic /*", 2),
    ("const META /*", 4),
    ("fn visit /*", 3),
    ("fn observe /*", 1),
    ("const INNER /*", 4),
];

#[test]
fn functions_and_constants_of_systems_do_not_depend_on_their_place() {
    let expanded = expanded();
    for (start, count) in ITEMS {
        let mut found = 0;
        for (at, _) in expanded.match_indices(start) {
            let item = item(&expanded[at..]);
            // Declared in a trait: nothing to check.
            if item.starts_with("fn") && item.ends_with(';') {
                continue;
            }
            for mark in marks(item) {
                assert!(mark.ends_with("#0"), "`{mark}` is the macro's: {item}");
            }
            found += 1;
        }
        assert_eq!(found, count, "{start}: {expanded}");
    }
}

/// Returns the code after the expansion of macros, with a mark such as `/* 825#0 */` after each name: its number, and
/// the number of the expansion that its span belongs to.
fn expanded() -> String {
    let programs = [("code".to_owned(), CODE.to_owned())].into();
    let output = suggestions::cargo("expanded", &programs, "rustc")
        .args(["--quiet", "--profile", "check"])
        .args(["--", "-Zunpretty=expanded,hygiene"])
        // Compilers of the last years have all used this form of output, but it is not promised.
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .expect("cargo runs");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
    let text = String::from_utf8(output.stdout).unwrap();
    // Long lines are broken inside of marks.
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the item that starts the text: up to its `;`, or to the end of its body.
fn item(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && (c == ';' || c == '}') {
            return &text[..=at];
        }
    }
    text
}

/// Returns the marks after names.
fn marks(item: &str) -> impl Iterator<Item = &str> {
    let parts = item.split("/*").skip(1);
    parts.filter_map(|part| part.split_once("*/").map(|(mark, _)| mark.trim()))
}
