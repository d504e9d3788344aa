//! Values whose names a program does not know, and which its next save includes again.
//!
//! Nothing is known about them, not even which of their numbers are ids. So they stay as they were read, beside a list of the
//! entities that these numbers stood for. The next save writes both, and a program that knows the name reads the values with
//! that list.

mod form;

use std::collections::HashSet;
use std::ops::Range;

use ecs_engine::data_type::{DataType, DataTypeOf};
use ecs_engine::staging::StagedRows;
use ecs_engine::{Entity, Resource, World};

use crate::Value;
use crate::file::FileEdge;
use crate::numbers::EntityNumbers;

pub(crate) use form::{from_value, is_too_deep, to_value};

/// The resource of a world that has them.
#[derive(Clone, Default)]
pub(crate) struct KeptData {
    parts: Vec<KeptFile<Entity>>,
}

impl Resource for KeptData {}

/// Describes the resource, so that snapshots and clones of worlds have it. It has its own way to be saved. No type of a user has
/// a name with a blank.
static DATA: DataType = DataTypeOf::<KeptData>::new("kept values", 1)
    .resource()
    .cloned()
    .erased();

/// Returns true if a description belongs to kept values.
pub(crate) fn is_kept(data: &DataType) -> bool {
    data.is_same(&DATA)
}

/// Values that were read from one file.
#[derive(Clone, Debug)]
pub(crate) struct KeptFile<Id> {
    /// The entities by the numbers of that file.
    pub(crate) entities: Vec<Id>,
    pub(crate) columns: Vec<KeptColumn>,
}

/// The values of one name.
#[derive(Clone, Debug)]
pub(crate) struct KeptColumn {
    pub(crate) name: String,
    pub(crate) version: u32,
    pub(crate) values: KeptValues,
}

/// Values as they were read. Entities have the numbers of the [`KeptFile`].
#[derive(Clone, Debug)]
pub(crate) enum KeptValues {
    /// From rows, which do not say whether it is a component or a relation.
    Rows {
        rows: Vec<(u32, Value)>,
        /// The targets of a relation, and their sources in order.
        orders: Vec<(u32, Vec<u32>)>,
    },
    /// A resource, from rows.
    Tree(Value),
    /// A component. The entities of a table are a range, because few bytes can stand for many.
    Component {
        owners: StagedRows,
        bytes: KeptBytes,
    },
    /// A relation.
    Edges {
        edges: Vec<FileEdge>,
        bytes: KeptBytes,
    },
    /// A resource.
    Resource(KeptBytes),
}

/// The entities of a part that count.
struct Counted {
    /// By number, how many of the entities before it count; one more than there are entities.
    before: Vec<u32>,
}

impl Counted {
    fn of<Id>(entities: &[Id], counts: impl Fn(&Id) -> bool) -> Self {
        let mut before = Vec::with_capacity(entities.len() + 1);
        let mut count = 0;
        before.push(count);
        before.extend(entities.iter().map(|entity| {
            count += u32::from(counts(entity));
            count
        }));
        Self { before }
    }

    /// Returns true if any of the entities with these numbers count. O(1).
    fn has_any(&self, numbers: Range<u32>) -> bool {
        self.before[numbers.start as usize] < self.before[numbers.end as usize]
    }

    fn has(&self, number: u32) -> bool {
        self.has_any(number..number + 1)
    }
}

/// Values of a column, which cannot be divided without their type.
#[derive(Clone, Debug)]
pub(crate) struct KeptBytes {
    pub(crate) form: u8,
    /// The shape of the values; `None` from files of old forms.
    pub(crate) shape: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

impl KeptColumn {
    pub(crate) fn is_resource(&self) -> bool {
        matches!(self.values, KeptValues::Tree(_) | KeptValues::Resource(_))
    }

    /// Returns the column without the values of entities that do not count; `None` if there is nothing left. Bytes are not
    /// divided.
    fn retain(mut self, counted: &Counted) -> Option<Self> {
        let has_any = match &mut self.values {
            KeptValues::Rows { rows, .. } => {
                rows.retain(|&(entity, _)| counted.has(entity));
                !rows.is_empty()
            }
            KeptValues::Component { owners, .. } => match owners {
                StagedRows::Range(range) => counted.has_any(range.clone()),
                StagedRows::List(list) => list.iter().any(|&entity| counted.has(entity)),
            },
            KeptValues::Edges { edges, .. } => {
                let mut edges = edges.iter();
                edges.any(|edge| counted.has(edge.source) && counted.has(edge.target))
            }
            KeptValues::Tree(_) | KeptValues::Resource(_) => true,
        };
        has_any.then_some(self)
    }
}

impl<Id> KeptFile<Id> {
    /// Returns the part without columns that do not count at all; `None` if nothing else is left.
    fn retain(mut self, counts: impl Fn(&Id) -> bool) -> Option<Self> {
        let counted = Counted::of(&self.entities, counts);
        let columns = self.columns.into_iter();
        let columns = columns.filter_map(|column| column.retain(&counted));
        self.columns = columns.collect();
        (!self.columns.is_empty()).then_some(self)
    }
}

/// Adds values to the ones that a world keeps. Resources replace others with the same name, and values of despawned entities are
/// dropped.
pub(crate) fn add(world: &mut World, parts: Vec<KeptFile<Entity>>) {
    if parts.is_empty() {
        return;
    }
    let new = parts.iter().flat_map(|part| &part.columns);
    let new = new.filter(|column| column.is_resource());
    let replaced: HashSet<String> = new.map(|column| column.name.clone()).collect();
    let mut kept: KeptData = world.remove_resource().unwrap_or_default();
    for part in &mut kept.parts {
        part.columns
            .retain(|column| !(column.is_resource() && replaced.contains(&column.name)));
    }
    let all = kept.parts.into_iter().chain(parts);
    let alive = all.filter_map(|part| part.retain(|&entity| world.contains(entity)));
    let parts = alive.collect();
    world.insert_resource(KeptData { parts });
    world.make_data_known(&DATA);
}

/// Returns a world's kept values, for a save of the entities that have numbers; `dead` numbers the others.
pub(crate) fn of_save(
    world: &World,
    numbers: &EntityNumbers,
    dead: impl Fn(Entity) -> u32,
    with_resources: bool,
) -> Vec<KeptFile<u32>> {
    let Some(kept) = world.get_resource::<KeptData>() else {
        return Vec::new();
    };
    let parts = kept.parts.iter().filter_map(|part| {
        let entities = part.entities.iter();
        let entities = entities.map(|&entity| (entity, numbers.of(entity)));
        let columns = part.columns.iter();
        let saved = KeptFile {
            entities: entities.collect(),
            columns: columns
                .filter(|column| with_resources || !column.is_resource())
                .cloned()
                .collect(),
        };
        let KeptFile { entities, columns } = saved.retain(|(_, number)| number.is_some())?;
        let entities = entities.into_iter();
        let numbers = entities
            .map(|(entity, number)| number.unwrap_or_else(|| dead(entity)))
            .collect();
        Some(KeptFile {
            entities: numbers,
            columns,
        })
    });
    parts.collect()
}
