//! The system that runs scripts.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use ecs_engine::__private::message_of;
use ecs_engine::query::AndDisabled;
use ecs_engine::{Commands, Entity, Query, Res, World};

use super::component::{Script, ScriptFuture};
use super::state::{ScriptClock, SharedScript};
use crate::time::Time;

/// A script may wait as often in one run.
const MAX_POLLS: usize = 65_536;

/// Runs all scripts up to their next wait: a system, whose place in the schedule is theirs. See the [module](super).
///
/// It counts the frame for each script, and for those whose wait may be over it queues a command.
pub fn run_scripts(
    mut scripts: Query<'_, (Entity, &mut Script)>,
    time: Res<'_, Time>,
    mut commands: Commands<'_>,
) {
    let delta = time.delta();
    let mut turns = Vec::new();
    scripts.for_each(|(entity, script)| {
        if script.advance(delta) {
            turns.push((script.started, entity));
        }
    });
    if !turns.is_empty() {
        commands.queue(move |world| run_all(world, turns));
    }
}

/// Runs scripts, in the order of their starts. Those without a number start.
fn run_all(world: &mut World, mut turns: Vec<(u64, Entity)>) {
    turns.sort_by_key(|(started, _)| started.wrapping_sub(1));
    let first_new = turns.partition_point(|(started, _)| *started > 0);
    let new = &mut turns[first_new..];
    if !new.is_empty() {
        let all = world.query_filtered::<&Script, AndDisabled>();
        let mut newest = all.iter().map(|script| script.started).max();
        drop(all);
        for (started, entity) in new {
            *started = newest.unwrap_or(0) + 1;
            newest = Some(*started);
            let script = world.get_mut::<Script>(*entity);
            if let Some(script) = script.filter(|script| script.started == 0) {
                script.started = *started;
            }
        }
    }
    for (started, entity) in turns {
        run_script(world, entity, started);
    }
}

/// Runs one script up to its next wait, if it is still there.
fn run_script(world: &mut World, entity: Entity, started: u64) {
    if !world.is_enabled(entity) {
        return;
    }
    let script = world.get_mut::<Script>(entity);
    // Another script has replaced it otherwise.
    let Some(script) = script.filter(|script| script.started == started) else {
        return;
    };
    let shared = Arc::clone(&script.shared);
    let Some((future, clock)) = script.take_turn() else {
        // Either its own function with the world runs all scripts, or it was moved in its last turn.
        if shared.is_over() {
            remove(world, entity, &shared);
        }
        return;
    };
    let mut turn = ScriptTurn {
        shared,
        clock,
        entity,
        future,
    };
    let result = catch_unwind(AssertUnwindSafe(|| turn.play(world)));
    if let Ok(TurnEnd::Waits) = result
        && let Some(script) = script_of(world, entity, &turn.shared)
    {
        script.end_turn(turn.future, turn.clock);
        return;
    }
    let ScriptTurn { shared, future, .. } = turn;
    shared.end();
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(future)));
    remove(world, entity, &shared);
    if let Err(panic) = result.and(dropped) {
        raise(panic, &shared, entity);
    }
}

/// Removes a script that has ended from its entity, which is despawned if the script says so.
fn remove(world: &mut World, entity: Entity, shared: &Arc<SharedScript>) {
    if let Some(script) = script_of(world, entity, shared) {
        // Neither fails: the entity is alive.
        match script.despawns {
            true => _ = world.despawn(entity),
            false => _ = world.remove::<Script>(entity),
        }
    }
}

/// Returns the script, if the entity still has it.
fn script_of<'w>(
    world: &'w mut World,
    entity: Entity,
    shared: &Arc<SharedScript>,
) -> Option<&'w mut Script> {
    let script = world.get_mut::<Script>(entity)?;
    Arc::ptr_eq(&script.shared, shared).then_some(script)
}

/// Resumes a panic, and adds the names of the script and its entity to the message.
fn raise(panic: Box<dyn Any + Send>, script: &SharedScript, entity: Entity) -> ! {
    let SharedScript { name, at, .. } = script;
    match message_of(&*panic) {
        Some(message) => resume_unwind(Box::new(format!(
            "script `{name}` of entity {entity}, from {at}, panicked: {message}"
        ))),
        None => resume_unwind(panic),
    }
}

/// A script that is taken out of its component, up to its next wait.
struct ScriptTurn {
    shared: Arc<SharedScript>,
    clock: ScriptClock,
    entity: Entity,
    future: ScriptFuture,
}

/// The end of a turn.
enum TurnEnd {
    /// The script waits for something that is not over.
    Waits,
    /// It has returned.
    Returned,
    /// Its entity no longer has it.
    Cancelled,
}

impl ScriptTurn {
    fn play(&mut self, world: &mut World) -> TurnEnd {
        self.shared.begin(self.entity, self.clock);
        let mut is_due = self.shared.is_idle();
        let mut first_wait = 0;
        for _ in 0..MAX_POLLS {
            while let Some((wait, is_over)) = self.shared.ask(world, first_wait) {
                is_due |= is_over;
                first_wait = wait + 1;
                // The function may have despawned the entity.
                if script_of(world, self.entity, &self.shared).is_none() {
                    return TurnEnd::Cancelled;
                }
            }
            if !is_due {
                return TurnEnd::Waits;
            }
            let mut context = Context::from_waker(Waker::noop());
            if let Poll::Ready(()) = self.future.as_mut().poll(&mut context) {
                return TurnEnd::Returned;
            }
            assert!(
                !self.shared.is_idle(),
                "it waits for a future that is not one of its `ScriptContext`, which would end at another time in each run; help: start the work by `Tasks`, and wait for its result by `ScriptContext::until_some`"
            );
            is_due = false;
        }
        panic!(
            "it has waited {MAX_POLLS} times in one run, and each wait was over at once; help: let its loop wait for a frame, by `frames(1)`"
        );
    }
}
