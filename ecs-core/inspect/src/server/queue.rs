//! The requests that wait for the program, and the places where their connections wait for the answers.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// The most requests that wait.
const WAITING: usize = 64;
/// The most of them without token.
const OTHERS: usize = WAITING - 8;

/// The waiting requests, in order.
#[derive(Debug)]
pub(super) struct Queue<Q> {
    /// Their number, and what the program adds for work that it has begun.
    waiting: Arc<AtomicUsize>,
    lists: Mutex<Lists<Q>>,
}

#[derive(Debug)]
struct Lists<Q> {
    owner: VecDeque<HttpRequest<Q>>,
    others: VecDeque<HttpRequest<Q>>,
    closed: bool,
}

/// A text that the connection's thread makes: the program has no time for it.
pub(crate) type LateText = Box<dyn FnOnce() -> String + Send>;

/// A request for the program.
#[derive(Debug)]
pub(crate) struct HttpRequest<Q> {
    /// The request, as the connection's thread has read it.
    pub(crate) body: Q,
    /// It brought the token.
    pub(crate) may_write: bool,
    pub(crate) reply: HttpReply,
}

impl<Q> HttpRequest<Q> {
    pub(super) fn new(body: Q, may_write: bool) -> (Self, Arc<Slot>) {
        let slot = Arc::new(Slot {
            state: Mutex::new(SlotState::Waiting),
            changed: Condvar::new(),
        });
        let request = Self {
            body,
            may_write,
            reply: HttpReply(Arc::clone(&slot)),
        };
        (request, slot)
    }
}

/// The way to answer a request. Dropped unused, the answer is an error.
#[derive(Debug)]
pub(crate) struct HttpReply(Arc<Slot>);

impl HttpReply {
    /// Answers. Another thread makes the text and writes it.
    pub(crate) fn answer(self, text: impl FnOnce() -> String + Send + 'static) {
        self.0.put(SlotState::Answer(Box::new(text)));
    }

    /// Answers with a stream of texts.
    pub(crate) fn stream(self) -> HttpStream {
        self.0.put(SlotState::Opened);
        HttpStream(Arc::clone(&self.0))
    }

    /// Returns whether the client has gone, so that an answer is of no use.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.0.is_left()
    }
}

impl Drop for HttpReply {
    fn drop(&mut self) {
        self.0.put(SlotState::Dropped);
    }
}

/// A stream of texts to one client. It ends when it is dropped.
///
/// It holds at most one text, and takes none before the client's connection took the last: a slow client gets fewer texts, and
/// the program has no work for it.
#[derive(Debug)]
pub(crate) struct HttpStream(Arc<Slot>);

impl HttpStream {
    /// Returns whether the client is ready for the next text. Never waits.
    pub(crate) fn is_ready(&self) -> bool {
        let state = self.0.state.try_lock();
        state.is_ok_and(|state| matches!(*state, SlotState::Ready))
    }

    /// Returns whether the client has gone.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.0.is_left()
    }

    /// Sends a text if the client is [ready](Self::is_ready).
    pub(crate) fn send(&self, text: impl FnOnce() -> String + Send + 'static) {
        let mut state = self.0.state();
        if matches!(*state, SlotState::Ready) {
            let text = Box::new(text);
            *state = SlotState::Item {
                text,
                is_last: false,
            };
            drop(state);
            self.0.changed.notify_one();
        }
    }
}

impl Drop for HttpStream {
    fn drop(&mut self) {
        let mut state = self.0.state();
        match &mut *state {
            SlotState::Item { is_last, .. } => *is_last = true,
            SlotState::Left => {}
            other => *other = SlotState::Dropped,
        }
        drop(state);
        self.0.changed.notify_one();
    }
}

/// Where a connection waits for its answer.
pub(super) struct Slot {
    state: Mutex<SlotState>,
    changed: Condvar,
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot").finish_non_exhaustive()
    }
}

pub(super) enum SlotState {
    Waiting,
    Answer(LateText),
    /// The answer is a stream.
    Opened,
    /// The connection waits for a text of the stream.
    Ready,
    Item {
        text: LateText,
        is_last: bool,
    },
    /// The connection writes a text of the stream.
    Writing,
    /// The program gives no answer, or no more of the stream.
    Dropped,
    /// The connection no longer waits.
    Left,
}

