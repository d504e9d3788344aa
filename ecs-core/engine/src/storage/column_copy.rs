//! Copies of the values of one component.

use alloc::vec::Vec;
use core::convert::Infallible;
use core::ops::Range;
use core::slice;

use crate::component::{ComponentId, EdgeValues, End};
use crate::data_type::DataType;
use crate::storage::copy_bytes::{CopyInput, CopyOutput, CopyProblem};
use crate::storage::{EdgeList, ErasedColumn};

/// Copies the values of one component.
///
/// Invariant 1: made by [`Copier::of`] for the component that it is used with.
#[derive(Clone, Copy)]
pub(crate) struct Copier(CopyMode);

#[derive(Clone, Copy)]
enum CopyMode {
    /// Byte by byte: the values are `Copy`.
    Bytes,
    /// By the functions of their type.
    Clone(&'static DataType),
    /// An end of a relation that stores the values of edges, which are of the data type.
    Edges(&'static EdgeValues, &'static DataType),
    /// The end of a relation that is a list of entities.
    List,
}

impl Copier {
    /// Returns the copier of a component's values. `data` describes them or, for an end of a relation, the values of edges.
    /// Returns `None` if `data` describes another type, or if the values cannot be cloned.
    pub(crate) fn of(component: ComponentId, data: Option<&'static DataType>) -> Option<Self> {
        let info = component.info();
        let data = data.filter(|data| data.is_clone() || data.is_copy());
        let Some(link) = info.link else {
            let data = data.filter(|data| match data.is_dynamic() {
                true => data.component_id() == Some(component),
                false => ComponentId::find(data.type_id()) == Some(component),
            })?;
            return Some(Self(if data.is_copy() {
                CopyMode::Bytes
            } else {
                CopyMode::Clone(data)
            }));
        };
        match link.end {
            End::Sources { .. } => Some(Self(CopyMode::List)),
            End::Target { values, .. } | End::Targets { values } => {
                let data = data.filter(|data| (values.edge.type_id)() == data.type_id())?;
                // A link and a value are both `Copy`.
                let is_copy = data.is_copy() && matches!(link.end, End::Target { .. });
                Some(Self(if is_copy {
                    CopyMode::Bytes
                } else {
                    CopyMode::Edges(values.edge, data)
                }))
            }
        }
    }

