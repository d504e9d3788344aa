//! The ids in values of rows.
//!
//! A type that may name entities is written when its values leave a world, to find the ids that need keys. When they are put into
//! another world, values with ids are written as numbers, and read as the ids there. Until then they stay as they were, so that
//! nothing is lost if that fails.

use alloc::string::ToString as _;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::error::{PutRowsReason, TakeRowsError};
use super::found::{LeavingValues, NamedEntities, RowNumbers};
use super::{OutsideEntity, Rows};
use crate::component::ComponentId;
use crate::data_type::DataType;
use crate::entity::Entity;
use crate::entity::session::{ByIndex, IdForm, Others, Session};
use crate::hash::IdMap;
use crate::staging::{ErasedColumn, StagedPlace};
use crate::storage::{Frozen, Storage};
use crate::value_codec::{ValueCodec, WrongValue};

/// Returns the type and the functions of values that may name entities.
pub(super) fn naming(data: Option<&'static DataType>, size: usize) -> Option<NamingType> {
    let data = data.filter(|data| data.may_have_ids(size))?;
    let codec = data.value_codec()?;
    codec.may_name_entities().then_some((data, codec))
}

pub(super) type NamingType = (&'static DataType, &'static dyn ValueCodec);

/// Runs of values that lie one after the other.
#[derive(Default)]
struct ValueRuns(Vec<(*const u8, usize)>);

impl ValueRuns {
    fn add(&mut self, value: *const u8, size: usize) {
        match self.0.last_mut() {
            Some((first, len)) if first.wrapping_add(*len * size) == value => *len += 1,
            _ => self.0.push((value, 1)),
        }
    }
}

/// Finds the columns whose values name entities, and adds these entities to those outside.
pub(super) fn find(
    storage: &Storage,
    found: &LeavingValues,
    numbers: &RowNumbers<'_>,
    outside: NamedEntities,
) -> Result<(NamedEntities, Vec<StagedPlace>), TakeRowsError> {
    let mut with_ids = Vec::new();
    let mut search = IdSearch {
        numbers,
        outside: RefCell::new(outside),
        bytes: Vec::new(),
    };
    let id_of = |number: u32| numbers.entities[number as usize];
    for (position, table) in found.tables.iter().enumerate() {
        let components = storage.table(table.table).components();
        for (column, component) in components.enumerate() {
            let store = storage.store(component);
            let (first, size) = (store.column(table.table), store.info.layout.size());
            let Some(naming) = naming(component.info().own_data(), size) else {
                continue;
            };
            let mut runs = ValueRuns::default();
            for &number in &table.numbers {
                let at = storage.entities.get(id_of(number));
                let row = at.expect("it was checked").row as usize;
                runs.add(first.wrapping_add(row * size), size);
            }
            let entity_of = |row: usize| table.numbers.get(row).copied().map(id_of);
            // SAFETY: there is a value of the component in each of the rows, and the world is borrowed.
            if unsafe { search.has_ids(naming, &runs, &entity_of) }? {
                with_ids.push(StagedPlace::Table(position, column));
            }
        }
    }
    for (position, (component, with)) in found.sets.iter().enumerate() {
        let store = storage.store(*component);
        let size = store.info.layout.size();
        let Some(naming) = naming(component.info().own_data(), size) else {
            continue;
        };
        // SAFETY: the world is borrowed exclusively by the caller, so no view changes a set.
        let set = unsafe { Frozen::new(store) }.set();
        let mut runs = ValueRuns::default();
        for &number in with {
            let value = set
                .get(id_of(number))
                .expect("the entity has the component");
            runs.add(value, size);
        }
        let entity_of = |row: usize| with.get(row).copied().map(id_of);
        // SAFETY: these are values of the component, and the world is borrowed.
        if unsafe { search.has_ids(naming, &runs, &entity_of) }? {
            with_ids.push(StagedPlace::Set(position));
        }
    }
    for (position, relation) in found.relations.iter().enumerate() {
        let size = relation.info.value_size();
        let Some(naming) = naming(relation.info.data(), size) else {
            continue;
        };
        let mut runs = ValueRuns::default();
        for edge in &relation.edges {
            runs.add(edge.value, size);
        }
        let edges = &relation.edges;
        let entity_of = |row: usize| edges.get(row).map(|edge| id_of(edge.edge.source));
        // SAFETY: these are values of edges of the relation, and the world is borrowed.
        if unsafe { search.has_ids(naming, &runs, &entity_of) }? {
            with_ids.push(StagedPlace::Edges(position));
        }
    }
    Ok((search.outside.into_inner(), with_ids))
}

struct IdSearch<'a> {
    numbers: &'a RowNumbers<'a>,
    outside: RefCell<NamedEntities>,
    /// Reused memory.
    bytes: Vec<u8>,
}

