//! Who goes with whom.

use super::super::{Frozen, Storage};
use crate::component::{ComponentId, End, Lifecycle, LifecycleSet};
use crate::entity::{Entity, Marks, TableId};

/// Entities that are despawned together: targets before those that go with them.
pub(crate) struct DespawnSet {
    pub(crate) entities: Vec<Entity>,
    /// The same.
    pub(crate) marks: Marks,
}

impl Storage {
    /// The entities, and all that are despawned with them. A list and no recursion, and each once, so that neither chains
    /// nor circles matter.
    pub(crate) fn doomed(&self, roots: &[Entity]) -> DespawnSet {
        let mut entities = roots.to_vec();
        let mut marks = Marks::default();
        for &root in roots {
            marks.insert(root);
        }
        let mut next = 0;
        while next < entities.len() {
            let entity = entities[next];
            next += 1;
            for &component in &self.links {
                let Some(End::Sources { despawned: true }) = self.end_of(component) else {
                    continue;
                };
                let Some(list) = self.list(component, entity) else {
                    continue;
                };
                for source in list.iter() {
                    if marks.insert(source) {
                        entities.push(source);
                    }
                }
            }
        }
        DespawnSet { entities, marks }
    }

    /// Whether anybody wants to be told of anything that leaves.
    pub(crate) fn is_any_leaving_watched(&self) -> bool {
        for store in &self.components {
            if store.watch.has_any(LifecycleSet::LEAVING) {
                return true;
            }
        }
        false
    }

    /// The sources that lose their only target with the entity's components, and the component by which they have it, if
    /// anybody wants to be told of that. Without those that go too.
    pub(crate) fn detached(
        &self,
        entity: Entity,
        components: &[ComponentId],
        doomed: Option<&Marks>,
    ) -> Vec<(Entity, ComponentId)> {
        let mut detached = Vec::new();
        for &component in components {
            let Some(End::Sources { .. }) = self.end_of(component) else {
                continue;
            };
            let other = self.other(component);
            let Some(End::Target { .. }) = self.end_of(other) else {
                continue;
            };
            if self.store(other).watch.has(Lifecycle::Remove)
                && let Some(list) = self.list(component, entity)
            {
                for source in list.iter() {
                    if doomed.is_none_or(|doomed| !doomed.contains(source)) {
                        detached.push((source, other));
                    }
                }
            }
        }
        detached
    }

    /// Whether anybody is to be told of sources that lose their only target with the components, of which `watch` is.
    #[inline]
    pub(crate) fn detaches(
        &self,
        entity: Entity,
        components: &[ComponentId],
        watch: LifecycleSet,
    ) -> bool {
        watch.is_linked() && self.detaches_any(entity, components)
    }

    #[inline(never)]
    fn detaches_any(&self, entity: Entity, components: &[ComponentId]) -> bool {
        !self.detached(entity, components, None).is_empty()
    }

    /// The registered components that are ends of relations, in that order.
    pub(crate) fn links(&self) -> &[ComponentId] {
        &self.links
    }

    /// Whether the entity is an end of any relation.
    pub(crate) fn is_end(&self, entity: Entity) -> bool {
        for &component in &self.links {
            if self.store(component).settled().set().contains(entity) {
                return true;
            }
        }
        false
    }

    /// Whether the entity, which is in `table`, can be despawned without anybody being told, and nobody goes with it.
    pub(crate) fn goes_unheard(&mut self, entity: Entity, table: TableId) -> bool {
        let storage = Frozen::of(self);
        for column in storage.table(table).columns() {
            if storage
                .store(column.component)
                .watch
                .has_any(LifecycleSet::LEAVING)
            {
                return false;
            }
        }
        for &component in &storage.sparse {
            let store = storage.store(component);
            let is_target = matches!(storage.end_of(component), Some(End::Sources { .. }));
            if (is_target || store.watch.has_any(LifecycleSet::LEAVING))
                && store.set().contains(entity)
            {
                return false;
            }
        }
        true
    }
}
