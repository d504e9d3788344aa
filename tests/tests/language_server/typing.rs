//! Code being typed: at `|` the server offers the name that follows `=>`.

use std::sync::MutexGuard;

use super::client::{Session, SessionShare};

/// Declarations that the cases use.
const DECLARED: &str = "
use ecs_core::relation::Target;
#[derive(Resource, Default)] struct Score { points: u32 }
#[derive(Relation)] struct Follows;
#[derive(Clone, PartialEq, Eq, Hash, Debug)] struct Set;
#[system] fn is_running(score: Res<Score>) -> bool { score.points > 0 }
";

/// Typed code, with `|` where the server is asked, and a name that it offers there.
#[rustfmt::skip]
const CASES: &[(&str, &str)] = &[
    // Complete code: bodies of all kinds of systems.
    ("#[system] fn f(pos: CompMut<Position>) { pos.| }", "as_entities"),
    ("#[system] fn f(score: Res<Score>) { score.| }", "points"),
    ("#[system] fn f(by: u32, mut score: ResMut<Score>) { score.| }", "points"),
    ("#[system] fn f(score: Option<Res<Score>>) { if let Some(score) = score { score.| } }", "points"),
    ("#[system] fn f(world: &mut World) { world.| }", "spawn_batch"),
    ("#[system] fn f<T: Component>(all: Comp<T>, score: Res<Score>) { score.| }", "points"),
    ("#[system] fn f(mut all: Query<(&mut Position, &Velocity)>) { for (p, v) in &mut all { p.| } }", "0"),
    ("#[system] fn f(mut all: Query<Option<(&mut Position, &Velocity)>>) { for both in &mut all { both.| } }", "is_some"),
    ("#[system(for_each)] fn f(p: &mut Position, score: Res<Score>) { score.| }", "points"),
    ("#[system(for_each)] fn f(both: Option<(&mut Position, &Velocity)>) { if let Some((p, _)) = both { p.| } }", "0"),
    ("#[system(par_for_each)] fn f(p: &mut Position, score: Res<Score>) { score.| }", "points"),
    ("#[system] fn f(#[cfg(all())] score: Res<Score>) { score.| }", "points"),
    ("#[system] fn f(#[cfg(any())] p: Res<u32>, score: Res<Score>) { score.| }", "points"),
    ("#[system] fn f(hit: ecs_core::world::hooks::Trigger<Score>) { hit.| }", "points"),
    ("#[systems] impl Score { #[system] fn f(&mut self, pos: CompMut<Position>) { self.| } }", "points"),
    ("#[systems] impl Score { #[system] fn f(&mut self, pos: CompMut<Position>) { pos.| } }", "as_entities"),
    ("#[systems] impl Score { #[system(for_each)] fn f(&self, p: &mut Position) { p.| } }", "0"),
    // Complete code: structs of the derives.
    ("#[derive(QueryData)] struct M<'a> { pos: &'a mut Position } #[system] fn f(mut all: Query<M>) { for m in &mut all { m.| } }", "pos"),
    ("#[derive(SystemParam)] struct Phys<'w> { energy: Res<'w, Score> } #[system] fn f(p: Phys<'_>) { p.energy.| }", "points"),
    ("#[derive(Bundle)] struct B { pos: Position } fn f(b: B) { b.| }", "pos"),
    // A parameter being typed; the body after it keeps its names.
    ("#[system] fn f(score: Res<Score>, p) { score.| }", "points"),
    ("#[system] fn f(score: Res<Score>, p: ) { score.| }", "points"),
    ("#[system] fn f(score: Res<Score>, p: Qu) { score.| }", "points"),
    ("#[system] fn f(score: Res<Score>, p: Query<) { score.| }", "points"),
    ("#[system] fn f(score: Res<Score>, ) { score.| }", "points"),
    ("#[system] fn f(score: Res<Score>, mut) { score.| }", "points"),
    ("#[system] fn f(score: Res<Score>) -> { score.| }", "points"),
    ("#[system] fn f(score: Res<Score>, p: Qu|) {}", "Query"),
    ("#[system] fn f(score: Res<Score>, p: |) {}", "Query"),
    ("#[system] fn f(score: Res<Score>, p: Query<&Po|>) {}", "Position"),
    ("#[system] fn f(score: Res<Score>, p: Query<&Po|) {}", "Position"),
    ("#[system] fn f(score: Res<Sc|) {}", "Score"),
    ("#[system] fn f(score: Res<Sc|>) {}", "Score"),
    ("#[system(for_each)] fn f(p: &mut Po|) {}", "Position"),
    ("#[system(for_each)] fn f(p: &mut Position, v: &) { p.| }", "0"),
    ("#[system(for_each)] fn f(p: &mut Position, v) { p.| }", "0"),
    ("#[systems] impl Score { #[system] fn f(&mut self, pos: CompMut<Position>, v: ) { self.| } }", "points"),
    ("#[systems] impl Score { #[system] fn f(&mut self, pos: CompMut<Po|>) {} }", "Position"),
    ("#[systems] impl Score { #[system] fn f(&mut self, pos: CompMut<Po|) {} }", "Position"),
    // Options being typed.
    ("#[system(fo|)] fn f(p: &mut Position) {}", "for_each"),
    ("#[system(for_each, wi|)] fn f(p: &mut Position) {}", "with"),
    ("#[system(for_each, mu|)] fn f(p: &mut Position) {}", "mutated"),
    ("#[system(for_each, with(Ve|))] fn f(p: &mut Position) {}", "Velocity"),
    ("#[system(for_each, with(Ve|))] fn f(n: u32, p: &mut Position) {}", "Velocity"),
    ("#[system(for_each, wi)] fn f(p: &mut Position) { p.| }", "0"),
    // Lists.
    ("schedule! { static S = [mov|] }", "movement"),
    ("schedule! { static S = [movement, is|] }", "is_running"),
    ("schedule! { static S = [is_running, movement.aft|] }", "after"),
    ("schedule! { static S = [is_running, movement.after(is|)] }", "is_running"),
    ("schedule! { static S = [movement.in_set(Se|)] }", "Set"),
    ("ecs_core::statics::world! { Closed { Position, Vel| } }", "Velocity"),
];

