//! The measured code: workloads, and the forms that implement them.

use std::hint::black_box;

use crate::kind::{Kind, Spec};
use crate::peers::{self, Peer};

/// One form of a workload, with the data that it works on.
pub trait Subject {
    /// Performs the work once.
    fn run(&mut self);

    /// Returns a digest of the data after the work; equal for all subjects of a workload that ran equally often.
    fn checksum(&mut self) -> u64;
}

/// A subject made of a state and two functions.
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

/// A row of the report: the peer, the form, and its set-up.
pub struct Entry {
    /// The peer.
    pub peer: Peer,
    /// The name of the form, such as `for_each`.
    pub form: &'static str,
    /// `true` for the plain hand-written loop.
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

/// A workload with its entries.
pub struct Workload {
    /// The spec.
    pub spec: Spec,
    /// The forms of all peers.
    pub entries: Vec<Entry>,
    /// The peers that do not support it, with the reasons.
    pub absent: Vec<(Peer, &'static str)>,
}

impl Workload {
    /// Makes a workload without entries.
    #[must_use]
    pub const fn new(spec: Spec) -> Self {
        Self {
            spec,
            entries: Vec::new(),
            absent: Vec::new(),
        }
    }

    /// Makes a workload with the forms of all peers in this build.
    #[must_use]
    pub fn of_all_peers(spec: Spec) -> Self {
        let mut workload = Self::new(spec);
        peers::add_all(&mut workload);
        workload
    }

    /// Makes a workload with the forms of one peer.
    #[must_use]
    pub fn of(spec: Spec, peer: Peer) -> Self {
        let mut workload = Self::new(spec);
        peer.add(&mut workload);
        workload
    }

    /// Returns the kind of work.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.spec.kind
    }

    /// Returns the number of elements of one run.
    #[must_use]
    pub const fn elements(&self) -> u32 {
        self.spec.elements
    }

    /// Adds a form that works repeatedly on data from `setup`, which is not timed.
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

    /// Marks the form added last as the plain hand-written loop.
    pub fn mark_as_plain(&mut self) {
        if let Some(entry) = self.entries.last_mut() {
            entry.plain = true;
        }
    }

    /// Adds a form whose work is to make a new world from nothing and to drop it.
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

    /// Records the reason why a peer does not support the workload.
    pub fn lacks(&mut self, peer: Peer, why: &'static str) {
        self.absent.push((peer, why));
    }

    /// Returns the entry of a peer by its name and form.
    #[must_use]
    pub fn find(&self, peer: &str, form: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.peer.name() == peer && entry.form == form)
    }
}
