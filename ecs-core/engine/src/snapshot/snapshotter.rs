//! Takes snapshots, and returns to them.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::TypeId;
use core::fmt;

use super::outside::OutsideCopy;
use super::plain::WrittenFn;
use super::schedules::SchedulesCopy;
use super::table_filter::table_filter;
use super::{LeftOut, RestoreError, SnapshotError};
use crate::command::Delayed;
use crate::component::{Component, ComponentId, StorageKind};
use crate::data_type::{DataType, DataTypeOf};
use crate::event::Events;
use crate::meta::{ConstTypeId, WriteSet};
use crate::query::QueryFilter;
use crate::resource::{ResourceCopier, ResourcesCopy};
use crate::schedule::{LastLoad, Schedule, SchedulePlan};
use crate::storage::{Copiers, IsPart, StorageCopy, ValuesCopy};
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};
use crate::world::{CopiedTypes, KnownTypes, RowsCopy, World, WorldId};

/// Takes snapshots of worlds, and returns to them.
///
/// A snapshot has everything that determines the future of a world: entities with their ids, the ids that come next, rows in
/// their order, components, ticks, relations, groups, removals that readers have not read, and resources. So the same calls
/// after [`restore`](Self::restore) have the same results as they had after [`take`](Self::take), down to the order of
/// loops.
///
/// * Components and resources that are `data` are copied, and so are the types of the library: times, states, the entities of
///   states, and [delayed commands](crate::Commands::delay). `Copy` values are copied as bytes. To copy other types by their
///   `Clone`, name them: [`component`](Self::component), [`resource`](Self::resource), [`events`](Self::events). Anything else
///   is refused by name, unless it is left [out](Self::without), as [all](Self::without_others) of it can be.
/// * No hooks and observers are called.
/// * The clock of ticks keeps running, so systems that are not rolled back do not notice the return: for them a restored
///   value counts as unchanged, and removals and events count as read.
/// * The values that systems remember from run to run, such as their [`Local`](crate::Local)s, are included for the
///   schedules passed to [`take_with`](Self::take_with), and with these for the systems that the world itself keeps.
/// * With the feature `data`, a snapshot becomes bytes, and bytes a snapshot of any world: `SnapshotBytes`.
/// * The observers of [one entity](crate::World::observe_on) return with it. Which observers of all entities and which
///   registered systems there are, and values that are bound to a thread, are not part of a snapshot.
/// * A world that keeps schedules is refused; the snapshots of an app have them. Commands that wait are applied before a snapshot is
///   taken, and dropped when it is restored.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::snapshot::Snapshotter;
///
/// #[derive(Component, Clone, Debug, PartialEq)]
/// struct Place(i32);
///
/// let mut world = World::new();
/// let hero = world.spawn(Place(1));
/// let snapshotter = Snapshotter::new().component::<Place>();
/// let mut before = snapshotter.take(&mut world)?;
///
/// world.get_mut::<Place>(hero).unwrap().0 = 7;
/// let goblin = world.spawn(Place(3));
/// snapshotter.restore(&mut world, &mut before)?;
/// assert_eq!(*world.get::<Place>(hero).unwrap(), Place(1));
/// assert!(!world.contains(goblin));
/// assert_eq!(world.spawn(()), goblin, "ids come in the same order again");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Snapshotter {
    /// Components that are copied although they are not data.
    pub(super) components: Vec<(ComponentId, &'static DataType)>,
    /// The components that are left out.
    pub(super) without: Vec<ComponentId>,
    pub(super) resources: Vec<ResourceCopier>,
    pub(super) without_resources: Vec<TypeId>,
    pub(super) without_other_resources: bool,
    pub(super) locals: Vec<ResourceCopier>,
    /// Types of `Local`s that can be read from bytes, by their names.
    pub(super) named_locals: Vec<(&'static str, ResourceCopier)>,
    pub(super) without_captured: bool,
    /// True if everything that cannot be copied is left out, where that is possible.
    pub(super) without_others: bool,
    /// Limits snapshots to values that can become bytes.
    pub(super) is_written: Option<WrittenFn>,
    /// The components and resources that are copied at most; all if `None`.
    written: Option<Arc<WriteSet>>,
    /// The entities that are copied, by their tables; all if there are none.
    entities: Vec<IsPart>,
}

/// A copy of a world at one moment. The world can return to it. Made by a [`Snapshotter`].
///
/// It has buffers that the next [`take_into`](Snapshotter::take_into) and [`restore`](Snapshotter::restore) use again.
/// Restoring exchanges values that are not `Copy` for the world's, which are kept here until then, or until the snapshot is
/// dropped.
pub struct Snapshot {
    /// The world, if the copy is complete.
    pub(super) world: Option<WorldId>,
    /// The components and resources that the snapshot contains; all if `None`.
    pub(super) written: Option<Arc<WriteSet>>,
    /// The entities that the snapshot contains; all if empty.
    pub(super) entities: Vec<IsPart>,
    copiers: Copiers,
    /// True if it was made to become bytes.
    is_for_bytes: bool,
    /// All rows, unless the snapshot only contains values that can be written.
    pub(super) storage: StorageCopy,
    /// The values that can be written, if it only contains these.
    values: ValuesCopy,
    pub(super) resources: ResourcesCopy,
    /// Resources that were read without a value, because it follows from others: their ticks.
    pub(super) computed: Vec<(ResourceCopier, [u64; 2])>,
    pub(super) schedules: SchedulesCopy,
    pub(super) outside: OutsideCopy,
    /// The types that the world knows, to copy values while the world is borrowed.
    known: KnownTypes,
    /// The last load, which the steps of the schedules may not have followed yet.
    pub(super) last_load: (u64, LastLoad),
    /// The components that are left out.
    without: Vec<ComponentId>,
    left_out: LeftOut,
}

impl Snapshot {
    /// Makes a snapshot without content, to be filled by [`take_into`](Snapshotter::take_into).
    #[must_use]
    #[inline]
    pub fn new() -> Self {
        Self {
            world: None,
            written: None,
            entities: Vec::new(),
            copiers: Copiers::default(),
            is_for_bytes: false,
            storage: StorageCopy::default(),
            values: ValuesCopy::default(),
            resources: ResourcesCopy::default(),
            computed: Vec::new(),
            schedules: SchedulesCopy::default(),
            outside: OutsideCopy::default(),
            known: KnownTypes::default(),
            last_load: (0, LastLoad::default()),
            without: Vec::new(),
            left_out: LeftOut::default(),
        }
    }

    /// Returns everything that could not be copied and was left out because [`without_others`](Snapshotter::without_others)
    /// allowed it.
    #[must_use]
    pub fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    /// Returns true if the snapshot is complete: it was filled, and no `Clone` panicked on the way.
    #[must_use]
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.world.is_some()
    }
}

