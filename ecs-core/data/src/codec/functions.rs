//! The functions of one type, without the type.
//!
//! # Decode a column
//! `codec/functions.rs` has a loop over rows for each type, which the user's `Deserialize` is inlined into. A row is read from a
//! window, a slice whose length is a constant (`codec/reader.rs`), so the compiler merges loads of neighbouring fields. The
//! number of windows that fit is known before the loop, which then checks no length: 7 instructions for three `f32`, 15 with a
//! check per row, and 34 with a check per field. A row that is longer than its window is read again without one, and so are the
//! rows after it. The checksum of a file (`ChecksumCheck` in `file/checksum.rs`) is computed on pieces of 16 KiB that were just
//! decoded, because another pass over a large file would wait for memory. So values of a damaged file may be decoded before it is
//! refused; the error then reports the damage, not a wrong value.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::any::TypeId;
use std::mem::needs_drop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use ecs_engine::entity::session::{IdForm, Session};
use serde_core::Serialize;
use serde_core::de::DeserializeOwned;

use super::decoder::Decoder;
use super::encoder::Encoder;
use super::error::{DecodeError, EncodeError};
use super::lost::{Lost, lost};
use super::made::{Choices, Real};
use super::part::{PartTest, Path, ValuePart};
use super::reader::RowSource;
#[cfg(not(debug_assertions))]
use super::reader::Windowed;
use super::rows::SomeRows;
use super::scalar::Scalar;
#[cfg(not(debug_assertions))]
use super::sink::FEW_ROWS;
use super::tape::TapeFunctions;
use super::trace::TypeTrace;
use super::typed::Readable;
use crate::Value;

/// The form of values in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Without names and tags.
    Plain,
    /// Trees, several times longer and slower: for types that cannot be read otherwise.
    Tree,
}

impl Form {
    /// Returns the form that a byte of a file stands for.
    #[must_use]
    pub fn of_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Plain),
            1 => Some(Self::Tree),
            _ => None,
        }
    }

    /// Returns the byte of a file that stands for the form.
    #[must_use]
    pub fn byte(self) -> u8 {
        match self {
            Self::Plain => 0,
            Self::Tree => 1,
        }
    }
}

/// More runs than any type needs; each takes a new variant.
const MAX_RUNS: usize = 10_000;