    /// Replaces the values of a column by copies, and reuses the memory of its values where their `clone_from` does.
    ///
    /// # Safety
    /// `from` points to `len` values of the component that the copier was made for, and `into` is a column of it.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics; in that case the values of the column are unspecified.
    unsafe fn copy(self, from: *const u8, len: usize, into: &mut ErasedColumn) {
        match self.0 {
            CopyMode::Bytes => {
                // SAFETY: no value is initialised, and `Copy` values need no drop.
                unsafe { into.set_len(0) };
                into.reserve(len);
                let bytes = len * into.layout().size();
                // SAFETY: `from` has `len` values by the caller's contract, and there is memory for as many in the column,
                // which does not overlap `from`.
                unsafe { from.copy_to_nonoverlapping(into.as_mut_ptr(), bytes) };
                // SAFETY: these bytes were just copied, and copied bytes are values because the type is `Copy` (invariant
                // 1).
                unsafe { into.set_len(len) };
            }
            CopyMode::Clone(data) => {
                let common = len.min(into.len());
                // SAFETY: both have as many values of the type (invariant 1, and the caller's contract), in two columns.
                unsafe { data.clone_values_from(from, into.as_mut_ptr(), common) };
                into.truncate(len);
                into.reserve(len - common);
                let size = into.layout().size();
                // SAFETY: `from` has `len` values by the caller's contract, which are not fewer than `common`.
                let rest = unsafe { from.add(common * size) };
                // SAFETY: there is memory for `len` values, which are not fewer than `common`.
                let place = unsafe { into.as_mut_ptr().add(common * size) };
                // SAFETY: these are the values of the type (invariant 1) after the first `common` ones, and memory for as many
                // in another column, after its last value.
                unsafe { data.clone_values(rest, place, len - common) };
                // SAFETY: the values after the first `common` ones were just written.
                unsafe { into.set_len(len) };
            }
            CopyMode::Edges(edges, data) => {
                let clone = &mut |from: *const u8, to: *mut u8| {
                    // SAFETY: `EdgeValues::clone` passes values of edges, which are of the data type (invariant 1), and memory
                    // for one.
                    unsafe { data.clone_values(from, to, 1) };
                };
                into.clear();
                into.reserve(len);
                let size = into.layout().size();
                for row in 0..len {
                    // SAFETY: `from` has `len` values by the caller's contract.
                    let value = unsafe { from.add(row * size) };
                    let write = |place| {
                        // SAFETY: the function is for values of the component (invariant 1), and the place is memory for one.
                        unsafe { (edges.clone)(value, place, clone) };
                    };
                    // SAFETY: `EdgeValues::clone` has written a value of the component.
                    unsafe { push(into, write) };
                }
            }
            CopyMode::List => {
                // SAFETY: `from` has `len` values by the caller's contract, and each is an `EdgeList`, see `End::Sources`.
                let from = unsafe { slice::from_raw_parts(from.cast::<EdgeList>(), len) };
                into.truncate(len);
                let common = into.len();
                // SAFETY: the column has as many values, each is an `EdgeList`, and the column is borrowed exclusively.
                let known = unsafe { slice::from_raw_parts_mut(into.as_mut_ptr().cast(), common) };
                let (first, rest) = from.split_at(common);
                known.clone_from_slice(first);
                into.reserve(rest.len());
                for list in rest {
                    let list = list.clone();
                    let write = |place: *mut u8| {
                        // SAFETY: the place is memory for a value, which is an `EdgeList`.
                        unsafe { place.cast::<EdgeList>().write(list) };
                    };
                    // SAFETY: the function has written a value.
                    unsafe { push(into, write) };
                }
            }
        }
    }
}

/// Adds a value to a column.
///
/// # Safety
/// The function writes a value of the column's component to the place that it is given, unless it panics.
unsafe fn push(into: &mut ErasedColumn, write: impl FnOnce(*mut u8)) {
    // SAFETY: the function writes a value by the caller's contract.
    let pushed = unsafe {
        into.push_with(|place| {
            write(place);
            Ok::<(), Infallible>(())
        })
    };
    let Ok(()) = pushed;
}

/// Reads values of a component that is not an end of a relation.
pub(in crate::storage) fn read_values(
    input: &mut dyn CopyInput,
    component: ComponentId,
    copiers: &Copiers,
    rows: usize,
) -> Result<ColumnCopy, CopyProblem> {
    let (Some(copier), Some(data)) = (copiers.get(component), component.data()) else {
        return Err(CopyProblem::Uncopied(component.name()));
    };
    let mut values = ErasedColumn::new(component);
    // SAFETY: the column is one of the component, and so is the data.
    unsafe { input.take_values(data, rows, &mut values) }?;
    match values.len() == rows {
        true => Ok(ColumnCopy::of_values(copier, values)),
        false => Err(CopyProblem::Malformed("not each row has a value")),
    }
}

/// The copiers of components, by component.
#[derive(Default)]
pub(crate) struct Copiers {
    by_component: Vec<Option<Copier>>,
}

impl Copiers {
    /// Returns the copier of a component; `None` if it cannot be copied, or has none so far.
    pub(crate) fn get(&self, component: ComponentId) -> Option<Copier> {
        self.by_component.get(component.index()).copied().flatten()
    }

    /// Adds the copier of a component.
    pub(crate) fn set(&mut self, component: ComponentId, copier: Copier) {
        if self.by_component.len() <= component.index() {
            self.by_component.resize(component.index() + 1, None);
        }
        self.by_component[component.index()] = Some(copier);
    }
}

/// A copy of the values of one component, in a table or in a set.
pub(in crate::storage) struct ColumnCopy {
    copier: Copier,
    /// Invariant 1: a column of the component that `copier` was made for.
    values: ErasedColumn,
    /// Values that will be exchanged for the world's, and later the values that the world had: their memory is used again.
    /// Empty if values are copied as bytes. Invariant 2: a column of the same component.
    staged: ErasedColumn,
}

impl ColumnCopy {
    /// Makes a copy without values.
    pub(in crate::storage) fn new(component: ComponentId, copier: Copier) -> Self {
        Self {
            copier,
            values: ErasedColumn::new(component),
            staged: ErasedColumn::new(component),
        }
    }

    /// Copies values of the component.
    ///
    /// # Safety
    /// `from` points to `len` values of the component.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics.
    pub(in crate::storage) unsafe fn take(&mut self, from: *const u8, len: usize) {
        // SAFETY: `from` has values of the component by the caller's contract, and the column is one of it (invariant 1).
        unsafe { self.copier.copy(from, len, &mut self.values) };
    }

    /// Copies the values of the component in some runs of positions.
    ///
    /// # Safety
    /// `from` points to values of the component at all positions of the runs.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics.
    pub(in crate::storage) unsafe fn take_runs(&mut self, from: *const u8, runs: &[Range<usize>]) {
        let size = self.values.layout().size();
        if let [run] = runs {
            // SAFETY: there are values at the positions of the run by the caller's contract.
            let first = unsafe { from.add(run.start * size) };
            // SAFETY: as above.
            return unsafe { self.take(first, run.len()) };
        }
        self.values.clear();
        for run in runs {
            // SAFETY: there are values at the positions of the run by the caller's contract.
            let first = unsafe { from.add(run.start * size) };
            // SAFETY: as above, and `staged` is a column of the component (invariant 2).
            unsafe { self.copier.copy(first, run.len(), &mut self.staged) };
            let len = self.values.len();
            self.values.reserve(run.len());
            // SAFETY: there is memory for `len` values and more.
            let place = unsafe { self.values.as_mut_ptr().add(len * size) };
            let staged = self.staged.as_ptr();
            // SAFETY: there is memory for as many more values as were just copied, in another column.
            unsafe { place.copy_from_nonoverlapping(staged, run.len() * size) };
            // SAFETY: the values have moved to the other column.
            unsafe { self.staged.set_len(0) };
            // SAFETY: as many values were just added.
            unsafe { self.values.set_len(len + run.len()) };
        }
    }

