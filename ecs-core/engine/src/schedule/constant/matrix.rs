//! Conflicts and stages of a list, in constants.
//!
//! Comparing each pair of two hundred systems by their access would take a compiler seconds. Instead, each accessed type has
//! two sets of systems, its readers and its writers, and a system conflicts with the union of the sets of its types. Pairs
//! are compared only where this is not exact.

use super::list::{ConstLink, ListedFunction, WrittenCondition};
use super::order::resolve;
use super::refuse::SystemAndConditions;
use crate::meta::{Access, ParamAccess, QueryAccess, Side, may_conflict};

/// Returns an upper bound of the number of types that the list accesses, times two.
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn table_size(
    systems: &[ListedFunction],
    condition_indices: &[&[usize]],
    conditions: &[WrittenCondition],
) -> usize {
    // Without capacity: only counts.
    let mut accesses = Accesses::<0>::new();
    let mut i = 0;
    while i < systems.len() {
        accesses.add(
            i,
            &SystemAndConditions::of(systems, condition_indices, conditions, i),
        );
        i += 1;
    }
    accesses.len * 2 + 1
}

/// Returns one row of `WORDS` words per system, with a bit for each system that it may conflict with in any order.
///
/// `SIZE` is the [`table_size`].
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn matrix<const N: usize, const WORDS: usize, const SIZE: usize>(
    systems: &[ListedFunction],
    condition_indices: &[&[usize]],
    conditions: &[WrittenCondition],
) -> [[u64; WORDS]; N] {
    let mut accesses = Accesses::<SIZE>::new();
    // By system: access that the sets of types do not contain, filters that the sets ignore, and deferred changes.
    let (mut has_unnamed, mut has_filter, mut defers) = ([false; N], [false; N], [false; N]);
    let mut i = 0;
    while i < N {
        (accesses.has_unnamed, accesses.has_filter, accesses.defers) = (false, false, false);
        accesses.add(
            i,
            &SystemAndConditions::of(systems, condition_indices, conditions, i),
        );
        (has_unnamed[i], has_filter[i], defers[i]) =
            (accesses.has_unnamed, accesses.has_filter, accesses.defers);
        i += 1;
    }
    let mut rows = accesses.rows::<N, WORDS>();
    let mut one = 0;
    while one < N {
        let mut two = one + 1;
        while two < N {
            let compare = has_unnamed[one]
                || has_unnamed[two]
                || (has_filter[one] || has_filter[two]) && has(&rows[one], two);
            if defers[one] && defers[two] {
                set(&mut rows[one], two, true);
                set(&mut rows[two], one, true);
            } else if compare {
                let parts = [
                    SystemAndConditions::of(systems, condition_indices, conditions, one),
                    SystemAndConditions::of(systems, condition_indices, conditions, two),
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
const fn parts_conflict(one: &SystemAndConditions<'_>, two: &SystemAndConditions<'_>) -> bool {
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

/// The data that all systems access.
struct Accesses<const SIZE: usize> {
    /// The accesses, each with its system.
    list: [Option<(usize, Access)>; SIZE],
    /// The number of accesses, including those beyond the capacity.
    len: usize,
    /// True if an added system accesses data beyond its named types.
    has_unnamed: bool,
    /// True if an added system has a filter that excludes entities.
    has_filter: bool,
    /// True if an added system allocates entities.
    defers: bool,
}

impl<const SIZE: usize> Accesses<SIZE> {
    #[inline]
    const fn new() -> Self {
        Self {
            list: [None; SIZE],
            len: 0,
            has_unnamed: false,
            has_filter: false,
            defers: false,
        }
    }

    #[inline]
    const fn add(&mut self, system: usize, parts: &SystemAndConditions<'_>) {
        let mut i = 0;
        while i < parts.len() {
            let params = parts.get(i).params;
            let mut j = 0;
            while j < params.len() {
                self.add_param(system, params[j].of.access);
                j += 1;
            }
            i += 1;
        }
    }

    #[inline]
    const fn add_param(&mut self, system: usize, access: &ParamAccess) {
        match access {
            ParamAccess::Nothing
            | ParamAccess::Shape
            | ParamAccess::Commands(_)
            | ParamAccess::Sends(_) => {}
            ParamAccess::Deferred => self.defers = true,
            ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
                let mut i = 0;
                while i < parts.len() {
                    self.add_param(system, parts[i]);
                    i += 1;
                }
            }
            ParamAccess::Leaf(_) | ParamAccess::NonSend(_) | ParamAccess::Query { .. } => {
                self.add_side(system, Side::of(access));
                self.add_side(system, Side::filter_of(access));
            }
            _ => self.has_unnamed = true,
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

    /// Returns for each system the others that access a type in common, if one of the two writes it.
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

/// An accessed type, or several types that only run time can distinguish.
#[derive(Clone, Copy)]
struct Touched<const WORDS: usize> {
    access: Access,
    /// The systems that read it, and the systems that write it.
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

/// Returns the slot of a type, or the free slot where it goes, by linear probing. The table is never full.
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

/// Returns the stage of each system. If all systems of a round ran at the same time, the stage is the number of rounds
/// before the system's own.
#[doc(hidden)]
#[must_use]
#[inline]
pub const fn stages<const N: usize>(
    systems: &[ListedFunction],
    condition_indices: &[&[usize]],
    conditions: &[WrittenCondition],
    links: &[ConstLink],
    order: &[usize],
    conflicts: &[u64],
) -> [usize; N] {
    let edges = resolve::<N>(systems, links);
    // A system that accesses the world waits for deferred changes of earlier ones.
    let (mut defers, mut sees) = ([false; N], [false; N]);
    let mut n = 0;
    while n < N {
        let parts = SystemAndConditions::of(systems, condition_indices, conditions, n);
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
            let waits = edges[first][second] || has(row, first) || (defers[first] && sees[second]);
            if waits && stages[first] >= stage {
                stage = stages[first] + 1;
            }
            j += 1;
        }
        stages[second] = stage;
        i += 1;
    }
    stages
}