/// The functions of serde for one type, without the type.
///
/// ```
/// use ecs_core::data::codec::{Codec, Decoder, Encoder, Form};
///
/// const POINT: Codec = Codec::of::<(f32, f32)>();
///
/// let points = [(1.0f32, 2.0f32), (3.0, 4.0)];
/// let mut encoder = Encoder::new();
/// // SAFETY: these are two values of the type.
/// let form = unsafe { POINT.encode(points.as_ptr().cast(), 2, &mut encoder) }?;
/// assert_eq!((form, encoder.len()), (Form::Plain, 16));
///
/// let (mut read, mut written) = ([(0.0f32, 0.0f32); 2], 0);
/// let mut decoder = Decoder::of_bytes(encoder.bytes());
/// // SAFETY: there is room for two values of the type, which do not need to be dropped.
/// unsafe { POINT.decode(form, &mut decoder, read.as_mut_ptr().cast(), 2, &mut written) }?;
/// decoder.finish()?;
/// assert_eq!((read, written), (points, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Codec {
    /// Invariants:
    /// 1. All fields are for the same type `T`: `layout` is its layout, and `drop` is `None` only if a `T` needs none. `of` makes
    ///    them, and nothing changes them.
    type_id: TypeId,
    layout: Layout,
    encode: unsafe fn(*const u8, usize, &mut Encoder) -> Result<(), EncodeError>,
    decode: unsafe fn(&mut Decoder<'_>, *mut u8, usize, &mut usize) -> Result<(), DecodeError>,
    drop: Option<unsafe fn(*mut u8)>,
    tape: &'static TapeFunctions,
    parts: unsafe fn(&[*const u8], SomeRows, ValuePart<'_>) -> (SomeRows, SomeRows),
}

impl Codec {
    /// Returns the functions of a type.
    #[must_use]
    pub const fn of<T: Serialize + DeserializeOwned + 'static>() -> Self {
        Self {
            type_id: TypeId::of::<T>(),
            layout: Layout::new::<T>(),
            encode: encode::<T>,
            decode: decode::<T>,
            drop: if needs_drop::<T>() {
                Some(drop_place::<T>)
            } else {
                None
            },
            tape: TapeFunctions::of::<T>(),
            parts: parts::<T>,
        }
    }

    /// Returns the type.
    #[must_use]
    pub fn type_id(&self) -> TypeId {
        self.type_id
    }

    /// Returns the size of a value.
    pub(crate) fn size(&self) -> usize {
        self.layout.size()
    }

    /// Finds out a form that the type can be read back from.
    ///
    /// It reads made-up values of the type, which takes some microseconds for each. If the `Deserialize` of a type refuses every
    /// made-up value, the type is only known in part. If it cannot read the chosen form, that is an error when the bytes are
    /// read.
    #[must_use]
    pub fn form(&self) -> Form {
        self.find_out(false).form
    }

    /// Does the same, and finds out the [shape](super::shape) of the type.
    pub(crate) fn find_out(&self, is_events: bool) -> FoundOut {
        find_out(&mut |decoder| self.decode_and_drop(decoder), is_events)
    }

    /// See [`shape_with_any`].
    pub(crate) fn shape_with_any(&self, is_events: bool) -> String {
        shape_with_any(&mut |decoder| self.decode_and_drop(decoder), is_events)
    }

    /// Adds the knowledge from the first of some values in plain bytes.
    pub(crate) fn find_more(&self, found: FoundOut, bytes: &[u8]) -> FoundOut {
        found.with_real(&mut |decoder| self.decode_and_drop(decoder), bytes)
    }

    /// Returns the names of the fields that the type reads, if it is a struct; none if its `Deserialize` does not name them.
    #[must_use]
    pub fn fields(&self) -> Option<&'static [&'static str]> {
        let mut trace = TypeTrace::default();
        run(&mut trace, &mut |decoder| self.decode_and_drop(decoder));
        trace.fields()
    }

    /// Reads a value, and drops it.
    fn decode_and_drop(&self, decoder: &mut Decoder<'_>) -> Result<(), DecodeError> {
        let scratch = Scratch::new(self.layout);
        let mut written = 0;
        // SAFETY: the place is one for a value of the function's type (1).
        let result = unsafe { (self.decode)(decoder, scratch.place, 1, &mut written) };
        if let (Ok(()), Some(drop)) = (&result, self.drop) {
            // SAFETY: it is a value of the function's type (1), and nothing reads it afterwards.
            unsafe { drop(scratch.place) };
        }
        result
    }

    /// Appends `n` values in a form that they can be read back from, and returns it.
    ///
    /// # Errors
    /// If the `Serialize` of a value fails, with its number ([`EncodeError::row`]), or a value is nested too deep. In that
    /// case nothing was appended.
    ///
    /// # Safety
    /// `values` points to `n` values of the type of this codec, and nothing changes them during the call.
    pub unsafe fn encode(
        &self,
        values: *const u8,
        n: usize,
        encoder: &mut Encoder,
    ) -> Result<Form, EncodeError> {
        if self.form() == Form::Plain {
            // SAFETY: as the caller guarantees.
            match unsafe { self.encode_as(Form::Plain, values, n, encoder) } {
                Ok(()) => return Ok(Form::Plain),
                Err(error) if error.needs_names() => {}
                Err(error) => return Err(error),
            }
        }
        // SAFETY: as the caller guarantees.
        unsafe { self.encode_as(Form::Tree, values, n, encoder) }.map(|()| Form::Tree)
    }

    /// Appends `n` values in a form.
    ///
    /// # Errors
    /// As for [`encode`](Self::encode), and if a value cannot be read back in the plain form because of a skipped or a flattened
    /// field.
    ///
    /// # Safety
    /// As for [`encode`](Self::encode).
    pub unsafe fn encode_as(
        &self,
        form: Form,
        values: *const u8,
        n: usize,
        encoder: &mut Encoder,
    ) -> Result<(), EncodeError> {
        if form == Form::Plain {
            // SAFETY: they are values of the function's type: 1, and the caller.
            return unsafe { (self.encode)(values, n, encoder) };
        }
        encode_trees(encoder, n, |row| {
            // SAFETY: the row is one of the `n` values: 1, and the caller.
            let value = unsafe { values.add(row * self.layout.size()) };
            // SAFETY: it is a value of the type, which does not change while the result lives: the caller.
            unsafe { self.to_value(value) }
        })
    }

    /// Reads `n` values into `place`, and counts them in `written`, even if a `Deserialize` panics.
    ///
    /// From a decoder of a tree it reads one value in the plain form.
    ///
    /// # Errors
    /// If the data is not `n` values of the type. The first `written` values are then initialized; the caller drops them.
    ///
    /// # Safety
    /// `place` is aligned, and valid for writes of `n` values of the type of this codec.
    pub unsafe fn decode(
        &self,
        form: Form,
        decoder: &mut Decoder<'_>,
        place: *mut u8,
        n: usize,
        written: &mut usize,
    ) -> Result<(), DecodeError> {
        *written = 0;
        if form == Form::Plain {
            // SAFETY: the place is one for values of the function's type: 1, and the caller.
            let result = unsafe { (self.decode)(decoder, place, n, written) };
            return result.map_err(|error| decoder.locate(error));
        }
        for row in 0..n {
            let value = decoder.tree()?;
            // SAFETY: the row is one of the `n` places: 1, and the caller.
            let place = unsafe { place.add(row * self.layout.size()) };
            // SAFETY: as above.
            unsafe { self.decode_value(&value, place) }?;
            *written = row + 1;
        }
        Ok(())
    }

    /// Reads a tree as a value, into `place`.
    ///
    /// # Errors
    /// If it is not a value of the type, with the path in the tree. Nothing was then written.
    ///
    /// # Safety
    /// `place` is aligned, and valid for a write of a value of the type of this codec.
    pub unsafe fn decode_value(&self, value: &Value, place: *mut u8) -> Result<(), DecodeError> {
        let mut decoder = Decoder::of_value(value);
        let mut written = 0;
        // SAFETY: the place is one for a value of the function's type: 1, and the caller.
        let result = unsafe { (self.decode)(&mut decoder, place, 1, &mut written) };
        result.map_err(|error| decoder.locate(error))
    }

    /// Returns the fields of the first of some trees that loses a part when the type reads it.
    ///
    /// It reads and writes each of them, because no trait names the fields of all types.
    pub(crate) fn lost(&self, bytes: &[u8]) -> Option<Lost> {
        let mut decoder = Decoder::of_bytes(bytes);
        while decoder.position() < bytes.len() {
            let saved = decoder.tree().ok()?;
            let read = self.read_back(&saved);
            if let Some(lost) = read.and_then(|read| lost(&saved, &read)) {
                return Some(lost);
            }
        }
        None
    }

    /// Returns the value that is read from an empty map, or from nothing.
    pub(crate) fn default_value(&self) -> Option<Value> {
        let empty = [Value::Map(Vec::new()), Value::Null];
        empty.iter().find_map(|empty| self.read_back(empty))
    }

    /// Returns a tree after reading and writing it; `None` if that fails, which is an error when it is read in earnest.
    pub(crate) fn read_back(&self, tree: &Value) -> Option<Value> {
        let scratch = Scratch::new(self.layout);
        let read = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the place is one for a value of the type.
            unsafe { self.decode_value(tree, scratch.place) }
        }));
        read.ok()?.ok()?;
        let written = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the place has a value of the type, which nothing changes.
            unsafe { self.to_value(scratch.place) }
        }));
        if let Some(drop) = self.drop {
            // SAFETY: it is a value of the function's type (1), and nothing reads it afterwards.
            unsafe { drop(scratch.place) };
        }
        written.ok()?.ok()
    }

    /// Returns a value in the form that text formats write.
    ///
    /// # Safety
    /// `value` points to a value of the type of this codec, and nothing changes it while the result lives.
    #[must_use]
    #[inline]
    pub unsafe fn readable<'a>(&self, value: *const u8) -> Readable<'a> {
        // SAFETY: it is a value of the functions' type (1) that lives as long: the caller.
        unsafe { Readable::of(value, self.tape) }
    }

    /// Returns a value as a tree.
    ///
    /// # Errors
    /// As for [`Value::of`].
    ///
    /// # Safety
    /// `value` points to a value of the type of this codec, and nothing changes it during the call.
    pub unsafe fn to_value(&self, value: *const u8) -> Result<Value, EncodeError> {
        // SAFETY: as the caller guarantees.
        unsafe { self.readable(value) }.to_value()
    }

    /// Tests a part of some values, by their rows: the part that the tree of a value has at a path. Returns the rows whose part
    /// passes. In general no other part is written, so it does not matter whether that is possible.
    ///
    /// # Safety
    /// For each of the rows there is a value of the type of this codec, which nothing changes during the call.
    pub(crate) unsafe fn test(
        &self,
        values: &[*const u8],
        among: SomeRows,
        path: &Path,
        test: PartTest<'_>,
    ) -> SomeRows {
        let (passed, left) = match ValuePart::new(path, &test) {
            // SAFETY: they are values of the function's type (1), which do not change: the caller.
            Some(part) => unsafe { (self.parts)(values, among, part) },
            None => (SomeRows::NONE, among),
        };
        if left == SomeRows::NONE {
            return passed;
        }
        let session = Session::new(IdForm::Tree);
        let by_trees = left.filter(|row| {
            let value = values[row];
            // SAFETY: it is a value of the type, which does not change: the caller.
            let tree = session.run(|| unsafe { self.to_value(value) }).ok();
            let part = tree.as_ref().and_then(|tree| path.find(tree));
            test.passes(part.and_then(Scalar::of))
        });
        passed.and(by_trees)
    }
}

