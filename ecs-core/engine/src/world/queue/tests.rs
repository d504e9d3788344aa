use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use super::{Command, CommandQueue, CommandRun, apply_depth_first};
use crate::world::World;

/// Records the commands that were applied and dropped, by the ids of their [`Token`]s.
#[derive(Clone, Default)]
struct Ledger(Arc<Mutex<Entries>>);

#[derive(Default)]
struct Entries {
    applied: Vec<usize>,
    dropped: Vec<usize>,
}

/// A value owned by a command. It records its drop, and then panics if `panics` is set.
struct Token {
    id: usize,
    ledger: Ledger,
    panics: bool,
}

impl Ledger {
    fn token(&self, id: usize) -> Token {
        Token {
            id,
            ledger: self.clone(),
            panics: false,
        }
    }

    fn applied(&self) -> Vec<usize> {
        self.0.lock().unwrap().applied.clone()
    }

    /// Returns the ids of the dropped tokens, sorted.
    fn dropped(&self) -> Vec<usize> {
        let mut dropped = self.0.lock().unwrap().dropped.clone();
        dropped.sort_unstable();
        dropped
    }
}

impl Token {
    fn panicking(mut self) -> Self {
        self.panics = true;
        self
    }

    fn mark(&self) {
        self.ledger.0.lock().unwrap().applied.push(self.id);
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.ledger.0.lock().unwrap().dropped.push(self.id);
        assert!(!self.panics, "drop of token {}", self.id);
    }
}

/// Returns a command that marks its token as applied.
fn mark(token: Token) -> impl Command {
    move |_: &mut World| token.mark()
}

/// Returns a command that marks its token and panics.
fn fail(token: Token) -> impl Command {
    move |_: &mut World| {
        token.mark();
        panic!("command {}", token.id);
    }
}

/// Returns a command that marks its token and then queues commands in the world.
fn mark_then(token: Token, then: impl FnOnce(&mut CommandQueue) + Send + 'static) -> impl Command {
    move |world: &mut World| {
        token.mark();
        then(world.pending());
    }
}

fn message(panic: Box<dyn core::any::Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => String::from(*panic.downcast::<&str>().expect("a message")),
    }
}

fn catch<R>(f: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(message)
}

#[test]
fn commands_are_applied_in_order_and_dropped_once() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let mut queue = CommandQueue::new();
    for id in 0..100 {
        queue.push(mark(ledger.token(id)));
    }
    assert_eq!(queue.len(), 100);
    queue.apply(&mut world);
    assert!(queue.is_empty());
    assert_eq!(ledger.applied(), Vec::from_iter(0..100));
    assert_eq!(ledger.dropped(), Vec::from_iter(0..100));
}

#[test]
fn a_queue_can_be_split_between_any_two_commands() {
    for first in 0..=6 {
        let (ledger, mut world) = (Ledger::default(), World::new());
        let mut queue = CommandQueue::new();
        queue.push(mark(ledger.token(0)));
        for id in 1..6 {
            let (token, ballast) = (ledger.token(id), [id as u8; 13]);
            if id % 2 == 0 {
                queue.push(mark(token));
            } else {
                queue.push(move |_: &mut World| {
                    assert_eq!(ballast, [token.id as u8; 13]);
                    token.mark();
                });
            }
        }
        // The bytes of an applied command precede the bytes of the remaining ones.
        assert!(queue.commands.apply_first(&mut world));
        let mut rest = CommandQueue {
            commands: queue.commands.split_off(first),
        };
        assert_eq!((queue.len(), rest.len()), (first.min(5), 5 - first.min(5)));
        rest.apply(&mut world);
        queue.apply(&mut world);
        let expected = [0].into_iter().chain(first + 1..6).chain(1..=first.min(5));
        assert_eq!(ledger.applied(), Vec::from_iter(expected));
        assert_eq!(ledger.dropped(), Vec::from_iter(0..6));
    }
}

#[test]
fn commands_of_any_size_and_alignment_keep_their_captures() {
    #[repr(align(4096))]
    #[derive(Clone, Copy)]
    struct Page(u8);
    #[repr(align(64))]
    struct EmptyAligned;

    let sum = Arc::new(Mutex::new(0_u64));
    let mut queue = CommandQueue::new();
    let add = |value: u64| {
        let sum = sum.clone();
        move |_: &mut World| *sum.lock().unwrap() += value
    };
    for _ in 0..3 {
        let (one, aligned, big, byte) = (add(1), add(10), add(100), add(1000));
        queue.push(one);
        let page = Page(7);
        queue.push(move |world: &mut World| {
            let page = page;
            assert_eq!((page.0, (&raw const page).addr() % 4096), (7, 0));
            aligned(world);
        });
        queue.push(|_: &mut World| ());
        queue.push(|_: &mut World| {
            let empty = EmptyAligned;
            assert_eq!((&raw const empty).addr() % 64, 0);
        });
        let bytes = [3_u8; 1000];
        queue.push(move |world: &mut World| {
            assert!(bytes.iter().all(|&b| b == 3));
            big(world);
        });
        let odd = 5_u8;
        queue.push(move |world: &mut World| {
            assert_eq!(odd, 5);
            byte(world);
        });
    }
    assert_eq!(queue.len(), 18);
    queue.apply(&mut World::new());
    assert_eq!(*sum.lock().unwrap(), 3 * 1111);
}