    /// Moves the values of another copy of the same component to the end.
    ///
    /// # Panics
    /// If it is a copy of another component.
    pub(in crate::storage) fn append(&mut self, other: &mut Self) {
        assert!(
            self.values.component() == other.values.component(),
            "of one component"
        );
        let (len, more) = (self.values.len(), other.values.len());
        let size = self.values.layout().size();
        self.values.reserve(more);
        // SAFETY: there is memory for `len` values and more.
        let place = unsafe { self.values.as_mut_ptr().add(len * size) };
        let from = other.values.as_ptr();
        // SAFETY: there is memory for as many more values of the component as the other column has.
        unsafe { place.copy_from_nonoverlapping(from, more * size) };
        // SAFETY: the values have moved to the first column.
        unsafe { other.values.set_len(0) };
        // SAFETY: as many values were just added.
        unsafe { self.values.set_len(len + more) };
    }

    /// Makes a copy that has some values. The copier is one of their component.
    pub(in crate::storage) fn of_values(copier: Copier, values: ErasedColumn) -> Self {
        let mut copy = Self::new(values.component(), copier);
        copy.values = values;
        copy
    }

    /// Writes the copied values, which are not ends of a relation. Returns false if that is not possible.
    pub(in crate::storage) fn write(&self, out: &mut dyn CopyOutput) -> bool {
        let values = &self.values;
        let Some(data) = values.component().data() else {
            return false;
        };
        // SAFETY: the column has these values of the component, which the data describes.
        unsafe { out.put_values(data, &[(values.as_ptr(), values.len())]) }
    }

    /// The copied values.
    pub(in crate::storage) fn values(&self) -> &ErasedColumn {
        &self.values
    }

    /// The copied values.
    pub(in crate::storage) fn values_mut(&mut self) -> &mut ErasedColumn {
        &mut self.values
    }

    /// Prepares [`put`](Self::put) in the place of `replaced` values: does everything that may panic.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics.
    pub(in crate::storage) fn stage(&mut self, replaced: usize) {
        if !matches!(self.copier.0, CopyMode::Bytes) {
            let (from, len) = (self.values.as_ptr(), self.values.len());
            // SAFETY: `values` has as many values of the component (invariant 1), and `staged` is a column of it (invariant
            // 2).
            unsafe { self.copier.copy(from, len, &mut self.staged) };
            self.staged.reserve(replaced.saturating_sub(len));
        }
    }

    /// Replaces values of the component in a world by the copied ones. Runs no user code and does not panic.
    ///
    /// # Safety
    /// `place` points to `replaced` values of the component, with memory for as many as were copied. [`stage`](Self::stage)
    /// was called with this number just before. From now on the place has the copied values only.
    pub(in crate::storage) unsafe fn put(&mut self, place: *mut u8, replaced: usize) {
        let (len, size) = (self.values.len(), self.values.layout().size());
        if matches!(self.copier.0, CopyMode::Bytes) {
            // SAFETY: the place has memory for the values by the caller's contract, elsewhere; they are `Copy`, and so are
            // those that are overwritten.
            unsafe { place.copy_from_nonoverlapping(self.values.as_ptr(), len * size) };
            return;
        }
        debug_assert!(self.staged.len() == len && self.staged.capacity() >= replaced);
        let staged = self.staged.as_mut_ptr();
        let common = len.min(replaced) * size;
        // SAFETY: both have at least `common` bytes of values, in two columns.
        unsafe { core::ptr::swap_nonoverlapping(place, staged, common) };
        // SAFETY: there are at least `common` bytes of values.
        let place = unsafe { place.add(common) };
        // SAFETY: there are at least `common` bytes of values.
        let staged = unsafe { staged.add(common) };
        if len > replaced {
            // SAFETY: `staged` has these values, and the place has memory for them by the caller's contract.
            unsafe { place.copy_from_nonoverlapping(staged, (len - replaced) * size) };
        } else {
            // SAFETY: the place has these values by the caller's contract, and memory for `replaced` ones was reserved by
            // `stage`.
            unsafe { staged.copy_from_nonoverlapping(place, (replaced - len) * size) };
        }
        // SAFETY: `stage` has reserved memory for `replaced` values, which were just moved there.
        unsafe { self.staged.set_len(replaced) };
    }
}
