//! Entities outside of any world, with all of their data: the source of copies.
//!
//! [`Template::take`] copies them out of a world. Values without ids are cloned. Values with ids are written as bytes, where
//! an id is a number, and read again for each copy, so that ids inside of a copy point into the copy.

mod edges;
mod error;
mod single;
mod stage;
mod take;
mod values;

use ecs_engine::component::ComponentId;
use ecs_engine::staging::{Staged, StagedEdge};
use ecs_engine::{Entity, World};

pub use error::CloneError;
pub(crate) use single::clone_row;
pub(crate) use take::{OutsidePolicy, TakeSource, resources};
use values::TemplateValues;

/// Entities outside of any world, with all of their data.
#[derive(Clone)]
pub(crate) struct Template {
    /// The number of entities; each is in one table.
    entities: u32,
    tables: Vec<TemplateTable>,
    sets: Vec<TemplateSet>,
    edges: Vec<TemplateEdges>,
    /// The entities outside of the template that values name, numbered after its own entities.
    others: Vec<Entity>,
    /// The ids that a world gave to them, and has not taken yet.
    buried: Vec<Entity>,
}

/// Entities with the same components in tables.
#[derive(Clone)]
struct TemplateTable {
    /// The numbers of the entities.
    numbers: Vec<u32>,
    /// A value for each of them, in each column.
    columns: Vec<TemplateValues>,
}

/// The values of a sparse component.
#[derive(Clone)]
struct TemplateSet {
    /// The numbers of the entities that have one.
    numbers: Vec<u32>,
    values: TemplateValues,
}

/// The edges of a relation.
#[derive(Clone)]
struct TemplateEdges {
    /// In the order of their targets' lists.
    edges: Vec<StagedEdge>,
    /// The position of each in its source's list.
    order: Vec<u32>,
    values: TemplateValues,
}

impl Template {
    /// The number of entities.
    pub(crate) fn len(&self) -> usize {
        self.entities as usize
    }

    /// The values may name entities outside of the template. Gives each of these an id that no entity has and nothing else in the
    /// world names, in the order of the old ids.
    pub(crate) fn bury_others(&mut self, world: &World) {
        let mut old = self.others.clone();
        old.sort_unstable();
        old.dedup();
        let new: Vec<Entity> = world.next_dead_ids(old.len()).collect();
        for id in &mut self.others {
            let rank = old.binary_search(id).expect("it is in the list");
            *id = new[rank];
        }
        self.buried = new;
    }

    /// Returns its components and the source components of its relations; some of them several times.
    pub(crate) fn components(&self) -> impl Iterator<Item = ComponentId> {
        let columns = self.tables.iter().flat_map(|table| &table.columns);
        let sets = self.sets.iter().map(|set| &set.values);
        let edges = self.edges.iter().map(|edges| &edges.values);
        columns
            .chain(sets)
            .chain(edges)
            .map(TemplateValues::component)
    }

    /// Returns the name of a component or relation whose values can only be copied, but not saved, if there is one.
    pub(crate) fn unsaved(&self) -> Option<&'static str> {
        let columns = self.tables.iter().flat_map(|table| &table.columns);
        let sets = self.sets.iter().map(|set| &set.values);
        let edges = self.edges.iter().map(|edges| &edges.values);
        let mut all = columns.chain(sets).chain(edges);
        all.find(|values| !values.is_saved())
            .map(TemplateValues::name)
    }
}

/// The parts of entities that are left out.
#[derive(Clone, Default)]
pub(crate) struct LeftOut {
    /// Components, and ends of relations.
    pub(crate) components: Vec<ComponentId>,
    /// Leaves out components that are not data, which are an error otherwise.
    pub(crate) not_data: bool,
}

impl LeftOut {
    /// Only makes required components that were left out, because all existing ones are staged.
    pub(crate) fn make_missing(&self, staged: &mut Staged) {
        staged.make_only(self.not_data, self.components.clone());
    }
}
