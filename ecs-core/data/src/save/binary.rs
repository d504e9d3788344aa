//! Writes a save in columns: see `file`.

use std::io::Write;

use ecs_engine::Entity;
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::Session;

use super::{Contents, Edges, Save, SaveError, SavedResource};
use crate::codec::{Encoder, Form};
use crate::column::{self, Run};
use crate::file::{FORMAT, MAGIC, Summed};
use crate::kept;
use crate::saved::DataCodec;

/// Writes a save.
pub(super) fn write(save: &Save<'_>, writer: impl Write) -> Result<(), SaveError> {
    let contents = save.contents()?;
    let resources = save.resources()?;
    let components = contents.components.iter().map(|component| component.data);
    let edges = save.edges(&contents);
    let relations = edges.iter().map(|edges| edges.data);
    let types: Vec<&DataType> = components
        .chain(relations)
        .chain(resources.iter().map(|resource| resource.data))
        .collect();
    let session = save.session(&contents);
    let columns = types.iter().map(|data| ColumnType::of(data)).collect();
    let mut file = File {
        out: Summed::new(writer),
        encoder: Encoder::new(),
        contents: &contents,
        columns,
        session: &session,
    };
    file.out.put(MAGIC)?;
    let kept = save.kept(&contents);
    let unplaced = save.unplaced_ids();
    file.out.put_u32(FORMAT)?;
    file.names()?;
    file.entities(save)?;
    file.tables()?;
    file.sets()?;
    file.relations(&edges)?;
    file.resources(&resources)?;
    if !kept.is_empty() {
        file.kept(kept)?;
    } else {
        file.out.put_u32(0)?;
    }
    file.out.put_u32(unplaced.len() as u32)?;
    file.ids(&unplaced)?;
    file.out.pad(contents.numbers.entities.len() as u64)?;
    file.out.finish()?;
    Ok(())
}

/// The form in which the values of a type are written.
struct ColumnType<'a> {
    data: &'a DataType,
    codec: DataCodec,
    form: Form,
}

impl<'a> ColumnType<'a> {
    fn of(data: &'a DataType) -> Self {
        let codec = DataCodec::of(data).expect("only what has a codec is saved");
        let form = codec.form();
        Self { data, codec, form }
    }
}

/// A file that is being written.
struct File<'a, W> {
    out: Summed<W>,
    /// The values of one column.
    encoder: Encoder,
    contents: &'a Contents<'a>,
    /// By the number of the name.
    columns: Vec<ColumnType<'a>>,
    session: &'a Session<'a>,
}

impl<W: Write> File<'_, W> {
    fn names(&mut self) -> Result<(), SaveError> {
        self.out.put_u32(self.columns.len() as u32)?;
        for column in &self.columns {
            let name = column.data.name();
            self.out.put_u32(name.len() as u32)?;
            self.out.put(name.as_bytes())?;
            self.out.put_u32(column.data.version())?;
        }
        Ok(())
    }

    fn entities(&mut self, save: &Save<'_>) -> Result<(), SaveError> {
        let entities = &self.contents.numbers.entities;
        self.out.put_u32(entities.len() as u32)?;
        self.out.put(&[u8::from(save.with_ids)])?;
        if save.with_ids {
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

    fn sets(&mut self) -> Result<(), SaveError> {
        let contents = self.contents;
        let sets = contents.sets();
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

    fn relations(&mut self, relations: &[Edges]) -> Result<(), SaveError> {
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

    fn kept(&mut self, parts: Vec<kept::Part<u32>>) -> Result<(), SaveError> {
        let mut encoder = Encoder::new();
        let failed = |message| SaveError::Value {
            entity: None,
            name: "kept",
            message,
        };
        let written = encoder.tree(&kept::to_value(parts, false));
        written.map_err(|error| failed(error.to_string()))?;
        let length = u32::try_from(encoder.len());
        let length =
            length.map_err(|_| failed("there are more than 2^32 bytes of it".to_owned()))?;
        self.out.put_u32(length)?;
        self.out.put(encoder.bytes())?;
        Ok(())
    }

    /// Writes a column, the values of which lie in runs. `entity` returns the entity that has one of them.
    fn column(
        &mut self,
        name: usize,
        runs: &[Run],
        entity: &dyn Fn(usize) -> Option<Entity>,
    ) -> Result<(), SaveError> {
        let ColumnType { codec, form, .. } = self.columns[name];
        let (session, encoder) = (self.session, &mut self.encoder);
        // SAFETY: these are values of the type of the name, which the contents keep borrowed.
        let written = unsafe { column::write_readable(codec, form, runs, session, encoder) };
        let form = written.map_err(|failure| SaveError::Value {
            entity: entity(failure.row),
            name: self.columns[name].data.name(),
            message: failure.message,
        })?;
        self.out.put_u32(name as u32)?;
        self.out.put(&[form.byte()])?;
        self.out.put(&(self.encoder.len() as u64).to_le_bytes())?;
        self.out.put(self.encoder.bytes())?;
        Ok(())
    }
}
