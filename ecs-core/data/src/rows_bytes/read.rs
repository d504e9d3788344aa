//! Reads rows.

use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::rows::Rows;
use ecs_engine::rows::parts::{AgedColumn, PartPlace, RowsParts};
use ecs_engine::staging::{
    ColumnAges, EdgeTarget, ErasedColumn, StagedEdge, StagedEdges, StagedRows,
};
use ecs_engine::{Entity, World};

use super::write::type_hash;
use super::{FORM, MAGIC, ReadRowsError};
use crate::codec::Form;
use crate::column;
use crate::file::{self, FileInput};
use crate::saved::{DataCodec, ValueReader};
use crate::types::DataTypes;

pub(super) fn read(world: &World, bytes: &[u8]) -> Result<Rows, ReadRowsError> {
    let (mut input, _) = file::begin(bytes, MAGIC, FORM)?;
    let mut parts = RowsParts::default();
    for _ in 0..input.length(8)? {
        parts.keys.push(input.u64()?);
    }
    for _ in 0..input.length(9)? {
        let exists = flag(&mut input)?;
        let key = input.u64()?;
        parts.outside.push(exists.then_some(key));
    }
    let types = types(world, &mut input)?;
    let end = (parts.keys.len() + parts.outside.len()) as u32;
    let ids: Vec<Entity> = (0..end).map(Rows::id_of).collect();
    let mut input = RowsInput {
        bytes: input,
        types,
        session: Session::new(IdForm::Read {
            entities: &ids,
            others: &[],
        }),
        with_ids: Vec::new(),
    };
    for table in 0..input.bytes.length(8)? {
        let numbers = input.numbers()?;
        let mut columns = Vec::new();
        for column in 0..input.bytes.length(13)? {
            let place = PartPlace::Table(table, column);
            columns.push(input.column(place, numbers.len())?);
        }
        parts.tables.push((StagedRows::of_list(numbers), columns));
    }
    for set in 0..input.bytes.length(17)? {
        let numbers = input.numbers()?;
        let column = input.column(PartPlace::Set(set), numbers.len())?;
        parts.sets.push((numbers, column));
    }
    for list in 0..input.bytes.length(17)? {
        parts.edges.push(input.edges(list)?);
    }
    if input.bytes.left() != 8 {
        return Err(input
            .bytes
            .malformed(0, "there is more before the end")
            .into());
    }
    parts.with_ids = input.with_ids;
    let rows = Rows::of_parts(parts);
    rows.map_err(|problem| input.bytes.malformed(0, problem).into())
}

fn flag(input: &mut FileInput<'_>) -> Result<bool, ReadRowsError> {
    match input.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(input.malformed(1, "expected 0 or 1").into()),
    }
}

/// Reads the list of types, and finds them among the types that the world knows.
fn types(
    world: &World,
    input: &mut FileInput<'_>,
) -> Result<Vec<(&'static DataType, DataCodec, ComponentId)>, ReadRowsError> {
    let known = DataTypes::of(world).map_err(ReadRowsError::SameName)?;
    let (mut types, mut names) = (Vec::new(), Vec::new());
    for _ in 0..input.length(16)? {
        let name = input.text()?;
        let (version, hash) = (input.u32()?, input.u64()?);
        let data = known.find(name).filter(|data| data.name() == name);
        let found = data.and_then(|data| Some((data, DataCodec::of(data)?, data.component_id()?)));
        let Some((data, codec, component)) = found else {
            names.push(name.to_owned());
            continue;
        };
        if data.version() != version || type_hash(data, codec) != hash {
            return Err(ReadRowsError::OtherType { name: data.name() });
        }
        types.push((data, codec, component));
    }
    match names.is_empty() {
        true => Ok(types),
        false => Err(ReadRowsError::UnknownTypes { names }),
    }
}

struct RowsInput<'a> {
    bytes: FileInput<'a>,
    types: Vec<(&'static DataType, DataCodec, ComponentId)>,
    session: Session<'a>,
    with_ids: Vec<PartPlace>,
}

impl RowsInput<'_> {
    fn numbers(&mut self) -> Result<Vec<u32>, ReadRowsError> {
        let len = self.bytes.length(4)?;
        Ok(self.bytes.u32s(len)?)
    }

    /// Reads a column of a component, or of edges.
    fn column(&mut self, place: PartPlace, rows: usize) -> Result<AgedColumn, ReadRowsError> {
        let number = self.bytes.u32()? as usize;
        let form = Form::of_byte(self.bytes.u8()?);
        let (Some(&(data, codec, component)), Some(form)) = (self.types.get(number), form) else {
            let problem = "there is no such type or form of values";
            return Err(self.bytes.malformed(1, problem).into());
        };
        let length = usize::try_from(self.bytes.u64()?).unwrap_or(usize::MAX);
        let bytes = self.bytes.take(length)?;
        let is_edges = matches!(place, PartPlace::Edges(_));
        let column = match is_edges {
            true => ErasedColumn::of_edges(component),
            false => Some(ErasedColumn::new(component)),
        };
        let column = column.filter(|_| data.is_relation() == is_edges);
        let Some(mut column) = column else {
            let problem =
                "a component has the place of a relation, or a relation that of a component";
            return Err(self.bytes.malformed(length, problem).into());
        };
        let reader = ValueReader::Current(codec);
        self.session.take_found();
        // SAFETY: the codec belongs to the type of the column, which is the component's or the relation's.
        let read = unsafe { column::read(&mut column, reader, form, bytes, rows, &self.session) };
        read.map_err(|failure| ReadRowsError::Value {
            name: data.name(),
            message: failure.message,
        })?;
        if self.session.take_found() {
            self.with_ids.push(place);
        }
        let is_tracked = !is_edges && component.is_tracked();
        let ages = match is_tracked && flag(&mut self.bytes)? {
            false => None,
            true => Some(ColumnAges {
                added: self.bytes.u32s(rows)?,
                changed: self.bytes.u32s(rows)?,
            }),
        };
        Ok((column, ages))
    }

    fn edges(&mut self, list: usize) -> Result<StagedEdges, ReadRowsError> {
        let count = self.bytes.length(12)?;
        let (mut edges, mut order) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for _ in 0..count {
            let source = self.bytes.u32()?;
            let target = EdgeTarget::New(self.bytes.u32()?);
            edges.push(StagedEdge { source, target });
            order.push(self.bytes.u32()?);
        }
        let (values, _) = self.column(PartPlace::Edges(list), count)?;
        Ok(StagedEdges {
            outgoing: values.component(),
            edges,
            order,
            values,
        })
    }
}
