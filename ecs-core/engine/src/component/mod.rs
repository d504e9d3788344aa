//! Components: the trait, process-wide ids, and the descriptions that storages use.

mod disabled;
mod erased;
mod hooks;
mod id;
mod info;
mod link;
mod mutable;
mod registry;
mod required;
mod tracking;
mod turned;

pub use disabled::Disabled;
pub(crate) use erased::{DropFn, ErasedFn};
#[cfg(feature = "checks")]
pub(crate) use hooks::HookCheck;
pub(crate) use hooks::LifecycleSet;
pub use hooks::{Hooks, Lifecycle};
pub use id::ComponentId;
pub(crate) use info::{ComponentInfo, MoreInfo};
#[doc(hidden)]
pub use link::Link;
pub(crate) use link::{CloneValue, EdgeFns, EdgeValues, End, RawLink};
#[doc(hidden)]
pub use mutable::PendingChange;
pub use mutable::{Mut, MutSlice};
#[doc(hidden)]
pub use registry::IdSlot;
#[cfg(feature = "data")]
pub(crate) use registry::NamedEnd;
pub use required::Required;
pub(crate) use required::{ErasedRequired, for_each_required};
#[doc(hidden)]
pub use tracking::IntoMut;
pub use tracking::{MutOf, Tracked, TrackedComponent, Tracking, Untracked};
pub(crate) use turned::Turned;

use crate::meta::{ConstTypeId, ConstTypeIdOf};

/// The storage of a component's values.
///
/// The engine treats the kinds alike apart from one property, [`is_by_entity`](Self::is_by_entity).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StorageKind {
    /// In the table of all entities with the same set of table components: fastest to iterate.
    Table,
    /// In a sparse set, apart from the tables: fastest to insert and remove, because the entity stays in its table.
    Sparse,
}

impl StorageKind {
    /// Returns true if a value is found by its entity, apart from all tables, and false if it is found by the entity's
    /// row.
    #[inline]
    #[must_use]
    pub const fn is_by_entity(self) -> bool {
        match self {
            Self::Table => false,
            Self::Sparse => true,
        }
    }
}

/// A component with `#[component(storage = "sparse")]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not stored in a sparse set",
    label = "not a sparse component",
    note = "add `#[component(storage = \"sparse\")]` to the component"
)]
pub trait SparseComponent: Component {}

/// A component whose values lie in one slice: a [`SparseComponent`], or one end of a relation.
#[diagnostic::on_unimplemented(
    message = "the values of `{Self}` do not lie in one slice",
    label = "stored in tables",
    note = "use `chunks` and `entities`, which return slices table by table, or add `#[component(storage = \"sparse\")]` to the component"
)]
pub trait OneSlice: Component {}

#[diagnostic::do_not_recommend]
impl<T: SparseComponent> OneSlice for T {}

/// A component with `#[component(storage = "sparse", immediate)]`: views insert and remove it immediately; see
/// [`CompMut::insert`](crate::CompMut::insert).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not inserted and removed through views",
    label = "not an immediate component",
    note = "add `#[component(storage = \"sparse\", immediate)]` to the component, or use `Commands`"
)]
pub trait ImmediateComponent: SparseComponent + Component<Tracking = Untracked> {}

