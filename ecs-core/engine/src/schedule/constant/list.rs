//! The constants that `schedule!` generates from a list.

use alloc::vec::Vec;

use crate::meta::{Message, SystemMeta};
use crate::schedule::Schedule;
use crate::schedule::declare::{Label, OrderKind, SetLabel};
use crate::system::{
    ConditionOutput, ConditionSource, IntoSystem, Named, System, SystemId, SystemOutput,
    SystemSource, VisitSystem, arguments, condition_source, source,
};

/// A list of systems; implemented by `schedule!`.
///
/// Systems are numbered in list order.
#[doc(hidden)]
pub trait SystemList: Sized + 'static {
    /// In list order.
    const SYSTEMS: &'static [ListedFunction];
    /// The functions that conditions call.
    const CONDITIONS: &'static [WrittenCondition];
    /// For each system, in list order: the indices of its conditions in [`CONDITIONS`](Self::CONDITIONS).
    const ASKED: &'static [&'static [usize]];
    /// Constraints.
    const LINKS: &'static [ConstLink];
    /// The systems in running order.
    const ORDER: &'static [usize];
    /// One row per system: a bit for each system that it conflicts with, packed into words.
    const CONFLICTS: &'static [u64];
    /// The stage of each system.
    const STAGES: &'static [usize];

    /// Adds all systems to a schedule, which it returns.
    fn add_to(schedule: &mut Schedule) -> &mut Schedule;
}

/// A system function as written in the list.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct ListedFunction {
    pub(super) meta: SystemMeta,
    /// The source text, without spaces.
    text: &'static str,
    id: fn() -> SystemId,
    source: fn() -> SystemSource,
}

impl ListedFunction {
    /// Creates the entry of a function that was written as `text`.
    ///
    /// All code that needs the system goes through this, so a function that is not a system causes one error, however often it
    /// is named.
    #[must_use]
    #[inline]
    pub const fn new<F, M>(_: &F, text: &'static str) -> Self
    where
        F: IntoSystem<Named<M>>,
        F::Out: SystemOutput + 'static,
        F::System: VisitSystem<F::Out>,
    {
        Self {
            meta: <F::System as System>::META,
            text,
            id: SystemId::of::<F::System>,
            source: source::<F::System, F::Out>,
        }
    }

    /// Returns the system.
    #[inline]
    pub fn source(self) -> SystemSource {
        (self.source)()
    }

    /// Writes the name for messages: the path, with the generic arguments as written.
    #[inline]
    pub(super) const fn write_name(&self, into: &mut Message) {
        let (name, arguments) = self.name_in_messages();
        into.push(name);
        into.push(arguments);
    }

    /// Returns the path, with the generic arguments as written.
    #[inline]
    pub(super) const fn name_in_messages(&self) -> (&'static str, &'static str) {
        (self.meta.name, arguments(self.text))
    }

    /// Returns true if both are the same system.
    ///
    /// A constant cannot compare types. So equal texts in one list are the same system. Different texts are the same system
    /// if the paths of the functions are equal and neither is generic: generic functions may differ in their arguments.
    #[inline]
    pub(super) const fn is(&self, other: &Self) -> bool {
        self.is_named(other.meta.name, other.text)
    }

    /// Like [`is`](Self::is), for a function with the path `name` that was written as `text`.
    #[inline]
    const fn is_named(&self, name: &str, text: &str) -> bool {
        let generic = has_arguments(self.text) || has_arguments(text);
        text_eq(self.text, text) || !generic && text_eq(self.meta.name, name)
    }
}

/// A condition function as written in the list.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct WrittenCondition {
    pub(super) meta: SystemMeta,
    source: fn() -> ConditionSource,
}

impl WrittenCondition {
    /// Creates the entry of a function.
    #[must_use]
    #[inline]
    pub const fn new<F, M>(_: &F) -> Self
    where
        F: IntoSystem<Named<M>>,
        F::Out: ConditionOutput + 'static,
        F::System: VisitSystem<F::Out>,
    {
        Self {
            meta: <F::System as System>::META,
            source: condition_source::<F::System, F::Out>,
        }
    }

