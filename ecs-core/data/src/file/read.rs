//! The parts of a file, checked as far as possible without types.

use ecs_engine::Entity;

use super::checksum::of_form;
use super::{ChecksumCheck, FORMAT, FileError, FileInput, MAGIC, ROWS_PER_BYTE};

/// The parts of a file.
#[derive(Debug)]
pub(crate) struct FileParts<'a> {
    pub(crate) names: Vec<FileTypeName<'a>>,
    pub(crate) entities: u32,
    /// The ids by number, if the file has them.
    pub(crate) ids: Option<Vec<Entity>>,
    /// The ids that come next, of indices that no entity has.
    pub(crate) unplaced: Vec<Entity>,
    pub(crate) tables: Vec<FileTable<'a>>,
    pub(crate) sets: Vec<FileSet<'a>>,
    pub(crate) relations: Vec<FileRelation<'a>>,
    pub(crate) resources: Vec<FileColumn<'a>>,
    /// Kept values, with their position in the file.
    pub(crate) kept: Option<(usize, &'a [u8])>,
    /// The keys of entities that are not saved.
    pub(crate) outside: FileOutside<'a>,
    /// The number of the root of a prefab.
    pub(crate) root: Option<u32>,
    /// The numbers and ids of entities that were saved as dead ids.
    pub(crate) dead: Vec<(u32, Entity)>,
}

/// Keys of entities that are not saved; their numbers follow those that are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FileOutside<'a> {
    pub(crate) count: u32,
    /// The position of the bytes in the file.
    pub(crate) at: usize,
    /// The tree of all of them.
    pub(crate) bytes: &'a [u8],
}

/// The name of a type, and the version of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileTypeName<'a> {
    pub(crate) name: &'a str,
    pub(crate) version: u32,
    /// The shape of its values, which old forms do not have.
    pub(crate) shape: Option<&'a str>,
}

/// Entities with the same table components, numbered from `first` on.
#[derive(Debug)]
pub(crate) struct FileTable<'a> {
    pub(crate) first: u32,
    pub(crate) rows: u32,
    pub(crate) columns: Vec<FileColumn<'a>>,
}

/// The values of one type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileColumn<'a> {
    /// A position in the list of names.
    pub(crate) name: usize,
    pub(crate) form: u8,
    /// The position of the bytes in the file.
    pub(crate) at: usize,
    pub(crate) bytes: &'a [u8],
}

/// A sparse component.
#[derive(Debug)]
pub(crate) struct FileSet<'a> {
    /// The numbers of the entities, all different.
    pub(crate) entities: Vec<u32>,
    pub(crate) column: FileColumn<'a>,
}

/// The edges of a relation, and their values.
#[derive(Debug)]
pub(crate) struct FileRelation<'a> {
    pub(crate) edges: Vec<FileEdge>,
    pub(crate) column: FileColumn<'a>,
}

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileEdge {
    /// The numbers of the entities.
    pub(crate) source: u32,
    pub(crate) target: u32,
    /// The position among the targets of the source.
    pub(crate) slot: u32,
}

impl<'a> FileParts<'a> {
    /// Divides a file into its parts. O(bytes), in time and memory.
    ///
    /// Its contents only count if the check succeeds at the end. If the file is damaged and its parts contradict each other, the
    /// error is the damage.
    pub(crate) fn read(
        bytes: &'a [u8],
        max_entities: u32,
    ) -> Result<(Self, ChecksumCheck<'a>), FileError> {
        Self::parts(bytes, max_entities).map_err(|error| match error {
            FileError::Malformed { .. } | FileError::TooManyEntities { .. }
                if is_damaged(bytes) =>
            {
                FileError::Checksum
            }
            other => other,
        })
    }

