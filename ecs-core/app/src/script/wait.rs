//! The futures of a script.

use std::future::Future;
use std::mem::replace;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use ecs_engine::World;

use super::state::{NewWait, SharedScript, lock};

/// The future of one wait.
pub(super) struct WaitFuture {
    script: Arc<SharedScript>,
    progress: WaitProgress,
}

enum WaitProgress {
    New(NewWait),
    Pending(u64),
    Over,
}

impl WaitFuture {
    pub(super) fn new(script: &Arc<SharedScript>, wait: NewWait) -> Self {
        Self {
            script: Arc::clone(script),
            progress: WaitProgress::New(wait),
        }
    }
}

impl Future for WaitFuture {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let waker = context.waker().clone();
        let progress = replace(&mut self.progress, WaitProgress::Over);
        let pending = match progress {
            WaitProgress::New(wait) => self.script.add(wait, waker),
            WaitProgress::Pending(id) => (!self.script.finish(id, waker)).then_some(id),
            WaitProgress::Over => None,
        };
        match pending {
            Some(id) => {
                self.progress = WaitProgress::Pending(id);
                Poll::Pending
            }
            None => Poll::Ready(()),
        }
    }
}

impl Drop for WaitFuture {
    fn drop(&mut self) {
        if let WaitProgress::Pending(id) = self.progress {
            self.script.cancel(id);
        }
    }
}

/// Waits until a function finds a value, and returns it. The function is called at once, and then once a run.
pub(super) fn found<T, F>(
    script: &Arc<SharedScript>,
    mut find: F,
) -> impl Future<Output = T> + Send + use<T, F>
where
    T: Send + 'static,
    F: FnMut(&mut World) -> Option<T> + Send + 'static,
{
    let found = Arc::new(Mutex::new(None));
    let place = Arc::clone(&found);
    let check = Box::new(move |world: &mut World| {
        let value = find(world);
        let is_found = value.is_some();
        *lock(&place) = value;
        is_found
    });
    let wait = WaitFuture::new(script, NewWait::Check(check));
    async move {
        wait.await;
        let value = lock(&found).take();
        value.expect("the wait is over when there is a value")
    }
}