impl Default for Snapshot {
    #[inline]
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Snapshot {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("is_complete", &self.is_complete())
            .finish_non_exhaustive()
    }
}

impl Snapshotter {
    /// Copies all components, resources and events that are data, and refuses others.
    #[must_use]
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a snapshot of a world. O(values); values that are `Copy` data are copied as bytes.
    ///
    /// # Errors
    /// If the world has values that cannot be copied. Then nothing has changed, except that waiting commands were applied.
    ///
    /// # Panics
    /// If a `Clone` or a waiting command panics.
    #[inline]
    pub fn take(&self, world: &mut World) -> Result<Snapshot, SnapshotError> {
        let mut snapshot = Snapshot::new();
        self.take_into(world, &mut snapshot)?;
        Ok(snapshot)
    }

    /// Like [`take`](Self::take), into the memory of an earlier snapshot. If that had as many rows, values that are `Copy`
    /// data need no allocation, and others only allocate in their `clone_from`.
    ///
    /// # Errors
    /// As for [`take`](Self::take). The earlier snapshot stays.
    ///
    /// # Panics
    /// As for [`take`](Self::take). If a `Clone` panics, the snapshot is not [complete](Snapshot::is_complete).
    #[inline]
    pub fn take_into(
        &self,
        world: &mut World,
        snapshot: &mut Snapshot,
    ) -> Result<(), SnapshotError> {
        self.take_into_with(world, &mut [], snapshot)
    }

