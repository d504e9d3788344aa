//! The spans of generated code, shown by the compiler.
//!
//! A name with the macro's own span contains the position of the macro in its module. In a function or a constant it makes
//! the compiler check that again after each edit above it.

use crate::suggestions;

const CODE: &str = "
use ecs_core::prelude::*;
use ecs_core::statics;
use ecs_core::world::hooks::OnAdd;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Time(f32);

#[derive(Relation)]
struct ChildOf;

#[derive(Bundle)]
struct Body(Position);

#[derive(SystemParam)]
struct Physics<'w>(Comp<'w, Position>);

#[derive(QueryData)]
struct Mover<'a>(&'a Position);

#[derive(QueryFilter)]
struct Placed(With<Position>);

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

#[systems]
impl Time {
    #[system]
    fn method(&self, a: Comp<Position>) {
        let _ = (self.0, &a);
    }
}

schedule! {
    static FRAME = [each]
}

statics::world! {
    Game { Position }
}

fn closed() {
    let mut game = Game::new();
    statics::spawn!(game; Position(1.0));
    statics::system!(game, |a: &mut Position| a.0 += 1.0);
}

fn main() {}
";

/// For each macro the beginnings of the functions and constants that take time to check, and how many each has in the
/// program.
///
/// A macro with none keeps its own spans. Its code is `unsafe`, and the user's `forbid(unsafe_code)` holds for code with the
/// user's spans; or a `macro_rules!` passes it `$crate`, whose span that macro has.
const MACROS: [(&str, &[(&str, usize)]); 14] = [
    (
        "derive_component",
        &[("const IDENTITY /*", 2), ("fn id_slot /*", 1)],
    ),
    ("derive_resource", &[]),
    ("derive_event", &[]),
    ("derive_relation", &[]),
    ("derive_bundle", &[]),
    ("derive_system_param", &[]),
    ("derive_query_data", &[]),
    ("derive_query_filter", &[]),
    (
        "system",
        &[
            ("fn plain /*", 2),
            ("fn each /*", 2),
            ("fn generic /*", 2),
            ("const META /*", 5),
            ("fn visit /*", 4),
            ("fn observe /*", 1),
            ("const INNER /*", 5),
        ],
    ),
    ("systems", &[("fn method /*", 3)]),
    ("world", &[]),
    ("spawn", &[]),
    ("inline_system", &[]),
    ("schedule", &[]),
];

/// The declarations of the macros.
const DECLARED: &str = include_str!("../../../ecs-macros/src/lib.rs");

#[test]
fn each_macro_has_an_entry() {
    let mut declared = Vec::new();
    let mut is_macro = false;
    for line in DECLARED.lines() {
        is_macro |= line.starts_with("#[proc_macro");
        if let Some(rest) = line.strip_prefix("pub fn ")
            && std::mem::take(&mut is_macro)
        {
            declared.extend(rest.split('(').next());
        }
    }
    let listed = MACROS.map(|(name, _)| name);
    assert_eq!(declared, listed, "a new macro needs an entry in `MACROS`");
}

#[test]
fn functions_and_constants_do_not_depend_on_their_place() {
    let expanded = expanded();
    for (start, count) in MACROS.into_iter().flat_map(|(_, items)| items) {
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
        assert_eq!(found, *count, "{start}: {expanded}");
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
