//! The requests that wait for the program, and the places where their connections wait for the answers.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// The most requests that wait.
const WAITING: usize = 64;
/// The most of them without token.
const OTHERS: usize = WAITING - 8;

/// The waiting requests, in order.
#[derive(Debug)]
pub(super) struct Queue {
    waiting: AtomicUsize,
    lists: Mutex<Lists>,
}

#[derive(Debug, Default)]
struct Lists {
    owner: VecDeque<HttpRequest>,
    others: VecDeque<HttpRequest>,
    closed: bool,
}

/// A request for the program. Dropped without [`reply`](Self::reply), it is answered with an error.
#[derive(Debug)]
pub(crate) struct HttpRequest {
    /// The JSON text, unchecked.
    pub(crate) body: Vec<u8>,
    /// It brought the token.
    pub(crate) may_write: bool,
    /// It came as `POST /`, from a client of the Bevy Remote Protocol.
    pub(crate) is_brp: bool,
    slot: Arc<Slot>,
}

impl HttpRequest {
    pub(super) fn new(body: Vec<u8>, may_write: bool, is_brp: bool) -> (Self, Arc<Slot>) {
        let slot = Arc::new(Slot {
            state: Mutex::new(SlotState::Waiting),
            changed: Condvar::new(),
        });
        (
            Self {
                body,
                may_write,
                is_brp,
                slot: Arc::clone(&slot),
            },
            slot,
        )
    }

    /// Answers. The answer is written by another thread.
    pub(crate) fn reply(self, answer: String) {
        self.slot.put(SlotState::Answer(answer));
    }

    /// Returns whether the client has gone, so that an answer is of no use.
    pub(crate) fn is_abandoned(&self) -> bool {
        matches!(*self.slot.state(), SlotState::Left)
    }
}

impl Drop for HttpRequest {
    fn drop(&mut self) {
        self.slot.put(SlotState::Dropped);
    }
}

/// Where a connection waits for its answer.
#[derive(Debug)]
pub(super) struct Slot {
    state: Mutex<SlotState>,
    changed: Condvar,
}

#[derive(Debug)]
pub(super) enum SlotState {
    Waiting,
    Answer(String),
    /// The program gave no answer.
    Dropped,
    /// The connection no longer waits.
    Left,
}

impl Slot {
    fn state(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

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
        let mut state = self.state();
        while matches!(*state, SlotState::Waiting) {
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
        match std::mem::replace(&mut *state, SlotState::Left) {
            SlotState::Waiting => SlotState::Left,
            reply => reply,
        }
    }
}

impl Queue {
    pub(super) fn new() -> Self {
        Self {
            waiting: AtomicUsize::new(0),
            lists: Mutex::default(),
        }
    }

    #[inline]
    pub(super) fn waiting(&self) -> usize {
        // The lock orders the rest.
        self.waiting.load(Ordering::Relaxed)
    }

    /// Adds a request, or returns false when too many wait.
    pub(super) fn add(&self, request: HttpRequest) -> bool {
        let mut gone = VecDeque::new();
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let owner = request.may_write;
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
        self.waiting.store(lists.len(), Ordering::Relaxed);
        // The program tries this lock: bodies are freed without it.
        drop(lists);
        drop(gone);
        added
    }

    pub(super) fn take(&self) -> Option<HttpRequest> {
        let mut lists = match self.lists.try_lock() {
            Ok(lists) => lists,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let request = lists.owner.pop_front().or_else(|| lists.others.pop_front());
        self.waiting.store(lists.len(), Ordering::Relaxed);
        request
    }

    /// Drops all requests. There are no new ones.
    pub(super) fn close(&self) {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let all = std::mem::replace(
            &mut *lists,
            Lists {
                closed: true,
                ..Lists::default()
            },
        );
        self.waiting.store(0, Ordering::Relaxed);
        drop(lists);
        drop(all);
    }
}

impl Lists {
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
    fn remove_abandoned(&mut self, gone: &mut VecDeque<HttpRequest>) {
        for list in [&mut self.owner, &mut self.others] {
            for request in std::mem::take(list) {
                let to = if request.is_abandoned() {
                    &mut *gone
                } else {
                    &mut *list
                };
                to.push_back(request);
            }
        }
    }
}
