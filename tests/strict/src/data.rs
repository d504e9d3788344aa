use ecs_core::prelude::*;
use ecs_core::query::Item;
use ecs_core::world::hooks::DeferredWorld;
use serde::{Deserialize, Serialize};

/// A plain component.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct Position(pub i32);

/// A component with a name in saved games.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "strict.health", version = 2, track)]
pub struct Health {
    /// The rest of it.
    pub left: u8,
}

/// A component with requirements and hooks.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(storage = "sparse", require(Position, Weight<u8> = Weight::of(7)), on_add = Self::added, on_remove = removed)]
pub struct Body;

impl Body {
    /// Called for each new one.
    const fn added(_world: DeferredWorld<'_>, _entity: Entity) {}
}

/// Called before each goes.
const fn removed(_world: DeferredWorld<'_>, _entity: Entity) {}

/// A generic component.
#[derive(Component, Clone, Copy, Debug)]
pub struct Weight<T: Send + Sync + 'static>(pub T);

impl<T: Send + Sync + 'static> Weight<T> {
    /// Makes one.
    #[inline]
    pub const fn of(value: T) -> Self {
        Self(value)
    }
}

/// An enum.
#[derive(Component, Clone, Copy, Debug)]
#[component(immediate, storage = "sparse")]
pub enum Mode {
    /// The first.
    Low,
    /// The second.
    High(u8),
}

/// A component that can be turned off.
#[derive(Component, Clone, Copy, Debug)]
#[component(toggle, name = "strict.lamp")]
pub struct Lamp;

/// It hides entities.
#[derive(Component, Clone, Copy, Debug)]
#[component(disables)]
pub struct Hidden;

/// A resource.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct Time(pub i32);

/// A generic resource.
#[derive(Resource, Clone, Copy, Debug)]
pub struct Rate<T>(pub T);

/// A resource that is data.
#[derive(Resource, Clone, Copy, Debug, Serialize, Deserialize)]
#[resource(data = "strict.score")]
pub struct Score(pub u32);

/// An event.
#[derive(Event, Clone, Copy, Debug, Serialize, Deserialize)]
#[event(data = "strict.hit")]
pub struct Hit {
    /// Its target.
    pub target: Entity,
}

/// A relation of a tree.
#[derive(Relation, Clone, Copy, Debug)]
#[relation(tree, sources = "despawn")]
pub struct PartOf;

/// A relation with values.
#[derive(Relation, Clone, Copy, Debug)]
#[relation(many)]
pub struct Likes {
    /// The degree.
    pub much: u8,
}

/// A bundle.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct Unit {
    /// A component.
    pub position: Position,
    /// Several.
    pub rest: (Body, Weight<u8>),
}

/// A generic bundle.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct Pack<T: Component>(pub Position, pub T);

/// A parameter.
#[derive(SystemParam)]
#[expect(missing_debug_implementations, reason = "its fields are not shown")]
pub struct Physics<'w, 's> {
    /// Written.
    pub positions: CompMut<'w, Position>,
    /// Read.
    pub time: Res<'w, Time>,
    /// Kept.
    pub frames: Local<'s, u8>,
}

/// A generic parameter for several threads.
#[derive(SystemParam)]
#[system_param(shared)]
#[expect(missing_debug_implementations, reason = "its fields are not shown")]
pub struct Looked<'w, T: Component> {
    /// Read.
    pub values: Comp<'w, T>,
}

/// Query data that writes.
#[derive(QueryData)]
#[expect(missing_debug_implementations, reason = "its fields are not shown")]
pub struct Mover<'a> {
    /// Written.
    pub position: &'a mut Position,
    /// Read.
    pub weight: Option<&'a Weight<u8>>,
    /// The entity.
    pub id: Entity,
}

/// Query data that reads.
#[derive(QueryData, Clone, Copy, Debug)]
pub struct Seen<'a>(pub &'a Position, pub (Entity, &'a Health));

/// Query data with a parameter.
#[derive(QueryData)]
#[expect(missing_debug_implementations, reason = "its fields are not shown")]
pub struct Owned<'a, D: QueryData> {
    /// The data.
    pub of: Item<'a, D>,
    /// The entity.
    pub id: Entity,
}

/// A filter.
#[derive(QueryFilter)]
#[expect(missing_debug_implementations, reason = "its fields are not shown")]
pub struct Alive {
    /// Has it.
    pub body: With<Position>,
    /// Has it not.
    pub hidden: Without<Hidden>,
}

/// A component that only this module can name.
#[derive(Component, Clone, Copy, Debug)]
struct Inner(u8);

/// A parameter with a field of a private type.
#[derive(SystemParam)]
#[expect(missing_debug_implementations, reason = "its fields are not shown")]
pub struct InnerCount<'w> {
    /// Read.
    inner: Comp<'w, Inner>,
}

impl InnerCount<'_> {
    /// Returns the number of entities that have one.
    #[inline]
    #[must_use]
    pub fn get(&self) -> usize {
        self.inner.len()
    }
}

/// Query data with fields of private types.
#[derive(QueryData)]
#[expect(missing_debug_implementations, reason = "its fields are not shown")]
pub struct InnerData<'a> {
    /// Written.
    inner: &'a mut Inner,
    /// Read.
    weight: Option<&'a Weight<u8>>,
}

impl InnerData<'_> {
    /// Takes over the weight.
    #[inline]
    pub fn weigh(&mut self) {
        self.inner.0 = self.weight.map_or(0, |weight| weight.0);
    }
}

impl InnerDataReadOnly<'_> {
    /// Returns the value, and whether there is a weight.
    #[inline]
    #[must_use]
    pub const fn get(&self) -> (u8, bool) {
        (self.inner.0, self.weight.is_some())
    }
}

/// A filter with fields of private types.
#[derive(QueryFilter)]
#[expect(missing_debug_implementations, reason = "its fields are not shown")]
pub struct HasInner {
    /// Has it.
    has: With<Inner>,
    /// Has it not.
    shown: Without<Hidden>,
}