    /// Returns a world to a snapshot of it: to any, in any order. Calls no hooks and observers. O(values).
    ///
    /// The snapshot keeps the world's values that are not `Copy`, to reuse their memory. Values of tables and resources
    /// that no longer exist are dropped.
    ///
    /// # Errors
    /// If the snapshot is of another world, or not complete. A snapshot of [some entities](Self::entities): also if they
    /// cannot return while all others stay. A snapshot of only the data that [schedules can write](Self::only_written_by):
    /// also if entities with such data were spawned, despawned or moved between tables. In all these cases nothing has
    /// changed.
    ///
    /// # Panics
    /// If a `Clone` panics; in that case nothing has changed. If a `Drop` panics; the world has either returned completely,
    /// or not changed.
    #[inline]
    pub fn restore(&self, world: &mut World, snapshot: &mut Snapshot) -> Result<(), RestoreError> {
        self.restore_with(world, &mut [], snapshot)
    }

    /// Copies a component that is not data by its `Clone`.
    #[must_use]
    #[inline]
    pub fn component<T: Component + Clone>(mut self) -> Self {
        let data = const { &DataTypeOf::<T>::new("component", 1).cloned().erased() };
        self.components.push((ComponentId::of::<T>(), data));
        self
    }

    /// Leaves out a component. After a return, entities keep the values that they had just before. Entities that were
    /// despawned since the snapshot come back without one.
    ///
    /// Does not compile unless the component is stored in a sparse set: the components in tables determine the order of
    /// rows.
    #[must_use]
    #[inline]
    pub fn without<T: Component>(mut self) -> Self {
        const {
            assert!(
                matches!(T::STORAGE, StorageKind::Sparse) && T::LINK.is_none(),
                "only a component with `storage = \"sparse\"` can be left out of snapshots, and no end of a relation"
            );
        }
        self.without.push(ComponentId::of::<T>());
        self
    }

