//! New entities that are in no world yet.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use core::ops::Range;

use crate::component::ComponentId;
use crate::entity::Entity;
use crate::storage::{ColumnAges, ErasedColumn};

/// New entities, known by their numbers from 0 on, with all their components, before they are in a world.
///
/// Anything can be staged; [`World::commit`](crate::World::commit) checks it. An entity that is in no table has no
/// components in tables.
///
/// ```
/// use ecs_core::component::ComponentId;
/// use ecs_core::prelude::*;
/// use ecs_core::staging::{ErasedColumn, StagedRows, Staged};
///
/// #[derive(Component, Debug, PartialEq)]
/// struct Health(u32);
///
/// let mut column = ErasedColumn::new(ComponentId::of::<Health>());
/// for health in 0..100 {
///     column.push(Health(health)).expect("it is a column of `Health`");
/// }
/// let mut staged = Staged::new(100);
/// staged.add_table(StagedRows::Range(0..100), vec![column]);
///
/// let mut world = World::new();
/// let ids = world.next_ids(100)?;
/// world.commit(staged, &ids)?;
/// world.announce(&ids);
/// assert_eq!(*world.get::<Health>(ids[7]).unwrap(), Health(7));
/// # Ok::<(), ecs_core::staging::StageError>(())
/// ```
#[derive(Debug)]
pub struct Staged {
    pub(super) entities: u32,
    pub(super) tables: Vec<StagedTable>,
    pub(super) sets: Vec<StagedSet>,
    pub(super) edges: Vec<StagedEdges>,
    pub(super) resources: Vec<StagedResource>,
    pub(super) revives: bool,
    /// The numbers of entities that are in the world already, without components.
    pub(super) fills: Vec<u32>,
    /// The entities that leave the world in the same change, with their values.
    pub(super) leaving: Vec<Entity>,
    /// The required components that are made where they are missing; `None` for all.
    pub(super) made: Option<MadeComponents>,
}

/// Some of the components that others require.
#[derive(Debug)]
pub(super) struct MadeComponents {
    not_data: bool,
    components: Vec<ComponentId>,
}

impl MadeComponents {
    #[inline]
    pub(super) fn has(&self, component: ComponentId) -> bool {
        let is_data = component.data().is_some() || component.relation().is_some();
        self.not_data && !is_data || self.components.contains(&component)
    }
}

/// Entities with the same components in tables.
#[derive(Debug)]
pub(super) struct StagedTable {
    pub(super) rows: StagedRows,
    pub(super) columns: Vec<ErasedColumn>,
    /// For each column, the ages of the values, if they have any; none if all values are new.
    pub(super) ages: Vec<Option<ColumnAges>>,
    /// The number of copies that the rows belong to, one copy after the other.
    pub(super) copies: usize,
}

impl StagedTable {
    /// Returns true if a column has the values of one copy only, which are plain bytes.
    #[inline]
    pub(super) fn is_repeated(&self, column: &ErasedColumn) -> bool {
        let len = column.len().checked_mul(self.copies);
        self.copies > 1 && len == Some(self.rows.len()) && column.is_copy()
    }
}

/// The values of a sparse component.
#[derive(Debug)]
pub(super) struct StagedSet {
    pub(super) numbers: Vec<u32>,
    pub(super) column: ErasedColumn,
    pub(super) ages: Option<ColumnAges>,
}

#[derive(Debug)]
pub(super) struct StagedResource {
    pub(super) name: &'static str,
    pub(super) value: Box<dyn Any + Send + Sync>,
}

/// The numbers of staged entities, in the order of their rows.
#[derive(Clone, Debug)]
pub enum StagedRows {
    /// Consecutive numbers.
    Range(Range<u32>),
    /// Any numbers.
    List(Vec<u32>),
}

impl StagedRows {
    /// Returns the rows of a list: as a range, which takes less work, if the numbers are consecutive.
    #[inline]
    #[must_use]
    pub fn of_list(list: Vec<u32>) -> Self {
        let first = list.first().copied().unwrap_or(0);
        let end = u32::try_from(list.len()).map_or(None, |len| first.checked_add(len));
        match end {
            Some(end) if (first..end).eq(list.iter().copied()) => Self::Range(first..end),
            _ => Self::List(list),
        }
    }

    /// Returns the number of rows.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::List(list) => list.len(),
        }
    }

    /// Returns true if there are no rows.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number in a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    #[must_use]
    pub fn at(&self, row: usize) -> u32 {
        match self {
            Self::Range(range) => {
                assert!(row < range.len(), "there are {} rows", range.len());
                range.start + row as u32
            }
            Self::List(list) => list[row],
        }
    }

    /// Iterates over the numbers.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).map(|row| self.at(row))
    }
}

/// The edges of one relation, from new sources.
///
/// This list decides the order of a target's sources. They come after the sources that the target has already.
#[derive(Debug)]
pub struct StagedEdges {
    /// The component of sources, which stands for the relation; see [`RelationInfo`](super::RelationInfo).
    pub outgoing: ComponentId,
    /// The edges.
    pub edges: Vec<StagedEdge>,
    /// For each edge, the key that sorts the targets of its source. Targets with equal keys stay in the order of the list,
    /// and so do all if there are no keys. Meaningless for a relation to one target.
    pub order: Vec<u32>,
    /// The values of the edges, in a column [of edges](ErasedColumn::of_edges).
    pub values: ErasedColumn,
}

/// An edge of a new source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StagedEdge {
    /// The number of the source.
    pub source: u32,
    /// The target.
    pub target: EdgeTarget,
}

/// The target of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeTarget {
    /// A new entity, by its number.
    New(u32),
    /// An entity that is in the world already.
    Living(Entity),
}

