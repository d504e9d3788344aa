//! The values of one component, or of the edges of one relation.

use std::cell::RefCell;
use std::sync::Arc;

use ecs_engine::Entity;
use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::staging::ErasedColumn;

use super::CloneError;
use crate::codec::{Encoder, Form};
use crate::column::{self, ReadFailure, ValueRun, WriteFailure};
use crate::saved::{DataCodec, ValueReader};

/// The component or relation of values.
#[derive(Clone, Copy)]
pub(super) enum ValueOwner {
    Component(ComponentId),
    /// The component of sources of the relation.
    Edges(ComponentId),
}

impl ValueOwner {
    fn column(self) -> ErasedColumn {
        match self {
            Self::Component(component) => ErasedColumn::new(component),
            Self::Edges(sources) => {
                ErasedColumn::of_edges(sources).expect("it is the component of sources")
            }
        }
    }
}

/// The values of one component, or of the edges of one relation, outside of any world.
pub(super) struct TemplateValues {
    owner: ValueOwner,
    /// Invariant 1: the description of the values' type.
    data: &'static DataType,
    stored: StoredValues,
}

enum StoredValues {
    /// Values without ids, or whose ids are left as they are.
    Column(ErasedColumn),
    /// Values with ids, which are numbers here.
    Bytes {
        /// Invariant 1: the codec of the values' type.
        codec: DataCodec,
        form: Form,
        bytes: Arc<[u8]>,
        rows: usize,
    },
}

/// A value that cannot be copied, and the reason.
pub(super) enum CopyFailure {
    /// The type has neither `Clone` nor a codec.
    NotCloneable,
    Value {
        row: usize,
        message: String,
    },
}

impl CopyFailure {
    /// Names the type, and the entity that has the value.
    pub(super) fn of(
        self,
        name: &'static str,
        entity: impl FnOnce(usize) -> Option<Entity>,
    ) -> CloneError {
        match self {
            Self::NotCloneable => CloneError::NotCloneable { name },
            Self::Value { row, message } => CloneError::Value {
                entity: entity(row),
                name,
                message,
            },
        }
    }
}

impl From<WriteFailure> for CopyFailure {
    fn from(failure: WriteFailure) -> Self {
        Self::Value {
            row: failure.row,
            message: failure.message,
        }
    }
}

impl From<ReadFailure> for CopyFailure {
    fn from(failure: ReadFailure) -> Self {
        Self::Value {
            row: failure.row.unwrap_or(0),
            message: failure.message,
        }
    }
}

impl TemplateValues {
    /// Copies values; `encoder` is a buffer for their bytes. To find out whether they have ids, they are written, unless ids
    /// stay as they are.
    ///
    /// # Safety
    /// `data` describes the type of the owner's values. The runs are values of it, and nothing changes them during the call.
    pub(super) unsafe fn copy(
        owner: ValueOwner,
        data: &'static DataType,
        runs: &[ValueRun],
        keeps_ids: bool,
        session: &Session<'_>,
        encoder: &mut Encoder,
    ) -> Result<Self, CopyFailure> {
        let mut column = owner.column();
        let rows = runs.iter().map(|run| run.len).sum();
        if let Some(codec) = DataCodec::of(data)
            && (!data.is_clone() || !keeps_ids && may_have_ids(data, codec, column.layout().size()))
        {
            // SAFETY: the codec belongs to the type, and the runs are values of it, by the caller's contract.
            let (form, has_ids) = unsafe { encode(codec, runs, session, encoder) }?;
            if has_ids || !data.is_clone() {
                let stored = StoredValues::Bytes {
                    codec,
                    form,
                    bytes: encoder.bytes().into(),
                    rows,
                };
                return Ok(Self {
                    owner,
                    data,
                    stored,
                });
            }
        }
        if !data.is_clone() {
            return Err(CopyFailure::NotCloneable);
        }
        column.reserve(rows);
        for run in runs {
            // SAFETY: the column and the run have values of the type, by the caller's contract.
            unsafe { append(&mut column, data, run.first, run.len) };
        }
        Ok(Self {
            owner,
            data,
            stored: StoredValues::Column(column),
        })
    }

    /// Returns true if the values can be saved.
    pub(super) fn is_saved(&self) -> bool {
        DataCodec::of(self.data).is_some()
    }

    /// The name of the type.
    pub(super) fn name(&self) -> &'static str {
        self.data.name()
    }

    /// The component; for values of edges, the source component.
    pub(super) fn component(&self) -> ComponentId {
        match self.owner {
            ValueOwner::Component(component) | ValueOwner::Edges(component) => component,
        }
    }

    /// Returns true if the values are plain bytes of components, the same in each copy.
    pub(super) fn is_plain(&self) -> bool {
        matches!(&self.stored, StoredValues::Column(column) if column.is_copy())
    }

    /// Returns the values `n` times, one copy after the other. The numbers in each copy become the ids in the list of the
    /// copy, and higher numbers the ids of `others`.
    pub(super) fn repeat<'a>(
        self,
        n: usize,
        ids: impl Iterator<Item = &'a [Entity]>,
        others: &[Entity],
    ) -> Result<ErasedColumn, CopyFailure> {
        match self.stored {
            StoredValues::Column(mut column) => {
                let rows = column.len();
                if n == 0 {
                    column.clear();
                    return Ok(column);
                }
                let more = rows.saturating_mul(n - 1);
                column.reserve(more);
                if self.data.is_copy() {
                    // Each step copies all values so far.
                    while column.len() < rows * n {
                        let len = column.len().min(rows * n - column.len());
                        let first = column.as_ptr();
                        // SAFETY: these are values of the type (invariant 1), and memory for them was reserved.
                        unsafe { append(&mut column, self.data, first, len) };
                    }
                } else {
                    for _ in 1..n {
                        let first = column.as_ptr();
                        // SAFETY: as above.
                        unsafe { append(&mut column, self.data, first, rows) };
                    }
                }
                Ok(column)
            }
            StoredValues::Bytes {
                codec,
                form,
                bytes,
                rows,
            } => {
                let mut column = self.owner.column();
                column.reserve(rows.saturating_mul(n));
                for entities in ids {
                    let session = Session::new(IdForm::Read { entities, others });
                    let reader = ValueReader::Current(codec);
                    // SAFETY: the codec belongs to the type of the column (invariant 1).
                    unsafe { column::read(&mut column, reader, form, &bytes, rows, &session) }?;
                }
                Ok(column)
            }
        }
    }
}

