//! The entities that have lost a component.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use crate::component::{ComponentId, TrackedComponent};
use crate::entity::Entity;
use crate::invariant::Invariant;
use crate::log::{Cursor, Log, Start, UnreadItems};
use crate::storage::Storage;
use crate::world::World;

/// The entities that lost their tracked `T` since this system last read them, in order: it was removed or taken, or the
/// entity was despawned. A system parameter.
///
/// Each system sees each removal exactly once, however rarely it runs, except removals while it sleeps because of a state
/// (see [`Unread`](crate::schedule::Unread)). It starts to receive removals when it is built, before the first run of its
/// schedule, or first called; while there is no reader, none are recorded. An entity that lost its `T` several times is
/// listed as many times. By now it may have a `T` again, or be despawned.
///
/// At most 2^20 removals of a component are kept for a system that does not run; then the oldest are dropped, and
/// [`missed`](Self::missed) returns their number.
///
/// Beside a query, it is a filter: `query.get` is `None` for an entity that is gone or doesn't match.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Shield;
/// #[derive(Component)]
/// struct Health(u32);
///
/// #[system]
/// fn unshielded(mut lost: Removed<Shield>, healths: Query<&Health, Without<Shield>>) -> u32 {
///     lost.read().filter_map(|entity| healths.get(entity)).map(|health| health.0).sum()
/// }
///
/// let mut world = World::new();
/// let [a, b, c] = [1, 10, 100].map(|health| world.spawn((Health(health), Shield)));
/// unshielded(&world);
/// world.remove::<Shield>(a)?;
/// world.remove::<Shield>(b)?;
/// world.insert(b, Shield)?;
/// world.despawn(c)?;
/// assert_eq!(unshielded(&world), 1);
/// # Ok::<(), ecs_core::world::NoSuchEntity>(())
/// ```
///
/// Outside of systems, [`World::removed`] makes a reader.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Body(u32);
///
/// #[system]
/// fn forget_bodies(mut gone: Removed<Body>, mut physics: ResMut<Vec<Entity>>) {
///     for entity in gone.read() {
///         physics.retain(|&body| body != entity);
///     }
/// }
///
/// let mut world = World::new();
/// let [a, b, c] = [1, 2, 3].map(|n| world.spawn(Body(n)));
/// world.insert_resource(vec![a, b, c]);
/// forget_bodies(&world);
/// world.despawn(a)?;
/// world.remove::<Body>(b)?;
/// forget_bodies(&world);
/// assert_eq!(*world.resource::<Vec<Entity>>(), [c]);
/// # Ok::<(), ecs_core::world::NoSuchEntity>(())
/// ```
#[doc(alias = "RemovedComponents")]
pub struct Removed<'g, T> {
    /// `None` while the world has never seen a `T`.
    log: Option<&'g Log<Entity>>,
    /// Attached to `log`; borrowed mutably, so that there is one reader per cursor at a time.
    cursor: &'g mut RemovedCursor<T>,
}

/// The position of one reader in the removals of one component; see [`World::removed`].
///
/// Dropping the cursor unregisters the reader.
pub struct RemovedCursor<T> {
    cursor: Cursor,
    of: Invariant<T>,
}

impl<T: TrackedComponent> RemovedCursor<T> {
    /// Registers the cursor unless it is registered.
    pub(crate) fn attach<'a>(&mut self, storage: &'a Storage) -> Option<&'a Log<Entity>> {
        let id = ComponentId::of::<T>();
        let log = storage
            .component(id)
            .and_then(|store| store.removed.as_ref());
        match log {
            Some(log) => log.attach_at_end(&mut self.cursor),
            // The log that the world will create starts at 0.
            None => {
                let readers = storage.removal_readers(id);
                self.cursor.attach(&readers, [0, 0], Start::First);
            }
        }
        log
    }

    /// The position itself.
    pub(crate) fn position(&mut self) -> &mut Cursor {
        &mut self.cursor
    }
}

impl World {
    /// Returns the entities that lost their `T` since `cursor` was last read.
    ///
    /// The first call registers the cursor, and there is nothing to read yet.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::view::RemovedCursor;
    ///
    /// #[derive(Component)] #[component(track)] struct Body(u32);
    ///
    /// let mut world = World::new();
    /// let e = world.spawn(Body(1));
    /// let mut cursor = RemovedCursor::<Body>::default();
    /// assert!(world.removed(&mut cursor).is_empty());
    /// world.despawn(e)?;
    /// assert_eq!(Vec::from_iter(world.removed(&mut cursor).read()), [e]);
    /// assert!(world.removed(&mut cursor).is_empty());
    /// # Ok::<(), ecs_core::world::NoSuchEntity>(())
    /// ```
    pub fn removed<'a, T: TrackedComponent>(
        &'a self,
        cursor: &'a mut RemovedCursor<T>,
    ) -> Removed<'a, T> {
        let log = cursor.attach(&self.storage);
        Removed::new(log, cursor)
    }
}

impl<'g, T> Removed<'g, T> {
    /// Creates the reader; `cursor` is attached to `log`.
    pub(crate) fn new(log: Option<&'g Log<Entity>>, cursor: &'g mut RemovedCursor<T>) -> Self {
        Self { log, cursor }
    }

    fn unread(&self) -> Option<UnreadItems<'_, Entity>> {
        self.log.map(|log| log.unread(&self.cursor.cursor))
    }

    /// Returns the entities, oldest removal first.
    ///
    /// An entity counts as read when the iterator returns it: the entities left when the iterator is dropped are
    /// returned next time.
    pub fn read(&mut self) -> ReadRemoved<'_> {
        ReadRemoved(self.unread())
    }

    /// Returns the number of removals that were not read. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.unread().map_or(0, |unread| unread.len())
    }

    /// Returns true if there is nothing to read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Marks all removals as read.
    pub fn clear(&mut self) {
        if let Some(log) = self.log {
            log.skip_all(&self.cursor.cursor);
        }
    }

    /// Returns the number of removals that this reader will never see, because there were too many since its last run.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.cursor.cursor.missed()
    }
}

/// Iterator over entities that have lost a component; see [`Removed::read`].
pub struct ReadRemoved<'a>(Option<UnreadItems<'a, Entity>>);

impl Iterator for ReadRemoved<'_> {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        self.0.as_mut()?.next().copied()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.as_ref().map_or(0, ExactSizeIterator::len);
        (len, Some(len))
    }
}

impl ExactSizeIterator for ReadRemoved<'_> {}

impl FusedIterator for ReadRemoved<'_> {}

impl fmt::Debug for ReadRemoved<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unread = self.0.iter().flat_map(UnreadItems::peek);
        f.debug_list().entries(unread).finish()
    }
}

impl<T> fmt::Debug for Removed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unread = self.unread();
        f.debug_list()
            .entries(unread.iter().flat_map(UnreadItems::peek))
            .finish()
    }
}

impl<T> Default for RemovedCursor<T> {
    fn default() -> Self {
        Self {
            cursor: Cursor::default(),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for RemovedCursor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RemovedCursor").field(&self.cursor).finish()
    }
}