    /// Leaves out a component by its id, such as one that was [defined at run time](crate::dynamic). Otherwise like
    /// [`without`](Self::without).
    ///
    /// # Panics
    /// If the component is not stored in a sparse set, or is an end of a relation.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn without_erased(mut self, component: ComponentId) -> Self {
        assert!(
            component.storage() == StorageKind::Sparse && !component.is_end(),
            "the component `{}` cannot be left out of snapshots: only those in sparse sets can, and no ends of relations",
            component.name()
        );
        self.without.push(component);
        self
    }

    /// Copies a resource that is not data by its `Clone`. Events are named by [`events`](Self::events).
    #[must_use]
    #[inline]
    pub fn resource<T: Clone + Send + Sync + 'static>(mut self) -> Self {
        self.resources.push(ResourceCopier::of_type::<T>());
        self
    }

    /// Copies the events of a type, by their `Clone`.
    #[must_use]
    #[inline]
    pub fn events<E: Clone + Send + Sync + 'static>(mut self) -> Self {
        self.resources.push(Events::<E>::copier());
        self
    }

    /// Leaves out a resource, which does not change when the world returns.
    #[must_use]
    #[inline]
    pub fn without_resource<T: Send + Sync + 'static>(mut self) -> Self {
        self.without_resources.push(TypeId::of::<T>());
        self
    }

    /// Leaves out all resources that are neither data nor named; they do not change when the world returns.
    #[must_use]
    #[inline]
    pub fn without_other_resources(mut self) -> Self {
        self.without_other_resources = true;
        self
    }

    /// Copies the values of a [`Local`](crate::Local) by their `Clone`, in snapshots [with](Self::take_with) schedules. Numbers,
    /// `bool`, `char`, `String` and `Duration` need not be named, nor resources that are data.
    #[must_use]
    #[inline]
    pub fn local<T: Clone + Send + Sync + 'static>(mut self) -> Self {
        self.locals.push(ResourceCopier::of_type::<T>());
        self
    }

    /// Leaves out the captured values of closures that are systems, conditions or observers: a run may not change them.
    #[must_use]
    #[inline]
    pub fn without_captured(mut self) -> Self {
        self.without_captured = true;
        self
    }

    /// Leaves out everything that cannot be copied, instead of an error: resources, the memory of systems, components outside of
    /// groups, and running [tasks](crate::task). They do not change when the world returns, and
    /// [`Snapshot::left_out`] lists them.
    ///
    /// A component in tables is lost instead: after a return, entities of the snapshot are without it, and their rows come
    /// after the rows of entities that never had it. A component that [disables](crate::Disabled) entities is still refused, and
    /// so is one in tables if the snapshot is not of a [whole world](Self::is_whole).
    ///
    /// For tools that look at a game and step back; a simulation that runs again from such a snapshot may end elsewhere.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::snapshot::Snapshotter;
    ///
    /// #[derive(Resource)]
    /// struct Socket;
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Socket);
    /// assert!(Snapshotter::new().take(&mut world).is_err());
    /// let snapshot = Snapshotter::new().without_others().take(&mut world)?;
    /// assert!(snapshot.left_out().resources[0].ends_with("Socket"));
    /// # Ok::<(), ecs_core::snapshot::SnapshotError>(())
    /// ```
    #[must_use]
    pub fn without_others(mut self) -> Self {
        self.without_others = true;
        self
    }

    /// Copies only the components and resources that the systems of a schedule can write, judging by their parameters. All
    /// others do not change when the world returns, and need not be data: a map of a million tiles that nothing in the
    /// schedule writes costs nothing. If this is called for several schedules, their access adds up.
    ///
    /// A system that can spawn, despawn, insert or remove, by [`Commands`](crate::Commands), `&mut World` or a view of an
    /// immediate component, can write everything, and so does one that reads removals: with one of them snapshots are still
    /// [whole](Self::is_whole). Events that a system sends or reads are copied, and
    /// [`FrameTime`](crate::schedule::FrameTime) and [`FixedTime`](crate::schedule::FixedTime). Changes
    /// that systems make without `mut`, for example to an atomic number or in a mutex, are not known.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::snapshot::Snapshotter;
    ///
    /// #[derive(Component)]
    /// struct Wall(String);
    /// #[derive(Component, Clone)]
    /// struct Place(i32);
    ///
    /// #[system]
    /// fn fall(mut places: Query<&mut Place, Without<Wall>>) {
    ///     for place in &mut places {
    ///         place.0 -= 1;
    ///     }
    /// }
    ///
    /// let mut sim = Schedule::new();
    /// sim.add(fall);
    /// let snapshotter = Snapshotter::new().component::<Place>();
    /// let snapshotter = snapshotter.only_written_by(sim.plan()?);
    /// assert!(!snapshotter.is_whole());
    ///
    /// let mut world = World::new();
    /// let wall = world.spawn(Wall("north".to_owned()));
    /// let ball = world.spawn(Place(9));
    /// let mut before = snapshotter.take(&mut world)?;
    /// sim.run(&mut world)?;
    /// world.get_mut::<Wall>(wall).unwrap().0.push_str("-east");
    /// snapshotter.restore(&mut world, &mut before)?;
    /// assert_eq!(world.get::<Place>(ball).unwrap().0, 9);
    /// assert_eq!(world.get::<Wall>(wall).unwrap().0, "north-east", "not written by the schedule");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn only_written_by(mut self, plan: &SchedulePlan) -> Self {
        let written = self.written.get_or_insert_default();
        add_plan(Arc::make_mut(written), plan);
        self
    }

    /// Copies only the entities that pass a filter, such as `With<Simulated>`, [disabled](crate::Disabled) ones too. All
    /// other entities do not change when the world returns, keep their ids, and need not be data: sparks that a renderer
    /// makes, or sprites that are children of players. Several calls add up.
    ///
    /// * Entities of the filter that are new since the snapshot was taken are despawned. Those that were despawned come back
    ///   with their ids, and those that have changed return to their former state, even if they do not pass the filter any
    ///   more. An entity that did not pass it then and does now is [refused](RestoreError::Joined).
    /// * An entity of the filter may not be related to others ([`SnapshotError::edges`]). Other entities may be related to
    ///   them. These edges stay if the target exists after the return, and come after the sources that the target had in the
    ///   snapshot. Otherwise the relation decides whether they are unrelated or despawned; hooks and observers see a
    ///   despawn.
    /// * Another entity may have got an id that is [needed](RestoreError::IdTaken). Ids that others have had since then
    ///   may be issued again, and their number decides which ids come next. None of this happens if others have [local
    ///   ids](World::reserve_local_ids).
    /// * In sparse sets that both have, the others come last. So a loop over a sparse component runs in the same order as on
    ///   a machine without the others only if they do not have it; the order of loops over tables does not depend on others.
    /// * Resources and removals return too, as in every snapshot; commands that wait when the world returns are applied
    ///   before. If snapshots have only data that [schedules can write](Self::only_written_by), that limits the resources,
    ///   but all components of the entities are copied.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::snapshot::Snapshotter;
    /// use ecs_core::tree::ChildOf;
    ///
    /// #[derive(Component, Clone)]
    /// struct Simulated;
    /// #[derive(Component, Clone)]
    /// struct Health(u32);
    /// #[derive(Component)]
    /// struct Spark(f32);
    ///
    /// let mut world = World::new();
    /// let player = world.spawn((Simulated, Health(10)));
    /// let snapshotter = Snapshotter::new().entities::<With<Simulated>>();
    /// let snapshotter = snapshotter.component::<Health>().component::<Simulated>();
    /// let mut before = snapshotter.take(&mut world)?;
    ///
    /// world.get_mut::<Health>(player).unwrap().0 = 3;
    /// let spark = world.spawn(Spark(0.5));
    /// world.relate(spark, ChildOf, player)?;
    /// snapshotter.restore(&mut world, &mut before)?;
    /// assert_eq!(world.get::<Health>(player).unwrap().0, 10);
    /// assert_eq!(world.get::<Spark>(spark).unwrap().0, 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Loops visit the entities of a snapshot in their former order. Two things may differ from the time of the snapshot:
    ///
    /// * The groups of a world are made anew, so the order in sparse sets of grouped components may differ.
    /// * The world still knows which readers have left out [disabled](crate::Disabled) entities since the snapshot was
    ///   taken. So when one is enabled after the return, a system may see a change again that it had seen, if another one
    ///   with the same query had not.
    ///
    /// If the results of a simulation depend on these, take snapshots of the whole world.
    ///
    /// The filter can only test components in tables: one that tests a component in a sparse set, a toggle or a change
    /// does not compile.
    ///
    /// ```compile_fail
    /// # use ecs_core::prelude::*;
    /// # use ecs_core::snapshot::Snapshotter;
    /// #[derive(Component)]
    /// #[component(storage = "sparse")]
    /// struct Simulated;
    ///
    /// let snapshotter = Snapshotter::new().entities::<With<Simulated>>();
    /// ```
    #[must_use]
    #[inline]
    pub fn entities<F: QueryFilter>(mut self) -> Self {
        self.entities.push(table_filter::<F>());
        self
    }

    /// Returns true if snapshots are of a whole world: neither [only](Self::only_written_by) of data that schedules can
    /// write, nor of [some entities](Self::entities).
    #[must_use]
    #[inline]
    pub fn is_whole(&self) -> bool {
        self.part().is_none() && self.entities.is_empty()
    }

    /// Returns the components and resources that are copied; `None` for all.
    fn part(&self) -> Option<&Arc<WriteSet>> {
        let is_immediate = |ident: &ConstTypeId| {
            let component = ComponentId::find(ident.type_id());
            component.is_some_and(ComponentId::is_immediate)
        };
        let is_part = |written: &&Arc<WriteSet>| {
            !written.everything && !written.viewed().iter().any(is_immediate)
        };
        self.written.as_ref().filter(is_part)
    }

    /// Takes a snapshot of a world, and of the values that systems and conditions of schedules remember from run to run:
    /// their [`Local`](crate::Local)s, the positions of their readers, the changes that they have seen, and the time that
    /// [fixed](crate::schedule::fixed) steps have not simulated yet.
    ///
    /// It also has the memory of the world's own systems: [observers](World::observe), [registered](World::register_system)
    /// systems, and systems that are called as functions. One that was unregistered since then stays so, and a new observer or
    /// registered system keeps its memory, and so does a registered system that runs when the snapshot is taken or returned to.
    /// The values that a closure of these has captured do not return; [`left_out`](Snapshot::left_out) names such closures.
    ///
    /// So the same runs after [`restore_with`](Self::restore_with) do the same as after this.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::snapshot::Snapshotter;
    ///
    /// #[system]
    /// fn count(mut total: ResMut<u32>, mut runs: Local<u32>) {
    ///     *runs += 1;
    ///     *total += *runs;
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(0_u32);
    /// let mut sim = Schedule::new();
    /// sim.add(count);
    /// sim.run(&mut world)?;
    ///
    /// let snapshotter = Snapshotter::new().resource::<u32>();
    /// let mut before = snapshotter.take_with(&mut world, &mut [&mut sim])?;
    /// for _ in 0..2 {
    ///     sim.run(&mut world)?;
    ///     assert_eq!(*world.resource::<u32>(), 1 + 2);
    ///     snapshotter.restore_with(&mut world, &mut [&mut sim], &mut before)?;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`take`](Self::take); also if a schedule is not [prepared](Schedule::prepare), or a system remembers a value
    /// that is neither a number or text nor [named](Self::local), such as a value that a closure of a schedule has
    /// [captured](Self::without_captured).
    ///
    /// # Panics
    /// As for [`take`](Self::take).
    #[inline]
    pub fn take_with(
        &self,
        world: &mut World,
        schedules: &mut [&mut Schedule],
    ) -> Result<Snapshot, SnapshotError> {
        let mut snapshot = Snapshot::new();
        self.take_into_with(world, schedules, &mut snapshot)?;
        Ok(snapshot)
    }

    /// Like [`take_with`](Self::take_with), into the memory of an earlier snapshot; see [`take_into`](Self::take_into).
    ///
    /// # Errors
    /// As for [`take_with`](Self::take_with). The earlier snapshot stays.
    ///
    /// # Panics
    /// As for [`take_into`](Self::take_into).
    #[inline(never)]
    pub fn take_into_with(
        &self,
        world: &mut World,
        schedules: &mut [&mut Schedule],
        snapshot: &mut Snapshot,
    ) -> Result<(), SnapshotError> {
        world.flush();
        if snapshot.is_for_bytes != self.is_written.is_some() {
            snapshot.copiers = Copiers::default();
            snapshot.is_for_bytes = self.is_written.is_some();
        }
        self.find_copiers(world.storage.all_registered(), &mut snapshot.copiers);
        let part = self.part();
        let some = (!self.entities.is_empty()).then(|| world.storage.part_of(&self.entities));
        snapshot.known.fill(world.copied_types());
        let (copiers, known) = (&snapshot.copiers, snapshot.known.get());
        let left_out = self.check(world, part, some.as_ref(), (copiers, known), schedules)?;
        snapshot.world = None;
        snapshot.computed.clear();
        snapshot.left_out = left_out.list;
        snapshot.without.clone_from(&self.without);
        snapshot.without.extend(left_out.components);
        let Snapshot {
            written,
            entities,
            copiers,
            storage,
            values,
            resources,
            schedules: remembered,
            outside,
            known,
            last_load,
            without,
            ..
        } = snapshot;
        *last_load = world.last_load();
        *written = part.cloned();
        entities.clone_from(&self.entities);
        let known = self.known_values(known.get());
        remembered.take(schedules, known);
        *outside = OutsideCopy::default();
        if !schedules.is_empty() {
            outside.take(world, known, &|entity| {
                some.as_ref().is_none_or(|some| some.has(entity))
            });
        }
        match part {
            Some(_) if some.is_none() => {
                let is_copied = |id| copies(without, part, id);
                world.storage.copy_values_to(values, copiers, &is_copied);
            }
            _ => {
                let lost = &left_out.lost;
                world.storage.copy_to(storage, copiers, without, lost, some);
            }
        }
        world.copy_resources(resources, &|known, id| {
            self.resource_copier(part, known, id)
        });
        if let Some(delayed) = resources.value_mut::<Delayed>() {
            world.note_age_of(delayed);
            if self.is_written.is_some() {
                // The list has them.
                delayed.forget_all();
            }
        }
        snapshot.world = Some(world.id());
        Ok(())
    }

    /// Returns a world and the systems of schedules to a snapshot that was taken [with](Self::take_with) them; otherwise
    /// like [`restore`](Self::restore).
    ///
    /// If a schedule is in the middle of a run that [`run_step`](Schedule::run_step) began, the rest of that run is
    /// dropped.
    ///
    /// # Errors
    /// As for [`restore`](Self::restore); also if these are different schedules, or the systems of one have changed. Then
    /// nothing has changed.
    ///
    /// # Panics
    /// As for [`restore`](Self::restore).
    #[inline(never)]
    pub fn restore_with(
        &self,
        world: &mut World,
        schedules: &mut [&mut Schedule],
        snapshot: &mut Snapshot,
    ) -> Result<(), RestoreError> {
        match snapshot.world {
            None => return Err(RestoreError::Incomplete),
            Some(id) if id != world.id() => return Err(RestoreError::OtherWorld),
            Some(_) => {}
        }
        let is_of = |schedule: &&mut Schedule| schedule.is_built_for(world.id());
        if !schedules.iter().all(is_of) || !snapshot.schedules.fits(schedules) {
            return Err(RestoreError::OtherSchedules);
        }
        snapshot.compute(schedules)?;
        let Snapshot {
            written,
            entities,
            storage,
            values,
            resources,
            schedules: remembered,
            outside,
            last_load,
            without,
            ..
        } = snapshot;
        if !entities.is_empty() {
            // Applies pending commands, including the commands of entities that stay.
            world.flush();
        }
        remembered.stage();
        let part = written.as_ref();
        let is_copied = |id| copies(without, part, id);
        let rows = match part {
            _ if !entities.is_empty() => RowsCopy::Some(storage, entities),
            None => RowsCopy::All(storage),
            Some(_) => RowsCopy::Values(values, &is_copied),
        };
        let copier = |known: CopiedTypes<'_>, id| self.resource_copier(part, known, id);
        let mut has_returned = false;
        let mut finish = || {
            remembered.put_back(schedules);
            has_returned = true;
        };
        let result = catch_unwind(AssertUnwindSafe(|| match outside.stage(world) {
            true => world
                .return_to(rows, resources, &copier, &mut finish)
                .map_err(RestoreError::of),
            false => Err(RestoreError::OtherSchedules),
        }));
        // Dropped at the end, which may panic.
        let _gone = match has_returned {
            true => outside.put_back(world),
            false => outside.unstage(world),
        };
        if has_returned {
            world.resume_delays();
            world.settle_delays();
            if !schedules.is_empty() && world.loads != last_load.0 {
                world.return_to_load(last_load.clone());
            }
            for schedule in schedules {
                schedule.abandon_run();
            }
        }
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Returns true if a component is copied, by a snapshot of a part.
pub(super) fn copies(
    without: &[ComponentId],
    part: Option<&Arc<WriteSet>>,
    id: ComponentId,
) -> bool {
    !without.contains(&id) && part.is_none_or(|part| part.has_component(id.ident()))
}

/// Adds the components and resources that the systems of a plan can write.
fn add_plan(written: &mut WriteSet, plan: &SchedulePlan) {
    for step in plan.steps() {
        for condition in step.conditions() {
            written.add_condition(condition);
        }
        let mut inner = step.inner().peekable();
        if inner.peek().is_none() {
            written.add(step.system());
        }
        for (name, plan) in inner {
            // Schedules with names belong to states, and the step changes these.
            written.everything |= !name.is_empty();
            add_plan(written, plan);
        }
    }
}

impl fmt::Debug for Snapshotter {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshotter").finish_non_exhaustive()
    }
}