impl Clone for TemplateValues {
    fn clone(&self) -> Self {
        let stored = match &self.stored {
            StoredValues::Column(values) => {
                let mut column = self.owner.column();
                column.reserve(values.len());
                // SAFETY: both columns are of the type (invariant 1), and memory for the values was reserved.
                unsafe { append(&mut column, self.data, values.as_ptr(), values.len()) };
                StoredValues::Column(column)
            }
            StoredValues::Bytes {
                codec,
                form,
                bytes,
                rows,
            } => StoredValues::Bytes {
                codec: *codec,
                form: *form,
                bytes: bytes.clone(),
                rows: *rows,
            },
        };
        Self {
            owner: self.owner,
            data: self.data,
            stored,
        }
    }
}

/// Returns true if values have to be written to find out whether they have ids.
pub(super) fn may_have_ids(data: &DataType, codec: DataCodec, size: usize) -> bool {
    data.may_have_ids(size) && codec.may_have_entities()
}

/// Clones values to the end of a column.
///
/// # Safety
/// The values are of the type that `data` describes, which is also the column's, and can be cloned. They may be in the column.
/// Memory for that many was reserved.
unsafe fn append(column: &mut ErasedColumn, data: &DataType, first: *const u8, len: usize) {
    let end = column.len() + len;
    debug_assert!(end <= column.capacity());
    let place: *mut u8 = column.spare().as_mut_ptr().cast();
    if data.is_copy() {
        let bytes = len * column.layout().size();
        // SAFETY: the values are plain bytes, and there is memory for them after the column's values.
        unsafe { core::ptr::copy_nonoverlapping(first, place, bytes) };
    } else {
        // SAFETY: the values are of the type, and there is aligned memory for that many, by the caller's contract.
        unsafe { data.clone_values(first, place, len) };
    }
    // SAFETY: that many more values were written.
    unsafe { column.set_len(end) };
}

/// Writes values in a form that they can be read back from, and returns it, and whether they have ids. If they have none, the
/// form may be a different one.
///
/// # Safety
/// The runs are values of the codec's type, and nothing changes them during the call.
unsafe fn encode(
    codec: DataCodec,
    runs: &[ValueRun],
    session: &Session<'_>,
    encoder: &mut Encoder,
) -> Result<(Form, bool), CopyFailure> {
    session.take_found();
    // SAFETY: the caller's contract is the same.
    let plain = unsafe { column::write(codec, Form::Plain, runs, session, encoder) };
    match plain {
        Ok(()) => {
            let has_ids = session.take_found();
            if !has_ids || codec.form() == Form::Plain {
                return Ok((Form::Plain, has_ids));
            }
        }
        Err(failure) if failure.needs_names => {}
        Err(failure) => return Err(failure.into()),
    }
    session.take_found();
    // SAFETY: the caller's contract is the same.
    unsafe { column::write(codec, Form::Tree, runs, session, encoder) }?;
    Ok((Form::Tree, session.take_found()))
}

/// Copies the value of a resource, which keeps the ids that it names.
///
/// # Safety
/// `value` points to a value of the type that `data` describes, and nothing changes it during the call.
pub(super) unsafe fn copy_resource(
    data: &'static DataType,
    value: *const u8,
    entities: &[Entity],
    others: &RefCell<Vec<Entity>>,
    writing: &Session<'_>,
) -> Result<Box<dyn std::any::Any + Send + Sync>, CopyFailure> {
    if data.is_clone() {
        let mut clone = |place| {
            // SAFETY: `value` is one of the type, by the caller's contract, and the place is one for such a value.
            unsafe { data.clone_values(value, place, 1) };
            true
        };
        // SAFETY: the function returns true as it has written a value of the type.
        let copy = unsafe { data.boxed(&mut clone) };
        return copy.ok_or(CopyFailure::NotCloneable);
    }
    let codec = DataCodec::of(data).ok_or(CopyFailure::NotCloneable)?;
    let mut encoder = Encoder::new();
    let run = ValueRun {
        first: value,
        len: 1,
    };
    // SAFETY: the codec belongs to the type, and this is a value of the type by the caller's contract.
    let (form, _) = unsafe { encode(codec, &[run], writing, &mut encoder) }?;
    let others = others.borrow().clone();
    let reading = Session::new(IdForm::Read {
        entities,
        others: &others,
    });
    let mut read = |place: *mut u8, written: &mut usize| {
        let reader = ValueReader::Current(codec);
        // SAFETY: the place is for a value of the type, and the codec belongs to the type.
        unsafe { column::read_one(reader, form, encoder.bytes(), place, &reading, written) }
    };
    // SAFETY: the reader counts the value of the type that it has written.
    let copy = unsafe { column::boxed(data, &mut read) };
    copy.map_err(CopyFailure::from)
}