impl IdSearch<'_> {
    /// Returns true if values name entities, and adds these.
    ///
    /// # Safety
    /// The runs are values of the type, and nothing changes them during the call.
    unsafe fn has_ids(
        &mut self,
        (data, codec): NamingType,
        runs: &ValueRuns,
        entity_of: &dyn Fn(usize) -> Option<Entity>,
    ) -> Result<bool, TakeRowsError> {
        let name = data.name();
        let number_of = |entity: Entity| match self.numbers.of_entity(entity) {
            Some(number) => Some(number),
            None => Some(self.outside.borrow_mut().add(entity, name)),
        };
        let session = Session::new(IdForm::Numbered {
            entities: &[],
            numbers: ByIndex::Sorted(&[]),
            others: Others::Numbered(&number_of),
        });
        self.bytes.clear();
        let bytes = &mut self.bytes;
        // SAFETY: the codec is for the type, and the rest is the contract of this function.
        let written = session.run(|| unsafe { codec.write_values(&runs.0, bytes) });
        match written {
            Ok(()) => Ok(session.take_found()),
            Err(WrongValue { row, message }) => Err(TakeRowsError::Value {
                entity: entity_of(row),
                name,
                message,
            }),
        }
    }
}

impl Rows {
    /// Returns new columns with the ids of another world in place of the columns with ids. `ids` are the ids there: of the
    /// entities, and of those outside.
    pub(super) fn translated(
        &self,
        [ids, outside]: [&[Entity]; 2],
    ) -> Result<Vec<ErasedColumn>, PutRowsReason> {
        if self.with_ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut numbers = IdMap::<u32>::default();
        let inside = self.entities.iter().map(|&(entity, _)| entity);
        let all = inside.chain(
            self.outside
                .iter()
                .map(|outside: &OutsideEntity| outside.id),
        );
        numbers.extend(all.map(Entity::to_bits).zip(0..));
        let number_of = |entity: Entity| numbers.get(&entity.to_bits()).copied();
        let writing = Session::new(IdForm::Numbered {
            entities: &[],
            numbers: ByIndex::Sorted(&[]),
            others: Others::Numbered(&number_of),
        });
        let reading = Session::new(IdForm::Read {
            entities: ids,
            others: outside,
        });
        let mut columns = Vec::with_capacity(self.with_ids.len());
        for &place in &self.with_ids {
            let column = self.staged.column_at(place);
            let (component, is_edges) = (column.component(), column.is_of_edges());
            let data = data_of(component, is_edges);
            let wrong = |WrongValue { row, message }| PutRowsReason::Value {
                key: self
                    .staged
                    .number_at(place, row)
                    .map(|n| self.entities[n as usize].1),
                name: data.map_or(component.name(), DataType::name),
                message,
            };
            let Some(codec) = data.and_then(DataType::value_codec) else {
                let message = "its type is not data".to_string();
                return Err(wrong(WrongValue { row: 0, message }));
            };
            columns.push(translate(column, codec, &writing, &reading).map_err(wrong)?);
        }
        Ok(columns)
    }
}

fn data_of(component: ComponentId, is_edges: bool) -> Option<&'static DataType> {
    match is_edges {
        true => component.relation(),
        false => component.info().own_data(),
    }
}

/// Writes the values of a column, which the codec is for, and reads them into a new one.
fn translate(
    column: &ErasedColumn,
    codec: &'static dyn ValueCodec,
    writing: &Session<'_>,
    reading: &Session<'_>,
) -> Result<ErasedColumn, WrongValue> {
    let rows = column.len();
    let mut bytes = Vec::new();
    // SAFETY: the column has as many values of the codec's type, and is borrowed.
    let write = || unsafe { codec.write_values(&[(column.as_ptr(), rows)], &mut bytes) };
    writing.run(write)?;
    swallowed(writing)?;
    let mut new = ReadColumn {
        column: match column.is_of_edges() {
            true => ErasedColumn::of_edges(column.component()).expect("a column of edges"),
            false => ErasedColumn::new(column.component()),
        },
        written: 0,
    };
    new.column.reserve(rows);
    let (place, written) = (new.column.as_mut_ptr(), &mut new.written);
    let originals = column.as_ptr();
    // SAFETY: the originals are the values that were written, the new column has memory for as many, and nothing changes them.
    let read = || unsafe { codec.read_values(&bytes, originals, place, rows, written) };
    reading.run(read)?;
    swallowed(reading)?;
    new.finish(rows)
}

/// Returns the error of an id that a `Serialize` or `Deserialize` has swallowed.
fn swallowed(session: &Session<'_>) -> Result<(), WrongValue> {
    match session.take_error() {
        None => Ok(()),
        Some(error) => Err(WrongValue {
            row: 0,
            message: error.to_string(),
        }),
    }
}

/// A column that is being read, whose values count even if a `Deserialize` panics.
struct ReadColumn {
    /// Invariant 1: has memory for the values, and counts as empty. The first `written` values are initialised.
    column: ErasedColumn,
    written: usize,
}

impl ReadColumn {
    fn finish(mut self, rows: usize) -> Result<ErasedColumn, WrongValue> {
        if self.written != rows {
            let message = "there are fewer values than were written".to_string();
            let row = self.written;
            return Err(WrongValue { row, message });
        }
        let component = self.column.component();
        let empty = ErasedColumn::new(component);
        let mut column = core::mem::replace(&mut self.column, empty);
        self.written = 0;
        // SAFETY: as many values were written.
        unsafe { column.set_len(rows) };
        Ok(column)
    }
}

impl Drop for ReadColumn {
    fn drop(&mut self) {
        // SAFETY: these values are initialised (invariant 1).
        unsafe { self.column.set_len(self.written) };
    }
}
