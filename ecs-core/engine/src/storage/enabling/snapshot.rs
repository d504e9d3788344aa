//! Copies of the moments when entities were disabled, in memory and as bytes.

use alloc::vec::Vec;

use super::{Disablings, LateReaders, ReaderRuns};
use crate::component::ComponentId;
use crate::storage::copy_bytes::{
    CopyInput, CopyOutput, CopyProblem, put_len, put_text, put_u32, put_u64, take_count, take_len,
    take_text, take_u32,
};
use crate::storage::table::TableCopy;
use crate::sync::{Mutex, PoisonError};
use crate::tick::Tick;

/// The number of runs of a kind of readers that can be read. A world has hardly ever more than are [kept](LateReaders::RUNS), and
/// shortening a list costs the square of its length.
const MOST_RUNS: usize = 4096;

impl Disablings {
    /// Copies everything into the memory of an earlier copy.
    pub(in crate::storage) fn copy_to(&mut self, copy: &mut Self) {
        copy.latest = self.latest;
        copy.late_readers_mut().clone_from(self.late_readers_mut());
    }

    /// Writes everything.
    pub(in crate::storage) fn write(&self, out: &mut dyn CopyOutput) {
        put_u64(out, self.latest.get());
        let all = self.late_readers.lock();
        let all = all.unwrap_or_else(PoisonError::into_inner);
        let named = all.iter().filter_map(|readers| {
            let component = ComponentId::of_ident(&readers.of)?;
            Some((component.name(), &readers.runs))
        });
        put_len(out, named.clone().count());
        for (name, runs) in named {
            put_text(out, name);
            put_len(out, runs.len());
            for run in runs {
                put_u64(out, run.last.get());
                put_u64(out, run.now.get());
                put_u32(out, run.weight);
            }
        }
    }

    /// Reads everything. Readers of components that the process does not know are left out: nothing is disabled for them.
    pub(in crate::storage) fn read(input: &mut dyn CopyInput) -> Result<Self, CopyProblem> {
        let latest = Tick::new(take_count(input)?);
        let mut late_readers: Vec<LateReaders> = Vec::new();
        for _ in 0..take_len(input, 16)? {
            let name = take_text(input)?;
            let mut runs = Vec::new();
            for _ in 0..take_len(input, 20)? {
                runs.push(ReaderRuns {
                    last: Tick::new(take_count(input)?),
                    now: Tick::new(take_count(input)?),
                    weight: take_u32(input)?,
                });
            }
            if runs.len() > MOST_RUNS {
                return Err(CopyProblem::Malformed("readers ran too often"));
            }
            if let [component] = *ComponentId::named(&name) {
                let of = *component.ident();
                late_readers.push(LateReaders { of, runs });
            }
        }
        Ok(Self {
            latest,
            late_readers: Mutex::new(late_readers),
        })
    }

    /// Returns true if no entity of tables was disabled after the last moment.
    pub(in crate::storage) fn can_be(&self, tables: &[TableCopy], base: u64) -> bool {
        let added = tables.iter().flat_map(TableCopy::added);
        let mut disabled = added.filter(|(component, _)| component.info().disables);
        disabled.all(|(_, ticks)| {
            let moments = ticks.iter().map(|tick| u64::from(tick.to_number()));
            moments
                .max()
                .is_none_or(|last| last <= 1 || base + last <= self.latest.get())
        })
    }
}
