//! The observers of one entity.

use super::Observers;
use crate::component::{Component, IdSlot, StorageKind, Untracked};
use crate::data_type::{DataType, DataTypeOf};
use crate::meta::ConstTypeIdOf;

/// The observers of one entity: a component, so that they are dropped with the entity.
#[derive(Default)]
pub(super) struct EntityObservers(Observers);

/// The copy, for snapshots, calls the same functions, whose memory it shares.
impl Clone for EntityObservers {
    fn clone(&self) -> Self {
        Self(self.0.copy())
    }
}

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
        ConstTypeIdOf::exact("ecs_core", "ecs_core::world::hooks::EntityObservers").with_data({
            const DATA: &[DataType] = &[DataTypeOf::<EntityObservers>::new("", 1)
                .component()
                .cloned()
                .erased()];
            DATA
        });
    const STORAGE: StorageKind = StorageKind::Sparse;
    type Tracking = Untracked;

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        static SLOT: IdSlot<EntityObservers> = IdSlot::new();
        Some(&SLOT)
    }
}
