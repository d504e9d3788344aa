//! The spans of generated code, shown by the compiler.
//!
//! A token with the macro's own span contains the position of the macro in its module. In a function or a constant it makes
//! the compiler check that again after each edit above it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::suggestions;

const CODE: &str = "
use ecs_core::prelude::*;
use ecs_core::statics;
use ecs_core::world::hooks::{DeferredWorld, OnAdd};

#[derive(Component, Default)]
struct Position(f32);

#[derive(Resource)]
struct Time(f32);

#[derive(Relation)]
struct ChildOf;

#[derive(Component)]
struct Tag<T>(T);

#[derive(Component)]
#[component(toggle, require(Position), on_add = hook)]
struct Shield(f32);

fn hook(_: DeferredWorld, _: Entity) {}

#[derive(Bundle)]
struct Body(Position);

#[derive(SystemParam)]
#[system_param(shared)]
struct Physics<'w>(Comp<'w, Position>, Res<'w, Time>);

#[derive(QueryData)]
struct Mover<'a>(&'a mut Position, Option<(&'a Shield, Entity)>);

#[derive(QueryFilter)]
struct Placed(With<Position>, Without<Shield>);

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

/// Parts of the macros' names in the program: each macro has code there.
const MACROS: [(&str, &str); 14] = [
    ("derive_component", "derive(Component)"),
    ("derive_resource", "derive(Resource)"),
    // Needs the feature `data`, which the program lacks.
    ("derive_event", ""),
    ("derive_relation", "derive(Relation)"),
    ("derive_bundle", "derive(Bundle)"),
    ("derive_system_param", "derive(SystemParam)"),
    ("derive_query_data", "derive(QueryData)"),
    ("derive_query_filter", "derive(QueryFilter)"),
    ("system", "#[system"),
    ("systems", "#[systems]"),
    ("world", "world!"),
    ("spawn", "spawn!"),
    ("inline_system", "system!("),
    ("schedule", "schedule!"),
];

/// The functions and constants that are checked again, by the last part of their names.
const MOVING: [&str; 26] = [
    // Constants with `module_path!` and `line!`, whose values move, and which others only name.
    "NAME",
    "IDENTITY",
    "RELATION",
    // `unsafe`: the user's `forbid(unsafe_code)` holds for code with the user's spans.
    "fetch",
    "fields",
    "filter",
    "observer",
    "read",
    "unlock",
    // A method of a block, inside and outside, hidden from lints.
    "method",
    // A `macro_rules!` passes its `$crate`, and each name after it has its span.
    "CONFLICTS",
    "FRAME",
    "INDEX",
    "ORDER",
    "STAGES",
    "SYSTEMS",
    "clear",
    "default",
    "despawn",
    "fmt",
    "ids",
    "ids_mut",
    "new",
    "pages",
    "parts_mut",
    // In a function of the user's, whose place the position is relative to: it does not move.
    "closed",
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
    // The list of those that `ecs_core` documents. The last one expands to nothing.
    let (_, list) = DECLARED.rsplit_once("expansions! {").unwrap();
    let names = list.lines().filter_map(|line| line.trim().split_once(": "));
    declared.extend(
        names
            .map(|(name, _)| name)
            .filter(|name| *name != "known_contract"),
    );
    let listed = MACROS.map(|(name, _)| name);
    assert_eq!(declared, listed, "a new macro needs an entry in `MACROS`");
    for (name, used) in MACROS {
        assert!(CODE.contains(used), "{name} is not in the program");
    }
}

#[test]
fn functions_and_constants_do_not_depend_on_their_place() {
    let bodies = bodies();
    assert!(bodies.len() > 100, "{bodies:?}");
    let mut moving: Vec<&str> = bodies
        .iter()
        .filter(|(_, moves)| *moves)
        .map(|(name, _)| name.as_str())
        .collect();
    moving.sort_unstable();
    moving.dedup();
    let mut expected = MOVING;
    expected.sort_unstable();
    assert_eq!(moving, expected);
}

/// Returns all functions and constants, by the last part of their names, and whether a span in them is the macro's: then the
/// compiler writes the number of an expansion after it.
fn bodies() -> Vec<(String, bool)> {
    let mut bodies: Vec<(String, bool)> = Vec::new();
    for line in checked().lines() {
        if let Some(name) = line
            .strip_suffix("):")
            .filter(|_| line.starts_with("DefId"))
        {
            let parts = name.split("::").filter(|part| !part.starts_with('{'));
            let last = parts.last().unwrap_or_default();
            let last = last.split('#').next().unwrap_or_default();
            // `__SYSTEMPLAIN3028_NAME`.
            let own = last
                .strip_prefix("__")
                .and_then(|own| own.rsplit('_').next());
            bodies.push((own.unwrap_or(last).to_owned(), false));
        } else if let Some((_, moves)) = bodies.last_mut() {
            let mut spans = line.split("(#").skip(1);
            *moves |= spans.any(|number| !number.starts_with("0)"));
        }
    }
    bodies
}

/// Returns the code as the compiler checks it.
///
/// The compiler is called without cargo: the variable that allows this form of output makes the build scripts of dependencies run
/// again, so that cargo builds all of them before this test, and after it once more.
fn checked() -> String {
    let programs = [("code".to_owned(), CODE.to_owned())].into();
    let output = suggestions::cargo("expanded", &programs, "check")
        .args(["--quiet", "--message-format=json"])
        .output()
        .expect("cargo runs");
    let artifact = |name: &str| {
        let complaints = String::from_utf8_lossy(&output.stderr);
        let messages = str::from_utf8(&output.stdout).unwrap().lines();
        let mut messages = messages.map(|line| serde_json::from_str::<Value>(line).unwrap());
        let found = messages.find(|message| {
            message["reason"] == "compiler-artifact" && message["target"]["name"] == name
        });
        let found = found.unwrap_or_else(|| panic!("no `{name}`:\n{complaints}"));
        PathBuf::from(found["filenames"][0].as_str().expect("a file"))
    };
    let (core, macros) = (artifact("ecs_core"), artifact("ecs_macros"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("expanded");
    let output = Command::new("rustc")
        .args([
            "--edition=2024",
            "--cap-lints=allow",
            "-Zunpretty=thir-tree",
            "code.rs",
            "--extern",
        ])
        .arg(format!("ecs_core={}", core.display()))
        .args(
            [&core, &macros]
                .map(|file| format!("-Ldependency={}", file.parent().unwrap().display())),
        )
        .current_dir(&folder)
        // The macros look for the name of `ecs-core` there.
        .env("CARGO_MANIFEST_DIR", &folder)
        // Compilers of the last years have all used this form of output, but it is not promised.
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .expect("rustc runs");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
    String::from_utf8(output.stdout).unwrap()
}