/// Like [`CASES`], for derives: `derive` is a macro of the standard library, whose sources the server needs.
#[rustfmt::skip]
const DERIVES: &[(&str, &str)] = &[
    ("#[derive(Component)] #[component(tra|)] struct A;", "track"),
    ("#[derive(Component)] #[component(require(Pos|))] struct A;", "Position"),
    ("fn hook() {} #[derive(Component)] #[component(on_insert = ho|)] struct A;", "hook"),
    ("#[derive(Component)] #[component(tra)] struct A { value: u32 } fn f(a: A) { a.| }", "value"),
    ("#[derive(Resource)] #[resource(da|)] struct A;", "data"),
    ("#[derive(Event)] #[event(da|)] struct A;", "data"),
    ("#[derive(Relation)] #[relation(tr|)] struct A;", "tree"),
    ("#[derive(Relation)] #[relation(tree, so|)] struct A;", "sources"),
    ("#[derive(SystemParam)] #[system_param(sh|)] struct Phys<'w> { energy: Res<'w, Score> }", "shared"),
    ("#[derive(SystemParam)] struct Phys<'w> { energy: Res<'w, Sc|> }", "Score"),
    ("#[derive(SystemParam)] struct Phys<'w> { energy: Res<'w, Sc| }", "Score"),
    ("#[derive(SystemParam)] struct Phys<'w> { energy: Res<'w, Score>, p: } fn f(p: Phys<'_>) { p.energy.| }", "points"),
    ("#[derive(QueryData)] struct M<'a> { pos: &'a mut Pos| }", "Position"),
    ("#[derive(QueryData)] struct M<'a> { pos: &'a mut Position, v: & } fn f(m: M<'_>) { m.pos.| }", "0"),
    ("#[derive(QueryFilter)] struct F { a: With<Pos|> }", "Position"),
    ("#[derive(QueryFilter)] struct F(With<Pos|>, Without<Velocity>);", "Position"),
    ("#[derive(Bundle)] struct B { pos: Pos| }", "Position"),
];

/// A file with code being typed.
struct Typing<'a> {
    session: MutexGuard<'a, Session>,
    before: String,
    wrong: String,
}

impl<'a> Typing<'a> {
    fn start(share: &'a Option<SessionShare>) -> Option<Self> {
        let session = share.as_ref().map(SessionShare::lock);
        let Some(session) = session.filter(|it| it.has_sources) else {
            println!(
                "skipped: rust-analyzer or the sources of the standard library are not installed"
            );
            return None;
        };
        Some(Self {
            before: session.saved.clone() + DECLARED,
            session,
            wrong: String::new(),
        })
    }

    /// Types this code at the end of the file, and returns the place between its parts.
    fn type_in(&mut self, before: &str, after: &str) -> usize {
        self.session
            .type_in(format!("{}{before}{after}\n", self.before));
        self.before.len() + before.len()
    }
}

#[test]
fn an_editor_completes_code_that_is_being_typed() {
    let share = SessionShare::of_all();
    let Some(mut typing) = Typing::start(&share) else {
        return;
    };
    for (typed, expected) in CASES.iter().chain(DERIVES) {
        let (before, after) = typed.split_once('|').expect("a place");
        let at = typing.type_in(before, after);
        let names = typing.session.completions_at(at);
        // With a snippet the label has more than the name.
        let mut words = names.iter().map(|name| name.split(['(', '<', '!']).next());
        if !words.any(|name| name == Some(*expected)) {
            let some = &names[..names.len().min(6)];
            typing.wrong += &format!(
                "{typed}\n    no `{expected}` among {} names: {some:?}\n",
                names.len()
            );
        }
    }
    assert!(typing.wrong.is_empty(), "{}", typing.wrong);
}

