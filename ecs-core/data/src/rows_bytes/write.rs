//! Writes rows.

use std::cell::OnceCell;
use std::collections::HashMap;

use ecs_engine::Entity;
use ecs_engine::component::ComponentId;
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{ByIndex, IdForm, Others, Session};
use ecs_engine::rows::Rows;
use ecs_engine::staging::{ColumnAges, EdgeTarget, ErasedColumn};

use super::{FORM, MAGIC, WriteRowsError};
use crate::codec::{Encoder, Form};
use crate::column::{self, ValueRun};
use crate::file::Checksum;
use crate::saved::DataCodec;
use crate::schema_hash::add_type;

/// Appends rows to bytes. After an error, there may be a part of them.
pub fn append_rows(rows: &Rows, bytes: &mut Vec<u8>) -> Result<(), WriteRowsError> {
    let start = bytes.len();
    bytes.extend_from_slice(MAGIC);
    // Most rows name no entity.
    let numbers: OnceCell<HashMap<Entity, u32>> = OnceCell::new();
    let number_of = |entity: Entity| {
        let all = || rows.named().map(|(id, _)| id).zip(0..).collect();
        numbers.get_or_init(all).get(&entity).copied()
    };
    let mut output = RowsOutput {
        bytes,
        types: types(rows)?,
        session: Session::new(IdForm::Numbered {
            entities: &[],
            numbers: ByIndex::Sorted(&[]),
            others: Others::Numbered(&number_of),
        }),
        encoder: Encoder::new(),
    };
    output.put_u32(FORM);
    output.put_len(rows.len());
    rows.keys().for_each(|key| output.put_u64(key));
    let outside: Vec<Option<u64>> = rows.named().skip(rows.len()).map(|(_, key)| key).collect();
    output.put_len(outside.len());
    for key in outside {
        output.bytes.push(key.is_some().into());
        output.put_u64(key.unwrap_or(0));
    }
    output.put_types();
    output.put_len(rows.tables().len());
    for (numbers, columns, ages) in rows.tables() {
        output.put_len(numbers.len());
        numbers.iter().for_each(|number| output.put_u32(number));
        output.put_len(columns.len());
        let mut ages = ages.iter();
        for column in columns {
            output.put_column(column, ages.next().and_then(Option::as_ref))?;
        }
    }
    output.put_len(rows.sets().len());
    for (numbers, column, ages) in rows.sets() {
        output.put_len(numbers.len());
        numbers.iter().for_each(|&number| output.put_u32(number));
        output.put_column(column, ages)?;
    }
    output.put_len(rows.edges().len());
    for list in rows.edges() {
        output.put_len(list.edges.len());
        for (position, edge) in list.edges.iter().enumerate() {
            let target = match edge.target {
                EdgeTarget::New(number) => number,
                EdgeTarget::Living(id) => number_of(id).expect("rows know their targets"),
            };
            let order = list.order.get(position).copied().unwrap_or(0);
            [edge.source, target, order]
                .into_iter()
                .for_each(|number| output.put_u32(number));
        }
        output.put_column(&list.values, None)?;
    }
    let bytes = output.bytes;
    let sum = crate::file::checksum_of(&bytes[start..]);
    bytes.extend(sum.to_le_bytes());
    Ok(())
}

/// A type whose values are written.
struct RowsType {
    component: ComponentId,
    is_edges: bool,
    data: &'static DataType,
    codec: DataCodec,
}

/// Returns the types of all columns.
fn types(rows: &Rows) -> Result<Vec<RowsType>, WriteRowsError> {
    let mut types: Vec<RowsType> = Vec::new();
    let mut names = Vec::new();
    let columns = rows.tables().flat_map(|(_, columns, _)| columns);
    let columns = columns.chain(rows.sets().map(|(_, column, _)| column));
    for column in columns.chain(rows.edges().iter().map(|list| &list.values)) {
        let (component, is_edges) = (column.component(), column.is_of_edges());
        let is_known = |ty: &RowsType| (ty.component, ty.is_edges) == (component, is_edges);
        if types.iter().any(is_known) {
            continue;
        }
        let data = match is_edges {
            true => component.relation(),
            false => component.data(),
        };
        match data.and_then(|data| Some((data, DataCodec::of(data)?))) {
            Some((data, codec)) => types.push(RowsType {
                component,
                is_edges,
                data,
                codec,
            }),
            None => names.push(component.name()),
        }
    }
    match names.is_empty() {
        true => Ok(types),
        false => Err(WriteRowsError::NotData { names }),
    }
}

/// Returns the number for the parts of a type.
pub(super) fn type_hash(data: &DataType, codec: DataCodec) -> u64 {
    let mut sum = Checksum::new();
    add_type(&mut sum, data, codec);
    sum.finish()
}

struct RowsOutput<'a> {
    bytes: &'a mut Vec<u8>,
    types: Vec<RowsType>,
    session: Session<'a>,
    /// Reused memory.
    encoder: Encoder,
}

impl RowsOutput<'_> {
    fn put_u32(&mut self, number: u32) {
        self.bytes.extend(number.to_le_bytes());
    }

    fn put_u64(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    /// Writes the length of a list of entities or types. There are fewer than 2^32 entities.
    fn put_len(&mut self, len: usize) {
        self.put_u32(len as u32);
    }

    fn put_types(&mut self) {
        let types = std::mem::take(&mut self.types);
        self.put_len(types.len());
        for ty in &types {
            let name = ty.data.name();
            self.put_len(name.len());
            self.bytes.extend(name.as_bytes());
            self.put_u32(ty.data.version());
            self.put_u64(type_hash(ty.data, ty.codec));
        }
        self.types = types;
    }

    fn put_column(
        &mut self,
        column: &ErasedColumn,
        ages: Option<&ColumnAges>,
    ) -> Result<(), WriteRowsError> {
        let which = (column.component(), column.is_of_edges());
        let mut types = self.types.iter();
        let number = types.position(|ty| (ty.component, ty.is_edges) == which);
        let number = number.expect("the types of all columns are known");
        let RowsType { data, codec, .. } = self.types[number];
        let run = ValueRun {
            first: column.as_ptr(),
            len: column.len(),
        };
        let (session, encoder) = (&self.session, &mut self.encoder);
        // SAFETY: the column has as many values of the type, and is borrowed.
        let form = unsafe { column::write_readable(codec, codec.form(), &[run], session, encoder) };
        let form: Form = form.map_err(|failure| WriteRowsError::Value {
            name: data.name(),
            message: failure.message,
        })?;
        self.put_u32(number as u32);
        self.bytes.push(form.byte());
        self.put_u64(self.encoder.len() as u64);
        self.bytes.extend_from_slice(self.encoder.bytes());
        if column.is_of_edges() || !column.component().is_tracked() {
            return Ok(());
        }
        self.bytes.push(ages.is_some().into());
        let ages = ages.map(|ages| [&ages.added, &ages.changed]);
        for age in ages.into_iter().flatten().flatten() {
            self.bytes.extend(age.to_le_bytes());
        }
        Ok(())
    }
}
