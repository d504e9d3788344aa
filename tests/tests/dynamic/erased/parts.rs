//! Components of every kind, and two worlds to be compared.

#![expect(dead_code, reason = "tokens are held for their drop, and printed")]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::component::{ComponentId, TrackedComponent};
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::world::ErasedColumn;
use ecs_core::world::hooks::{
    DeferredWorld, OnAdd, OnComponent, OnDespawn, OnInsert, OnRemove, OnReplace,
};
use ecs_core::{Tick, prelude::*};

/// The diary of one side.
#[derive(Default)]
struct Diary {
    entries: Vec<String>,
    /// The living tokens, and whether their drop panics.
    alive: BTreeMap<u32, bool>,
    next: u32,
    /// The anchor that required targets lead to.
    anchor: Option<Entity>,
}

thread_local! {
    static DIARY: RefCell<Diary> = RefCell::default();
    /// The number of hooks and constructors to be called before one panics.
    pub(crate) static FUSE: Cell<u32> = const { Cell::new(u32::MAX) };
    /// True if hooks and observers do nothing.
    pub(crate) static MUTE: Cell<bool> = const { Cell::new(false) };
}

fn write(entry: String) {
    DIARY.with_borrow_mut(|diary| diary.entries.push(entry));
}

fn burn(what: &str) {
    let left = FUSE.get();
    FUSE.set(left.saturating_sub(1));
    if left == 0 {
        FUSE.set(u32::MAX);
        panic!("the fuse blew at {what}");
    }
}

/// A value that notes its drop, and then panics if it is armed.
pub(crate) struct Token(u32);

/// Constructors add it to the number of their tokens.
const MADE: u32 = 1_000_000;

/// Prints its number, unless a constructor has made it.
impl Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            number if number > MADE => write!(f, "Token(made)"),
            number => write!(f, "Token({number})"),
        }
    }
}

pub(crate) fn token() -> Token {
    DIARY.with_borrow_mut(|diary| diary.token(0))
}

/// A value with a number given by the caller.
pub(crate) fn numbered(number: u32) -> Token {
    let is_new = DIARY.with_borrow_mut(|diary| diary.alive.insert(number, false).is_none());
    assert!(is_new, "the number {number} is new");
    Token(number)
}

/// A value made by a constructor.
fn made() -> Token {
    burn("a constructor");
    let token = DIARY.with_borrow_mut(|diary| diary.token(MADE));
    write(format!("make {}", token.0));
    token
}

impl Diary {
    fn token(&mut self, plus: u32) -> Token {
        self.next += 1;
        let number = self.next + plus;
        let is_new = self.alive.insert(number, false).is_none();
        assert!(is_new, "the number {number} is new");
        Token(number)
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        if std::thread::panicking() && DIARY.with_borrow(|diary| diary.next == 0) {
            // The test has failed, outside of any change.
            return;
        }
        let armed = DIARY.with_borrow_mut(|diary| diary.alive.remove(&self.0));
        write(format!("drop {}", self.0));
        match armed {
            None => {
                eprintln!("token {} was dropped twice", self.0);
                std::process::abort();
            }
            Some(true) => panic!("token {} was armed", self.0),
            Some(false) => {}
        }
    }
}

fn hook<T: Component, const KIND: usize>(world: DeferredWorld<'_>, entity: Entity) {
    if MUTE.get() {
        return;
    }
    let kind = ["add", "insert", "replace", "remove", "despawn"][KIND];
    let name = ComponentId::of::<T>().name();
    let has = world.has::<T>(entity);
    write(format!(
        "hook {kind} {name} {entity} {has} {}",
        facts(&world, entity)
    ));
    burn("a hook");
    if KIND == 2 && world.has::<Plain>(entity) {
        // Hooks may insert immediate components.
        let _ = world.view_mut::<Lit>().insert(entity, Lit(token()));
    }
    if KIND == 1 && world.has::<Loose>(entity) {
        let mut lit = world.view_mut::<Lit>();
        drop(lit.remove(entity));
    }
}