impl Slot {
    fn state(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_left(&self) -> bool {
        matches!(*self.state(), SlotState::Left)
    }

    /// Changes the state of a request that waits.
    fn put(&self, reply: SlotState) {
        let mut state = self.state();
        if matches!(*state, SlotState::Waiting) {
            *state = reply;
            drop(state);
            self.changed.notify_one();
        }
    }

    /// Waits for the answer until `end`, or until `closing` returns true. Otherwise returns [`SlotState::Left`].
    pub(super) fn wait(&self, end: Instant, closing: impl Fn() -> bool) -> SlotState {
        let mut state = self.wait_while(end, closing, |state| matches!(state, SlotState::Waiting));
        match std::mem::replace(&mut *state, SlotState::Left) {
            SlotState::Waiting => SlotState::Left,
            SlotState::Opened => {
                *state = SlotState::Ready;
                SlotState::Opened
            }
            reply => reply,
        }
    }

    /// Waits for a text of the stream until `end`, or until `closing` returns true. Otherwise returns [`SlotState::Ready`].
    pub(super) fn next(&self, end: Instant, closing: impl Fn() -> bool) -> SlotState {
        let mut state = self.state();
        if matches!(*state, SlotState::Writing) {
            *state = SlotState::Ready;
        }
        drop(state);
        let mut state = self.wait_while(end, closing, |state| matches!(state, SlotState::Ready));
        match &*state {
            SlotState::Item { .. } => std::mem::replace(&mut *state, SlotState::Writing),
            SlotState::Ready => SlotState::Ready,
            _ => SlotState::Dropped,
        }
    }

    /// The client has gone.
    pub(super) fn leave(&self) {
        *self.state() = SlotState::Left;
    }

    fn wait_while(
        &self,
        end: Instant,
        closing: impl Fn() -> bool,
        waits: impl Fn(&SlotState) -> bool,
    ) -> MutexGuard<'_, SlotState> {
        let mut state = self.state();
        while waits(&state) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || closing() {
                break;
            }
            let step = left.min(Duration::from_millis(100));
            state = self
                .changed
                .wait_timeout(state, step)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        state
    }
}

impl<Q> Queue<Q> {
    pub(super) fn new() -> Self {
        Self {
            waiting: Arc::default(),
            lists: Mutex::new(Lists::new(false)),
        }
    }

    #[inline]
    pub(super) fn waiting(&self) -> usize {
        // The lock orders the rest.
        self.waiting.load(Ordering::Relaxed)
    }

    /// Returns the number that is not zero while there is something to do.
    pub(super) fn bell(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.waiting)
    }

    /// Notes that the number of requests has changed.
    fn changed(&self, before: usize, lists: &Lists<Q>) {
        let change = lists.len().wrapping_sub(before);
        self.waiting.fetch_add(change, Ordering::Relaxed);
    }

    /// Adds a request, or returns false when too many wait.
    pub(super) fn add(&self, request: HttpRequest<Q>) -> bool {
        let mut gone = VecDeque::new();
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let (owner, before) = (request.may_write, lists.len());
        if !lists.takes(owner) {
            lists.remove_abandoned(&mut gone);
        }
        let added = lists.takes(owner) && !lists.closed;
        if added {
            let list = if owner {
                &mut lists.owner
            } else {
                &mut lists.others
            };
            list.push_back(request);
        } else {
            gone.push_back(request);
        }
        self.changed(before, &lists);
        // The program tries this lock: bodies are freed without it.
        drop(lists);
        drop(gone);
        added
    }

    pub(super) fn take(&self) -> Option<HttpRequest<Q>> {
        let mut lists = match self.lists.try_lock() {
            Ok(lists) => lists,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let before = lists.len();
        let request = lists.owner.pop_front().or_else(|| lists.others.pop_front());
        self.changed(before, &lists);
        request
    }

    /// Drops all requests. There are no new ones.
    pub(super) fn close(&self) {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let before = lists.len();
        let all = std::mem::replace(&mut *lists, Lists::new(true));
        self.changed(before, &lists);
        drop(lists);
        drop(all);
    }
}

impl<Q> Lists<Q> {
    fn new(closed: bool) -> Self {
        Self {
            owner: VecDeque::new(),
            others: VecDeque::new(),
            closed,
        }
    }

    fn len(&self) -> usize {
        self.owner.len() + self.others.len()
    }

    /// Returns whether there is room for one more.
    fn takes(&self, owner: bool) -> bool {
        if owner {
            self.len() < WAITING
        } else {
            self.others.len() < OTHERS
        }
    }

    /// Moves the requests whose clients have gone to `gone`.
    fn remove_abandoned(&mut self, gone: &mut VecDeque<HttpRequest<Q>>) {
        for list in [&mut self.owner, &mut self.others] {
            for request in std::mem::take(list) {
                let to = if request.reply.is_abandoned() {
                    &mut *gone
                } else {
                    &mut *list
                };
                to.push_back(request);
            }
        }
    }
}
