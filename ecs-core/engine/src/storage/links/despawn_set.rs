//! Computes which entities a despawn cascades to.

use alloc::vec::Vec;

use super::super::{DropList, Frozen, Storage};
use crate::component::{ComponentId, End, Lifecycle, LifecycleSet};
use crate::entity::{Entity, EntityMarks, TableId};

/// Entities that are despawned together: targets before the sources that are despawned with them.
pub(crate) struct DespawnSet {
    pub(crate) entities: Vec<Entity>,
    /// The set of the same entities.
    pub(crate) marks: EntityMarks,
}

impl Storage {
    /// Returns the entities and all others that are despawned with them. Iterative, and visits each entity once, so long
    /// chains and cycles do no harm.
    pub(crate) fn despawn_set(&self, roots: &[Entity]) -> DespawnSet {
        let mut entities = roots.to_vec();
        let mut marks = EntityMarks::default();
        for &root in roots {
            marks.insert(root);
        }
        let mut next = 0;
        while next < entities.len() {
            let entity = entities[next];
            next += 1;
            for component in self.sparse_of(entity) {
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

    /// Updates the other ends before the values of an entity leave, which is despawned together with those in `marks`.
    ///
    /// Edges that are [despawned as a whole](Self::are_despawned) stay: each end goes with its entity.
    pub(in crate::storage) fn unlink_despawned(
        &mut self,
        entity: Entity,
        marks: &EntityMarks,
        drops: &mut DropList,
    ) {
        let mut list = self.presence.get(entity).list();
        while let Some(component) = list.next(&self.sparse) {
            if !self.are_despawned(component, entity, marks) {
                self.unlink(&[component], entity, drops);
            }
        }
    }

    /// Returns true if the component has no edges, or edges without values to drop whose ends are all despawned.
    #[inline]
    fn are_despawned(&self, component: ComponentId, entity: Entity, marks: &EntityMarks) -> bool {
        let store = self.store(component);
        match store.info.link.map(|link| &link.end) {
            None => true,
            // All sources are in the set.
            Some(End::Sources { despawned: true }) => {
                self.store(self.other(component)).info.drop.is_none()
            }
            Some(End::Target { .. }) => {
                let other = self.end_of(self.other(component));
                let link = self.target_link(component, entity);
                store.info.drop.is_none()
                    && matches!(other, Some(End::Sources { despawned: true }))
                    && link.is_none_or(|link| marks.contains(link.target))
            }
            Some(End::Sources { despawned: false } | End::Targets { .. }) => false,
        }
    }

    /// Returns the sources that lose their only target when the entity loses the components. Each comes with the component
    /// that holds the target, if the removal of that component is observed. Excludes entities in `despawned`, which are
    /// despawned too.
    pub(crate) fn orphaned_sources(
        &self,
        entity: Entity,
        components: impl IntoIterator<Item = ComponentId>,
        despawned: Option<&EntityMarks>,
    ) -> Vec<(Entity, ComponentId)> {
        let mut orphaned = Vec::new();
        for component in components {
            let Some(End::Sources { .. }) = self.end_of(component) else {
                continue;
            };
            let other = self.other(component);
            let Some(End::Target { .. }) = self.end_of(other) else {
                continue;
            };
            if self.store(other).observed.has(Lifecycle::Remove)
                && let Some(list) = self.list(component, entity)
            {
                for source in list.iter() {
                    if despawned.is_none_or(|despawned| !despawned.contains(source)) {
                        orphaned.push((source, other));
                    }
                }
            }
        }
        orphaned
    }

    /// Returns true if any observer must be notified of sources that lose their only target when the entity loses the
    /// components, whose lifecycle set is `observed`.
    #[inline]
    pub(crate) fn orphans_any(
        &self,
        entity: Entity,
        components: &[ComponentId],
        observed: LifecycleSet,
    ) -> bool {
        observed.is_linked() && self.has_orphaned_source(entity, components)
    }

    #[inline(never)]
    fn has_orphaned_source(&self, entity: Entity, components: &[ComponentId]) -> bool {
        let components = components.iter().copied();
        !self.orphaned_sources(entity, components, None).is_empty()
    }

    /// Returns true if the entity is an end of any relation.
    pub(crate) fn is_end(&self, entity: Entity) -> bool {
        self.sparse_of(entity).any(|component| {
            let store = self.store(component);
            store.info.link.is_some() && store.frozen_shared().set().contains(entity)
        })
    }

    /// Returns true if despawning the entity, which is in `table`, notifies no observer and does not cascade.
    pub(crate) fn can_despawn_silently(&mut self, entity: Entity, table: TableId) -> bool {
        let storage = Frozen::of(self);
        for column in storage.table(table).columns() {
            if storage
                .store(column.component)
                .observed
                .has_any(LifecycleSet::LEAVING)
            {
                return false;
            }
        }
        for component in storage.get().sparse_of(entity) {
            let store = storage.store(component);
            let is_target = matches!(storage.end_of(component), Some(End::Sources { .. }));
            if (is_target || store.observed.has_any(LifecycleSet::LEAVING))
                && store.set().contains(entity)
            {
                return false;
            }
        }
        true
    }
}