/// Lists facts about the entity that a hook can see.
fn facts(world: &World, entity: Entity) -> String {
    let has = [
        world.has::<Plain>(entity),
        world.has::<Text>(entity),
        world.has::<Hooked>(entity),
        world.has::<Held>(entity),
        world.has::<Loose>(entity),
        world.has::<Lit>(entity),
        world.has::<Target<ChildOf>>(entity),
        world.has::<Sources<ChildOf>>(entity),
        world.has::<Targets<Likes>>(entity),
    ];
    has.map(|has| if has { '1' } else { '0' }).iter().collect()
}

#[derive(Component, Clone, Debug, PartialEq)]
pub(crate) struct Plain(pub(crate) u32);

#[derive(Component, Clone, Debug, PartialEq)]
pub(crate) struct Text(pub(crate) String);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub(crate) struct Mark;

#[derive(Component, Clone, PartialEq)]
#[repr(align(256))]
pub(crate) struct Wide(pub(crate) [u8; 300]);

impl Debug for Wide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let same = self.0.iter().all(|&byte| byte == self.0[0]);
        write!(f, "Wide({}, {same})", self.0[0])
    }
}

#[derive(Component, Debug)]
pub(crate) struct Kept(pub(crate) Token);

#[derive(Component, Debug)]
#[component(
    on_add = hook::<Self, 0>, on_insert = hook::<Self, 1>, on_replace = hook::<Self, 2>,
    on_remove = hook::<Self, 3>, on_despawn = hook::<Self, 4>
)]
pub(crate) struct Hooked(pub(crate) Token);

#[derive(Component, Debug)]
#[component(storage = "sparse", on_add = hook::<Self, 0>, on_replace = hook::<Self, 2>, on_remove = hook::<Self, 3>)]
pub(crate) struct Held(pub(crate) Token);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
pub(crate) struct Loose(pub(crate) u64);

#[derive(Component, Debug)]
#[component(track)]
pub(crate) struct Tracked(pub(crate) Token);

#[derive(Component, Debug)]
#[component(storage = "sparse", track)]
pub(crate) struct Trail(pub(crate) Token);

#[derive(Component, Debug)]
#[component(storage = "sparse", immediate)]
pub(crate) struct Lit(pub(crate) Token);

#[derive(Component, Debug)]
#[component(require(Kept = Kept(made()), Held = Held(made()), Lit = Lit(made()), Text = Text("required".into())))]
pub(crate) struct Needy(pub(crate) Token);

/// Requires a component in a table, and that component's requirements.
#[derive(Component, Debug)]
#[component(storage = "sparse", require(Needy = Needy(made()), Tracked = Tracked(made())))]
pub(crate) struct Greedy(pub(crate) Token);

/// Requires an edge.
#[derive(Component, Debug)]
#[component(require(Target<ChildOf> = tied()))]
pub(crate) struct Tied(pub(crate) Token);

fn tied() -> Target<ChildOf> {
    let anchor = DIARY.with_borrow(|diary| diary.anchor);
    ChildOf(made()).to(anchor.expect("the anchor is set"))
}

/// Lets the drop of a living token of the current change panic.
pub(crate) fn arm(choice: usize) {
    DIARY.with_borrow_mut(|diary| {
        let armed = diary.alive.values_mut().nth(choice);
        *armed.expect("a living token") = true;
    });
}

pub(crate) fn set_anchor(anchor: Entity) {
    DIARY.with_borrow_mut(|diary| diary.anchor = Some(anchor));
}

#[derive(Relation, Debug)]
#[relation(tree, sources = "despawn")]
pub(crate) struct ChildOf(pub(crate) Token);

#[derive(Relation, Debug)]
pub(crate) struct Follows;

#[derive(Relation, Debug)]
#[relation(many)]
pub(crate) struct Likes(pub(crate) Token);

#[derive(Relation, Clone, Copy, Debug)]
#[relation(many)]
pub(crate) struct Sees;

/// A world, and its diary.
pub(crate) struct Side {
    pub(crate) world: World,
    diary: Diary,
    /// The tick before the last change.
    last: Tick,
}