    fn parts(bytes: &'a [u8], max_entities: u32) -> Result<(Self, ChecksumCheck<'a>), FileError> {
        let mut input = FileInput::new(bytes);
        if bytes.get(..MAGIC.len()) != Some(MAGIC.as_slice()) {
            return Err(FileError::Foreign);
        }
        input.take(MAGIC.len())?;
        let format = input.u32()?;
        if format > FORMAT {
            return Err(FileError::Newer {
                form: format,
                known: FORMAT,
            });
        }
        if format == 0 {
            return Err(input.malformed(4, "there is no form 0"));
        }
        let mut file = Self {
            names: names(&mut input, format)?,
            entities: 0,
            ids: None,
            unplaced: Vec::new(),
            tables: Vec::new(),
            sets: Vec::new(),
            relations: Vec::new(),
            resources: Vec::new(),
            kept: None,
            outside: FileOutside::default(),
            root: None,
            dead: Vec::new(),
        };
        file.entities(&mut input, max_entities)?;
        if u64::from(file.entities) > bytes.len() as u64 * ROWS_PER_BYTE {
            return Err(input.malformed(0, "a file of this length cannot have as many entities"));
        }
        file.tables(&mut input)?;
        file.sets(&mut input)?;
        file.relations(&mut input)?;
        for _ in 0..input.length(COLUMN)? {
            let column = file.column(&mut input)?;
            file.resources.push(column);
        }
        if format > 1 {
            let length = input.length(1)?;
            let (at, tree) = (input.at(), input.take(length)?);
            file.kept = (length > 0).then_some((at, tree));
        }
        if format > 2 {
            let count = input.length(8)?;
            file.unplaced = ids(&mut input, count)?;
        }
        if format > 4 {
            file.outside(&mut input)?;
        }
        if format > 5 {
            for _ in 0..input.length(12)? {
                let number = input.u32()?;
                file.dead
                    .extend(ids(&mut input, 1)?.pop().map(|id| (number, id)));
            }
        }
        file.check_targets(&input)?;
        let padding = input.length(1)?;
        if input.take(padding)?.iter().any(|&byte| byte != 0) {
            return Err(input.malformed(padding, "the padding is not zero"));
        }
        let summed = &bytes[..input.at()];
        let check = ChecksumCheck::new(format, summed, input.u64()?);
        if input.left() > 0 {
            check.finish()?;
            return Err(input.malformed(0, "there is more after the end"));
        }
        Ok((file, check))
    }

    fn entities(&mut self, input: &mut FileInput<'a>, limit: u32) -> Result<(), FileError> {
        self.entities = input.u32()?;
        if self.entities > limit {
            let entities = u64::from(self.entities);
            return Err(FileError::TooManyEntities { entities, limit });
        }
        match input.u8()? {
            0 => return Ok(()),
            1 => {}
            _ => return Err(input.malformed(1, "expected 0 or 1")),
        }
        self.ids = Some(ids(input, self.entities as usize)?);
        Ok(())
    }

    fn tables(&mut self, input: &mut FileInput<'a>) -> Result<(), FileError> {
        let mut first = 0;
        // By name, the last table that has it. There is one list for all tables, because the numbers of both are only
        // limited by the length of the file.
        let mut last = vec![usize::MAX; self.names.len()];
        for table in 0..input.length(8)? {
            let rows = input.u32()?;
            if rows > self.entities - first {
                return Err(input.malformed(4, "the tables have more rows than there are entities"));
            }
            let mut columns: Vec<FileColumn<'a>> = Vec::new();
            for _ in 0..input.length(COLUMN)? {
                let column = self.column(input)?;
                if core::mem::replace(&mut last[column.name], table) == table {
                    return Err(input.malformed(column.bytes.len(), "a table has a column twice"));
                }
                columns.push(column);
            }
            self.tables.push(FileTable {
                first,
                rows,
                columns,
            });
            first += rows;
        }
        if first != self.entities {
            return Err(input.malformed(0, "the tables have fewer rows than there are entities"));
        }
        Ok(())
    }

