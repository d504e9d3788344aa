//! Clones single entities without a template, if the result is the same.

use std::cell::{Cell, RefCell};

use ecs_engine::entity::session::{ByIndex, IdForm, Others, Session};
use ecs_engine::staging::RowValue;
use ecs_engine::{Entity, World};

use super::values::may_have_ids;
use crate::codec::{Encoder, Form};
use crate::column;
use crate::saved::{DataCodec, ValueReader};

/// Clones an entity inside of its world. Returns `None`, and changes nothing, if the clone is not [simple](World::clone_row)
/// or not possible.
pub(crate) fn clone_row(world: &mut World, entity: Entity) -> Option<Entity> {
    // While the thread ends, the buffer no longer exists.
    let kept = ENCODER.try_with(Cell::take);
    let mut encoder = kept.ok().flatten().unwrap_or_default();
    let found = RefCell::new(Vec::new());
    let writing = Session::new(IdForm::Numbered {
        entities: &[],
        numbers: ByIndex::Dense(&[]),
        others: Others::Listed(&found),
    });
    let mut clone = |value: &RowValue, is_cloned: &mut bool| {
        // SAFETY: the value and the place are as `RowValue` guarantees.
        unsafe { clone_value(value, is_cloned, &writing, &found, &mut encoder) }
    };
    // SAFETY: the function sets the flag if it has written a value of the type, and returns true only then.
    let copy = unsafe { world.clone_row(entity, &mut clone) };
    if encoder.capacity() <= MOST_KEPT {
        _ = ENCODER.try_with(|kept| kept.set(Some(encoder)));
    }
    copy
}

/// The longest buffer that a thread keeps, in bytes.
const MOST_KEPT: usize = 4096;

std::thread_local! {
    /// Kept for the next clone: an allocation takes several times as long. In a box, because most clones only move it.
    static ENCODER: Cell<Option<Box<Encoder>>> = const { Cell::new(None) };
}

/// Clones a value; ids of the original in it become the copy's id. Sets `is_cloned` if it wrote a clone. Returns false if
/// the clone is missing or wrong.
///
/// # Safety
/// `from` points to a value of the type, and nothing changes the value during the call. `to` points to memory for a value,
/// and holds none.
unsafe fn clone_value(
    value: &RowValue,
    is_cloned: &mut bool,
    writing: &Session<'_>,
    found: &RefCell<Vec<Entity>>,
    encoder: &mut Encoder,
) -> bool {
    let &RowValue { data, from, to, .. } = value;
    if let Some(codec) = DataCodec::of(data)
        && (!data.is_clone() || may_have_ids(data, codec, value.size))
    {
        encoder.clear();
        // SAFETY: the codec belongs to the type, and this is a value of the type.
        let written = writing.run(|| unsafe { codec.encode_as(Form::Plain, from, 1, encoder) });
        let has_ids = writing.take_found();
        if written.is_err() || writing.take_error().is_some() {
            return false;
        }
        if has_ids || !data.is_clone() {
            if codec.form() != Form::Plain {
                return false;
            }
            let mut ids = found.take();
            let own = ids.iter_mut().filter(|id| **id == value.original);
            own.for_each(|id| *id = value.copy);
            let reading = Session::new(IdForm::Read {
                entities: &[],
                others: &ids,
            });
            let mut count = 0;
            let (reader, bytes) = (ValueReader::Current(codec), encoder.bytes());
            // SAFETY: the reader belongs to the type, and the place is for a value of it.
            let read =
                unsafe { column::read_one(reader, Form::Plain, bytes, to, &reading, &mut count) };
            *is_cloned = count == 1;
            return *is_cloned && read.is_ok();
        }
    }
    if !data.is_clone() {
        return false;
    }
    if data.is_copy() {
        // SAFETY: the value is plain bytes, and there is memory for it elsewhere.
        unsafe { core::ptr::copy_nonoverlapping(from, to, value.size) };
    } else {
        // SAFETY: this is a value of the type, and there is memory for one elsewhere.
        unsafe { data.clone_values(from, to, 1) };
    }
    *is_cloned = true;
    true
}
