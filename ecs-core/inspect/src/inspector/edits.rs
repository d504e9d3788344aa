//! Edits that can be taken back.

use ecs_data::Value;
use ecs_engine::Entity;

/// A change that can be taken back.
pub(crate) enum UndoableEdit {
    /// Values of components, or of a resource, were changed.
    Values(Vec<ValueEdit>),
    Spawned(Vec<Entity>),
    Despawned(DespawnedRows),
    /// It cannot be taken back, for a reason.
    Final(String),
}

/// The value of a component, or of a resource, before an edit.
pub(crate) struct ValueEdit {
    pub(crate) entity: Option<Entity>,
    pub(crate) name: String,
    pub(crate) before: Option<Value>,
}

/// Entities that were despawned together.
pub(crate) struct DespawnedRows {
    /// The one that was named.
    pub(crate) entity: Entity,
    /// A save of all, with their ids.
    pub(crate) text: String,
    /// The edges of others that led to them.
    pub(crate) edges: Vec<ValueEdit>,
    /// The parts that do not come back.
    pub(crate) lost: Vec<String>,
}