/// Complete code: the name after `|` is defined where the text after `=>` is, has a short text, and is renamed everywhere.
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    ("#[system] fn f(p: Comp<|Position>) {}", "struct Position"),
    ("#[system] fn f(new: OnAdd<|Position>) {}", "struct Position"),
    ("#[system] fn f(s: Option<Res<|Score>>) {}", "struct Score"),
    ("#[system] fn f(p: Query<(Entity, &|Position), With<Velocity>>) {}", "struct Position"),
    ("#[system] fn f(p: Query<(Entity, &Position), With<|Velocity>>) {}", "struct Velocity"),
    ("#[system] fn f<T: Component>(p: Comp<|T>) {}", "fn f<T: Component>"),
    ("#[system] fn f(s: Res<Score>) { |s.points; }", "fn f(s: Res<Score>)"),
    ("#[system] fn f(by: u32, s: Res<Score>) { |by; }", "fn f(by: u32"),
    ("#[system] fn f(s: Res<Score>) { s.|points; }", "struct Score"),
    ("#[system] fn f(hit: ecs_core::world::hooks::Trigger<|Score>) {}", "struct Score"),
    ("#[system(for_each)] fn f(p: Option<(&|Position, &Velocity)>) {}", "struct Position"),
    ("#[system(for_each)] fn f(p: &mut Position) { |p.0; }", "fn f(p: &mut Position)"),
    ("#[system(for_each, with(|Velocity))] fn f(p: &mut Position) {}", "struct Velocity"),
    ("#[system(for_each)] fn f(#[cfg(all())] p: &|Position) {}", "struct Position"),
    ("#[system] fn f(s: Res<Score>) {} fn g(world: &World) { |f(world); }", "fn f(s: Res<Score>)"),
    ("#[systems] impl Score { #[system] pub fn f(&mut self) {} } fn g(world: &World) { Score::|f(world); }", "pub fn f(&mut self)"),
    ("#[systems] impl Score { #[system] fn f(&mut self) { self.|points; } }", "struct Score"),
    ("#[systems] impl Score { #[system] fn f(&mut self, p: Comp<|Position>) {} }", "struct Position"),
    ("schedule! { static S = [movement.run_if(|is_running)] }", "fn is_running"),
    ("schedule! { static S = [movement.in_set(|Set)] }", "struct Set"),
    ("schedule! { static S = [is_running, |movement] }", "fn movement"),
    ("ecs_core::statics::world! { Closed { |Position } }", "struct Position"),
];

/// Like [`NAMES`], for derives.
#[rustfmt::skip]
const NAMES_IN_DERIVES: &[(&str, &str)] = &[
    ("fn hook(_: ()) {} #[derive(Component)] #[component(on_insert = |hook)] struct A;", "fn hook"),
    ("#[derive(Component, Default)] struct B; #[derive(Component)] #[component(require(|B))] struct A;", "struct B"),
    ("#[derive(SystemParam)] struct Phys<'w> { energy: Res<'w, |Score> }", "struct Score"),
    ("#[derive(SystemParam)] struct Phys<'w> { energy: Res<'w, Score> } #[system] fn f(p: Phys<'_>) { p.|energy; }", "struct Phys"),
    ("#[derive(SystemParam)] struct Phys<'w> { energy: Res<'w, Score> } #[system] fn f(p: |Phys<'_>) {}", "struct Phys"),
    ("#[derive(QueryData)] struct M<'a> { pos: &'a mut |Position }", "struct Position"),
    ("#[derive(QueryData)] struct M<'a> { pos: &'a mut Position } #[system] fn f(q: Query<|M>) {}", "struct M<"),
    ("#[derive(QueryData)] struct M<'a> { pos: &'a mut Position } fn f(m: M<'_>) { m.|pos; }", "struct M<"),
    ("#[derive(QueryFilter)] struct F { a: With<|Velocity> }", "struct Velocity"),
    ("#[derive(Bundle)] struct B { pos: |Position }", "struct Position"),
    ("#[derive(Bundle)] struct B { pos: Position } fn f(world: &mut World, b: B) { b.|pos; }", "struct B"),
];

#[test]
fn an_editor_finds_and_renames_names_in_macros() {
    let share = SessionShare::of_all();
    let Some(mut typing) = Typing::start(&share) else {
        return;
    };
    for (typed, defined) in NAMES.iter().chain(NAMES_IN_DERIVES) {
        let (before, after) = typed.split_once('|').expect("a place");
        let at = typing.type_in(before, after);
        let session = &mut typing.session;
        let line = session.line_of(defined);
        let places = session.definitions_at(at);
        if !matches!(&places[..], [(path, found, _)] if *path == session.file && *found == line) {
            typing.wrong += &format!("{typed}\n    not defined at `{defined}` alone: {places:?}\n");
        }
        let len = session.hover_at(at).len();
        if len == 0 || len >= super::SHORT {
            typing.wrong += &format!("{typed}\n    a text of {len} characters\n");
        }
        let name: String = after
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let renamed = session.rename_at(at, "renamed");
        let is_name = |part: &str| part == name;
        let left = renamed
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|part| is_name(part));
        let left = left.count();
        if left > 0 {
            typing.wrong += &format!("{typed}\n    `{name}` is left in {left} places\n");
        }
    }
    assert!(typing.wrong.is_empty(), "{}", typing.wrong);
}
