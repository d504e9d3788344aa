//! Reads copies of storages, and checks everything that a storage relies on.

use alloc::collections::{BTreeSet, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;

use crate::bits::Bits;
use crate::component::{ComponentId, End, StorageKind};
use crate::entity::{EntitiesCopy, Entity, IdFacts, Location};
use crate::log::Log;
use crate::storage::column_copy::Copiers;
use crate::storage::copy_bytes::{
    CopyInput, CopyProblem, ReadEnds, connect, take_bool, take_component, take_components,
    take_count, take_ids, take_len, take_text, take_u32, take_u32s, take_u64,
};
use crate::storage::enabling::Disablings;
use crate::storage::sparse_set::{ReadSet, SetCopy};
use crate::storage::table::TableCopy;
use crate::storage::{Groups, StorageCopy};

impl StorageCopy {
    /// Reads a copy of a storage. The process must know the components, and each one with values needs a copier. If several
    /// components have the same name, the one that the world knows is used.
    pub(crate) fn read(
        input: &mut dyn CopyInput,
        is_known: &dyn Fn(ComponentId) -> bool,
        copiers: &dyn Fn(&[ComponentId]) -> Copiers,
    ) -> Result<Self, CopyProblem> {
        let all = components(input, is_known)?;
        let copiers = &copiers(&all);
        let mut copy = Self {
            is_read: true,
            without: take_components(input, &all)?,
            base: take_count(input)?,
            now: take_count(input)?,
            ..Self::default()
        };
        if copy.base > copy.now {
            return Err(CopyProblem::Malformed(
                "the clock is earlier than its own start",
            ));
        }
        if !copy.without.iter().all(|&component| is_left_out(component)) {
            return Err(CopyProblem::Malformed("a component cannot be left out"));
        }
        let ids = ids(input)?;
        for _ in 0..take_len(input, 16)? {
            let table = TableCopy::read(input, &all, copiers)?;
            copy.tables.push(table);
        }
        copy.check_tables()?;
        copy.entities = copy.place(ids)?;
        copy.sets(input, &all, copiers)?;
        for _ in 0..take_len(input, 8)? {
            let members = take_components(input, &all)?;
            copy.groups.push((members, 0));
        }
        let groups = copy.groups.iter().map(|(members, _)| &**members);
        let groups: Vec<_> = groups.collect();
        if groups.len() > 2 * all.len() || !Groups::can_be(&groups) {
            return Err(CopyProblem::Malformed(
                "these sparse sets cannot form a group",
            ));
        }
        copy.removals(input, &all)?;
        copy.disablings = Disablings::read(input)?;
        if !copy.disablings.can_be(&copy.tables, copy.base) {
            return Err(CopyProblem::Malformed(
                "an entity was disabled after the snapshot was taken",
            ));
        }
        let with_ends = all.iter().map(|&component| {
            let link = component.info().link;
            (component, link.map(|link| link.other()))
        });
        copy.registered = with_ends.collect();
        Ok(copy)
    }

    /// Checks that a storage could have these tables.
    fn check_tables(&self) -> Result<(), CopyProblem> {
        let has_empty = self
            .tables
            .first()
            .is_some_and(|table| table.components().is_empty());
        if !has_empty || self.tables.len() > Location::MAX_TABLES {
            return Err(CopyProblem::Malformed("no world can have these tables"));
        }
        let mut seen = BTreeSet::new();
        for table in &self.tables {
            let key: Vec<usize> = table.components().iter().map(|id| id.index()).collect();
            if !seen.insert(key) {
                return Err(CopyProblem::Malformed(
                    "two tables have the same components",
                ));
            }
        }
        Ok(())
    }

    /// Returns the ids, with the places of the entities of all tables.
    fn place(&self, ids: IdFacts) -> Result<EntitiesCopy, CopyProblem> {
        let tables: Vec<_> = self.tables.iter().map(TableCopy::entities).collect();
        let copy = EntitiesCopy::of_facts(ids, &tables);
        copy.map_err(CopyProblem::Malformed)
    }

    fn sets(
        &mut self,
        input: &mut dyn CopyInput,
        all: &[ComponentId],
        copiers: &Copiers,
    ) -> Result<(), CopyProblem> {
        let count = take_len(input, 12)?;
        let mut seen = Bits::default();
        let mut ends: Vec<(usize, ReadEnds)> = Vec::new();
        for position in 0..count {
            let ReadSet { copy, linked } = SetCopy::read(input, all, copiers)?;
            if !seen.insert(copy.component().index()) || self.without.contains(&copy.component()) {
                return Err(CopyProblem::Malformed("a sparse set occurs twice"));
            }
            self.check_members(copy.entities())?;
            self.sets.push(copy);
            ends.extend(linked.map(|linked| (position, linked)));
        }
        self.used = self.sets.len();
        while let Some((position, end)) = ends.pop() {
            let other = end.other();
            let other = ends
                .iter()
                .position(|(_, end)| Some(end.component()) == other);
            let other = other.ok_or(CopyProblem::Malformed("a relation has only one end"))?;
            let (other_position, other) = ends.swap_remove(other);
            let mut pair = [(position, end), (other_position, other)];
            let is_sources = |end: &ReadEnds| {
                let link = end.component().info().link;
                matches!(link.map(|link| link.end), Some(End::Sources { .. }))
            };
            pair.sort_by_key(|(_, end)| !is_sources(end));
            let [(at_sources, sources), (at_outgoing, outgoing)] = pair;
            let entities = [at_sources, at_outgoing].map(|at| self.sets[at].entities());
            let [sources, outgoing] = connect(entities, sources, outgoing)?;
            self.sets[at_sources].set_values(sources);
            self.sets[at_outgoing].set_values(outgoing);
        }
        Ok(())
    }

    /// Checks that the entities of a set are alive and different.
    fn check_members(&self, entities: &[Entity]) -> Result<(), CopyProblem> {
        let mut seen = Bits::default();
        for &entity in entities {
            if !self.entities.has(entity) || !seen.insert(entity.index() as usize) {
                return Err(CopyProblem::Malformed(
                    "a sparse set has an entity twice, or one that is not alive",
                ));
            }
        }
        Ok(())
    }

    fn removals(
        &mut self,
        input: &mut dyn CopyInput,
        all: &[ComponentId],
    ) -> Result<(), CopyProblem> {
        for _ in 0..take_len(input, 36)? {
            let component = take_component(input, all)?;
            let first = take_count(input)?;
            let bound = usize::try_from(take_u64(input)?).unwrap_or(usize::MAX);
            let mut kept = VecDeque::from(take_ids(input)?);
            kept.extend(take_ids(input)?);
            if !component.is_tracked() || bound == 0 || kept.len() > bound {
                return Err(CopyProblem::Malformed("no world can have these removals"));
            }
            let log = Log::of_parts(first, bound, kept);
            self.removed.push((component, log));
        }
        Ok(())
    }
}

/// Reads the names of components, and returns the components.
fn components(
    input: &mut dyn CopyInput,
    is_known: &dyn Fn(ComponentId) -> bool,
) -> Result<Vec<ComponentId>, CopyProblem> {
    let mut all = Vec::new();
    let mut unknown: Vec<String> = Vec::new();
    let mut seen = Bits::default();
    for _ in 0..take_len(input, 8)? {
        let name = take_text(input)?;
        let named = ComponentId::named(&name);
        let known = named
            .iter()
            .copied()
            .filter(|&component| is_known(component));
        let known: Vec<ComponentId> = known.collect();
        match (&*named, &*known) {
            (&[component], _) | (_, &[component]) => match seen.insert(component.index()) {
                true => all.push(component),
                false => return Err(CopyProblem::Malformed("a component is registered twice")),
            },
            (_, &[one, other, ..]) | (&[one, other, ..], _) => {
                return Err(CopyProblem::SameName {
                    name: one.name(),
                    types: [one, other].map(ComponentId::rust_name),
                });
            }
            ([], _) => unknown.push(name),
        }
    }
    let is_alone = |id: &ComponentId| {
        let link = id.info().link;
        link.is_some_and(|link| !seen.contains(link.other().index()))
    };
    match unknown.is_empty() {
        false => Err(CopyProblem::UnknownComponents(unknown)),
        true if all.iter().any(is_alone) => {
            Err(CopyProblem::Malformed("a relation has only one end"))
        }
        true => Ok(all),
    }
}

fn is_left_out(component: ComponentId) -> bool {
    component.storage() == StorageKind::Sparse && !component.is_end()
}

fn ids(input: &mut dyn CopyInput) -> Result<IdFacts, CopyProblem> {
    let mut facts = IdFacts {
        unplaced: take_u32s(input)?,
        ..IdFacts::default()
    };
    for _ in 0..take_len(input, 8)? {
        facts.revived.push((take_u32(input)?, take_u32(input)?));
    }
    facts.dead = [take_u64(input)?, take_u64(input)?];
    facts.local = take_u32(input)?..take_u32(input)?;
    facts.is_local = take_bool(input)?;
    Ok(facts)
}