    /// Returns the condition.
    #[inline]
    pub fn source(self) -> ConditionSource {
        (self.source)()
    }
}

/// A constraint, or a waiver, between two systems.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum ConstLink {
    /// The first one runs before the second one; both are positions in the list.
    Chained(usize, usize),
    /// A system at a position in the list runs before or after another one, which is given by its function.
    Placed(usize, OrderKind, ListedFunction),
    /// The order of two systems was waived.
    Waived(ListedFunction, ListedFunction),
}

/// The position of a system in a list.
pub(super) enum ListPosition {
    At(usize),
    Nowhere,
    Twice,
}

#[inline]
pub(super) const fn find(systems: &[ListedFunction], wanted: &ListedFunction) -> ListPosition {
    find_named(systems, wanted.meta.name, wanted.text)
}

/// Like [`find`], for a function with the path `name` that was written as `text`.
#[inline]
pub(super) const fn find_named(systems: &[ListedFunction], name: &str, text: &str) -> ListPosition {
    let mut found = ListPosition::Nowhere;
    let mut i = 0;
    while i < systems.len() {
        if systems[i].is_named(name, text) {
            found = match found {
                ListPosition::Nowhere => ListPosition::At(i),
                _ => return ListPosition::Twice,
            };
        }
        i += 1;
    }
    found
}

impl ConstLink {
    /// Returns the positions of two systems: the one that runs first, then the later one. `None` if there is no such pair,
    /// or no constraint.
    #[inline]
    pub(super) const fn edge(&self, systems: &[ListedFunction]) -> Option<(usize, usize)> {
        match self {
            Self::Chained(first, second) => Some((*first, *second)),
            Self::Placed(system, relation, other) => match (find(systems, other), relation) {
                (ListPosition::At(other), OrderKind::After) => Some((other, *system)),
                (ListPosition::At(other), OrderKind::Before) => Some((*system, other)),
                _ => None,
            },
            Self::Waived(..) => None,
        }
    }
}

/// Checks by type id that each system which a constant found by its path is the intended one.
///
/// # Panics
/// If a path names an instance of a generic function through an alias that hides the arguments, and the list has another
/// instance of the function.
#[inline]
pub(super) fn verify(systems: &[ListedFunction], links: &[ConstLink]) {
    let sure = |wanted: &ListedFunction| {
        if let ListPosition::At(place) = find(systems, wanted) {
            assert!(
                (systems[place].id)() == (wanted.id)(),
                "`{}` in a `schedule!` has the path of `{}`, which is listed, but is another system; help: write out the type arguments of both",
                wanted.text,
                systems[place].text,
            );
        }
    };
    for link in links {
        match link {
            ConstLink::Chained(..) => {}
            ConstLink::Placed(_, _, other) => sure(other),
            ConstLink::Waived(one, two) => {
                sure(one);
                sure(two);
            }
        }
    }
}

/// The sets of a list. The macro distinguishes them by their spelling.
#[doc(hidden)]
#[derive(Default)]
pub struct DistinctSets {
    sets: Vec<(Label, &'static str)>,
}

impl DistinctSets {
    /// Adds a set that was written as `text`.
    ///
    /// # Panics
    /// If it was added before with another spelling.
    #[must_use]
    pub fn and(mut self, set: impl SetLabel, text: &'static str) -> Self {
        let label = Label::new(set);
        for (other, written) in &self.sets {
            assert!(
                *other != label,
                "`{text}` in a `schedule!` is the set that is also written `{written}`; help: write it in one way",
            );
        }
        self.sets.push((label, text));
        self
    }

    /// Ends the list.
    #[inline]
    pub fn end(self) {}
}

#[inline]
pub(super) const fn text_eq(one: &str, two: &str) -> bool {
    let (one, two) = (one.as_bytes(), two.as_bytes());
    if one.len() != two.len() {
        return false;
    }
    // Backwards: paths differ at their ends.
    let mut i = one.len();
    while i > 0 {
        i -= 1;
        if one[i] != two[i] {
            return false;
        }
    }
    true
}

#[inline]
const fn has_arguments(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == b'<' {
            return true;
        }
        i += 1;
    }
    false
}