/// A function that reads a value.
type Read<'a> = &'a mut dyn FnMut(&mut Decoder<'_>) -> Result<(), DecodeError>;

/// Returns the shape of a type as text, in which parts that look at what they get, such as `untagged` enums, are not known. Empty
/// if the type needs names in another way.
pub(crate) fn shape_with_any(read: Read<'_>, is_events: bool) -> String {
    let mut trace = TypeTrace::with_any();
    for _ in 0..MAX_RUNS {
        run(&mut trace, read);
        if trace.is_done() {
            break;
        }
    }
    match trace.needs_names() {
        true => String::new(),
        false => trace.shape(is_events),
    }
}

/// Finds out a form that a type can be read back from, and its [shape](super::shape), by reading made-up values.
pub(crate) fn find_out(read: Read<'_>, is_events: bool) -> FoundOut {
    find_out_with(Choices::default(), read, is_events)
}

fn find_out_with(choices: Choices, read: Read<'_>, is_events: bool) -> FoundOut {
    let mut trace = TypeTrace::with(choices, None);
    for _ in 0..MAX_RUNS {
        run(&mut trace, read);
        if trace.is_done() {
            break;
        }
    }
    let (form, shape) = match trace.needs_names() {
        true => (Form::Tree, Arc::default()),
        false => (Form::Plain, trace.shape(is_events).into()),
    };
    let is_partial = form == Form::Plain && trace.is_partial();
    FoundOut {
        form,
        shape,
        partial: is_partial.then(|| Box::new(trace.into_choices())),
        is_events,
    }
}

/// The knowledge about a type.
#[derive(Clone)]
pub(crate) struct FoundOut {
    /// A form that the type can be read back from.
    pub(crate) form: Form,
    /// The [shape](super::shape) of its values; empty for trees.
    pub(crate) shape: Arc<str>,
    /// The values that were made up, if some part of the type was not reached.
    partial: Option<Box<Choices>>,
    is_events: bool,
}

impl FoundOut {
    /// Returns true if real values may tell more.
    pub(crate) fn is_partial(&self) -> bool {
        self.partial.is_some()
    }

    /// Finds out more: where the type has refused all made-up values, it gets the values that real ones in plain bytes have
    /// there. The bytes may have been written by another type.
    pub(crate) fn with_real(self, read: Read<'_>, bytes: &[u8]) -> Self {
        let Some(choices) = self.partial else {
            return self;
        };
        let real = Real::new(&bytes[..bytes.len().min(REAL_BYTES)]);
        let mut trace = TypeTrace::with(*choices, Some(real));
        for _ in 0..REAL_VALUES {
            if !trace.has_real() || !run(&mut trace, read) {
                break;
            }
        }
        find_out_with(trace.into_choices(), read, self.is_events)
    }
}

/// The greatest number of real values to read, and of their bytes.
pub(crate) const REAL_VALUES: usize = 16;
const REAL_BYTES: usize = 4096;

/// Reads a value, and returns true if it was read. An error ends the run, and so does a panic.
fn run(trace: &mut TypeTrace, read: Read<'_>) -> bool {
    trace.begin();
    let result = catch_unwind(AssertUnwindSafe(|| read(&mut Decoder::of_trace(trace))));
    let is_read = matches!(result, Ok(Ok(())));
    let error = result.ok().and_then(Result::err);
    trace.end(error.as_ref().map(DecodeError::message));
    is_read
}

/// Appends `n` trees, or nothing if there is an error.
pub(super) fn encode_trees(
    encoder: &mut Encoder,
    n: usize,
    mut tree: impl FnMut(usize) -> Result<Value, EncodeError>,
) -> Result<(), EncodeError> {
    let start = encoder.len();
    for row in 0..n {
        let result = tree(row).and_then(|value| encoder.tree(&value));
        if let Err(error) = result {
            encoder.truncate(start);
            return Err(error.at_row(row));
        }
    }
    Ok(())
}

/// # Safety
/// As for [`Codec::encode`], for the type `T`.
unsafe fn encode<T: Serialize>(
    values: *const u8,
    n: usize,
    encoder: &mut Encoder,
) -> Result<(), EncodeError> {
    // SAFETY: they are `n` values that nothing changes: the caller.
    let values = unsafe { std::slice::from_raw_parts(values.cast::<T>(), n) };
    encoder.values(values)
}

/// # Safety
/// As for [`Codec::decode`], for the type `T`; `written` is 0.
unsafe fn decode<T: DeserializeOwned>(
    decoder: &mut Decoder<'_>,
    place: *mut u8,
    n: usize,
    written: &mut usize,
) -> Result<(), DecodeError> {
    let place = place.cast::<T>();
    #[cfg(not(debug_assertions))]
    if n >= FEW_ROWS && decoder.is_of_bytes() {
        // SAFETY: the contract is the same.
        unsafe { rows::<T, Windowed<T>>(decoder, place, n, written) }?;
    }
    // The last rows, and trees; in a debug build all of them, by functions that fields of a type share, which compile faster.
    // SAFETY: the contract is the same, and so is the number of values that were written.
    unsafe { rows::<T, ()>(decoder, place, n, written) }
}

/// Reads values from number `written` on, and counts them there; [in windows](RowSource::IN_WINDOWS), only until a row is longer
/// than its window, or cannot be read, or too few bytes are left for a window. `R` is the type of the reader's rows.
///
/// # Safety
/// As for [`Codec::decode`], for the type `T`; the first `written` values are initialised.
#[inline]
unsafe fn rows<T: DeserializeOwned, R: RowSource>(
    decoder: &mut Decoder<'_>,
    place: *mut T,
    n: usize,
    written: &mut usize,
) -> Result<(), DecodeError> {
    // In a local of the loop: the cursor stays in registers.
    let mut reader = decoder.reader::<R>();
    let mut result = Ok(());
    while *written < n {
        let first = *written;
        let fitting = reader.fitting(n - first);
        for row in first..first + fitting {
            // SAFETY: it is one of the rows that fit; this loop ends with one that is not read as a whole.
            unsafe { reader.begin_row() };
            let value = T::deserialize(&mut reader);
            let is_whole = reader.end_row(value.is_ok());
            match value {
                Ok(value) if is_whole => {
                    // SAFETY: the row is one of the `n` places: the caller.
                    let place = unsafe { place.add(row) };
                    // SAFETY: it is aligned and valid for writes: the caller.
                    unsafe { place.write(value) };
                    // Now, because the next one may panic.
                    *written = row + 1;
                }
                Err(error) if !R::IN_WINDOWS => {
                    result = Err(error.take());
                    break;
                }
                // The row is read again, without a window.
                _ => break,
            }
        }
        if fitting == 0 || *written < first + fitting {
            break;
        }
    }
    let rest = reader.into_rest();
    decoder.set_rest(rest);
    result
}

impl Decoder<'_> {
    /// Reads `n` values, and appends them to a list. There has to be memory for so many: the caller checks a number that comes from
    /// a stranger.
    ///
    /// # Errors
    /// If the data is not `n` values of that type, with its position. The values before the wrong one were appended.
    pub fn values<T: DeserializeOwned>(
        &mut self,
        n: usize,
        out: &mut Vec<T>,
    ) -> Result<(), DecodeError> {
        out.reserve(n);
        let place = out.spare_capacity_mut().as_mut_ptr();
        let mut list = GrowingList { out, added: 0 };
        // SAFETY: the list has memory for `n` more values, which nothing else uses during the call.
        let result = unsafe { decode::<T>(self, place.cast(), n, &mut list.added) };
        drop(list);
        result.map_err(|error| self.locate(error))
    }
}