impl Staged {
    /// Stages entities with the numbers `0..entities`, without components.
    #[inline]
    #[must_use]
    pub fn new(entities: u32) -> Self {
        Self {
            entities,
            tables: Vec::new(),
            sets: Vec::new(),
            edges: Vec::new(),
            resources: Vec::new(),
            revives: false,
            fills: Vec::new(),
            leaving: Vec::new(),
            made: None,
        }
    }

    /// Makes missing [required](crate::component::Required) components only if they are among these, or are not data and
    /// `not_data` is true. For entities that are staged unchanged from a world, with all their other components.
    #[inline]
    pub fn make_only(&mut self, not_data: bool, components: Vec<ComponentId>) {
        self.made = Some(MadeComponents {
            not_data,
            components,
        });
    }

    /// Lets the entities have ids of despawned entities of the world, to bring these entities back, for example to undo a
    /// despawn. An id that is alive or reserved stays refused. When a revived entity goes, its index continues after all
    /// ids that it has had, so each other id is still issued once.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::staging::Staged;
    ///
    /// let mut world = World::new();
    /// let first = world.spawn(());
    /// world.despawn(first)?;
    /// let second = world.spawn(());
    /// world.despawn(second)?;
    /// assert_eq!((first.to_string(), second.to_string()), ("0v1".into(), "0v2".into()));
    ///
    /// let mut staged = Staged::new(1);
    /// staged.revive();
    /// world.commit(staged, &[first])?;
    /// assert!(world.contains(first));
    /// world.despawn(first)?;
    /// assert_eq!(world.spawn(()).to_string(), "0v3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn revive(&mut self) {
        self.revives = true;
    }

    /// Returns true if a component checks its values before entities get them.
    #[inline]
    #[must_use]
    pub fn is_checked(&self) -> bool {
        let in_tables = self.tables.iter().flat_map(|table| &table.columns);
        let mut columns = in_tables.chain(self.sets.iter().map(|set| &set.column));
        columns.any(|column| column.component().is_checked())
    }

    /// Returns the numbers of the entities that get a value of a component.
    #[must_use]
    pub fn numbers_with(&self, component: ComponentId) -> Vec<u32> {
        let is_it = |column: &ErasedColumn| column.component() == component;
        let tables = self.tables.iter();
        let tables = tables.filter(|table| table.columns.iter().any(is_it));
        let in_tables = tables.flat_map(|table| {
            let rows = 0..table.rows.len();
            rows.map(|row| table.rows.at(row))
        });
        let sets = self.sets.iter().filter(|set| is_it(&set.column));
        let in_sets = sets.flat_map(|set| set.numbers.iter().copied());
        in_tables.chain(in_sets).collect()
    }

    /// States that these entities leave the world in the same change: a new entity may have a unique value of theirs.
    #[inline]
    pub fn replace(&mut self, entities: &[Entity]) {
        self.leaving.extend(entities);
    }

    /// Returns the number of entities.
    #[inline]
    #[must_use]
    pub fn entities(&self) -> u32 {
        self.entities
    }

    /// Adds the components in tables of some entities: a value in each column for each of the rows.
    #[inline]
    pub fn add_table(&mut self, rows: StagedRows, columns: Vec<ErasedColumn>) {
        self.add_copies(rows, columns, 1);
    }

    /// Adds the components in tables of some entities and their copies, one after the other. A column of [plain
    /// bytes](ErasedColumn::is_copy) may have the values of one copy only, which all copies get.
    ///
    /// ```
    /// use ecs_core::component::ComponentId;
    /// use ecs_core::prelude::*;
    /// use ecs_core::staging::{ErasedColumn, StagedRows, Staged};
    ///
    /// #[derive(Component, Debug, PartialEq)]
    /// struct Health(u32);
    ///
    /// // Two copies of two entities. `Health` is not known to be plain bytes, so each copy has its values here.
    /// let mut column = ErasedColumn::new(ComponentId::of::<Health>());
    /// for value in [7, 8, 7, 8] {
    ///     assert!(!column.is_copy() && column.push(Health(value)).is_ok());
    /// }
    /// let mut staged = Staged::new(4);
    /// staged.add_copies(StagedRows::Range(0..4), vec![column], 2);
    ///
    /// let mut world = World::new();
    /// let ids = world.next_ids(4)?;
    /// world.commit(staged, &ids)?;
    /// assert_eq!(*world.get::<Health>(ids[2]).unwrap(), Health(7));
    /// assert_eq!(*world.get::<Health>(ids[3]).unwrap(), Health(8));
    /// # Ok::<(), ecs_core::staging::StageError>(())
    /// ```
    #[inline]
    pub fn add_copies(&mut self, rows: StagedRows, columns: Vec<ErasedColumn>, copies: usize) {
        self.tables.push(StagedTable {
            rows,
            columns,
            ages: Vec::new(),
            copies,
        });
    }

    /// Adds the values of a sparse component, and the number of the entity of each. A component may have several such sets, of
    /// different entities.
    #[inline]
    pub fn add_set(&mut self, numbers: Vec<u32>, column: ErasedColumn) {
        self.sets.push(StagedSet {
            numbers,
            column,
            ages: None,
        });
    }

    /// Adds the edges of a relation.
    #[inline]
    pub fn add_edges(&mut self, edges: StagedEdges) {
        self.edges.push(edges);
    }

    /// Adds a resource, which replaces the one of its type. Messages use `name`.
    #[inline]
    pub fn add_resource(&mut self, name: &'static str, value: Box<dyn Any + Send + Sync>) {
        self.resources.push(StagedResource { name, value });
    }
}
