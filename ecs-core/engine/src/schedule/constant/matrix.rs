//! Conflicts and stages of a list, in constants.
//!
//! To compare each pair of two hundred systems tree by tree would take a compiler seconds. So each type that is touched
//! gets two sets of systems, those that read and those that write it, and a system conflicts with the union of sets of
//! its types. Only where that is not exact are pairs compared.

use super::list::{Link, Written};
use super::order::resolve;
use super::refuse::Parts;
use crate::meta::{Access, ParamAccess, QueryAccess, Side, SystemMeta, may_conflict};

/// An upper bound of the number of types that the list touches, times two.
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn table_size(
    systems: &[Written],
    asked: &[&[usize]],
    conditions: &[SystemMeta],
) -> usize {
    // Nothing fits in: only counts.
    let mut flat = Flat::<0>::new();
    let mut i = 0;
    while i < systems.len() {
        flat.add(i, &Parts::of(systems, asked, conditions, i));
        i += 1;
    }
    flat.len * 2 + 1
}

/// For each system a row of `WORDS` words with a bit per system that it may conflict with, whatever their order.
///
/// `SIZE` is the [`table_size`].
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn matrix<const N: usize, const WORDS: usize, const SIZE: usize>(
    systems: &[Written],
    asked: &[&[usize]],
    conditions: &[SystemMeta],
) -> [[u64; WORDS]; N] {
    let mut flat = Flat::<SIZE>::new();
    // What the sets of types know nothing of; and what they know too little of.
    let (mut is_more, mut has_filter, mut defers) = ([false; N], [false; N], [false; N]);
    let mut i = 0;
    while i < N {
        (flat.is_more, flat.has_filter, flat.defers) = (false, false, false);
        flat.add(i, &Parts::of(systems, asked, conditions, i));
        (is_more[i], has_filter[i], defers[i]) = (flat.is_more, flat.has_filter, flat.defers);
        i += 1;
    }
    let mut rows = flat.rows::<N, WORDS>();
    let mut one = 0;
    while one < N {
        let mut two = one + 1;
        while two < N {
            let compare = is_more[one]
                || is_more[two]
                || (has_filter[one] || has_filter[two]) && has(&rows[one], two);
            if defers[one] && defers[two] {
                set(&mut rows[one], two, true);
                set(&mut rows[two], one, true);
            } else if compare {
                let parts = [
                    Parts::of(systems, asked, conditions, one),
                    Parts::of(systems, asked, conditions, two),
                ];
                let conflict = parts_conflict(&parts[0], &parts[1]);
                set(&mut rows[one], two, conflict);
                set(&mut rows[two], one, conflict);
            }
            two += 1;
        }
        set(&mut rows[one], one, false);
        one += 1;
    }
    rows
}

#[inline]
const fn parts_conflict(one: &Parts<'_>, two: &Parts<'_>) -> bool {
    let mut i = 0;
    while i < one.len() {
        let mut j = 0;
        while j < two.len() {
            if may_conflict(one.get(i), two.get(j)) {
                return true;
            }
            j += 1;
        }
        i += 1;
    }
    false
}

#[inline]
pub(super) const fn has(row: &[u64], system: usize) -> bool {
    row[system / 64] >> (system % 64) & 1 == 1
}

#[inline]
const fn set(row: &mut [u64], system: usize, value: bool) {
    let bit = 1 << (system % 64);
    if value {
        row[system / 64] |= bit;
    } else {
        row[system / 64] &= !bit;
    }
}

/// All accesses of all systems.
struct Flat<const SIZE: usize> {
    /// The system and what it touches.
    list: [Option<(usize, Access)>; SIZE],
    /// How many there are, whether or not they fit in.
    len: usize,
    /// Whether something was added that touches more than data of named types.
    is_more: bool,
    /// Whether something was added that leaves entities out.
    has_filter: bool,
    /// Whether something was added that gives out ids.
    defers: bool,
}

impl<const SIZE: usize> Flat<SIZE> {
    #[inline]
    const fn new() -> Self {
        Self {
            list: [None; SIZE],
            len: 0,
            is_more: false,
            has_filter: false,
            defers: false,
        }
    }

    #[inline]
    const fn add(&mut self, system: usize, parts: &Parts<'_>) {
        let mut i = 0;
        while i < parts.len() {
            let params = parts.get(i).params;
            let mut j = 0;
            while j < params.len() {
                self.add_tree(system, params[j].of.access);
                j += 1;
            }
            i += 1;
        }
    }

