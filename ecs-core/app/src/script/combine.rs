//! Futures that wait for two others.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Waits for the first of two futures, and drops the other one. If both are over in the same run, the first one counts.
///
/// Both return the same type; an `async` block makes a wait return something else:
///
/// ```
/// use ecs_core::app::script::{Script, ScriptContext, first_of, run_scripts};
/// use ecs_core::prelude::*;
/// use std::time::Duration;
///
/// #[derive(Clone)]
/// struct Answer(bool);
///
/// async fn ask(script: ScriptContext) {
///     let answer = first_of(
///         async { script.event::<Answer>().await.0 },
///         async {
///             script.time(Duration::from_secs(5)).await;
///             false
///         },
///     );
///     let answer = answer.await;
///     script.world(move |world| world.insert_resource(vec![answer])).await;
/// }
///
/// let mut app = App::new();
/// app.add_systems(Update, run_scripts);
/// app.world_mut().spawn(Script::new(ask));
/// app.update_times(6, Duration::from_secs(1)); // it starts in the first one
/// assert_eq!(*app.world().resource::<Vec<bool>>(), [false]);
///
/// app.world_mut().spawn(Script::new(ask));
/// app.update();
/// app.world_mut().send_event(Answer(true));
/// app.update();
/// assert_eq!(*app.world().resource::<Vec<bool>>(), [true]);
/// ```
pub async fn first_of<T>(first: impl Future<Output = T>, second: impl Future<Output = T>) -> T {
    let (mut first, mut second) = (pin!(first), pin!(second));
    let poll = poll_fn(|context| match first.as_mut().poll(context) {
        Poll::Pending => second.as_mut().poll(context),
        ready => ready,
    });
    poll.await
}

/// Waits for two futures at the same time, and returns both results.
///
/// ```
/// use ecs_core::app::script::{Script, ScriptContext, both, run_scripts};
/// use ecs_core::prelude::*;
///
/// async fn walk(script: &ScriptContext, frames: u64) -> u64 {
///     script.frames(frames).await;
///     frames
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Time::new());
/// world.spawn(Script::new(async |script: ScriptContext| {
///     let (near, far) = both(walk(&script, 1), walk(&script, 3)).await;
///     script.world(move |world| world.insert_resource(near + far)).await;
/// }));
/// for _ in 0..3 {
///     world.run(run_scripts);
/// }
/// assert!(!world.contains_resource::<u64>());
/// world.run(run_scripts);
/// assert_eq!(*world.resource::<u64>(), 4);
/// ```
pub async fn both<A, B>(first: impl Future<Output = A>, second: impl Future<Output = B>) -> (A, B) {
    let (mut first, mut second) = (pin!(first), pin!(second));
    let mut results = (None, None);
    let poll = poll_fn(|context| {
        if results.0.is_none()
            && let Poll::Ready(result) = first.as_mut().poll(context)
        {
            results.0 = Some(result);
        }
        if results.1.is_none()
            && let Poll::Ready(result) = second.as_mut().poll(context)
        {
            results.1 = Some(result);
        }
        match (results.0.take(), results.1.take()) {
            (Some(a), Some(b)) => Poll::Ready((a, b)),
            pending => {
                results = pending;
                Poll::Pending
            }
        }
    });
    poll.await
}
