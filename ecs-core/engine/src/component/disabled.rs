//! The component of disabled entities.

use super::{Component, IdSlot, Tracked, TrackedComponent};
#[cfg(feature = "data")]
use crate::data_type::{DataType, DataTypeOf};
use crate::meta::ConstTypeIdOf;

/// The component of disabled entities: loops leave them out, until it is removed.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::Disabled;
/// use ecs_core::query::AndDisabled;
///
/// #[derive(Component)]
/// struct Enemy;
///
/// #[system]
/// fn enemies(all: Query<&Enemy>) -> usize {
///     all.count()
/// }
///
/// let mut world = World::new();
/// let [near, far] = [(); 2].map(|()| world.spawn(Enemy));
/// world.insert(far, Disabled)?;
/// assert_eq!(enemies(&world), 1);
/// assert_eq!(world.query_filtered::<&Enemy, With<Disabled>>().count(), 1);
/// assert_eq!(world.query_filtered::<&Enemy, AndDisabled>().count(), 2);
///
/// world.remove::<Disabled>(far)?;
/// assert_eq!(enemies(&world), 2);
/// # let _ = near;
/// # Ok::<(), ecs_core::world::NoSuchEntity>(())
/// ```
///
/// # Which entities are left out
/// * Loops over queries, views and joins, on one thread or several, leave disabled entities out. So do `count`, `single`,
///   dynamic queries, text queries, the first part of a path of `World::find`, and structural changes by filter such as
///   `World::despawn_all`. A query that names a component that disables, in its data or in a filter, sees them, and so does
///   one with the filter [`AndDisabled`](crate::query::AndDisabled).
/// * Access by id finds them: `get`, `get_mut`, `contains`, entity handles, commands. So do traversals of relations,
///   [`Up`](crate::relation::Up) and [`Related`](crate::relation::Related), which follow ids.
/// * Saves (also of the entities of a filter), clones, snapshots, hashes, differences and replication include them. So do
///   indexes, erased views, numbers of values such as `len` of a view or of the world, and columns of sparse components as
///   slices (`as_slice`, `slices`, `chunks` of such components).
/// * Hooks and observers are notified of them, and of the insertion of this component too.
///
/// # Changes
/// A reader of [`Changed`](crate::Changed), [`Added`](crate::Added) or [`Mutated`](crate::Mutated) that leaves out a
/// disabled entity sees the changes that it missed exactly once: at its first run after the entity was enabled, by whatever
/// means.
///
/// More precisely, the removal of a component that disables, even if another one stays, writes the current tick over some
/// ticks of the entity's values: over changes since that component was inserted, and over earlier changes if a reader had
/// not run between the change and the run that left out the entity. So a reader may see a change once more that it
/// has seen already, because it sees disabled entities or ran earlier than others.
///
/// # Components of your own
/// A component with `#[component(disables)]` does the same: an entity is disabled if it has any such component, and a query
/// that names one of them sees all disabled entities. It is tracked, as if it were `#[component(track, disables)]`.
///
/// None for programs without disabled entities. They have tables of their own, which loops skip as a whole. Loops over
/// sparse components, which do not go through tables, look up each entity as long as there is a disabled one. Inserting and
/// removing the component moves the entity to another table. It has ticks, 8 bytes for each disabled entity; its removal
/// looks at the ticks of the entity's tracked components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Disabled;

// Errors do not list it among components.
#[diagnostic::do_not_recommend]
impl Component for Disabled {
    #[cfg(not(feature = "data"))]
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core", "ecs_core::Disabled");
    #[cfg(feature = "data")]
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core", "ecs_core::Disabled")
        .with_data({
            const DATA: &[DataType] = &[DataTypeOf::<Disabled>::new("ecs.disabled", 1)
                .component()
                .cloned()
                .printed()
                .erased()];
            DATA
        });
    type Tracking = Tracked;
    const DISABLES: bool = true;

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        static SLOT: IdSlot<Disabled> = IdSlot::new();
        Some(&SLOT)
    }
}

#[diagnostic::do_not_recommend]
impl TrackedComponent for Disabled {}

#[cfg(feature = "data")]
mod serde {
    use core::fmt;

    use serde_core::de::{Deserialize, Deserializer, Error, Visitor};
    use serde_core::ser::{Serialize, Serializer};

    use super::Disabled;

    /// Saved as a unit struct, the way serde's derives do it.
    impl Serialize for Disabled {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_unit_struct("Disabled")
        }
    }

    impl<'de> Deserialize<'de> for Disabled {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct DisabledVisitor;

            impl Visitor<'_> for DisabledVisitor {
                type Value = Disabled;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("unit struct Disabled")
                }

                fn visit_unit<E: Error>(self) -> Result<Disabled, E> {
                    Ok(Disabled)
                }
            }

            deserializer.deserialize_unit_struct("Disabled", DisabledVisitor)
        }
    }
}
