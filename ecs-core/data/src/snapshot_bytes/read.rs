//! Reads snapshots.

use std::any::Any;

use ecs_engine::World;
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::schedule::Schedule;
use ecs_engine::snapshot::bytes::{CopyInput, CopyProblem};
use ecs_engine::snapshot::{Snapshot, Snapshotter};
use ecs_engine::staging::ErasedColumn;

use super::{FORM, MAGIC, OLDEST, ReadSnapshotError};
use crate::codec::Form;
use crate::column::{self, ReadFailure};
use crate::file::{self, FileInput};
use crate::saved::{DataCodec, ValueReader};
use crate::types::{SameName, know_engine_components};

pub(super) fn read(
    snapshotter: &Snapshotter,
    world: &World,
    schedules: Option<&mut [&mut Schedule]>,
    bytes: &[u8],
) -> Result<Snapshot, ReadSnapshotError> {
    let mut input = SnapshotInput::new(bytes)?;
    know_engine_components();
    let read = snapshotter.read(world, &mut input);
    let snapshot = read.map_err(|problem| input.error(problem))?;
    let different =
        schedules.and_then(|schedules| snapshotter.first_difference(&snapshot, schedules));
    match different {
        None => Ok(snapshot),
        Some([here, written]) => Err(ReadSnapshotError::OtherSystems { here, written }),
    }
}

/// The name of a type of values, and its form.
struct SnapshotType<'a> {
    name: &'a str,
    version: u32,
    shape: &'a str,
    /// True if it was compared with the type of the program.
    is_checked: bool,
}

/// Bytes that are being read.
struct SnapshotInput<'a> {
    /// The version of the form.
    form: u32,
    body: FileInput<'a>,
    types: Vec<SnapshotType<'a>>,
    session: Session<'static>,
    /// The reason of a [`CopyProblem::Value`].
    failure: Option<ReadSnapshotError>,
}

impl<'a> SnapshotInput<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, ReadSnapshotError> {
        let (mut input, form) = file::begin(bytes, MAGIC, FORM)?;
        if form < OLDEST {
            return Err(ReadSnapshotError::Older { form });
        }
        let length = usize::try_from(input.u64()?).unwrap_or(usize::MAX);
        let at = input.at();
        input.take(length)?;
        let body = FileInput::between(bytes, at, input.at());
        let mut types = Vec::new();
        for _ in 0..input.length(12)? {
            types.push(SnapshotType {
                name: input.text()?,
                version: input.u32()?,
                shape: input.text()?,
                is_checked: false,
            });
        }
        if input.left() != 8 {
            return Err(input.malformed(0, "there is more before the end").into());
        }
        Ok(Self {
            form,
            body,
            types,
            session: Session::new(IdForm::Bits),
            failure: None,
        })
    }

    /// Returns the error of a problem.
    fn error(self, problem: CopyProblem) -> ReadSnapshotError {
        match problem {
            CopyProblem::Truncated => self.body.ended().into(),
            CopyProblem::Malformed(problem) => self.body.malformed(0, problem).into(),
            CopyProblem::UnknownComponents(names) => ReadSnapshotError::UnknownComponents { names },
            CopyProblem::SameName { name, types } => {
                ReadSnapshotError::SameName(SameName { name, types })
            }
            CopyProblem::UnknownResource(name) => ReadSnapshotError::UnknownResource { name },
            CopyProblem::UnknownMemory { system, name } => {
                ReadSnapshotError::UnknownMemory { system, name }
            }
            CopyProblem::UnknownSystem(system) => ReadSnapshotError::UnknownSystem { system },
            CopyProblem::Uncopied(name) => ReadSnapshotError::Uncopied { name },
            CopyProblem::Value => self.failure.unwrap_or(self.body.ended().into()),
        }
    }

    /// Reads the head of some values of a type, and returns their reader, their form and bytes.
    fn values(
        &mut self,
        data: &'static DataType,
    ) -> Result<(ValueReader, Form, &'a [u8]), ReadSnapshotError> {
        let number = self.body.u32()? as usize;
        let form = Form::of_byte(self.body.u8()?);
        let length = usize::try_from(self.body.u64()?).unwrap_or(usize::MAX);
        let bytes = self.body.take(length)?;
        let codec = DataCodec::of(data);
        let reader = codec.and_then(|codec| codec.reader(data, data.version()));
        let reader = reader.ok_or(ReadSnapshotError::Uncopied { name: data.name() })?;
        let (Some(ty), Some(form)) = (self.types.get_mut(number), form) else {
            let problem = "there is no such type or form of values";
            return Err(self.body.malformed(length, problem).into());
        };
        let is_other = ty.name != data.name() || ty.version != data.version();
        // A tree has the names of its fields.
        let is_checked = core::mem::replace(&mut ty.is_checked, true) || form == Form::Tree;
        if is_other || !is_checked && reader.misread(ty.shape, bytes).is_some() {
            return Err(ReadSnapshotError::OtherType {
                name: data.name(),
                written: ty.name.to_owned(),
            });
        }
        Ok((reader, form, bytes))
    }

    /// Notes the reason of a problem.
    fn noted<T>(&mut self, result: Result<T, ReadSnapshotError>) -> Result<T, CopyProblem> {
        result.map_err(|error| {
            self.failure = Some(error);
            CopyProblem::Value
        })
    }

    fn failed(&self, data: &DataType, bytes: &[u8], failure: ReadFailure) -> ReadSnapshotError {
        let first = self.body.at() - bytes.len();
        ReadSnapshotError::Value {
            name: data.name(),
            message: failure.message,
            byte: failure.byte.map(|byte| first + byte),
        }
    }
}

impl CopyInput for SnapshotInput<'_> {
    fn take(&mut self, len: usize) -> Result<&[u8], CopyProblem> {
        self.body.take(len).map_err(|_| CopyProblem::Truncated)
    }

    fn left(&self) -> usize {
        self.body.left()
    }

    fn form(&self) -> u32 {
        self.form
    }

    unsafe fn take_values(
        &mut self,
        data: &'static DataType,
        rows: usize,
        column: &mut ErasedColumn,
    ) -> Result<(), CopyProblem> {
        let values = self.values(data);
        let (reader, form, bytes) = self.noted(values)?;
        // SAFETY: the reader is one of the type of the column, by the caller's contract.
        let read = unsafe { column::read(column, reader, form, bytes, rows, &self.session) };
        let read = read.map_err(|failure| self.failed(data, bytes, failure));
        self.noted(read)
    }

    fn take_boxed(
        &mut self,
        data: &'static DataType,
    ) -> Result<Box<dyn Any + Send + Sync>, CopyProblem> {
        let values = self.values(data);
        let (reader, form, bytes) = self.noted(values)?;
        let session = &self.session;
        let read = &mut |place, written: &mut usize| {
            // SAFETY: the place is for a value of the data type, to which the reader belongs.
            unsafe { column::read_one(reader, form, bytes, place, session, written) }
        };
        // SAFETY: the function counts the value that it has written.
        let value = unsafe { column::boxed(data, read) };
        let value = value.map_err(|failure| self.failed(data, bytes, failure));
        self.noted(value)
    }
}
