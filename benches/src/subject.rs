//! What is measured: workloads, and the ways in which they are done.

use std::hint::black_box;

use crate::kind::{Kind, Spec};
use crate::peers::{self, Peer};

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
    /// Whether this is the loop that everybody writes first; only hand-written code says so.
    pub plain: bool,
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
    /// What it is.
    pub spec: Spec,
    /// Who does it, and how.
    pub entries: Vec<Entry>,
    /// Who cannot do it, and why not.
    pub absent: Vec<(Peer, &'static str)>,
}

impl Workload {
    /// A workload that nobody does yet.
    #[must_use]
    pub const fn new(spec: Spec) -> Self {
        Self {
            spec,
            entries: Vec::new(),
            absent: Vec::new(),
        }
    }

    /// The workload with the ways of all peers that this program was built with.
    #[must_use]
    pub fn of_all_peers(spec: Spec) -> Self {
        let mut workload = Self::new(spec);
        peers::add_all(&mut workload);
        workload
    }

    /// The workload with the ways of one peer.
    #[must_use]
    pub fn of(spec: Spec, peer: Peer) -> Self {
        let mut workload = Self::new(spec);
        peer.add(&mut workload);
        workload
    }

    /// What is done.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.spec.kind
    }

    /// By how many elements one run is divided.
    #[must_use]
    pub const fn elements(&self) -> u32 {
        self.spec.elements
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
        self.entries.push(Entry {
            peer,
            form,
            plain: false,
            build,
        });
    }

    /// Says that the way added last is the loop that everybody writes first.
    pub fn that_was_plain(&mut self) {
        if let Some(entry) = self.entries.last_mut() {
            entry.plain = true;
        }
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

    /// Says why a peer cannot do this.
    pub fn lacks(&mut self, peer: Peer, why: &'static str) {
        self.absent.push((peer, why));
    }

    /// The entry of the peer of that name in that form.
    #[must_use]
    pub fn find(&self, peer: &str, form: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.peer.name() == peer && entry.form == form)
    }
}
