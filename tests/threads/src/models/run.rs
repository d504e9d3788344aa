//! Runs of schedules: which job may start when, and which data it sees.

use loom::sync::Arc;
use loom::thread;

use super::Shared;
use crate::job_graph::JobGraph;
use crate::progress::RunProgress;
use crate::turn_cell::{Answer, TurnCell};

/// The shared state of a run: progress, and the data of jobs.
struct Run {
    graph: JobGraph,
    progress: RunProgress,
    /// The number of runs of each job.
    ran: Vec<Shared>,
    /// The data; the writes of jobs that wait for each other are ordered.
    data: Vec<Shared>,
    /// The data that each job writes.
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
            progress: RunProgress::new(graph.waits_for()),
            graph,
            ran: touches.iter().map(|_| Shared::new()).collect(),
            data: (0..data).map(|_| Shared::new()).collect(),
            touches,
        }
    }

    /// Acts like an executor: runs a job, continues with the first one that it releases, and passes the others to `spawn`.
    fn work(&self, job: usize, spawn: &mut dyn FnMut(usize)) {
        let mut next = Some(job);
        while let Some(job) = next {
            self.ran[job].write();
            self.touches[job]
                .iter()
                .for_each(|&data| self.data[data].write());
            self.progress.set_done(job);
            let released = self.graph.successors(job).iter().copied();
            let mut released = released.filter(|&job| self.progress.release(job));
            next = released.next();
            released.for_each(&mut *spawn);
        }
    }

    fn check(&self) {
        assert_eq!(self.progress.undone(), None);
        assert!(self.ran.iter().all(|ran| ran.read() == 1), "every job once");
    }
}

/// Jobs that wait for each other run once each, in order, and see the writes of their predecessors.
pub fn jobs_run_once_and_after_those_that_they_wait_for() {
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
                while let Some(job) = left.pop() {
                    run.work(job, &mut |job| left.push(job));
                }
            })
        };
        let mut left = vec![0];
        while let Some(job) = left.pop() {
            run.work(job, &mut |job| left.push(job));
        }
        other.join().unwrap();
        run.check();
    });
}

/// A parked job, which must run on the calling thread, reaches that thread with all writes that happened before.
pub fn parked_jobs_reach_the_calling_thread() {
    // The later one of 0 and 1 leaves 2 to the calling thread.
    const EDGES: [(usize, usize); 2] = [(0, 2), (1, 2)];
    const TOUCHES: &[&[usize]] = &[&[0], &[1], &[0, 1]];
    loom::model(|| {
        let run = Arc::new(Run::new(&EDGES, TOUCHES));
        let start = |job: usize| {
            let run = Arc::clone(&run);
            thread::spawn(move || {
                run.ran[job].write();
                run.data[job].write();
                run.progress.set_done(job);
                for &next in run.graph.successors(job) {
                    if run.progress.release(next) {
                        run.progress.park(next);
                    }
                }
            })
        };
        let threads = [start(0), start(1)];
        // A look in between may take the job; then it is not found again.
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

/// After failures no step starts that comes after the first failed one; earlier steps still do.
pub fn failures_stop_later_steps_only() {
    loom::model(|| {
        let progress = Arc::new(RunProgress::new(JobGraph::new(4, &[]).waits_for()));
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

/// Two steps that share a condition and a system.
struct Steps {
    graph: JobGraph,
    progress: RunProgress,
    /// The result of the condition, the number of its evaluations, and its stored answer.
    says: bool,
    asked: TurnCell<Shared>,
    said: Answer,
    /// The answer that each step received.
    answers: [Answer; 2],
    system: TurnCell<Shared>,
}

impl Steps {
    /// Acts like the engine: evaluates the condition for a step, unless another step has done so.
    fn ask(&self, step: usize) {
        let answer = self.said.get().unwrap_or_else(|| {
            self.asked.take().write();
            self.said.give(self.says);
            self.says
        });
        self.answers[step].give(answer);
    }

    /// Acts like the engine: runs the system of a step whose condition has been evaluated.
    fn run(&self, step: usize) {
        let answer = self.answers[step].get();
        assert_eq!(answer, Some(self.says), "step {step} knows the answer");
        if answer != Some(false) {
            self.system.take().write();
        }
    }

    fn work(&self, job: usize) {
        let mut left = vec![job];
        while let Some(job) = left.pop() {
            match job {
                0 => self.ask(0),
                1 => {}
                2 => self.run(0),
                3 => self.ask(1),
                _ => self.run(1),
            }
            self.progress.set_done(job);
            let successors = self.graph.successors(job).iter();
            left.extend(successors.filter(|&&job| self.progress.release(job)));
        }
    }
}

/// A condition is evaluated once for all of its steps, on whichever thread; no thread finds a turn taken.
pub fn an_answer_reaches_all_jobs_that_wait_for_it() {
    // 0 evaluates for the first step, which 2 runs; 3 for the second one, which 4 runs. Because of 1, either thread may run 3.
    const EDGES: [(usize, usize); 5] = [(0, 2), (0, 3), (1, 3), (2, 4), (3, 4)];
    for says in [true, false] {
        loom::model(move || {
            let graph = JobGraph::new(5, &EDGES);
            let steps = Arc::new(Steps {
                progress: RunProgress::new(graph.waits_for()),
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
            assert_eq!(steps.asked.take().read(), 1, "evaluated once");
            assert_eq!(steps.system.take().read(), if says { 2 } else { 0 });
            let Ok(mut steps) = Arc::try_unwrap(steps) else {
                unreachable!("the other thread has ended")
            };
            steps.said.forget();
            assert_eq!(
                steps.said.get(),
                None,
                "the answer of the last run is forgotten"
            );
        });
    }
}
