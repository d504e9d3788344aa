//! Runs of schedules: who may start when, and what is handed over.

use loom::sync::Arc;
use loom::thread;

use super::Shared;
use crate::job_graph::JobGraph;
use crate::progress::Progress;
use crate::turn_cell::{Answer, TurnCell};

/// What the threads of a run share: progress, and data that parts touch.
struct Run {
    graph: JobGraph,
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
        let graph = JobGraph::new(touches.len(), edges);
        let data = touches
            .iter()
            .flat_map(|data| *data)
            .max()
            .map_or(0, |max| max + 1);
        Self {
            progress: Progress::new(graph.waits_for()),
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
        let progress = Arc::new(Progress::new(JobGraph::new(4, &[]).waits_for()));
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

/// Two steps with one condition, and one system that both run.
struct Steps {
    graph: JobGraph,
    progress: Progress,
    /// What the condition will say, how often it was asked, and what it said.
    says: bool,
    asked: TurnCell<Shared>,
    said: Answer,
    /// What each step was told.
    answers: [Answer; 2],
    system: TurnCell<Shared>,
}

impl Steps {
    /// As the engine asks: the condition if it was not asked yet, for the step.
    fn ask(&self, step: usize) {
        let answer = self.said.get().unwrap_or_else(|| {
            self.asked.take().write();
            self.said.give(self.says);
            self.says
        });
        self.answers[step].give(answer);
    }

    /// As the engine runs the system of a step, which was asked for before.
    fn run(&self, step: usize) {
        let answer = self.answers[step].get();
        assert_eq!(answer, Some(self.says), "step {step} knows the answer");
        if answer != Some(false) {
            self.system.take().write();
        }
    }

    fn work(&self, part: usize) {
        let mut left = vec![part];
        while let Some(part) = left.pop() {
            match part {
                0 => self.ask(0),
                1 => {}
                2 => self.run(0),
                3 => self.ask(1),
                _ => self.run(1),
            }
            self.progress.set_done(part);
            let successors = self.graph.successors(part).iter();
            left.extend(successors.filter(|&&part| self.progress.release(part)));
        }
    }
}

/// A condition is asked once for all of its steps, whichever threads these are on; no thread finds a turn taken.
pub fn an_answer_reaches_all_parts_that_wait_for_it() {
    // 0 asks for the first step, which 2 runs; 3 asks for the second one, which 4 runs. 1 makes 3 come to either thread.
    const EDGES: [(usize, usize); 5] = [(0, 2), (0, 3), (1, 3), (2, 4), (3, 4)];
    for says in [true, false] {
        loom::model(move || {
            let graph = JobGraph::new(5, &EDGES);
            let steps = Arc::new(Steps {
                progress: Progress::new(graph.waits_for()),
                graph,
                says,
                asked: TurnCell::new(Shared::new()),
                said: Answer::default(),
                answers: [Answer::default(), Answer::default()],
                system: TurnCell::new(Shared::new()),
            });
            let other = {
                let steps = Arc::clone(&steps);
                thread::spawn(move || steps.work(1))
            };
            steps.work(0);
            other.join().unwrap();
            assert_eq!(steps.progress.undone(), None);
            assert_eq!(steps.asked.take().read(), 1, "asked once");
            assert_eq!(steps.system.take().read(), if says { 2 } else { 0 });
            let Ok(mut steps) = Arc::try_unwrap(steps) else {
                unreachable!("the other thread has ended")
            };
            steps.said.forget();
            assert_eq!(steps.said.get(), None, "of the next run");
        });
    }
}
