//! A session with rust-analyzer over the examples: completion, definitions, short texts and new names.
//!
//! Runs if `rust-analyzer` or the program in the environment variable `RUST_ANALYZER` is installed; otherwise it reports
//! that. Without the sources of the standard library, only the questions are asked that need no trait of it, and the test says so.
//! If only the distribution's toolchain has them, the server uses that one, and builds into `target/language_server`.

mod client;
mod typing;

use client::SessionShare;

/// The longest text that an editor should show for a name.
const SHORT: usize = 3000;

/// The definitions of generated code that are shown for the return type of a system that is called for each entity.
const OF_LOOP: usize = 4;

/// The text that the user adds to the example `hello`. The server sees it, but no file has it.
const ADDED: &str = "
#[derive(Component)]
struct /*renamed*/Frozen;

#[system]
fn complete(pos: CompMut</*parameter type*/Position>) {
    /*correct*/ pos.
}

#[system]
fn refused(pos: CompMut<Position>, name: impl Sized) {
    /*refused*/ pos.
}

#[derive(Component)]
#[component(storage = \"sparse\", tr)]
struct Unfinished;

#[system(par_for_each, wi)]
fn unfinished(_: &Position) {}

#[system(for_each, without(/*filter*/Frozen))]
fn melt(position: &mut /*item type*/Position) {
    /*item*/ position.
}

type Outcome = Result<(), std::fmt::Error>;

#[system(for_each)]
fn fail(_: &Position) -> /*outcome*/Outcome {
    Ok(())
}

ecs_core::statics::world! { Closed { Velocity, /*listed*/Frozen } }

schedule! { static /*static*/FRAME = [/*scheduled*/movement, melt.after(/*before*/movement)] }

fn frame(world: &mut World, schedule: &mut Schedule) {
    schedule.add(/*added*/melt);
    let _ = /*used*/FRAME.run(world);
}
";

#[test]
fn an_editor_knows_what_the_macros_expand_to() {
    let Some(share) = SessionShare::of_all() else {
        println!("skipped: rust-analyzer is not installed");
        return;
    };
    let mut session = share.lock();
    let text = session.saved.clone() + ADDED;
    session.type_in(text);
    let file = session.file.clone();
    let mut wrong = Vec::new();

    // `derive` is a macro of the standard library.
    let of_derives = session.has_sources.then_some(("\"sparse\", tr", "track"));
    if of_derives.is_none() {
        println!(
            "skipped: options of derives, as the sources of the standard library are not installed"
        );
    }
    for (before, expected) in [
        ("/*correct*/ pos.", "as_entities"),
        ("/*refused*/ pos.", "as_entities"),
        ("/*item*/ position.", "0"),
        ("(par_for_each, wi", "without"),
    ]
    .into_iter()
    .chain(of_derives)
    {
        let names = session.completions(before);
        if !names.iter().any(|name| name == expected) {
            wrong.push(format!("after `{before}`: no `{expected}` in {names:?}"));
        }
    }

    for (before, definition) in [
        ("/*added*/", "fn melt"),
        ("/*scheduled*/", "fn movement"),
        ("/*before*/", "fn movement"),
        ("/*filter*/", "struct /*renamed*/Frozen"),
        ("/*item type*/", "struct Position"),
        ("/*parameter type*/", "struct Position"),
        ("/*listed*/", "struct /*renamed*/Frozen"),
        ("/*static*/", "static /*static*/FRAME"),
        ("/*used*/", "static /*static*/FRAME"),
    ] {
        let places = session.definitions(before);
        let line = session.line(definition);
        if !matches!(&places[..], [(path, at, _)] if *path == file && *at == line) {
            wrong.push(format!(
                "`{before}` is not defined at `{definition}` alone: {places:?}"
            ));
        }
        let text = session.hover(before);
        if text.is_empty() || text.len() >= SHORT {
            wrong.push(format!(
                "`{before}` has a text of {} characters",
                text.len()
            ));
        }
    }

    // The compiler reports a wrong result of a loop at the names that the macro has put there.
    let places = session.definitions("/*outcome*/");
    let line = session.line("type Outcome");
    let others = places
        .iter()
        .filter(|(path, at, _)| *path != file || *at != line);
    if others.clone().count() > OF_LOOP {
        wrong.push(format!(
            "`/*outcome*/` has other definitions: {:?}",
            others.collect::<Vec<_>>()
        ));
    }

    let text = session.hover("/*added*/");
    if !text.contains("writes the component") {
        wrong.push(format!("a system does not show its accesses: {text}"));
    }

    let renamed = session.rename("/*renamed*/", "Cold");
    let left = renamed.matches("Frozen").count();
    if left > 0 || renamed.matches("Cold").count() != 3 {
        wrong.push(format!(
            "a component keeps its name in {left} places:\n{renamed}"
        ));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
