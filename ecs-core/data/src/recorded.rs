//! Resources as bytes, one at a time and without loss: the package `ecs-record` writes inputs in this form.
//!
//! ```text
//! type                     numbered by first use
//! name, version, shape     only at the first use
//! form: u8, length, bytes  as in snapshots: ids are their bits
//! first                    of events: the number of the first kept one; otherwise 0
//!
//! Numbers are groups of seven bits, the lowest first.
//! ```

use std::any::Any;

use ecs_engine::World;
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{IdForm, Session};

use crate::by_name::resource_named;
use crate::codec::{Encoder, Form};
use crate::column;
use crate::file::{FileError, FileInput, checksum_of, put_number};
use crate::saved::DataCodec;
use crate::value::Value;

/// Writes resources, and numbers their types.
#[derive(Default)]
pub struct ResourceWriter {
    /// The types by their numbers, with the forms of their values.
    types: Vec<(&'static DataType, Form)>,
    encoder: Encoder,
}

impl ResourceWriter {
    /// Appends a resource to bytes. Returns false, and writes nothing, if the world has none of the type; an error writes nothing
    /// either.
    ///
    /// # Errors
    /// If the type has no written form, or the `Serialize` of the value fails, or the value is borrowed.
    pub fn write(
        &mut self,
        world: &World,
        data: &'static DataType,
        out: &mut Vec<u8>,
    ) -> Result<bool, String> {
        let Some(codec) = DataCodec::of(data) else {
            return Err(format!("`{}` has no written form", data.name()));
        };
        let value = world.resources().try_borrow_erased(data.type_id());
        let Some(value) = value.map_err(|error| error.to_string())? else {
            return Ok(false);
        };
        let known = self.types.iter().position(|(known, _)| known.is_same(data));
        let form = known.map_or_else(|| codec.form(), |known| self.types[known].1);
        let form = self.encode(codec, form, data, &*value)?;
        let bytes = self.encoder.bytes();
        put_number(out, known.unwrap_or(self.types.len()) as u64);
        if known.is_none() {
            self.types.push((data, form));
            put_text(out, data.name());
            out.extend(data.version().to_le_bytes());
            put_text(out, &codec.shape());
        }
        out.push(form.byte());
        put_number(out, bytes.len() as u64);
        out.extend(bytes);
        put_number(out, data.first_event(&*value).unwrap_or(0));
        Ok(true)
    }

    /// Encodes a value in a form from which it can be read back.
    fn encode(
        &mut self,
        codec: DataCodec,
        mut form: Form,
        data: &DataType,
        value: &(dyn Any + Send + Sync),
    ) -> Result<Form, String> {
        assert_eq!(value.type_id(), data.type_id());
        let session = Session::new(IdForm::Bits);
        loop {
            self.encoder.clear();
            let encoder = &mut self.encoder;
            let place = std::ptr::from_ref(value).cast::<u8>();
            // SAFETY: the value has the codec's type (just checked), and is borrowed.
            let result = session.run(|| unsafe { codec.encode_as(form, place, 1, encoder) });
            match (session.take_error(), result) {
                (None, Ok(())) => return Ok(form),
                // Unexpectedly, the value cannot be read back without the names of its fields.
                (None, Err(error)) if error.needs_names() && form == Form::Plain => {
                    form = Form::Tree;
                }
                (Some(error), _) => return Err(format!("`{}`: {error}", data.name())),
                (None, Err(error)) => return Err(format!("`{}`: {error}", data.name())),
            }
        }
    }
}

/// Appends to a list, and lets it grow by an eighth instead of doubling it.
pub fn push_tight<T>(list: &mut Vec<T>, value: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 8 + 4);
    }
    list.push(value);
}

/// Reads the resources that a [`ResourceWriter`] has written, from bytes that stay available. It remembers only the position of each
/// type's name: eight bytes for a type, and none for a resource.
#[derive(Debug, Default)]
pub struct ResourceReader {
    /// The positions of the types' first uses.
    types: Vec<usize>,
}

/// A resource in the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedResource<'a> {
    name: &'a str,
    version: u32,
    shape: &'a str,
    form: u8,
    bytes: &'a [u8],
    first: u64,
}