    fn sets(&mut self, input: &mut FileInput<'a>) -> Result<(), FileError> {
        let mut seen = vec![false; self.names.len()];
        for _ in 0..input.length(4 + COLUMN)? {
            let count = input.length(4)?;
            let entities = input.u32s(count)?;
            let mut sorted = entities.clone();
            sorted.sort_unstable();
            if sorted.last().is_some_and(|&last| last >= self.entities) {
                return Err(input.malformed(4, "a set has an entity that there is not"));
            }
            if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(input.malformed(4, "a set has an entity twice"));
            }
            let column = self.column(input)?;
            if core::mem::replace(&mut seen[column.name], true) {
                return Err(
                    input.malformed(column.bytes.len(), "there are two sets of one component")
                );
            }
            self.sets.push(FileSet { entities, column });
        }
        Ok(())
    }

    fn relations(&mut self, input: &mut FileInput<'a>) -> Result<(), FileError> {
        let mut seen = vec![false; self.names.len()];
        for _ in 0..input.length(4 + COLUMN)? {
            let count = input.length(12)?;
            let mut edges = Vec::with_capacity(count);
            for _ in 0..count {
                let (source, target, slot) = (input.u32()?, input.u32()?, input.u32()?);
                if source >= self.entities {
                    return Err(input.malformed(12, "an edge has an entity that there is not"));
                }
                edges.push(FileEdge {
                    source,
                    target,
                    slot,
                });
            }
            let column = self.column(input)?;
            if core::mem::replace(&mut seen[column.name], true) {
                return Err(input.malformed(column.bytes.len(), "a relation occurs twice"));
            }
            self.relations.push(FileRelation { edges, column });
        }
        Ok(())
    }

    fn outside(&mut self, input: &mut FileInput<'a>) -> Result<(), FileError> {
        let (count, length) = (input.u32()?, input.length(1)?);
        // A key has a byte at least, so that few bytes cannot stand for many of them.
        if count as usize > length || count > u32::MAX - 1 - self.entities {
            return Err(input.malformed(8, "there are more keys than bytes of them"));
        }
        let (at, bytes) = (input.at(), input.take(length)?);
        self.outside = FileOutside { count, at, bytes };
        match input.u32()? {
            u32::MAX => {}
            root if root < self.entities => self.root = Some(root),
            _ => return Err(input.malformed(4, "the root is an entity that there is not")),
        }
        Ok(())
    }

    /// Checks the targets of edges, which may be entities that are not saved.
    fn check_targets(&self, input: &FileInput<'_>) -> Result<(), FileError> {
        let all = self.entities + self.outside.count;
        let edges = self.relations.iter().flat_map(|relation| &relation.edges);
        match edges.into_iter().all(|edge| edge.target < all) {
            true => Ok(()),
            false => Err(input.malformed(0, "an edge has an entity that there is not")),
        }
    }

    fn column(&self, input: &mut FileInput<'a>) -> Result<FileColumn<'a>, FileError> {
        let name = input.u32()? as usize;
        if name >= self.names.len() {
            return Err(input.malformed(4, "there is no such name"));
        }
        let form = input.u8()?;
        let length = usize::try_from(input.u64()?).unwrap_or(usize::MAX);
        let at = input.at();
        let bytes = input.take(length)?;
        Ok(FileColumn {
            name,
            form,
            at,
            bytes,
        })
    }
}

/// Returns true if the last bytes are not the checksum of the others.
fn is_damaged(bytes: &[u8]) -> bool {
    let format = bytes.get(MAGIC.len()..).and_then(<[u8]>::first_chunk);
    let (Some(&format), Some((rest, &sum))) = (format, bytes.split_last_chunk()) else {
        return true;
    };
    of_form(u32::from_le_bytes(format), rest) != u64::from_le_bytes(sum)
}

fn ids(input: &mut FileInput<'_>, count: usize) -> Result<Vec<Entity>, FileError> {
    if count > input.left() / 8 {
        input.take(usize::MAX)?;
    }
    let mut ids = Vec::with_capacity(count);
    for _ in 0..count {
        let id = Entity::from_bits(input.u64()?);
        ids.push(id.ok_or(input.malformed(8, "no entity has this id"))?);
    }
    Ok(ids)
}

/// The least number of bytes of a column.
const COLUMN: usize = 4 + 1 + 8;

fn names<'a>(input: &mut FileInput<'a>, format: u32) -> Result<Vec<FileTypeName<'a>>, FileError> {
    let mut names: Vec<FileTypeName<'a>> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..input.length(8)? {
        let name = input.text()?;
        if !seen.insert(name) {
            return Err(input.malformed(name.len(), "a name occurs twice"));
        }
        let version = input.u32()?;
        let shape = if format > 4 {
            Some(input.text()?)
        } else {
            None
        };
        names.push(FileTypeName {
            name,
            version,
            shape,
        });
    }
    Ok(names)
}
