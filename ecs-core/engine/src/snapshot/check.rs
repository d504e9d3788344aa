//! The choice of values that a snapshot copies, and the check of all types before the first one is copied.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::TypeId;
use core::mem::take;

use super::outside::{UncopiedOutside, without_copier as without_copier_outside};
use super::plain::is_in_bytes;
use super::schedules::{KnownValues, without_copier};
use super::snapshotter::{Snapshotter, copies};
use super::{LeftOut, SnapshotError};
use crate::command::{Delayed, DelayedFunction};
use crate::component::{ComponentId, StorageKind};
use crate::entity::Entity;
use crate::meta::WriteSet;
use crate::resource::ResourceCopier;
use crate::schedule::{FixedTime, FixedTimes, FrameTime, Schedule};
use crate::storage::{Copier, Copiers, StoragePart};
use crate::task::Tasks;
use crate::world::{CopiedTypes, World};

/// Components that cannot be copied and are left out, and the list of everything like that.
#[derive(Default)]
pub(super) struct FoundLeftOut {
    /// Sparse components, which keep the values that entities have.
    pub(super) components: Vec<ComponentId>,
    /// Components of tables, which entities lose.
    pub(super) lost: Vec<ComponentId>,
    pub(super) list: LeftOut,
}

impl Snapshotter {
    /// Returns true if a resource is copied, or refused if it cannot be.
    fn copies_resource(&self, part: Option<&Arc<WriteSet>>, id: TypeId) -> bool {
        let is_time = || {
            let fixed = [TypeId::of::<FixedTime>(), TypeId::of::<FixedTimes>()];
            id == TypeId::of::<FrameTime>() || fixed.contains(&id)
        };
        !self.without_resources.contains(&id)
            && part.is_none_or(|part| part.has_resource(id) || is_time())
    }

    /// Checks that everything in the world can be copied, or is left out.
    pub(super) fn check(
        &self,
        world: &mut World,
        part: Option<&Arc<WriteSet>>,
        some: Option<&StoragePart>,
        (copiers, known): (&Copiers, CopiedTypes<'_>),
        schedules: &mut [&mut Schedule],
    ) -> Result<FoundLeftOut, SnapshotError> {
        let is_unprepared = |schedule: &&&mut Schedule| !schedule.is_prepared_for(world.id());
        let unprepared = schedules.iter().filter(is_unprepared).count();
        let values = self.known_values(known);
        let mut remembered = without_copier(schedules, values, self.without_captured);
        let mut outside = UncopiedOutside::default();
        if !schedules.is_empty() {
            outside = without_copier_outside(world, values);
            remembered.append(&mut outside.memories);
            if !self.without_others {
                let called = take(&mut outside.called).into_iter();
                remembered.extend(called.map(|system| (String::from(system), "")));
            }
        }
        // All components of some entities are copied.
        let written = part.filter(|_| some.is_none());
        let is_copied = |id| copies(&self.without, written, id);
        let found = world.storage.without_copier(copiers, &is_copied, some);
        let mut components: Vec<ComponentId> = found.iter().map(|(id, _)| *id).collect();
        let mut edges = Vec::new();
        if let Some(some) = some {
            let found = world.storage.edges_out_of(&|entity| some.has(entity));
            edges.extend(
                found
                    .iter()
                    .map(|&(id, source, target)| (id.name(), source, target)),
            );
        }
        let is_grouped = |id| {
            let store = world.storage.component(id);
            // The order of their rows is part of a snapshot of a whole world.
            written.is_none() && store.is_some_and(|store| store.member.is_grouped())
        };
        let mut grouped = self.without.clone();
        grouped.retain(|&id| is_grouped(id));
        let mut resources = self.uncopied_resources(world, part);
        let mut delayed = self.unwritten_functions(world);
        let mut left_out = FoundLeftOut::default();
        if self.without_others {
            let is_left_out = |&mut id: &mut ComponentId| {
                id.storage() == StorageKind::Sparse && !id.is_end() && !is_grouped(id)
            };
            // Rows are at their places in snapshots of a part.
            let is_whole = part.is_none() && some.is_none();
            let is_lost = |id: ComponentId| {
                is_whole && id.storage() == StorageKind::Table && !id.info().disables
            };
            let all = names(&components);
            left_out.components = components.extract_if(.., is_left_out).collect();
            left_out.lost = components.extract_if(.., |id| is_lost(*id)).collect();
            left_out.list = LeftOut {
                components: match components.is_empty() {
                    true => all,
                    false => Vec::new(),
                },
                delayed: take(&mut delayed),
                resources: take(&mut resources),
                remembered: take(&mut remembered),
                tasks: Tasks::waiting_in(world).map_or(0, |(_, tasks)| tasks),
                outside: outside.called,
            };
        }
        if !self.without_captured {
            left_out.list.outside.append(&mut outside.closures);
        }
        let is_complete = components.is_empty() && resources.is_empty() && grouped.is_empty();
        if is_complete
            && delayed.is_empty()
            && edges.is_empty()
            && remembered.is_empty()
            && unprepared == 0
        {
            return Ok(left_out);
        }
        Err(SnapshotError {
            components: names(&components).into(),
            entities: entities_of(&components, &found).into(),
            resources: resources.into(),
            delayed: delayed.into(),
            grouped: names(&grouped).into(),
            remembered: remembered.into(),
            edges: edges.into(),
            unprepared,
        })
    }

    /// Returns the names of the resources that cannot be copied, and are not left out.
    fn uncopied_resources(&self, world: &World, part: Option<&Arc<WriteSet>>) -> Vec<&'static str> {
        let known = world.copied_types();
        // Without schedules and tasks, there is nothing to copy in these.
        let idle = [
            world.idle_schedules(),
            Tasks::waiting_in(world).and_then(|(id, tasks)| (tasks == 0).then_some(id)),
        ];
        world.resources().names_if(&|id| {
            !self.without_other_resources
                && !idle.contains(&Some(id))
                && self.copies_resource(part, id)
                && self.resource_copier(part, known, id).is_none()
        })
    }

