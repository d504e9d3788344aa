//! Writes a save in columns: see `file`.

use std::io::Write;
use std::sync::Arc;

use ecs_engine::Entity;
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::Session;

use super::contents::SavedSet;
use super::outside::session;
use super::{Contents, Save, SaveError, SavedEdges, SavedResource};
use crate::Value;
use crate::codec::{Encoder, Form, REAL_VALUES};
use crate::column::{self, ValueRun};
use crate::file::{FORMAT, MAGIC, Summed};
use crate::kept;
use crate::saved::DataCodec;

/// Writes a save to the writer that a function returns, and returns the writer. The function gets the approximate
/// number of bytes.
pub(super) fn write<W: Write>(
    save: &Save<'_>,
    writer: impl FnOnce(usize) -> W,
) -> Result<W, SaveError> {
    let contents = save.contents()?;
    let resources = save.resources()?;
    let outside = save.outside(&contents);
    let edges = save.edges(&contents, &outside)?;
    let sets = contents.sets();
    let number = |entity| outside.number(entity);
    let session = session(&contents.numbers, &number);
    let mut used = vec![false; contents.components.len()];
    let in_tables = contents.tables.iter().flat_map(|table| &table.components);
    for &component in in_tables.chain(sets.iter().map(|set| &set.component)) {
        used[component] = true;
    }
    used.resize(used.len() + edges.len() + resources.len(), true);
    let mut columns = Vec::new();
    for (data, is_used) in Save::types(&contents, &edges, &resources)?
        .into_iter()
        .zip(used)
    {
        columns.push(ColumnType::of(data, is_used));
    }
    let mut file = SaveFile {
        out: Summed::new(writer(contents.size())),
        encoder: Encoder::new(),
        contents: &contents,
        names: numbered(&mut columns),
        columns,
        session: &session,
    };
    file.out.put(MAGIC)?;
    let kept = save.kept(&outside);
    let unplaced = save.unplaced_ids();
    file.out.put_u32(FORMAT)?;
    file.look_at_values(&sets, &edges, &resources);
    file.names()?;
    file.entities(save)?;
    file.tables()?;
    file.sets(&sets)?;
    file.relations(&edges)?;
    file.resources(&resources)?;
    if kept.is_empty() {
        file.out.put_u32(0)?;
    } else {
        file.tree("kept", &kept::to_value(kept, false))?;
    }
    file.out.put_u32(unplaced.len() as u32)?;
    file.ids(&unplaced)?;
    let keys = outside.keys();
    file.out.put_u32(keys.len() as u32)?;
    if keys.is_empty() {
        file.out.put_u32(0)?;
    } else {
        file.tree("outside", &Value::List(keys))?;
    }
    file.out.put_u32(save.root(&contents).unwrap_or(u32::MAX))?;
    let dead = save.dead_ids(&outside);
    file.out.put_u32(dead.len() as u32)?;
    for &(number, id) in &dead {
        file.out.put_u32(number)?;
        file.ids(&[id])?;
    }
    file.out.pad(contents.numbers.entities.len() as u64)?;
    Ok(file.out.finish()?)
}

/// The form that the values of a type are written in.
struct ColumnType {
    data: &'static DataType,
    codec: DataCodec,
    form: Form,
    shape: Arc<str>,
    /// True if the file has a column of it, and names it.
    is_used: bool,
    /// The number of its name.
    name: u32,
}

impl ColumnType {
    fn of(data: &'static DataType, is_used: bool) -> Self {
        let codec = DataCodec::of(data).expect("only types with a codec are saved");
        Self {
            data,
            codec,
            form: codec.form(),
            shape: codec.shape(),
            is_used,
            name: 0,
        }
    }
}

/// Numbers the names of types that are used, and returns how many there are.
fn numbered(columns: &mut [ColumnType]) -> u32 {
    let mut names = 0;
    for column in columns.iter_mut().filter(|column| column.is_used) {
        column.name = names;
        names += 1;
    }
    names
}

/// A file that is being written.
struct SaveFile<'a, W> {
    out: Summed<W>,
    /// The values of one column.
    encoder: Encoder,
    contents: &'a Contents<'a>,
    /// The components, the relations, and the resources.
    columns: Vec<ColumnType>,
    /// The number of names.
    names: u32,
    session: &'a Session<'a>,
}

