//! A bundle whose components are known at run time.

use alloc::vec::Vec;
use core::fmt;
use core::mem::ManuallyDrop;

use super::effects::Effects;
use super::{Bundle, EffectVisitor, FieldSource, FieldVisitor, TypeVisitor};
use crate::component::{Component, ComponentId};
use crate::storage::ErasedColumn;

/// A bundle that is put together at run time: any bundles of any types, one after the other.
///
/// It is a bundle itself, so it can be spawned, inserted, sent by commands, and be a part of other bundles. The entity gets all
/// components in one structural change, as if they were a tuple.
///
/// ```
/// use ecs_core::bundle::BundleBuilder;
/// use ecs_core::prelude::*;
///
/// #[derive(Component, Debug, PartialEq)]
/// struct Health(u32);
/// #[derive(Component)]
/// struct Burning;
/// #[derive(Component)]
/// struct Frozen;
///
/// fn monster(attributes: &[&str]) -> BundleBuilder {
///     let mut monster = BundleBuilder::new();
///     monster.add(Health(10));
///     for attribute in attributes {
///         match *attribute {
///             "burning" => monster.add(Burning),
///             "frozen" => monster.add((Frozen, Health(20))), // replaces the health
///             _ => &mut monster,
///         };
///     }
///     monster
/// }
///
/// let mut world = World::new();
/// let imp = world.spawn(monster(&["burning"]));
/// let golem = world.spawn(monster(&["frozen"]));
/// assert!(world.has::<Burning>(imp) && !world.has::<Frozen>(imp));
/// assert_eq!(*world.get::<Health>(golem).unwrap(), Health(20));
/// ```
///
/// Bundles of different types become one type by [`BundleBuilder::of`]; other engines have boxes of bundles for this:
///
/// ```
/// # use ecs_core::bundle::BundleBuilder;
/// # use ecs_core::prelude::*;
/// # #[derive(Component)] struct Name(&'static str);
/// # #[derive(Component)] struct Coins(u32);
/// let loot = [BundleBuilder::of(Name("sword")), BundleBuilder::of(Name("purse")).with(Coins(12))];
/// let mut world = World::new();
/// assert_eq!(world.spawn_batch(loot).len(), 2);
/// ```
///
/// As a type it names no component: [`remove::<BundleBuilder>`](crate::World::remove) removes nothing, and
/// [`take`](crate::World::take) returns an empty one. If a world gets a component twice, from the builder and from another part of
/// the same bundle, it panics as for all bundles.
///
/// Each component in it costs an allocation. To spawn many entities with the same components, use a tuple.
#[derive(Default)]
pub struct BundleBuilder {
    /// Invariant 1: each column has one value, of its component, and no two have the same component.
    values: Vec<ErasedColumn>,
    effects: Effects,
}

impl BundleBuilder {
    /// Creates a bundle without components.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a builder with the components of a bundle.
    #[must_use]
    pub fn of<B: Bundle>(bundle: B) -> Self {
        Self::new().with(bundle)
    }

    /// Does the same as [`add`](Self::add), and returns the builder.
    ///
    /// # Panics
    /// As [`add`](Self::add).
    #[must_use]
    pub fn with<B: Bundle>(mut self, bundle: B) -> Self {
        self.add(bundle);
        self
    }

    /// Adds the components of a bundle. A value of a component that is there already is replaced and dropped. The entities that
    /// the bundle spawns with [`children!`](crate::tree::children) or [`related!`](crate::relation::related) come after those that
    /// are there already.
    ///
    /// O(components of the bundle x components).
    ///
    /// # Panics
    /// If the `Drop` of a replaced value panics; the new values are there.
    pub fn add<B: Bundle>(&mut self, mut bundle: B) -> &mut Self {
        let () = B::DISTINCT;
        bundle.take_effects(&mut self.effects);
        let mut collector = self.collector();
        let mut bundle = ManuallyDrop::new(bundle);
        // SAFETY: `bundle` is initialised, and `ManuallyDrop` keeps it from being dropped after its fields were moved out.
        unsafe { B::fields(&raw mut *bundle, &mut collector) };
        drop(collector.replaced);
        self
    }

