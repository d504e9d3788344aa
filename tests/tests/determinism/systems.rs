//! The schedules of the program. Systems that may run at the same time write to separate notes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ecs_core::from_fn;
use ecs_core::inspect;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Targets};
use ecs_core::schedule::conditions::every;
use ecs_core::schedule::{NextState, ScheduleError, State, Transitions};
use rayon::ThreadPool;

use crate::bundles::{KINDS, insert_by_command, with_kind};
use crate::kinds::*;
use crate::log::{Dice, Noted, collect_strays, log};

/// The notes of the system with that number.
#[derive(Resource, Default)]
pub(crate) struct Notes<const N: usize>(Vec<String>);

macro_rules! note {
    ($notes:ident, $($text:tt)+) => { $notes.0.push(format!($($text)+)) };
}

/// State of a system, dropped with its owner.
struct Memory<const N: usize>(#[expect(dead_code, reason = "dropped")] Noted, u64);

impl<const N: usize> Default for Memory<N> {
    fn default() -> Self {
        Self(Noted::new("Memory", N as u64), 0)
    }
}

impl<const N: usize> Memory<N> {
    fn count(&mut self) -> u64 {
        self.1 += 1;
        self.1
    }
}

#[system]
fn age(mut bare: CompMut<Bare>, mut memory: Local<Memory<1>>) {
    let by = memory.count();
    bare.iter_mut()
        .for_each(|bare| bare.0 = bare.0 * 3 % 1009 + by);
}

#[system]
fn touch(
    mut tracked: Query<(Entity, &mut Tracked)>,
    mut loose: Query<&mut LooseTracked>,
    mut memory: Local<Memory<2>>,
) {
    let turn = memory.count();
    for (entity, mut tracked) in &mut tracked {
        if (u64::from(entity.index()) + turn).is_multiple_of(3) {
            // Dereferencing to `&mut` counts as a change.
            let _: &mut Tracked = &mut tracked;
        }
    }
    for mut loose in loose.iter_mut().skip(turn as usize % 4) {
        let _: &mut LooseTracked = &mut loose;
    }
}

#[system]
fn look(
    changed: Query<(Entity, &Tracked), Changed<Tracked>>,
    either: Query<Entity, Or<(Changed<Tracked>, Added<LooseTracked>, With<Never>)>>,
    mut notes: ResMut<Notes<0>>,
) {
    let changed: Vec<_> = changed
        .iter()
        .map(|(e, tracked)| (e, tracked.number()))
        .collect();
    note!(
        notes,
        "changed {changed:?}, either {:?}",
        either.iter().collect::<Vec<_>>()
    );
}

#[system]
fn mourn(
    mut tracked: Removed<Tracked>,
    mut loose: Removed<LooseTracked>,
    mut notes: ResMut<Notes<1>>,
) {
    note!(
        notes,
        "lost {tracked:?} {:?}",
        loose.read().collect::<Vec<_>>()
    );
    tracked.clear();
}

#[system]
fn spawn(
    bare: Comp<Bare>,
    mut commands: Commands,
    mut notes: ResMut<Notes<2>>,
    mut memory: Local<Memory<3>>,
) {
    let number = 1000 + memory.count();
    let one = commands.spawn((Loose::new(number), Bare(number))).id();
    let other = commands
        .spawn((Generic::<u8>::new(number), Hooked::new(number)))
        .id();
    note!(notes, "spawned {one} {other} beside {}", bare.len());
}

#[system]
fn reserve(entities: Entities, mut notes: ResMut<Notes<3>>) {
    note!(notes, "reserved {}", entities.reserve());
}

#[system]
fn alter(bare: Query<(Entity, &Bare)>, mut commands: Commands) {
    for (entity, bare) in &bare {
        match bare.0 % 23 {
            0 => commands.despawn(entity),
            1 => insert_by_command(&mut commands, entity, bare.0 as usize / 23, bare.0),
            2 => with_kind!(bare.0 as usize / 23, K => commands.remove::<K>(entity)),
            _ => {}
        }
    }
}

#[system]
fn shout(bare: Comp<Bare>, mut shouts: EventWriter<Shout>, mut memory: Local<Memory<4>>) {
    for bare in bare.iter().take(2) {
        shouts.send(Shout(Noted::new("Shout", bare.0 + memory.count())));
    }
}

#[system]
fn listen(mut shouts: EventReader<Shout>, mut notes: ResMut<Notes<4>>) {
    let received: Vec<u64> = shouts.read().map(|shout| shout.0.number()).collect();
    note!(notes, "received {received:?}");
}

#[system]
fn fail<const N: u64>(bare: Comp<Bare>) -> Result<(), String> {
    // Systems that start first fail last.
    std::thread::sleep(Duration::from_micros(300 / N));
    match bare.iter().next() {
        Some(bare) if bare.0 % 5 >= N => Err(format!("{} is no good for {N}", bare.0)),
        _ => Ok(()),
    }
}

#[system]
fn flash(mut flash: CompMut<Flash>, bare: Comp<Bare>, mut notes: ResMut<Notes<5>>) {
    for (entity, bare) in bare.with_entity() {
        let done = match bare.0 % 4 {
            0 => flash
                .insert(entity, Flash::new(bare.0))
                .map(|old| old.map(|old| old.number())),
            1 => Ok(flash.remove(entity).map(|old| old.number())),
            _ => continue,
        };
        note!(notes, "{entity} flashes: {done:?}");
    }
}

#[system]
fn pack(left: Comp<Left>, middle: Comp<Middle>, right: Comp<Right>, mut notes: ResMut<Notes<6>>) {
    let numbers = |(left, middle): (&[Left], &[Middle])| {
        let left: Vec<u64> = left.iter().map(Kind::number).collect();
        (left, middle.iter().map(Kind::number).collect::<Vec<_>>())
    };
    let both = (&left, &middle).try_slices().map(numbers);
    let without = (&left, &middle).exclude(&right).try_slices().map(numbers);
    note!(notes, "slices {both:?} {without:?}");
}

#[system]
fn walk(
    families: Comp<Sources<ChildOf>>,
    needs: Comp<Targets<Needs>>,
    mut notes: ResMut<Notes<7>>,
) {
    for (root, children) in families.with_entity() {
        let all: Vec<Entity> = families.descendants(root).collect();
        note!(notes, "{root} has {children:?}, in all {all:?}");
    }
    for (entity, needs) in needs.with_entity() {
        note!(notes, "{entity} needs {:?}", needs.entities());
    }
}

#[system]
fn pair(
    pairs: Query<(Entity, &Hooked, Option<&LooseHooked>, Option<&Never>), Without<Spark>>,
    lone: Query<Entity, (With<Loose>, Without<Never>)>,
    mut notes: ResMut<Notes<8>>,
) {
    let pairs: Vec<_> = pairs
        .iter()
        .map(|(e, hooked, loose, never)| {
            (e, hooked.number(), loose.map(Kind::number), never.is_some())
        })
        .collect();
    note!(notes, "{pairs:?} {:?}", lone.iter().collect::<Vec<_>>());
}

#[system]
fn exclusive(world: &mut World) {
    let first = world
        .query::<(Entity, &Bare)>()
        .iter()
        .map(|(e, bare)| (e, bare.0))
        .next();
    let Some((entity, number)) = first else {
        return;
    };
    log!("an exclusive system finds {entity} {number}");
    let _ = world.insert(entity, Help::new(number));
    let _ = world.remove::<Mark>(entity);
}

#[system]
fn defer(world: &World) {
    let count = world.len();
    let mut queue = ecs_core::CommandQueue::new();
    queue.push(move |world: &mut World| {
        log!("there were {count} entities, there are {}", world.len());
    });
    world.defer(&mut queue);
}

#[derive(Resource, Default)]
struct Sum(AtomicU64);

#[system(par_for_each)]
fn sum(bare: &Bare, sum: Res<Sum>) {
    sum.0.fetch_add(bare.0, Ordering::Relaxed);
}

#[system]
fn is_odd(bare: Comp<Bare>) -> bool {
    bare.len() % 2 == 1
}

#[system]
fn remember<const N: usize>(mut memory: Local<Memory<N>>) -> u64 {
    memory.count()
}

#[system]
fn entered(state: Res<State<Screen>>, _memory: Local<Memory<50>>, mut notes: ResMut<Notes<9>>) {
    note!(notes, "in {:?}", state.get());
}

schedule! {
    /// A schedule that is planned at compile time.
    static FIXED = [age, look.after(touch), touch, remember_at_all]
}

#[system]
fn remember_at_all(_one: Local<Memory<60>>, _two: Local<Memory<61>>) {}

fn frame() -> Schedule {
    let mut inner = Schedule::named("inner");
    inner.add((remember_at_all, age.run_if(every(2))));
    let mut frame = Schedule::new();
    frame.add((
        age,
        touch,
        look,
        mourn,
        spawn.flush_later(),
        reserve,
        alter,
        shout,
        listen,
    ));
    frame.add((
        fail::<1>,
        fail::<2>,
        fail::<3>.run_if(is_odd),
        flash,
        pack,
        walk,
        pair,
    ));
    frame.add((exclusive, defer.run_if(is_odd), sum, inner));
    frame.add(from_fn(
        |mut memory: Local<Memory<70>>, bare: Comp<Bare>| {
            assert!(memory.count() > 0 && bare.len() < 1 << 20);
        },
    ));
    frame
}

fn screens() -> Transitions {
    let mut screens = Transitions::new();
    for screen in [
        Screen::Score,
        Screen::Game(2),
        Screen::Menu,
        Screen::Game(1),
    ] {
        screens.on_exit(screen, entered);
        screens.on_enter(screen, (entered, remember_at_all));
    }
    screens.on_transition(Screen::Menu, Screen::Score, entered);
    screens
}

/// The schedules of a program.
pub(crate) struct Schedules {
    frame: Schedule,
    screens: Schedule,
}

impl Schedules {
    pub(crate) fn new(world: &mut World) -> Self {
        world.insert_resource(Sum::default());
        world.add_event::<Shout>();
        world.add_state(Screen::Menu);
        macro_rules! notes {
            ($($n:literal)*) => { $(world.insert_resource(Notes::<$n>::default());)* };
        }
        notes!(8 0 3 9 5 1 2 7 4 6);
        let (mut frame, mut screens) = (frame(), {
            let mut schedule = Schedule::new();
            schedule.add(screens());
            schedule
        });
        log!("{:?}", frame.plan().map(inspect::to_dot));
        log!("{:?}", frame.plan().map(inspect::to_mermaid));
        log!("{:?} {:?}", frame, screens.plan().map(inspect::to_dot));
        let plan = frame.plan().expect("nothing contradicts");
        for (one, other, reason) in plan.ambiguities() {
            log!("ambiguous: {} {} {reason:?}", one.name(), other.name());
        }
        log!("{}", plan.why(age, alter));
        Self { frame, screens }
    }

    /// Runs a schedule, on a pool or without threads.
    pub(crate) fn run(&mut self, world: &mut World, dice: &mut Dice, pool: Option<&ThreadPool>) {
        let run = |schedule: &mut Schedule, world: &mut World| match pool {
            Some(pool) => schedule.run_par(world, pool),
            None => schedule.run_seq(world),
        };
        let result = match dice.roll(4) {
            0 => {
                let screen = [
                    Screen::Menu,
                    Screen::Game(1),
                    Screen::Game(2),
                    Screen::Score,
                ][dice.roll(4)];
                world.resource_mut::<NextState<Screen>>().set(screen);
                run(&mut self.screens, world)
            }
            1 => FIXED.run(world),
            _ => run(&mut self.frame, world),
        };
        collect_strays();
        report(world, &result);
    }
}

fn report(world: &mut World, result: &Result<(), ScheduleError>) {
    match result {
        Ok(()) => {}
        Err(error) => log!("errors: {error}"),
    }
    macro_rules! notes {
        ($($n:literal)*) => {$(
            for line in std::mem::take(&mut world.resource_mut::<Notes<$n>>().0) {
                log!("notes of {}: {line}", $n);
            }
        )*};
    }
    notes!(0 1 2 3 4 5 6 7 8 9);
    let sum = world.resource::<Sum>().0.load(Ordering::Relaxed);
    log!("sum {sum}, tick {:?}", world.tick());
}

/// Calls a system directly; the world keeps its state.
pub(crate) fn call(world: &mut World, dice: &mut Dice) {
    let count = match dice.roll(6) {
        0 => remember::<10>(world),
        1 => remember::<11>(world),
        2 => remember::<12>(world),
        3 => remember::<13>(world),
        4 => remember::<14>(world),
        _ => remember::<15>(world),
    };
    log!("call {count}");
}

/// Uses types of the program in another world, in another order.
pub(crate) fn warm_up(world: &mut World) {
    let mut dice = Dice::new(77);
    world.insert_resource(Notes::<6>::default());
    for _ in 0..12 {
        call(world, &mut dice);
    }
    for kind in (0..KINDS).rev() {
        with_kind!(kind, K => log!("{}", world.query_filtered::<Entity, With<K>>().iter().count()));
    }
}