#[test]
fn uninitialised_captures_are_moved_as_they_are() {
    let mut queue = CommandQueue::new();
    let (padded, nothing) = ((1_u8, 2_u64), MaybeUninit::<u32>::uninit());
    queue.push(move |_: &mut World| {
        let _moved: MaybeUninit<u32> = nothing;
        assert_eq!(padded, (1, 2));
    });
    let mut other = CommandQueue::new();
    other.push(|_: &mut World| ());
    other.append(&mut queue);
    other.apply(&mut World::new());
}

#[test]
fn append_moves_everything_to_the_end() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let (mut first, mut second) = (CommandQueue::new(), CommandQueue::new());
    first.append(&mut second);
    assert!(first.is_empty());
    for id in 0..3 {
        second.push(mark(ledger.token(id)));
    }
    first.append(&mut second);
    assert_eq!((first.len(), second.len()), (3, 0));
    for id in 3..5 {
        second.push(mark(ledger.token(id)));
    }
    first.append(&mut second);
    first.append(&mut second);
    assert_eq!((first.len(), second.len()), (5, 0));
    drop(second);
    assert!(ledger.dropped().is_empty());
    first.apply(&mut world);
    assert_eq!(ledger.applied(), [0, 1, 2, 3, 4]);
    assert_eq!(ledger.dropped(), [0, 1, 2, 3, 4]);
}

#[test]
fn clearing_and_dropping_a_queue_drop_the_commands_unapplied() {
    let ledger = Ledger::default();
    let mut queue = CommandQueue::new();
    queue.push(mark(ledger.token(0)));
    queue.push(mark(ledger.token(1)));
    queue.clear();
    assert_eq!(ledger.dropped(), [0, 1]);
    queue.push(mark(ledger.token(2)));
    drop(queue);
    assert_eq!(ledger.dropped(), [0, 1, 2]);
    assert!(ledger.applied().is_empty());
}

#[test]
fn the_buffer_is_kept_for_the_next_commands() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let mut queue = CommandQueue::new();
    let mut capacity = 0;
    for round in 0..4 {
        for id in 0..10 {
            queue.push(mark(ledger.token(10 * round + id)));
        }
        queue.apply(&mut world);
        if round == 0 {
            capacity = queue.commands.capacity();
        }
    }
    assert_eq!(ledger.applied(), Vec::from_iter(0..40));
    assert_eq!(queue.commands.capacity(), capacity);
}

#[test]
fn after_a_panicking_command_the_rest_is_dropped_and_the_queue_works() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let mut queue = CommandQueue::new();
    queue.push(mark(ledger.token(0)));
    queue.push(fail(ledger.token(1)));
    queue.push(mark(ledger.token(2)));
    queue.push(mark(ledger.token(3)));
    assert_eq!(catch(|| queue.apply(&mut world)), Err("command 1".into()));
    assert_eq!(ledger.applied(), [0, 1]);
    assert_eq!(ledger.dropped(), [0, 1, 2, 3]);
    assert!(queue.is_empty());

    queue.push(mark(ledger.token(4)));
    queue.apply(&mut world);
    assert_eq!(ledger.applied(), [0, 1, 4]);
}

#[test]
fn destructors_that_panic_on_the_way_out_do_not_hide_the_command_or_stop_the_others() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let mut queue = CommandQueue::new();
    queue.push(fail(ledger.token(0)));
    for id in 1..5 {
        queue.push(mark(ledger.token(id).panicking()));
    }
    assert_eq!(catch(|| queue.apply(&mut world)), Err("command 0".into()));
    assert_eq!(ledger.dropped(), [0, 1, 2, 3, 4]);
}

#[test]
fn a_queue_dropped_with_panicking_destructors_drops_each_command_once() {
    for clear in [true, false] {
        let ledger = Ledger::default();
        let mut queue = CommandQueue::new();
        for id in 0..5 {
            let token = ledger.token(id);
            queue.push(mark(if id % 2 == 1 {
                token.panicking()
            } else {
                token
            }));
        }
        let outcome = if clear {
            catch(|| queue.clear())
        } else {
            catch(|| drop(queue))
        };
        assert_eq!(outcome, Err("drop of token 1".into()));
        assert_eq!(ledger.dropped(), [0, 1, 2, 3, 4]);
    }
}

#[test]
fn a_queue_dropped_while_unwinding_does_not_abort() {
    let ledger = Ledger::default();
    let mut queue = CommandQueue::new();
    queue.push(mark(ledger.token(0).panicking()));
    queue.push(mark(ledger.token(1)));
    let outcome = catch(|| {
        let _queue = queue;
        panic!("outer");
    });
    assert_eq!(outcome, Err::<(), _>("outer".into()));
    assert_eq!(ledger.dropped(), [0, 1]);
}