    /// Returns the types of the values that systems may remember.
    pub(super) fn known_values<'a>(&'a self, known: CopiedTypes<'a>) -> KnownValues<'a> {
        KnownValues {
            named: &self.locals,
            known,
            is_written: self.is_written,
        }
    }

    /// Finds the copiers of components.
    pub(super) fn find_copiers(
        &self,
        components: impl Iterator<Item = ComponentId>,
        copiers: &mut Copiers,
    ) {
        let is_written = |id: ComponentId| {
            let data = id.data().or(id.relation());
            let is_list = id.is_end() && id.relation_of_sources().is_none();
            self.is_written
                .is_none_or(|is_written| is_list || data.is_some_and(is_written))
        };
        for &(id, data) in &self.components {
            if is_written(id)
                && let Some(copier) = Copier::of(id, Some(data))
            {
                copiers.set(id, copier);
            }
        }
        for id in components {
            if copiers.get(id).is_none()
                && is_written(id)
                && let Some(copier) = Copier::of(id, id.data().or(id.relation()).or(id.copied()))
            {
                copiers.set(id, copier);
            }
        }
    }

    /// Returns the copier of a resource that is named or has one of the data types; `None` if it is left out or cannot be
    /// copied.
    pub(super) fn resource_copier(
        &self,
        part: Option<&Arc<WriteSet>>,
        known: CopiedTypes<'_>,
        id: TypeId,
    ) -> Option<ResourceCopier> {
        if !self.copies_resource(part, id) {
            return None;
        }
        let mut named = self.resources.iter();
        let is_it = |copier: &&ResourceCopier| {
            // Bytes have the resource by its data type, if there is one.
            copier.type_id() == id && (self.is_written.is_none() || known.find(id).is_none())
        };
        let named = named.find(is_it).copied();
        let found = named.or_else(|| match known.find(id) {
            Some(data) => ResourceCopier::of(data),
            None if id == TypeId::of::<FrameTime>() => Some(ResourceCopier::of_type::<FrameTime>()),
            None if id == TypeId::of::<FixedTime>() => Some(ResourceCopier::of_type::<FixedTime>()),
            None if id == TypeId::of::<FixedTimes>() => {
                Some(ResourceCopier::of_type::<FixedTimes>())
            }
            None if id == TypeId::of::<Delayed>() => Some(ResourceCopier::of_type::<Delayed>()),
            None => None,
        });
        found.filter(|copier| is_in_bytes(self.is_written, *copier))
    }

    /// Returns the functions of delayed commands, if the snapshot has to become bytes.
    fn unwritten_functions(&self, world: &World) -> Vec<DelayedFunction> {
        let delayed = world.get_resource::<Delayed>();
        let delayed = delayed.filter(|_| {
            self.is_written.is_some() && self.copies_resource(None, TypeId::of::<Delayed>())
        });
        delayed
            .map(|delayed| delayed.functions())
            .unwrap_or_default()
    }
}

impl World {
    /// Returns the resources that are not data, the delayed commands and the tasks: no save has them.
    #[doc(hidden)]
    #[must_use]
    pub fn never_saved(&self) -> LeftOut {
        let delayed = self.get_resource::<Delayed>();
        LeftOut {
            resources: Snapshotter::new().uncopied_resources(self, None),
            delayed: delayed
                .map(|delayed| delayed.functions())
                .unwrap_or_default(),
            tasks: Tasks::waiting_in(self).map_or(0, |(_, tasks)| tasks),
            ..LeftOut::default()
        }
    }
}

fn names(components: &[ComponentId]) -> Vec<&'static str> {
    components.iter().map(|id| id.name()).collect()
}

/// Returns an entity that has each component.
fn entities_of(components: &[ComponentId], found: &[(ComponentId, Entity)]) -> Vec<Entity> {
    let found = found.iter().filter(|(id, _)| components.contains(id));
    found.map(|(_, entity)| *entity).collect()
}