/// Makes a world with all components registered, in one order.
fn world(observed: bool) -> World {
    let mut world = World::builder().group::<(Held, Loose)>().build();
    macro_rules! register {
        ($($component:ty),* $(,)?) => {$(world.register::<$component>();)*};
    }
    register!(
        Plain,
        Text,
        Mark,
        Wide,
        Kept,
        Hooked,
        Tracked,
        Needy,
        Tied,
        Held,
        Loose,
        Trail,
        Lit,
        Greedy,
        Target<ChildOf>,
        Target<Follows>,
        Targets<Likes>,
        Targets<Sees>
    );
    if observed {
        observe::<Plain>(&mut world);
        observe::<Held>(&mut world);
        observe::<Lit>(&mut world);
        observe::<Greedy>(&mut world);
        observe::<Target<ChildOf>>(&mut world);
        observe::<Sources<ChildOf>>(&mut world);
        observe::<Target<Follows>>(&mut world);
        observe::<Targets<Likes>>(&mut world);
        observe::<Sources<Likes>>(&mut world);
    }
    world
}

fn observe<T: Component>(world: &mut World) {
    fn see<E: OnComponent + Debug>(event: &E, entity: Entity, world: &World) {
        if MUTE.get() {
            return;
        }
        write(format!(
            "{event:?} {} {}",
            ComponentId::of::<E::Component>().name(),
            facts(world, entity)
        ));
        burn("an observer");
    }
    world.observe(|on: OnAdd<T>, world: DeferredWorld<'_>| see(&on, on.entity(), &world));
    world.observe(|on: OnInsert<T>, world: DeferredWorld<'_>| see(&on, on.entity(), &world));
    world.observe(|on: OnReplace<T>, world: DeferredWorld<'_>| see(&on, on.entity(), &world));
    world.observe(|on: OnRemove<T>, world: DeferredWorld<'_>| see(&on, on.entity(), &world));
    world.observe(|on: OnDespawn<T>, world: DeferredWorld<'_>| see(&on, on.entity(), &world));
}

/// The outcome of a change: a text, or the message of a panic.
pub(crate) type Outcome = Result<String, String>;

impl Side {
    fn new(observed: bool) -> Self {
        let world = world(observed);
        let last = world.tick();
        Self {
            world,
            diary: Diary {
                next: 1,
                ..Diary::default()
            },
            last,
        }
    }

    /// Makes a change with this side's diary. `fuse` is the number of calls of hooks and constructors before a panic.
    pub(crate) fn change(
        &mut self,
        fuse: u32,
        change: impl FnOnce(&mut World) -> String,
    ) -> Outcome {
        self.last = self.world.tick();
        FUSE.set(fuse);
        DIARY.set(std::mem::take(&mut self.diary));
        let world = &mut self.world;
        let outcome = catch_unwind(AssertUnwindSafe(|| change(world)));
        FUSE.set(u32::MAX);
        self.diary = DIARY.take();
        self.world.check_invariants();
        outcome.map_err(|panic| match panic.downcast::<String>() {
            Ok(message) => *message,
            Err(panic) => (*panic.downcast::<&str>().expect("a panic with a text")).into(),
        })
    }

    /// Lets the drop of a living token panic.
    pub(crate) fn arm(&mut self, choice: usize) {
        let count = self.diary.alive.len();
        if let Some(armed) = self.diary.alive.values_mut().nth(choice % count.max(1)) {
            *armed = true;
        }
    }

    pub(crate) fn disarm(&mut self) {
        self.diary
            .alive
            .values_mut()
            .for_each(|armed| *armed = false);
    }

    /// Returns the story since the last call.
    pub(crate) fn story(&mut self) -> Vec<String> {
        std::mem::take(&mut self.diary.entries)
    }

    /// The picture, sorted.
    pub(crate) fn facts(&self) -> Vec<String> {
        let mut facts = self.picture();
        let entities = facts.remove(0);
        facts.sort();
        let mut letters: Vec<_> = entities.split([',', ' ', '[', ']']).collect();
        letters.sort_unstable();
        facts.push(letters.join(" "));
        facts
    }

    pub(crate) fn alive(&self) -> Vec<u32> {
        self.diary.alive.keys().copied().collect()
    }

    /// Everything observable: rows in order, values, ticks, edges in order.
    pub(crate) fn picture(&self) -> Vec<String> {
        let mut picture = Vec::new();
        let world = &self.world;
        fn values<T: Component + Debug>(world: &World, picture: &mut Vec<String>) {
            for (entity, value) in &world.query::<(Entity, &T)>() {
                picture.push(format!("{entity} {value:?}"));
            }
        }
        fn ticks<T: Component + TrackedComponent>(
            world: &World,
            last: Tick,
            picture: &mut Vec<String>,
        ) {
            let view = world.view::<T>().since(last);
            for (entity, _) in &world.query::<(Entity, &T)>() {
                let [added, changed] = [view.is_added(entity), view.is_changed(entity)];
                picture.push(format!("{entity} added {added} changed {changed}"));
            }
        }
        fn sources<R: Relation>(world: &World, picture: &mut Vec<String>) {
            let start = picture.len();
            for (entity, value) in &world.query::<(Entity, &Sources<R>)>() {
                picture.push(format!("{entity} sources {:?}", value.as_slice()));
            }
            picture[start..].sort();
        }
        picture.push(format!(
            "{:?} {}",
            world.entities().iter().collect::<Vec<_>>(),
            world.len()
        ));
        values::<Plain>(world, &mut picture);
        values::<Text>(world, &mut picture);
        values::<Mark>(world, &mut picture);
        values::<Wide>(world, &mut picture);
        values::<Kept>(world, &mut picture);
        values::<Hooked>(world, &mut picture);
        values::<Tracked>(world, &mut picture);
        values::<Needy>(world, &mut picture);
        values::<Tied>(world, &mut picture);
        values::<Held>(world, &mut picture);
        values::<Loose>(world, &mut picture);
        values::<Trail>(world, &mut picture);
        values::<Lit>(world, &mut picture);
        values::<Greedy>(world, &mut picture);
        values::<Target<ChildOf>>(world, &mut picture);
        values::<Target<Follows>>(world, &mut picture);
        values::<Targets<Likes>>(world, &mut picture);
        values::<Targets<Sees>>(world, &mut picture);
        ticks::<Tracked>(world, self.last, &mut picture);
        ticks::<Trail>(world, self.last, &mut picture);
        sources::<ChildOf>(world, &mut picture);
        sources::<Follows>(world, &mut picture);
        sources::<Likes>(world, &mut picture);
        sources::<Sees>(world, &mut picture);
        picture
    }

    /// Drops the world, and checks that nothing is left.
    pub(crate) fn end(mut self) {
        self.disarm();
        let world = std::mem::take(&mut self.world);
        self.change(u32::MAX, move |_| {
            drop(world);
            String::new()
        })
        .unwrap();
        assert!(self.alive().is_empty(), "values are left");
    }
}

/// Two worlds that get the same changes, with types and without.
pub(crate) struct Twins {
    pub(crate) typed: Side,
    pub(crate) erased: Side,
}

impl Twins {
    pub(crate) fn new(observed: bool) -> Self {
        Self {
            typed: Side::new(observed),
            erased: Side::new(observed),
        }
    }

    /// Makes a change on both sides.
    pub(crate) fn both(&mut self, fuse: u32, change: impl Fn(&mut World) -> String) -> Outcome {
        self.each(fuse, &change, &change)
    }

    /// Makes a change on each side, and compares the outcomes and everything observable.
    #[track_caller]
    pub(crate) fn each(
        &mut self,
        fuse: u32,
        typed: impl FnOnce(&mut World) -> String,
        erased: impl FnOnce(&mut World) -> String,
    ) -> Outcome {
        let outcomes = [
            self.typed.change(fuse, typed),
            self.erased.change(fuse, erased),
        ];
        let [typed, erased] = outcomes;
        assert_eq!(typed, erased, "the outcomes");
        assert_eq!(self.typed.story(), self.erased.story(), "what happened");
        assert_eq!(self.typed.picture(), self.erased.picture(), "the worlds");
        assert_eq!(self.typed.alive(), self.erased.alive(), "living values");
        typed
    }

    pub(crate) fn end(self) {
        self.typed.end();
        self.erased.end();
    }
}

/// Returns a column with one value.
pub(crate) fn column<T: Component>(value: T) -> ErasedColumn {
    let mut column = ErasedColumn::new(ComponentId::of::<T>());
    assert!(column.push(value).is_ok());
    column
}

/// Small random numbers that depend on nothing else.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }
}