    #[inline]
    const fn add_tree(&mut self, system: usize, tree: &ParamAccess) {
        match tree {
            ParamAccess::Nothing | ParamAccess::Shape => {}
            ParamAccess::Deferred => self.defers = true,
            ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
                let mut i = 0;
                while i < parts.len() {
                    self.add_tree(system, parts[i]);
                    i += 1;
                }
            }
            ParamAccess::Leaf(_) | ParamAccess::NonSend(_) | ParamAccess::Query { .. } => {
                self.add_side(system, Side::of(tree));
                self.add_side(system, Side::filter_of(tree));
            }
            _ => self.is_more = true,
        }
    }

    #[inline]
    const fn add_side(&mut self, system: usize, side: Side<'_>) {
        if let Some(parts) = side.parts() {
            let mut i = 0;
            while i < parts.len() {
                self.add_side(system, Side::QueryAccess(parts[i]));
                i += 1;
            }
        } else if let Some(access) = side.access() {
            if self.len < SIZE {
                self.list[self.len] = Some((system, access));
            }
            self.len += 1;
        } else if let Side::QueryAccess(QueryAccess::Without(_)) = side {
            self.has_filter = true;
        }
    }

    /// For each system those that touch the same types, one of the two writing.
    #[inline]
    const fn rows<const N: usize, const WORDS: usize>(&self) -> [[u64; WORDS]; N] {
        let mut table = [None; SIZE];
        let mut i = 0;
        while i < self.len {
            if let Some((system, access)) = &self.list[i] {
                let place = place(&table, access);
                let mut touched = match table[place] {
                    Some(touched) => touched,
                    None => Touched::<WORDS>::new(*access),
                };
                let sets = &mut touched.systems[access.kind.writes() as usize];
                set(sets, *system, true);
                table[place] = Some(touched);
            }
            i += 1;
        }
        let mut rows = [[0; WORDS]; N];
        i = 0;
        while i < self.len {
            if let Some((system, access)) = &self.list[i]
                && let Some(touched) = &table[place(&table, access)]
            {
                let mut word = 0;
                while word < WORDS {
                    rows[*system][word] |= touched.systems[1][word];
                    if access.kind.writes() {
                        rows[*system][word] |= touched.systems[0][word];
                    }
                    word += 1;
                }
            }
            i += 1;
        }
        rows
    }
}

/// A type that is touched, or several that only the run time tells apart.
#[derive(Clone, Copy)]
struct Touched<const WORDS: usize> {
    access: Access,
    /// Those that read it, and those that write it.
    systems: [[u64; WORDS]; 2],
}

impl<const WORDS: usize> Touched<WORDS> {
    #[inline]
    const fn new(access: Access) -> Self {
        Self {
            access,
            systems: [[0; WORDS]; 2],
        }
    }
}

/// Where the type is or is to be put: the next free place after that of its hash. The table is never full.
#[inline]
const fn place<const WORDS: usize>(table: &[Option<Touched<WORDS>>], access: &Access) -> usize {
    let mut place = (access.ident.hash() % table.len() as u128) as usize;
    while let Some(other) = &table[place] {
        let other = &other.access;
        let differ = matches!(other.ident.const_eq(&access.ident), Some(false));
        if !differ && other.domain as u8 == access.domain as u8 {
            break;
        }
        place = (place + 1) % table.len();
    }
    place
}

/// For each system how many rounds must be over before it can run, if the systems of a round run at the same time.
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn stages<const N: usize, const LINKS: usize>(
    systems: &[Written],
    asked: &[&[usize]],
    conditions: &[SystemMeta],
    links: &[Link],
    order: &[usize],
    conflicts: &[u64],
) -> [usize; N] {
    let edges = resolve::<LINKS>(systems, links);
    // Whoever comes to see the world waits for changes that were put off.
    let (mut defers, mut sees) = ([false; N], [false; N]);
    let mut n = 0;
    while n < N {
        let parts = Parts::of(systems, asked, conditions, n);
        let mut part = 0;
        while part < parts.len() {
            defers[n] |= parts.get(part).defers();
            sees[n] |= parts.get(part).touches_world();
            part += 1;
        }
        n += 1;
    }
    let words = conflicts.len() / if N == 0 { 1 } else { N };
    let mut stages = [0; N];
    let mut i = 0;
    while i < N {
        let second = order[i];
        let row = conflicts.split_at(second * words).1;
        let mut stage = 0;
        let mut j = 0;
        while j < i {
            let first = order[j];
            let waits = has(row, first) || (defers[first] && sees[second]);
            if waits && stages[first] >= stage {
                stage = stages[first] + 1;
            }
            j += 1;
        }
        j = 0;
        while j < LINKS {
            if let Some((first, two)) = edges[j]
                && two == second
                && stages[first] >= stage
            {
                stage = stages[first] + 1;
            }
            j += 1;
        }
        stages[second] = stage;
        i += 1;
    }
    stages
}