impl<W: Write> SaveFile<'_, W> {
    /// Lets the first values of the first column reveal the unknown parts of a type.
    fn look_at_values(
        &mut self,
        sets: &[SavedSet],
        edges: &[SavedEdges],
        resources: &[SavedResource<'_>],
    ) {
        let contents = self.contents;
        let first_edges = contents.components.len();
        let first_resource = self.columns.len() - resources.len();
        for (position, column) in self.columns.iter_mut().enumerate() {
            if !column.is_used || !column.codec.is_partial() {
                continue;
            }
            let mut runs = if position >= first_resource {
                vec![resources[position - first_resource].run()]
            } else if position >= first_edges {
                edges[position - first_edges].values.clone()
            } else if let Some(set) = sets.iter().find(|set| set.component == position) {
                set.runs.clone()
            } else {
                let mut tables = contents.tables.iter();
                let table = tables.find(|table| table.components.contains(&position));
                let numbers = table.map_or(0..0, |table| table.numbers.clone());
                let end = numbers.end.min(numbers.start + REAL_VALUES as u32);
                contents.runs(position, numbers.start..end)
            };
            let mut left = REAL_VALUES;
            runs.retain_mut(|run| {
                run.len = run.len.min(left);
                left -= run.len;
                run.len > 0
            });
            let (encoder, form) = (&mut self.encoder, column.form);
            // SAFETY: these are values of the type, which the contents keep borrowed.
            let written =
                unsafe { column::write(column.codec, form, &runs, self.session, encoder) };
            // A value that cannot be written is an error when it is written.
            if written.is_ok()
                && let Some(found) = column.codec.with_real(encoder.bytes())
            {
                column.form = found.form;
                column.shape = found.shape;
            }
        }
    }

    fn names(&mut self) -> Result<(), SaveError> {
        self.out.put_u32(self.names)?;
        for column in self.columns.iter().filter(|column| column.is_used) {
            put_text(&mut self.out, column.data.name())?;
            self.out.put_u32(column.data.version())?;
            put_text(&mut self.out, &column.shape)?;
        }
        Ok(())
    }

    fn entities(&mut self, save: &Save<'_>) -> Result<(), SaveError> {
        let entities = &self.contents.numbers.entities;
        self.out.put_u32(entities.len() as u32)?;
        self.out.put(&[u8::from(save.options.with_ids)])?;
        if save.options.with_ids {
            self.ids(entities)?;
        }
        Ok(())
    }

    fn ids(&mut self, ids: &[Entity]) -> Result<(), SaveError> {
        for entity in ids {
            self.out.put(&entity.to_bits().to_le_bytes())?;
        }
        Ok(())
    }

    fn tables(&mut self) -> Result<(), SaveError> {
        let contents = self.contents;
        self.out.put_u32(contents.tables.len() as u32)?;
        for table in &contents.tables {
            self.out.put_u32(table.numbers.len() as u32)?;
            self.out.put_u32(table.components.len() as u32)?;
            for &component in &table.components {
                let runs = contents.runs(component, table.numbers.clone());
                let first = table.numbers.start as usize;
                let entity = |row: usize| contents.numbers.entities[first + row];
                self.column(component, &runs, &|row| Some(entity(row)))?;
            }
        }
        Ok(())
    }

    fn sets(&mut self, sets: &[SavedSet]) -> Result<(), SaveError> {
        let contents = self.contents;
        self.out.put_u32(sets.len() as u32)?;
        for set in sets {
            self.out.put_u32(set.numbers.len() as u32)?;
            for number in &set.numbers {
                self.out.put(&number.to_le_bytes())?;
            }
            let entity = |row: usize| contents.numbers.entities[set.numbers[row] as usize];
            self.column(set.component, &set.runs, &|row| Some(entity(row)))?;
        }
        Ok(())
    }

    fn relations(&mut self, relations: &[SavedEdges]) -> Result<(), SaveError> {
        self.out.put_u32(relations.len() as u32)?;
        for (position, relation) in relations.iter().enumerate() {
            self.out.put_u32(relation.edges.len() as u32)?;
            for edge in &relation.edges {
                for number in [edge.source, edge.target, edge.slot] {
                    self.out.put_u32(number)?;
                }
            }
            let contents = self.contents;
            let source =
                |row: usize| contents.numbers.entities[relation.edges[row].source as usize];
            let name = contents.components.len() + position;
            self.column(name, &relation.values, &|row| Some(source(row)))?;
        }
        Ok(())
    }

    /// Writes resources, whose names are the last ones.
    fn resources(&mut self, resources: &[SavedResource<'_>]) -> Result<(), SaveError> {
        self.out.put_u32(resources.len() as u32)?;
        let first = self.columns.len() - resources.len();
        for (position, resource) in resources.iter().enumerate() {
            self.column(first + position, &[resource.run()], &|_| None)?;
        }
        Ok(())
    }

    fn tree(&mut self, name: &'static str, tree: &Value) -> Result<(), SaveError> {
        let mut encoder = Encoder::new();
        let failed = |message| SaveError::Value {
            entity: None,
            name,
            message,
        };
        let written = encoder.tree(tree);
        written.map_err(|error| failed(error.to_string()))?;
        let length = u32::try_from(encoder.len());
        let length =
            length.map_err(|_| failed("there are more than 2^32 bytes of it".to_owned()))?;
        self.out.put_u32(length)?;
        self.out.put(encoder.bytes())?;
        Ok(())
    }

    /// Writes a column, whose values lie in runs. `entity` returns the entity that has one of them.
    fn column(
        &mut self,
        position: usize,
        runs: &[ValueRun],
        entity: &dyn Fn(usize) -> Option<Entity>,
    ) -> Result<(), SaveError> {
        let ColumnType {
            data,
            codec,
            form,
            name,
            ..
        } = self.columns[position];
        let (session, encoder) = (self.session, &mut self.encoder);
        // SAFETY: these are values of the type of the name, which the contents keep borrowed.
        let written = unsafe { column::write_readable(codec, form, runs, session, encoder) };
        let form = written.map_err(|failure| SaveError::Value {
            entity: entity(failure.row),
            name: data.name(),
            message: failure.message,
        })?;
        self.out.put_u32(name)?;
        self.out.put(&[form.byte()])?;
        self.out.put(&(self.encoder.len() as u64).to_le_bytes())?;
        self.out.put(self.encoder.bytes())?;
        Ok(())
    }
}

fn put_text<W: Write>(out: &mut Summed<W>, text: &str) -> std::io::Result<()> {
    out.put_u32(text.len() as u32)?;
    out.put(text.as_bytes())
}
