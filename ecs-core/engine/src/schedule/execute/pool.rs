//! An executor on a pool of threads.

use rayon_core::{Scope, ThreadPool};

use super::{Executor, Round, Run, Task};

/// Runs tasks on a rayon pool. `None` is the pool of the calling thread, or else the global one.
///
/// No thread waits for a task of this run, except the calling thread: it waits for the end of each round, where its rayon
/// scope ends. (If it belongs to the pool, it runs tasks while it waits.) So any number of threads suffices. A thread
/// that waits inside a system (in a `par_for_each`) may pick up another task, which waits for nothing.
pub(crate) struct Pool<'p>(pub(crate) Option<&'p ThreadPool>);

impl Executor for Pool<'_> {
    fn run(&mut self, run: &mut Run<'_>) {
        while let Some(mut round) = run.round() {
            // Inside the pool, so that parallel loops of systems use it too.
            let pool = self.0;
            let takes_part = pool.is_none_or(|pool| pool.current_thread_index().is_some());
            let body = drive(&mut round, takes_part);
            match pool {
                None => rayon_core::in_place_scope(body),
                Some(pool) => pool.in_place_scope(body),
            }
        }
    }
}

/// Returns the work of the calling thread in a round.
fn drive<'a>(round: &mut Round<'a>, takes_part: bool) -> impl FnOnce(&Scope<'a>) {
    move |scope| {
        let mut own = if takes_part { round.next_task() } else { None };
        while let Some(task) = round.next_task() {
            spawn(scope, task);
        }
        loop {
            if let Some(local) = round.next_local() {
                // Other threads can run it, so it must not wait for the local one.
                if let Some(task) = own.take() {
                    spawn(scope, task);
                }
                for task in local.run() {
                    spawn(scope, task);
                }
            } else if let Some(task) = own.take() {
                own = work(scope, task);
            } else {
                return;
            }
        }
    }
}

fn spawn<'a>(scope: &Scope<'a>, task: Task<'a>) {
    scope.spawn(move |scope| {
        let mut next = Some(task);
        while let Some(task) = next {
            next = work(scope, task);
        }
    });
}

/// Runs a task, returns the first task that it releases, and leaves the others to other threads.
fn work<'a>(scope: &Scope<'a>, task: Task<'a>) -> Option<Task<'a>> {
    let mut released = task.run();
    let first = released.next();
    for task in released {
        spawn(scope, task);
    }
    first
}