/// A list that values are read into, which has them even if a `Deserialize` panics.
struct GrowingList<'a, T> {
    out: &'a mut Vec<T>,
    /// Invariant 1: the number of values after the list's own that are initialised.
    added: usize,
}

impl<T> Drop for GrowingList<'_, T> {
    fn drop(&mut self) {
        let len = self.out.len() + self.added;
        // SAFETY: so many are initialised (1), in the memory of the list.
        unsafe { self.out.set_len(len) };
    }
}

/// # Safety
/// `place` has a value of the type `T`, which is not used afterwards.
unsafe fn drop_place<T>(place: *mut u8) {
    // SAFETY: it is a value that is dropped once: the caller.
    unsafe { place.cast::<T>().drop_in_place() };
}

/// Tests a part of values; see [`Codec::test`]. Returns the rows that pass, and the rows that need a tree to decide.
///
/// # Safety
/// For each of the rows there is a `T`, which nothing changes during the call.
unsafe fn parts<T: Serialize>(
    values: &[*const u8],
    among: SomeRows,
    part: ValuePart<'_>,
) -> (SomeRows, SomeRows) {
    let mut left = SomeRows::NONE;
    let passed = among.filter(|row| {
        // SAFETY: it is a value of the type that nothing changes: the caller.
        let value = unsafe { &*values[row].cast::<T>() };
        part.of(value).unwrap_or_else(|_| {
            left = left.and(SomeRows::one(row));
            false
        })
    });
    (passed, left)
}

/// Memory for one value.
struct Scratch {
    /// Invariants:
    /// 1. `place` is aligned and valid for writes as `layout` says, and was allocated with it unless its size is 0.
    place: *mut u8,
    layout: Layout,
}

impl Scratch {
    fn new(layout: Layout) -> Self {
        if layout.size() == 0 {
            return Self {
                place: ptr::without_provenance_mut(layout.align()),
                layout,
            };
        }
        // SAFETY: the size is not 0.
        let place = unsafe { alloc(layout) };
        if place.is_null() {
            handle_alloc_error(layout);
        }
        Self { place, layout }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.layout.size() != 0 {
            // SAFETY: it was allocated with this layout: 1.
            unsafe { dealloc(self.place, self.layout) };
        }
    }
}
