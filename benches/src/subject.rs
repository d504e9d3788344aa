//! What is measured: workloads, and the ways in which they are done.

use std::fmt;
use std::hint::black_box;

/// Who does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Peer {
    /// Hand-written code on plain `Vec`s; the other rows are given as multiples of its best form.
    Limit,
    /// `ecs-core`.
    Ours,
    /// hecs.
    Hecs,
    /// bevy_ecs.
    Bevy,
}

impl Peer {
    /// The short name that the report prints.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::Ours => "ours",
            Self::Hecs => "hecs",
            Self::Bevy => "bevy",
        }
    }

    /// Whether this is another ECS library.
    #[must_use]
    pub const fn is_rival(self) -> bool {
        matches!(self, Self::Hecs | Self::Bevy)
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One way of doing a workload, with the data that it works on.
pub trait Subject {
    /// Does the work once.
    fn run(&mut self);

    /// A digest of the data after the work; equal for all subjects of a workload that ran equally often.
    fn checksum(&mut self) -> u64;
}

/// A subject put together from a state and two functions.
struct Parts<S, R, C> {
    state: S,
    run: R,
    checksum: C,
}

impl<S, R: Fn(&mut S), C: Fn(&mut S) -> u64> Subject for Parts<S, R, C> {
    fn run(&mut self) {
        (self.run)(&mut self.state);
    }

    fn checksum(&mut self) -> u64 {
        (self.checksum)(&mut self.state)
    }
}

/// A row of the report: who, how, and how to set it up.
pub struct Entry {
    /// Who does the work.
    pub peer: Peer,
    /// Which of its ways this is, such as `for_each`.
    pub form: &'static str,
    build: Box<dyn Fn() -> Box<dyn Subject>>,
}

impl Entry {
    /// Sets up the data; costs memory until the subject is dropped.
    #[must_use]
    pub fn build(&self) -> Box<dyn Subject> {
        (self.build)()
    }
}

/// A piece of work that everybody does in their own ways.
pub struct Workload {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// One line on what is done.
    pub about: &'static str,
    /// By how many elements one run is divided.
    pub elements: u32,
    /// Who does it, and how.
    pub entries: Vec<Entry>,
}

impl Workload {
    /// A workload that nobody does yet.
    #[must_use]
    pub const fn new(name: &'static str, elements: u32, about: &'static str) -> Self {
        Self {
            name,
            about,
            elements,
            entries: Vec::new(),
        }
    }

    /// Adds a way that works again and again on data from `setup`, which is not timed.
    pub fn add<S: 'static>(
        &mut self,
        peer: Peer,
        form: &'static str,
        setup: impl Fn() -> S + 'static,
        run: impl Fn(&mut S) + Copy + 'static,
        checksum: impl Fn(&mut S) -> u64 + Copy + 'static,
    ) {
        let build = Box::new(move || -> Box<dyn Subject> {
            let state = setup();
            Box::new(Parts {
                state,
                run,
                checksum,
            })
        });
        self.entries.push(Entry { peer, form, build });
    }

    /// Adds a way whose work is to make a new world from nothing and to drop it.
    pub fn add_fresh<W: 'static>(
        &mut self,
        peer: Peer,
        form: &'static str,
        make: impl Fn() -> W + Copy + 'static,
        checksum: impl Fn(&mut W) -> u64 + Copy + 'static,
    ) {
        self.add(
            peer,
            form,
            || (),
            move |()| drop(black_box(make())),
            move |()| checksum(&mut make()),
        );
    }

    /// The entry of the peer of that name in that form.
    #[must_use]
    pub fn find(&self, peer: &str, form: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.peer.name() == peer && entry.form == form)
    }
}