/// Data that can be attached to an entity.
///
/// Implement it with the derive:
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::world::hooks::DeferredWorld;
///
/// #[derive(Component)]
/// struct Position { x: f32, y: f32 }
///
/// #[derive(Component)]
/// #[component(storage = "sparse")]
/// struct Stunned { frames: u8 }
///
/// #[derive(Component)]
/// #[component(storage = "sparse", immediate)] // `CompMut` can insert and remove it
/// struct Burning(f32);
///
/// #[derive(Component)]
/// #[component(track)] // systems see when it was added, changed and removed
/// struct Health(i32);
///
/// #[derive(Component)]
/// #[component(on_add = Self::joined)] // called whenever an entity gets one, see `world::hooks`
/// #[component(require(Health = Health(100)))] // an entity that gets one gets a `Health` too, see `component::Required`
/// struct Player;
///
/// #[derive(Component)]
/// #[component(name = "game.team")] // its name in messages; `data = ".."` also lets worlds save it, see the guide
/// struct Team(u8);
///
/// assert_eq!(Team::NAME, Some("game.team"));
///
/// impl Player {
///     fn joined(world: DeferredWorld, player: Entity) {
///         *world.resource_mut::<u32>() += 1;
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component",
    label = "not a component",
    note = "add `#[derive(Component)]` to the type; a resource is the parameter `Res<{Self}>` or `ResMut<{Self}>`, and the components of a bundle are named one by one",
    note = "the components of a relation are `Target<{Self}>`, with `#[relation(many)]` in its place `Targets<{Self}>`, and `Sources<{Self}>`",
    note = "a component is named without `&`, `Option` and `With`: `Comp<Position>`, `&Position`, `Option<&Position>`; `Toggle<T>` is one if `T` has `#[component(toggle)]`, `Targets<R>` if the relation has `#[relation(many)]`, and `Target<R>` if it lacks that"
)]
pub trait Component: Send + Sync + Sized + 'static {
    /// The identity that access checks compare.
    const IDENTITY: ConstTypeIdOf<Self>;

    /// The name given with `#[component(name = "..")]`, if any. It stays when the type is renamed or moves to another
    /// module, so save games and network messages can refer to the component by it.
    ///
    /// Names are not checked to be unique.
    const NAME: Option<&'static str> = Self::IDENTITY.given_name();

    /// The identity without the type. It lists the data of the component and of the components that it requires.
    #[doc(hidden)]
    #[cfg(feature = "data")]
    const IDENT: ConstTypeId = Self::IDENTITY
        .ident()
        .requiring(required::for_each_data::<Self>);

    /// The identity without the type.
    #[doc(hidden)]
    #[cfg(not(feature = "data"))]
    const IDENT: ConstTypeId = Self::IDENTITY.ident();

    /// The storage of the values.
    const STORAGE: StorageKind = StorageKind::Table;

    /// [`Tracked`] if changes to single values are tracked, otherwise [`Untracked`].
    type Tracking: Tracking;

    /// The hooks that every world calls on lifecycle events of the component; see
    /// [`world::hooks`](crate::world::hooks).
    const HOOKS: Hooks = Hooks::NONE;

    /// The components that are inserted together with this one if the entity lacks them; see [`Required`].
    const REQUIRED: &'static [Required] = &[];

    /// True if views insert and remove the component immediately. A filter on the component then counts as a read; see
    /// [`ImmediateComponent`].
    const IMMEDIATE: bool = false;

    /// True if entities with the component are disabled: loops leave them out.
    #[doc(hidden)]
    const DISABLES: bool = false;

    /// The help of errors about copies, if the values can neither be data nor be cloned.
    #[doc(hidden)]
    const COPY_HELP: Option<&'static str> = None;

    /// The link of an end of a relation, which only the components of [`relation`](crate::relation) can have.
    #[doc(hidden)]
    const LINK: Option<Link<Self>> = None;

    /// The static that caches the component's id; the derive defines one for each non-generic type.
    ///
    /// Without it, or if each call returns a different one, every use that does not cache the id looks it up in a list.
    #[must_use]
    fn id_slot() -> Option<&'static IdSlot<Self>> {
        None
    }

    /// The component that a toggle turns on and off; `None` for other components. Other crates cannot name the returned
    /// type, so they cannot override this function.
    #[doc(hidden)]
    #[must_use]
    fn turned() -> Option<turned::Turned> {
        None
    }
}

/// Fails to compile for the ends of a relation, which are not written.
#[track_caller]
pub(crate) const fn refuse_links<T: Component>() {
    assert!(
        T::LINK.is_none(),
        "the world keeps both ends of a relation consistent, so they cannot be written; help: insert another `Target`, or call `World::relate`, `unrelate` or `sources_mut`"
    );
}
