//! The log of a program, and its source of random and consecutive numbers.

use std::cell::{Cell, RefCell};
use std::fmt::Arguments;
use std::sync::Mutex;

thread_local! {
    static LOG: RefCell<Log> = const { RefCell::new(Log::None) };
    static NUMBER: Cell<u64> = const { Cell::new(0) };
}

/// The destination of the lines that a thread writes.
enum Log {
    /// Lines are [strays](STRAYS).
    None,
    /// Lines are discarded.
    Silent,
    Lines(Vec<String>),
}

/// Lines in no fixed order: from pool threads, and from values that systems drop.
static STRAYS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Writes a line to the log of this thread.
pub(crate) fn write_line(line: Arguments<'_>, is_stray: bool) {
    let line = line.to_string();
    LOG.with_borrow_mut(|log| match log {
        Log::Silent => {}
        Log::Lines(lines) if !is_stray => lines.push(line),
        _ => STRAYS.lock().unwrap().push(line),
    });
}

macro_rules! log {
    ($($text:tt)+) => { $crate::log::write_line(format_args!($($text)+), false) };
}

pub(crate) use log;

/// Writes the strays to the log, sorted.
pub(crate) fn collect_strays() {
    let mut strays = std::mem::take(&mut *STRAYS.lock().unwrap());
    strays.sort_unstable();
    for line in strays {
        log!("beside: {line}");
    }
}

/// Runs a program and returns its log.
pub(crate) fn logged(program: impl FnOnce()) -> Vec<String> {
    LOG.set(Log::Lines(Vec::new()));
    NUMBER.set(0);
    program();
    collect_strays();
    match LOG.replace(Log::Silent) {
        Log::Lines(lines) => lines,
        _ => unreachable!("set above"),
    }
}

/// Runs a function without logging. For threads that run alongside the program.
pub(crate) fn silently(f: impl FnOnce()) {
    LOG.set(Log::Silent);
    f();
}

/// Returns a consecutive number for the next value.
pub(crate) fn number() -> u64 {
    NUMBER.replace(NUMBER.get() + 1)
}

/// A value that logs when it is dropped.
pub(crate) struct Noted {
    what: &'static str,
    number: u64,
}

impl Noted {
    pub(crate) fn new(what: &'static str, number: u64) -> Self {
        Self { what, number }
    }

    /// A method, so that closures that use it capture the whole value.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        let dropped_by_systems = matches!(self.what, "Shout" | "Flash");
        write_line(
            format_args!("drop {} {}", self.what, self.number),
            dropped_by_systems,
        );
    }
}

/// A pseudorandom number generator.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Algorithm: "SplitMix64" (Steele, Lea, Flood 2014).
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) % sides as u64) as usize
    }
}
