//! The observers of one entity.

use super::Observers;
use crate::component::{Component, IdSlot, StorageKind, Untracked};
use crate::meta::ConstTypeIdOf;

/// The observers of one entity: a component, so that they go when it goes.
#[derive(Default)]
pub(super) struct Own(Observers);

impl Own {
    pub(super) fn observers(&mut self) -> &mut Observers {
        &mut self.0
    }
}

impl Component for Own {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core", "ecs_core::world::hooks::Own");
    const STORAGE: StorageKind = StorageKind::Sparse;
    type Tracking = Untracked;

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        static SLOT: IdSlot<Own> = IdSlot::new();
        Some(&SLOT)
    }
}
