//! The types that names of a save stand for, and the readers of their values.

use std::any::Any;

use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::Session;

use super::{LoadError, Loader, Unknown};
use crate::Value;
use crate::closest::closest;
use crate::codec::Form;
use crate::column::{self, ReadFailure};
use crate::saved::{DataCodec, ValueReader};
use crate::types::DataTypes;

/// A type of the file that the loader knows.
#[derive(Clone, Copy)]
pub(crate) struct FileType {
    pub(crate) data: &'static DataType,
    pub(crate) reader: ValueReader,
}

/// Returns the type of a name, and the reader of a version of it; `None` if the loader knows no type, and does not refuse it.
pub(super) fn resolve(
    loader: &Loader,
    types: &DataTypes,
    name: &str,
    version: u32,
) -> Result<Option<FileType>, LoadError> {
    let Some(data) = find(loader, types, name)? else {
        return Ok(None);
    };
    let reader = reader_of(name, data, version)?;
    Ok(Some(FileType { data, reader }))
}

/// Returns the type of a name; `None` if the loader knows none, and does not refuse it.
pub(super) fn find(
    loader: &Loader,
    types: &DataTypes,
    name: &str,
) -> Result<Option<&'static DataType>, LoadError> {
    let found = types.find(name);
    let found = found.filter(|data| DataCodec::of(data).is_some());
    match (found, loader.unknown) {
        (None, Unknown::Refuse) => Err(LoadError::UnknownName {
            entity: None,
            name: name.to_owned(),
            meant: closest(name, types.names()),
        }),
        (found, _) => Ok(found),
    }
}

/// Returns the reader of a version of a type.
pub(super) fn reader_of(
    name: &str,
    data: &'static DataType,
    version: u32,
) -> Result<ValueReader, LoadError> {
    let codec = DataCodec::of(data);
    let reader = codec.and_then(|codec| codec.reader(data, version));
    reader.ok_or_else(|| LoadError::Version {
        name: name.to_owned(),
        found: version,
        current: data.version(),
    })
}

/// Refuses values in plain bytes whose shape differs from the reader's, and trees that would lose a part.
pub(super) fn check_shape(
    name: &str,
    version: u32,
    reader: ValueReader,
    form: Form,
    shape: Option<&str>,
    bytes: &[u8],
) -> Result<(), LoadError> {
    let other = match form {
        Form::Plain => shape.and_then(|found| {
            let current = reader.misread(found, bytes)?;
            Some((found.to_owned(), (*current).to_owned()))
        }),
        Form::Tree => reader.lost(bytes).map(|lost| (lost.found, lost.current)),
    };
    match other {
        None => Ok(()),
        Some((found, current)) => Err(LoadError::Shape {
            name: name.to_owned(),
            version,
            found,
            current,
        }),
    }
}

/// Reads a tree as a resource.
pub(crate) fn read_resource(
    ty: &FileType,
    tree: &Value,
    session: &Session<'_>,
) -> Result<Box<dyn Any + Send + Sync>, ReadFailure> {
    let mut read = |place: *mut u8, written: &mut usize| {
        // SAFETY: the place is for a value of the type, and the reader belongs to the type.
        unsafe { column::read_tree_to(ty.reader, tree, place, session, written) }
    };
    // SAFETY: the reader counts the value of the type that it has written.
    unsafe { column::boxed(ty.data, &mut read) }
}

/// Reads bytes as a resource.
pub(super) fn boxed_resource(
    ty: &FileType,
    form: Form,
    bytes: &[u8],
    session: &Session<'_>,
) -> Result<Box<dyn Any + Send + Sync>, ReadFailure> {
    let mut read = |place: *mut u8, written: &mut usize| {
        // SAFETY: the place is for a value of the type, and the reader belongs to the type.
        unsafe { column::read_one(ty.reader, form, bytes, place, session, written) }
    };
    // SAFETY: the reader counts the value of the type that it has written.
    unsafe { column::boxed(ty.data, &mut read) }
}
