//! Entities that remember which part of a prefab they were copied from.

use std::sync::Arc;

use ecs_engine::Entity;
use ecs_engine::component::{Component, IdSlot, StorageKind, Untracked};
use ecs_engine::data_type::{DataType, DataTypeOf};
use ecs_engine::meta::ConstTypeIdOf;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use crate::saved::{Migration, Saved};

/// The part of a prefab that an entity was copied from; a sparse component that [`Copies::remembered`](crate::Copies::remembered)
/// adds.
///
/// It is data (`ecs.prefab_part`): saves and clones have it, and if a tree is cloned, the clone remembers its own root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefabPart {
    prefab: Arc<str>,
    number: u32,
    /// A hash of the prefab; 0 if it is not known.
    version: u32,
    root: Entity,
}

impl PrefabPart {
    pub(crate) fn new(prefab: Arc<str>, number: u32, root: Entity, version: u32) -> Self {
        Self {
            prefab,
            number,
            version,
            root,
        }
    }

    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    /// Returns the name of the prefab.
    #[must_use]
    pub fn prefab(&self) -> &str {
        &self.prefab
    }

    /// Returns the number of the entity in the prefab. The root is number 0.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the root of the copy.
    #[must_use]
    pub fn root(&self) -> Entity {
        self.root
    }
}

// Lists of components in errors do not name it.
#[diagnostic::do_not_recommend]
impl Component for PrefabPart {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_data::PrefabPart", "PrefabPart").with_data({
            const OLD: &[Migration] = &[Migration::of::<FirstPart, PrefabPart>(1)];
            const SAVED: &Saved = &Saved::of::<PrefabPart>().migrated(OLD);
            const DATA: &[DataType] = &[DataTypeOf::<PrefabPart>::new("ecs.prefab_part", 2)
                .component()
                .cloned()
                .printed()
                .coded(SAVED)
                .erased()];
            DATA
        });
    const STORAGE: StorageKind = StorageKind::Sparse;
    type Tracking = Untracked;

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        static SLOT: IdSlot<PrefabPart> = IdSlot::new();
        Some(&SLOT)
    }
}

impl Serialize for PrefabPart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&*self.prefab, self.number, self.root, self.version).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PrefabPart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (prefab, number, root, version) =
            <(String, u32, Entity, u32)>::deserialize(deserializer)?;
        Ok(Self::new(prefab.into(), number, root, version))
    }
}

/// The first version of the component, without a version of the prefab.
type FirstPart = (String, u32, Entity);

impl From<FirstPart> for PrefabPart {
    fn from((prefab, number, root): FirstPart) -> Self {
        Self::new(prefab.into(), number, root, 0)
    }
}
