//! The observers of one entity.

use super::Observers;
use crate::component::{Component, IdSlot, StorageKind, Untracked};
use crate::meta::ConstTypeIdOf;

/// The observers of one entity: a component, so that they are dropped with the entity.
#[derive(Default)]
pub(super) struct EntityObservers(Observers);

impl EntityObservers {
    pub(super) fn observers(&mut self) -> &mut Observers {
        &mut self.0
    }

    pub(super) fn list(&self) -> &Observers {
        &self.0
    }
}

impl Component for EntityObservers {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core", "ecs_core::world::hooks::EntityObservers");
    const STORAGE: StorageKind = StorageKind::Sparse;
    type Tracking = Untracked;

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        static SLOT: IdSlot<EntityObservers> = IdSlot::new();
        Some(&SLOT)
    }
}
