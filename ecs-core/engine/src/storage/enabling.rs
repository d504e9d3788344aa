//! Entities that are enabled again: changes that readers missed while an entity was disabled count as made now.
//!
//! Loops leave out disabled entities. A reader that runs while an entity is disabled does not see its changes, and
//! afterwards their ticks are older than the reader's last run. So each removal of a component that disables writes the
//! current tick over such ticks. Which ones are these? A component that disables is tracked, so its tick says since when the
//! entity has been disabled: every later change was missed. An earlier change was missed too, if some reader had not run
//! between it and the disabling of the entity. To find out, readers note the first run that leaves the entity out. Each lock
//! of tracked values compares one number for this; only locks that follow a disabling of entities do more work.

#[cfg(feature = "snapshot")]
mod snapshot;

use alloc::vec::Vec;

use super::{CompactTicks, Frozen, Storage};
use crate::component::ComponentId;
use crate::entity::{Entity, Location, TableId};
use crate::meta::ConstTypeId;
use crate::sync::{Mutex, PoisonError};
use crate::tick::{CompactTick, Tick};

/// The moments when entities were disabled, and the readers that had not run since earlier changes.
#[derive(Default)]
pub(super) struct Disablings {
    /// The last moment when an entity was disabled, or a later one.
    latest: Tick,
    late_readers: Mutex<Vec<LateReaders>>,
}