    /// Moves the last value of a column into the bundle, for components of unknown type, such as those that are [defined at run
    /// time](crate::dynamic). A value of the component that is there already is replaced and dropped.
    ///
    /// Returns false, and does nothing, if the column has no value, or values [of edges](ErasedColumn::is_of_edges).
    ///
    /// # Panics
    /// If the `Drop` of a replaced value panics; the new value is there.
    #[must_use]
    pub fn add_erased(&mut self, column: &mut ErasedColumn) -> bool {
        if column.is_of_edges() {
            return false;
        }
        let Some(value) = column.take_last() else {
            return false;
        };
        let mut one = ErasedColumn::with_capacity(column.component(), 1);
        // SAFETY: the value belongs to the column's component, and was taken out of the column.
        unsafe { one.push_bytes(value) };
        let mut collector = self.collector();
        collector.take(one);
        drop(collector.replaced);
        true
    }

    /// Returns the value of a component, if it is there.
    #[must_use]
    pub fn get<T: Component>(&self) -> Option<&T> {
        let column = &self.values[self.position(ComponentId::of::<T>())?];
        column.values()?.first()
    }

    /// Removes a component and returns its value, if it is there.
    pub fn remove<T: Component>(&mut self) -> Option<T> {
        let position = self.position(ComponentId::of::<T>())?;
        let mut column = self.values.remove(position);
        let value = column.take_last()?.cast::<T>();
        // SAFETY: the column belongs to `T`'s component, so its value is a `T`. It was taken out of the column, so no other code
        // uses or drops it.
        Some(unsafe { value.read() })
    }

    /// Returns the components in the order in which they were added first.
    pub fn components(&self) -> impl ExactSizeIterator<Item = ComponentId> + '_ {
        self.values.iter().map(ErasedColumn::component)
    }

    fn collector(&mut self) -> Collector<'_> {
        Collector {
            values: &mut self.values,
            replaced: Vec::new(),
        }
    }

    fn position(&self, component: ComponentId) -> Option<usize> {
        self.components().position(|other| other == component)
    }
}

impl fmt::Debug for BundleBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.components().map(ComponentId::name);
        f.debug_set().entries(names).finish()
    }
}

/// Moves values into a builder.
struct Collector<'a> {
    values: &'a mut Vec<ErasedColumn>,
    /// The replaced columns, to be dropped when all are in place.
    replaced: Vec<ErasedColumn>,
}

impl Collector<'_> {
    /// Takes a column that has one value.
    fn take(&mut self, column: ErasedColumn) {
        let component = column.component();
        let mut values = self.values.iter_mut();
        match values.find(|other| other.component() == component) {
            Some(other) => self.replaced.push(core::mem::replace(other, column)),
            None => self.values.push(column),
        }
    }
}

impl FieldVisitor for Collector<'_> {
    unsafe fn visit<T: Component>(&mut self, value: *mut T) {
        let mut column = ErasedColumn::with_capacity(ComponentId::of::<T>(), 1);
        // SAFETY: the value is a `T`, and may be moved out, by the contract of `visit`.
        unsafe { column.push_bytes(value.cast()) };
        self.take(column);
    }

    unsafe fn visit_erased(&mut self, values: &mut Vec<ErasedColumn>) {
        core::mem::take(values)
            .into_iter()
            .for_each(|column| self.take(column));
    }
}

// SAFETY: `types` visits nothing and `read` takes nothing; `IS_VARIABLE` allows `fields` to visit further values. It passes all
// of them to the visitor, which takes the columns too if it moves the values out; then the builder owns no memory. Nothing
// panics.
unsafe impl Bundle for BundleBuilder {
    const HAS_EFFECTS: bool = true;

    const IS_VARIABLE: bool = true;

    fn types<V: TypeVisitor>(visitor: &mut V) {
        visitor.effect();
    }

    unsafe fn fields<V: FieldVisitor>(this: *mut Self, visitor: &mut V) {
        // SAFETY: `this` points to an initialised builder by the caller's contract, and no other code uses it meanwhile.
        let this = unsafe { &mut *this };
        // SAFETY: each column has one value, and no two have the same component (invariant 1).
        unsafe { visitor.visit_erased(&mut this.values) };
    }

    fn take_effects<V: EffectVisitor>(&mut self, visitor: &mut V) {
        if !self.effects.is_empty() {
            visitor.visit(core::mem::take(&mut self.effects), Effects::apply);
        }
    }

    unsafe fn read<S: FieldSource>(_: &mut S) -> Self {
        Self::new()
    }
}
