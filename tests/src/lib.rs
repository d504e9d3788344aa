//! Shared parts of the tests: components of every kind, and a ledger of drops.

pub mod compilers;
pub mod counting;
pub mod folder;
pub mod owned;
pub mod packages;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ecs_core::prelude::*;

contract! {
    only owned writes owned::Kept;
    packages writes nothing of owned;
}

/// The number of worlds that a random test builds: a tenth of `usual`, or few in Miri.
///
/// Before a change lands, `ECS_WORLDS=half` has half of them, and `all` has them all. `ECS_WORLDS=2000` sets the number, for a long
/// run. Tests that leave the number to proptest read `PROPTEST_CASES`.
pub fn worlds(usual: u32) -> u32 {
    match std::env::var("ECS_WORLDS") {
        Ok(worlds) => match worlds.as_str() {
            "all" => usual,
            "half" => usual.div_ceil(2),
            number => number.parse().expect("a number of worlds"),
        },
        Err(_) if cfg!(miri) => usual.min(3),
        Err(_) => usual.div_ceil(10),
    }
}

/// Plain data in a table.
#[derive(Component, Clone, Debug, PartialEq)]
pub struct Plain(pub u32);

/// Heap data in a table.
#[derive(Component, Clone, Debug, PartialEq)]
pub struct Text(pub String);

/// No data.
#[derive(Component, Clone, Debug, PartialEq)]
pub struct Mark;

/// Large and over-aligned data in a table.
#[derive(Component, Clone, Debug, PartialEq)]
#[repr(align(256))]
pub struct Wide(pub [u8; 700]);

/// Plain data in a sparse set.
#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
pub struct Loose(pub u64);

/// A token in a table.
#[derive(Component, Debug)]
pub struct Kept(pub Token);

/// A token in a sparse set.
#[derive(Component, Debug)]
#[component(storage = "sparse")]
pub struct Held(pub Token);

/// Records which tokens are alive, and aborts if one is dropped twice.
#[derive(Clone, Default)]
pub struct Ledger(Arc<Mutex<Book>>);

#[derive(Default)]
struct Book {
    next: u32,
    /// Living tokens, and whether their drop panics.
    alive: BTreeMap<u32, bool>,
}

/// A value that records its drop in the ledger, and panics on demand.
pub struct Token {
    id: u32,
    ledger: Ledger,
}

impl Ledger {
    /// Makes a new token.
    #[must_use]
    pub fn token(&self) -> Token {
        let mut book = self.0.lock().unwrap();
        let id = book.next;
        book.next += 1;
        book.alive.insert(id, false);
        Token {
            id,
            ledger: self.clone(),
        }
    }

    /// Makes the drop of a living token panic.
    pub fn arm(&self, token: u32) {
        *self
            .0
            .lock()
            .unwrap()
            .alive
            .get_mut(&token)
            .expect("a living token") = true;
    }

    /// Returns the living tokens in the order of their creation.
    #[must_use]
    pub fn alive(&self) -> Vec<u32> {
        self.0.lock().unwrap().alive.keys().copied().collect()
    }

    /// Returns true if the drop of any living token panics.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        self.0.lock().unwrap().alive.values().any(|&armed| armed)
    }
}

/// The panic message of an armed token.
pub const ARMED: &str = "an armed token was dropped";

impl Token {
    /// Returns the number of the token.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Token({})", self.id)
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        let armed = self.ledger.0.lock().unwrap().alive.remove(&self.id);
        // Aborts instead of panicking: a double drop must fail the test even where panics are caught.
        let Some(armed) = armed else {
            eprintln!("token {} was dropped twice", self.id);
            std::process::abort();
        };
        if armed {
            std::panic::panic_any(ARMED);
        }
    }
}

/// Calls `f` on its own thread, and panics if that takes longer than a minute. For tests that could deadlock.
pub fn watched<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let result = f();
        // The receiver is gone if it has panicked.
        _ = sender.send(());
        result
    });
    if let Err(std::sync::mpsc::RecvTimeoutError::Timeout) =
        receiver.recv_timeout(std::time::Duration::from_secs(60))
    {
        panic!("still not done after a minute");
    }
    match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