impl Disablings {
    fn late_readers_mut(&mut self) -> &mut Vec<LateReaders> {
        let all = self.late_readers.get_mut();
        all.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The readers of a type that left out entities they could still see at the run before.
struct LateReaders {
    of: ConstTypeId,
    /// From old to new, by both ends.
    runs: Vec<ReaderRuns>,
}

impl Clone for LateReaders {
    fn clone(&self) -> Self {
        Self {
            of: self.of,
            runs: self.runs.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.of = other.of;
        self.runs.clone_from(&other.runs);
    }
}

/// A run of a reader, and the run before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReaderRuns {
    last: Tick,
    now: Tick,
    /// The number of runs that it stands for.
    weight: u32,
}

impl LateReaders {
    /// The number of runs that are kept apart from one disabling to the next.
    const RUNS: usize = 64;

    /// Adds a run. Runs that saw later changes and left out nothing more become superfluous.
    fn add(&mut self, new: ReaderRuns) {
        let covers = |a: ReaderRuns, b: ReaderRuns| a.last <= b.last && a.now >= b.now;
        if self.runs.iter().any(|&run| covers(run, new)) {
            return;
        }
        self.runs.retain(|&run| !covers(new, run));
        // Threads add their runs in any order.
        let place = self.runs.partition_point(|run| run.last < new.last);
        self.runs.insert(place, new);
    }

    /// Lets one run cover two, until few are left. Readers may then be shown more than they missed, but never less. The runs
    /// that are merged cover the fewest runs for their age, so the latest moments stay exact, and old ones are known
    /// roughly. The choice depends on the order of runs alone, and not on the clock, so it is the same in each return to a
    /// snapshot.
    fn shorten(&mut self) {
        while self.runs.len() > Self::RUNS {
            let mut newer = 0.0;
            let mut best = (f64::INFINITY, 0);
            for first in (0..self.runs.len() - 1).rev() {
                let [a, b] = [first, first + 1].map(|at| f64::from(self.runs[at].weight));
                let loss = (a + b) / (newer + b);
                if loss < best.0 {
                    best = (loss, first);
                }
                newer += b;
            }
            let older = self.runs.remove(best.1);
            let both = &mut self.runs[best.1];
            both.last = older.last;
            both.weight = both.weight.saturating_add(older.weight);
        }
    }

    /// Returns the last tick whose changes all readers have seen, of an entity that was disabled at a moment.
    fn all_seen(&self, disabled: Tick) -> Tick {
        let left_out = self.runs.iter().filter(|run| run.now >= disabled);
        let last = left_out.map(|run| run.last).min();
        last.unwrap_or(disabled).min(disabled.before())
    }
}

impl Storage {
    /// Notes that an entity is about to be disabled.
    #[inline]
    pub(crate) fn note_disabled(&mut self) {
        let now = self.clock.next();
        if self.disablings.latest < now {
            self.disablings.latest = now;
            // Read here because no thread adds runs meanwhile.
            let all = self.disablings.late_readers_mut();
            all.iter_mut().for_each(LateReaders::shorten);
        }
    }

    /// Returns true if an entity may have been disabled since the last run of a reader.
    #[inline]
    pub(crate) fn any_disabled_since(&self, last: Tick) -> bool {
        last < self.disablings.latest
    }

    /// Notes that a reader of tracked values, which ran last at `last`, runs now, and leaves out entities that were
    /// [disabled since](Self::any_disabled_since).
    #[cold]
    #[inline(never)]
    pub(crate) fn note_late_reader(&self, of: &ConstTypeId, last: Tick, now: Tick) {
        let all = self.disablings.late_readers.lock();
        let mut all = all.unwrap_or_else(PoisonError::into_inner);
        let run = ReaderRuns {
            last,
            now,
            weight: 1,
        };
        match all.iter_mut().find(|readers| readers.of == *of) {
            Some(readers) => readers.add(run),
            None => all.push(LateReaders {
                of: *of,
                runs: alloc::vec![run],
            }),
        }
    }

    /// Shows readers the changes they missed of an entity that is about to move to another table, if it loses a component
    /// that disables.
    #[inline]
    pub(super) fn show_missed(&mut self, entity: Entity, from: TableId, to: TableId) {
        if self.is_disabled(from)
            && let Some(at) = self.entities.get(entity)
        {
            debug_assert_eq!(at.table, from);
            self.show_missed_at(entity, at, to);
        }
    }

    /// Like [`show_missed`](Self::show_missed), for all entities of a table.
    pub(crate) fn show_all_missed(&mut self, from: TableId, to: TableId) {
        if self.is_disabled(from) {
            for row in 0..self.table(from).len() {
                let at = Location {
                    table: from,
                    row: row as u32,
                };
                self.show_missed_at(self.table(from).entities()[row], at, to);
            }
        }
    }

    fn show_missed_at(&mut self, entity: Entity, at: Location, to: TableId) {
        let storage = Frozen::of(self);
        let leaving = storage.table(at.table).tracked().filter(|&component| {
            let store = storage.store(component);
            store.info.disables && store.column(to).is_null()
        });
        let moments = leaving.filter_map(|component| {
            let ticks = storage.store(component).ticks_of(entity, at)?;
            // SAFETY: the ticks belong to a value of the entity, and the storage is borrowed exclusively.
            Some(storage.clock.tick_of(unsafe { ticks.added.read() }))
        });
        let Some(disabled) = moments.min() else {
            return;
        };
        let now = storage.clock.between();
        let in_table = storage.table(at.table).tracked();
        for component in in_table.chain(storage.sparse_of(entity)) {
            let store = storage.store(component);
            // Readers of a component that disables see disabled entities.
            if !store.info.tracked || store.info.disables {
                continue;
            }
            if let Some(ticks) = store.ticks_of(entity, at) {
                let seen = storage.clock.seen(storage.all_seen(component, disabled));
                // SAFETY: the ticks belong to a value of the entity, and the storage is borrowed exclusively.
                unsafe { renew(ticks, seen, now) };
            }
        }
    }

    /// Notes that a component of an entity is about to be turned on or off; shows the changes to the readers that missed
    /// them because they leave out components that are off.
    pub(crate) fn note_turning(
        &mut self,
        entity: Entity,
        [component, toggle]: [ComponentId; 2],
        is_on: bool,
    ) {
        if !is_on {
            self.note_disabled();
            return;
        }
        let Some(at) = self.entities.get(entity) else {
            return;
        };
        let storage = Frozen::of(self);
        let ticks_of = |component| storage.store(component).ticks_of(entity, at);
        if let Some(ticks) = ticks_of(component)
            && let Some(of_toggle) = ticks_of(toggle)
        {
            // SAFETY: the ticks belong to a value of the entity, and the storage is borrowed exclusively.
            let turned_off = storage.clock.tick_of(unsafe { of_toggle.changed.read() });
            // Readers that leave it out name the toggle.
            let seen = storage.clock.seen(storage.all_seen(toggle, turned_off));
            // SAFETY: the ticks belong to a value of the entity, and the storage is borrowed exclusively.
            unsafe { renew(ticks, seen, storage.clock.between()) };
        }
    }

    /// Notes that a tracked toggle of an entity is about to get another value; `old` is the one that it has, if any.
    #[cold]
    #[inline(never)]
    pub(crate) fn note_toggle(
        &mut self,
        entity: Entity,
        ids: [ComponentId; 2],
        old: Option<bool>,
        new: bool,
    ) {
        // Also if it stays off: the tick of the toggle no longer says when it was turned off.
        if old == Some(false) {
            self.note_turning(entity, ids, true);
        }
        if !new {
            self.note_turning(entity, ids, false);
        }
    }

    fn all_seen(&self, component: ComponentId, disabled: Tick) -> Tick {
        let all = self.disablings.late_readers.lock();
        let all = all.unwrap_or_else(PoisonError::into_inner);
        let ident = self.store(component).info.more.ident;
        match all.iter().find(|readers| readers.of == *ident) {
            Some(readers) => readers.all_seen(disabled),
            None => disabled.before(),
        }
    }

    /// Checks that no entity was disabled unnoted.
    #[cfg(feature = "validate")]
    pub(super) fn check_disablings(&self) {
        for (index, table) in self.tables.iter().enumerate() {
            for component in table.tracked() {
                let store = self.store(component);
                if store.info.disables && table.len() > 0 {
                    let first = store.ticks(index as TableId).added;
                    for row in 0..table.len() {
                        // SAFETY: the table has the row, and so its column of ticks.
                        let added = unsafe { first.add(row) };
                        // SAFETY: initialised, and written by structural changes only, for which the storage is borrowed
                        // exclusively.
                        let added = self.clock.tick_of(unsafe { added.read() });
                        // The moments before the oldest tick that rows can have are not known exactly.
                        assert!(
                            added <= self.disablings.latest || added.get() == self.clock.base() + 1,
                            "entities that were disabled are noted"
                        );
                    }
                }
            }
        }
    }
}

/// Writes the current tick over those that are later than `seen`, the last one that all readers have seen.
///
/// # Safety
/// The pointers are valid for the ticks of a tracked value, which no other code accesses now.
unsafe fn renew(ticks: CompactTicks, seen: CompactTick, now: CompactTick) {
    // SAFETY: valid and not accessed otherwise by the caller's contract.
    if unsafe { ticks.added.read() } > seen {
        // SAFETY: valid and not accessed otherwise by the caller's contract.
        unsafe { ticks.add(now) };
    // SAFETY: valid and not accessed otherwise by the caller's contract.
    } else if unsafe { ticks.changed.read() } > seen {
        // SAFETY: valid and not accessed otherwise by the caller's contract.
        unsafe { ticks.change(now) };
    }
}

#[cfg(test)]
#[path = "enabling_tests.rs"]
mod tests;