impl ResourceReader {
    /// Takes the resource at a position for the first time. Resources are taken in the order of their positions.
    ///
    /// # Errors
    /// If the bytes are damaged; the message says how.
    pub fn take<'a>(
        &mut self,
        bytes: &'a [u8],
        at: &mut usize,
    ) -> Result<RecordedResource<'a>, String> {
        let (resource, new) = self.read(bytes, at).map_err(|error| error.to_string())?;
        if let Some(new) = new {
            push_tight(&mut self.types, new);
        }
        Ok(resource)
    }

    /// Takes the resource at a position again; `None` if there was none.
    #[must_use]
    pub fn take_again<'a>(&self, bytes: &'a [u8], at: &mut usize) -> Option<RecordedResource<'a>> {
        self.read(bytes, at).ok().map(|(resource, _)| resource)
    }

    /// Returns the resource at a position, and the position of its type if it is the first of a new one.
    fn read<'a>(
        &self,
        bytes: &'a [u8],
        at: &mut usize,
    ) -> Result<(RecordedResource<'a>, Option<usize>), FileError> {
        let mut input = FileInput::between(bytes, *at, bytes.len());
        let ty = input.number()?;
        let ty = usize::try_from(ty).unwrap_or(usize::MAX);
        let here = input.at();
        let is_new = ty == self.types.len();
        let place = self.types.get(ty).copied();
        let Some(place) = place.or(is_new.then_some(here)) else {
            return Err(input.malformed(4, "there is no such type of resources"));
        };
        let mut of_type = FileInput::between(bytes, place, bytes.len());
        let (name, version, shape) = (of_type.text()?, of_type.u32()?, of_type.text()?);
        if place == here {
            input = of_type;
        }
        let form = input.u8()?;
        let length = usize::try_from(input.number()?).unwrap_or(usize::MAX);
        let resource = RecordedResource {
            name,
            version,
            shape,
            form,
            bytes: input.take(length)?,
            first: input.number()?,
        };
        *at = input.at();
        Ok((resource, is_new.then_some(here)))
    }
}

impl RecordedResource<'_> {
    /// Returns true if two resources of one type, perhaps of different recordings, have the same bytes.
    #[must_use]
    pub fn is_same_value(&self, other: &Self) -> bool {
        (self.form, self.bytes, self.first) == (other.form, other.bytes, other.first)
    }

    /// Returns the name of the type.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// Puts a resource into a world, as if it had been inserted or written in place.
    ///
    /// # Errors
    /// If the world does not know the type, or if the type has changed since, or does not accept the value.
    pub fn put(&self, world: &mut World, is_inserted: bool) -> Result<(), String> {
        let (data, value) = self.read(world)?;
        drop(world.resources_mut().write_erased(data, value, is_inserted));
        world.settle_delays();
        Ok(())
    }

    /// Returns a resource as a tree, for messages.
    ///
    /// # Errors
    /// As for [`put`](Self::put).
    pub fn tree(&self, world: &World) -> Result<Value, String> {
        let (data, value) = self.read(world)?;
        crate::by_name::any_tree(data, &*value).map_err(|error| error.to_string())
    }

    fn read(
        &self,
        world: &World,
    ) -> Result<(&'static DataType, Box<dyn Any + Send + Sync>), String> {
        let (data, codec) = resource_named(world, self.name).map_err(|error| error.to_string())?;
        let reader = codec.reader(data, self.version);
        let other = || format!("`{}` was another type when it was written", self.name);
        let (Some(reader), Some(form)) = (reader, Form::of_byte(self.form)) else {
            return Err(other());
        };
        let bytes = self.bytes;
        if form == Form::Plain && reader.misread(self.shape, bytes).is_some() {
            return Err(other());
        }
        let session = Session::new(IdForm::Bits);
        let read = &mut |place, written: &mut usize| {
            // SAFETY: the place is for a value of the data type, to which the reader belongs.
            unsafe { column::read_one(reader, form, bytes, place, &session, written) }
        };
        // SAFETY: the function counts the value that it has written.
        let value = unsafe { column::boxed(data, read) };
        let mut value = value.map_err(|failure| format!("`{}`: {}", self.name, failure.message))?;
        data.set_first_event(&mut *value, self.first);
        Ok((data, value))
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

/// Returns the checksum that files of this package have.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    checksum_of(bytes)
}