#[test]
fn commands_queued_by_a_command_come_directly_after_it() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let token = |id| ledger.token(id);
    let mut queue = CommandQueue::new();
    let (inner, deepest, last) = (token(1), token(2), token(3));
    queue.push(mark_then(token(0), move |pending| {
        pending.push(mark_then(inner, move |pending| {
            pending.push(mark(deepest));
        }));
        pending.push(mark(last));
    }));
    queue.push(mark(token(4)));
    queue.apply(&mut world);
    assert_eq!(ledger.applied(), [0, 1, 2, 3, 4]);
    assert!(world.pending().is_empty());
}

#[test]
fn commands_pending_in_the_world_are_older() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    world.pending().push(mark(ledger.token(0)));
    let mut queue = CommandQueue::new();
    queue.push(mark(ledger.token(1)));
    queue.apply(&mut world);
    assert_eq!(ledger.applied(), [0, 1]);
    world.pending().push(mark(ledger.token(2)));
    CommandQueue::new().apply(&mut world);
    assert_eq!(ledger.applied(), [0, 1, 2]);
}

#[test]
fn a_long_chain_of_commands_needs_no_memory() {
    fn link(left: u32) -> impl Command {
        move |world: &mut World| {
            if left > 0 {
                // Boxed, because otherwise the type of a link would contain the type of the next link.
                let next: Box<dyn FnOnce(&mut World) + Send> =
                    Box::new(move |world: &mut World| {
                        link(left - 1).apply(world);
                    });
                world.pending().push(next);
            } else {
                world.insert_resource(String::from("done"));
            }
        }
    }
    let mut world = World::new();
    let mut queue = CommandQueue::new();
    queue.push(link(if cfg!(miri) { 100 } else { 200_000 }));
    let mut nested = Vec::new();
    apply_depth_first(&mut queue.commands, &mut nested, &mut world);
    assert!(nested.capacity() < 10, "the stack of queues does not grow");
    assert!(world.contains_resource::<String>());
}

#[test]
fn a_panic_in_a_nested_command_drops_the_pending_commands_of_every_level() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let token = |id| ledger.token(id);
    let mut queue = CommandQueue::new();
    let (inner, never, unborn, later) = (token(1), token(2), token(3), token(4));
    queue.push(mark_then(token(0), move |pending| {
        pending.push(move |world: &mut World| {
            inner.mark();
            world.pending().push(mark(unborn));
            panic!("nested {}", inner.id);
        });
        pending.push(mark(never));
    }));
    queue.push(mark(later));
    assert_eq!(catch(|| queue.apply(&mut world)), Err("nested 1".into()));
    assert_eq!(ledger.applied(), [0, 1]);
    assert_eq!(ledger.dropped(), [0, 1, 2, 3, 4]);
    assert!(queue.is_empty() && world.pending().is_empty());
}

#[test]
fn a_command_that_applies_a_queue_and_survives_its_panic_goes_on() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let (bad, rest) = (ledger.token(0), ledger.token(1));
    let mut queue = CommandQueue::new();
    queue.push(move |world: &mut World| {
        let mut inner = CommandQueue::new();
        inner.push(fail(bad));
        inner.push(mark(rest));
        assert_eq!(catch(|| inner.apply(world)), Err("command 0".into()));
    });
    queue.push(mark(ledger.token(2)));
    queue.apply(&mut world);
    assert_eq!(ledger.applied(), [0, 2]);
    assert_eq!(ledger.dropped(), [0, 1, 2]);
}

#[test]
fn a_queue_goes_to_another_thread() {
    fn check<T: Send + Sync>() {}
    check::<CommandQueue>();
    let ledger = Ledger::default();
    let mut queue = CommandQueue::new();
    queue.push(mark(ledger.token(0)));
    std::thread::spawn(move || queue.apply(&mut World::new()))
        .join()
        .unwrap();
    assert_eq!(ledger.applied(), [0]);
}

#[test]
fn a_run_of_commands_ends_before_a_command_of_another_type_without_data() {
    struct All(Ledger);

    impl Command for All {
        fn apply(self, _: &mut World) {
            self.0.0.lock().unwrap().applied.push(1);
        }

        fn apply_run(self, next: &mut CommandRun<'_, Self>, world: &mut World) {
            self.apply(world);
            while let Some(command) = next.next_if(|_| true) {
                command.apply(world);
            }
        }
    }

    let (ledger, mut queue) = (Ledger::default(), CommandQueue::new());
    queue.push(All(ledger.clone()));
    queue.push(All(ledger.clone()));
    queue.push(|world: &mut World| {
        world.insert_resource(2_u32);
    });
    queue.push(All(ledger.clone()));
    let mut world = World::new();
    queue.apply(&mut world);
    assert_eq!(ledger.0.lock().unwrap().applied, [1, 1, 1]);
    assert_eq!(*world.resource::<u32>(), 2);
}
