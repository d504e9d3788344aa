//! The models. Each one panics if there is an order of events in which what it says is wrong.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use crate::borrow::BorrowFlag;
use crate::entity::Entities;
use crate::progress::{Graph, Progress};

/// Data that threads use in turns; loom reports uses that are not ordered.
struct Shared(UnsafeCell<u32>);

impl Shared {
    fn new() -> Self {
        Self(UnsafeCell::new(0))
    }

    fn write(&self) {
        // SAFETY: that nobody else uses it is what the models are about; loom checks it.
        self.0.with_mut(|value| unsafe { *value += 1 });
    }

    fn read(&self) -> u32 {
        // SAFETY: as above, of writers.
        self.0.with(|value| unsafe { *value })
    }
}

// SAFETY: as in `write`.
unsafe impl Sync for Shared {}

/// A borrow flag keeps writers alone, loses no count, and is free in the end.
pub fn a_borrow_flag_keeps_writers_alone() {
    loom::model(|| {
        let shared = Arc::new((BorrowFlag::default(), Shared::new()));
        let writers: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let (flag, data) = &*shared;
                    let borrow = flag.try_exclusive();
                    borrow.is_some_and(|_borrow| {
                        data.write();
                        true
                    })
                })
            })
            .collect();
        let (flag, data) = &*shared;
        if let Some(borrow) = flag.try_shared() {
            let again = borrow.clone();
            drop(borrow);
            data.read();
            drop(again);
        }
        let wrote = writers.into_iter().map(|writer| writer.join().unwrap());
        let wrote = wrote.filter(|wrote| *wrote).count() as u32;
        assert!(flag.try_exclusive().is_some(), "all borrows were returned");
        assert_eq!(data.read(), wrote);
    });
}

/// Ids that threads reserve are all different, and known at once.
pub fn reserved_ids_are_different() {
    loom::model(|| {
        let entities = Arc::new(Entities::default());
        let first = entities.reserve();
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let entities = Arc::clone(&entities);
                thread::spawn(move || {
                    let ids = [entities.reserve(), entities.reserve()];
                    assert!(ids.iter().all(|&id| entities.contains(id)));
                    ids
                })
            })
            .collect();
        assert!(entities.any_reserved());
        let others = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap());
        let mut ids: Vec<_> = others.chain([first]).map(|id| id.index()).collect();
        ids.sort_unstable();
        assert_eq!(ids, [0, 1, 2, 3, 4], "without gaps");
        assert_eq!(entities.len(), 5);
    });
}

/// What the threads of a run share: progress, and data that parts touch.
struct Run {
    graph: Graph,
    progress: Progress,
    /// How often each part ran.
    ran: Vec<Shared>,
    /// Written by every part that waits for another one that writes it.
    data: Vec<Shared>,
    /// The data that each part touches.
    touches: &'static [&'static [usize]],
}

impl Run {
    fn new(edges: &[(usize, usize)], touches: &'static [&'static [usize]]) -> Self {
        let graph = Graph::new(touches.len(), edges);
        let data = touches
            .iter()
            .flat_map(|data| *data)
            .max()
            .map_or(0, |max| max + 1);
        Self {
            progress: Progress::new(&graph),
            graph,
            ran: touches.iter().map(|_| Shared::new()).collect(),
            data: (0..data).map(|_| Shared::new()).collect(),
            touches,
        }
    }

    /// As an executor does: runs a part, goes on with the first one that it releases, and leaves the others to `spawn`.
    fn work(&self, part: usize, spawn: &mut dyn FnMut(usize)) {
        let mut next = Some(part);
        while let Some(part) = next {
            self.ran[part].write();
            self.touches[part]
                .iter()
                .for_each(|&data| self.data[data].write());
            self.progress.set_done(part);
            let released = self.graph.successors(part).iter().copied();
            let mut released = released.filter(|&part| self.progress.release(part));
            next = released.next();
            released.for_each(&mut *spawn);
        }
    }

    fn check(&self) {
        assert_eq!(self.progress.undone(), None);
        assert!(
            self.ran.iter().all(|ran| ran.read() == 1),
            "every part once"
        );
    }
}

/// Parts that wait for each other run once each, in order, and see what those before them did.
pub fn parts_run_once_and_after_those_that_they_wait_for() {
    // 0 and 1 run at the same time; 2 needs both; 3 needs 1; 4 needs 2 and 3.
    const EDGES: [(usize, usize); 5] = [(0, 2), (1, 2), (1, 3), (2, 4), (3, 4)];
    const TOUCHES: &[&[usize]] = &[&[0], &[1, 2], &[0, 1], &[2], &[0, 2]];
    loom::model(|| {
        let run = Arc::new(Run::new(&EDGES, TOUCHES));
        assert!(run.graph.first().eq([0, 1]));
        let other = {
            let run = Arc::clone(&run);
            thread::spawn(move || {
                let mut left = vec![1];
                while let Some(part) = left.pop() {
                    run.work(part, &mut |part| left.push(part));
                }
            })
        };
        let mut left = vec![0];
        while let Some(part) = left.pop() {
            run.work(part, &mut |part| left.push(part));
        }
        other.join().unwrap();
        run.check();
    });
}

/// A part that cannot run on any thread reaches the one that runs the schedule, with all that happened before.
pub fn parked_parts_reach_the_calling_thread() {
    // Whichever of 0 and 1 ends last leaves 2 to the calling thread.
    const EDGES: [(usize, usize); 2] = [(0, 2), (1, 2)];
    const TOUCHES: &[&[usize]] = &[&[0], &[1], &[0, 1]];
    loom::model(|| {
        let run = Arc::new(Run::new(&EDGES, TOUCHES));
        let start = |part: usize| {
            let run = Arc::clone(&run);
            thread::spawn(move || {
                run.ran[part].write();
                run.data[part].write();
                run.progress.set_done(part);
                for &next in run.graph.successors(part) {
                    if run.progress.release(next) {
                        run.progress.park(next);
                    }
                }
            })
        };
        let threads = [start(0), start(1)];
        // A look in between may find it, and then nobody else does.
        let mut parked = run.progress.take_parked();
        if parked == [2] {
            run.work(2, &mut |_| unreachable!("nothing comes after it"));
        }
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        let rest = run.progress.take_parked();
        if parked.is_empty() {
            assert_eq!(rest, [2]);
            run.work(2, &mut |_| unreachable!("nothing comes after it"));
        } else {
            assert!(rest.is_empty());
        }
        parked.extend(rest);
        assert_eq!(parked, [2]);
        run.check();
    });
}

/// After failures nothing starts that comes later than the first one; what comes earlier does.
pub fn failures_stop_later_steps_only() {
    loom::model(|| {
        let progress = Arc::new(Progress::new(&Graph::new(4, &[])));
        let fail = |step: usize| {
            let progress = Arc::clone(&progress);
            thread::spawn(move || {
                progress.fail(step);
                assert!(!progress.may_start(step) && progress.may_start(0));
            })
        };
        let threads = [fail(1), fail(2)];
        assert!(progress.may_start(0));
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        assert!(progress.may_start(0) && !progress.may_start(1) && !progress.may_start(3));
    });
}
