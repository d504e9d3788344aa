//! Views of tracked components: the changed and the added values.

use super::{Comp, CompMut};
use crate::component::{Component, ComponentId, TrackedComponent};
use crate::entity::Entity;
use crate::join::{
    AddedFilter, ChangedFilter, Filter, Joined, MutatedFilter, ReadFetch, WriteFetch,
};
use crate::tick::Tick;

/// Implements the methods of both views.
macro_rules! ticks {
    ($($view:ident)*) => {$(
        impl<T: Component> $view<'_, T> {
            /// Makes the other methods match changes after `tick`, instead of since the last run of the system.
            #[must_use]
            pub fn since(self, tick: Tick) -> Self where T: TrackedComponent {
                if self.raw.storage.any_disabled_since(tick) {
                    self.raw.note_late(ComponentId::of::<T>(), tick);
                }
                self.since_in_all(tick)
            }

            /// Like [`since`](Self::since), for loops that visit disabled entities too.
            #[doc(hidden)]
            #[must_use]
            pub fn since_in_all(mut self, tick: Tick) -> Self where T: TrackedComponent {
                self.raw.window.seen = self.raw.storage.clock.seen(tick);
                self
            }

            /// Returns true if the entity's value was changed or added since the last run of the system; see
            /// [`Changed`](crate::Changed). O(1).
            #[must_use]
            pub fn is_changed(&self, entity: Entity) -> bool where T: TrackedComponent {
                let at = self.raw.storage.entities.get(entity);
                // SAFETY: `at` is the entity's location; the view is borrowed, so no values are written through it, and
                // its borrow excludes other writers.
                at.is_some_and(|at| unsafe { self.changed().filter.ticks(entity, at) })
            }

            /// Returns true if the value was added to the entity since the last run of the system; see
            /// [`Added`](crate::Added). O(1).
            #[must_use]
            pub fn is_added(&self, entity: Entity) -> bool where T: TrackedComponent {
                let at = self.raw.storage.entities.get(entity);
                // SAFETY: `at` is the entity's location; the view is borrowed, so no values are written through it, and
                // its borrow excludes other writers.
                at.is_some_and(|at| unsafe { self.added().filter.ticks(entity, at) })
            }

            /// Returns true if the entity's value was changed since the last run of the system, and already existed
            /// then; see [`Mutated`](crate::Mutated). O(1).
            #[must_use]
            pub fn is_mutated(&self, entity: Entity) -> bool where T: TrackedComponent {
                self.is_changed(entity) && !self.is_added(entity)
            }

            /// Returns the values that were changed or added since the last run of the system, to be
            /// [joined](crate::Join); see [`Changed`](crate::Changed).
            ///
            /// ```
            /// use ecs_core::prelude::*;
            ///
            /// #[derive(Component)] struct Bar(i32);
            /// #[derive(Component)] #[component(track)] struct Health(i32);
            ///
            /// #[system]
            /// fn redraw(health: Comp<Health>, mut bar: CompMut<Bar>) {
            ///     for (health, bar) in (health.changed(), &mut bar).iter() {
            ///         bar.0 = health.0;
            ///     }
            /// }
            ///
            /// let mut world = World::new();
            /// let e = world.spawn((Health(3), Bar(0)));
            /// redraw(&world);
            /// assert_eq!(world.get::<Bar>(e).unwrap().0, 3);
            /// ```
            #[inline]
            #[must_use]
            pub fn changed(&self) -> Joined<'_, ReadFetch<'_, T>, ChangedFilter<'_, T>> where T: TrackedComponent {
                Joined {
                    storage: Some(self.raw.storage),
                    // SAFETY: the view has borrowed the store of `T`, and is itself borrowed as long as the fetch, so
                    // no values are written, inserted or removed meanwhile.
                    fetch: unsafe { ReadFetch::new(self.raw.store) },
                    // SAFETY: the view has borrowed the store of `T`, and is itself borrowed as long as the filter, so
                    // no ticks are written, and no values inserted or removed, meanwhile.
                    filter: unsafe { ChangedFilter::new(self.raw.store, self.raw.window.seen) },
                }
            }

            /// Returns the values that were added since the last run of the system, to be [joined](crate::Join); see
            /// [`Added`](crate::Added).
            #[inline]
            #[must_use]
            pub fn added(&self) -> Joined<'_, ReadFetch<'_, T>, AddedFilter<'_, T>> where T: TrackedComponent {
                Joined {
                    storage: Some(self.raw.storage),
                    // SAFETY: the view has borrowed the store of `T`, and is itself borrowed as long as the fetch, so
                    // no values are written, inserted or removed meanwhile.
                    fetch: unsafe { ReadFetch::new(self.raw.store) },
                    // SAFETY: the view has borrowed the store of `T`, and is itself borrowed as long as the filter, so
                    // no ticks are written, and no values inserted or removed, meanwhile.
                    filter: unsafe { AddedFilter::new(self.raw.store, self.raw.window.seen) },
                }
            }

            /// Returns the values that were changed since the last run of the system, and already existed then, to be
            /// [joined](crate::Join); see [`Mutated`](crate::Mutated).
            #[inline]
            #[must_use]
            pub fn mutated(&self) -> Joined<'_, ReadFetch<'_, T>, MutatedFilter<'_, T>> where T: TrackedComponent {
                Joined {
                    storage: Some(self.raw.storage),
                    // SAFETY: the view has borrowed the store of `T`, and is itself borrowed as long as the fetch, so
                    // no values are written, inserted or removed meanwhile.
                    fetch: unsafe { ReadFetch::new(self.raw.store) },
                    // SAFETY: the view has borrowed the store of `T`, and is itself borrowed as long as the filter, so
                    // no ticks are written, and no values inserted or removed, meanwhile.
                    filter: unsafe { MutatedFilter::new(self.raw.store, self.raw.window.seen) },
                }
            }
        }
    )*};
}

ticks!(Comp CompMut);

impl<T: Component> CompMut<'_, T> {
    /// Like [`changed`](Self::changed), with the values for writing.
    #[inline]
    #[must_use]
    pub fn changed_mut(&mut self) -> Joined<'_, WriteFetch<'_, T>, ChangedFilter<'_, T>>
    where
        T: TrackedComponent,
    {
        Joined {
            storage: Some(self.raw.storage),
            // SAFETY: the view has borrowed the store of `T` for writing, and is itself borrowed exclusively as long as
            // the fetch, so values are accessed, inserted and removed in no other way.
            fetch: unsafe { WriteFetch::new(self.raw.store, self.raw.window) },
            // SAFETY: the view has borrowed the store of `T`, and is itself borrowed exclusively as long as the filter;
            // ticks are written through the items of this join alone, and no values inserted or removed.
            filter: unsafe { ChangedFilter::new(self.raw.store, self.raw.window.seen) },
        }
    }

    /// Like [`added`](Self::added), with the values for writing.
    #[inline]
    #[must_use]
    pub fn added_mut(&mut self) -> Joined<'_, WriteFetch<'_, T>, AddedFilter<'_, T>>
    where
        T: TrackedComponent,
    {
        Joined {
            storage: Some(self.raw.storage),
            // SAFETY: the view has borrowed the store of `T` for writing, and is itself borrowed exclusively as long as
            // the fetch, so values are accessed, inserted and removed in no other way.
            fetch: unsafe { WriteFetch::new(self.raw.store, self.raw.window) },
            // SAFETY: the view has borrowed the store of `T`, and is itself borrowed exclusively as long as the filter;
            // ticks are written through the items of this join alone, and no values inserted or removed.
            filter: unsafe { AddedFilter::new(self.raw.store, self.raw.window.seen) },
        }
    }

    /// Like [`mutated`](Self::mutated), with the values for writing.
    #[inline]
    #[must_use]
    pub fn mutated_mut(&mut self) -> Joined<'_, WriteFetch<'_, T>, MutatedFilter<'_, T>>
    where
        T: TrackedComponent,
    {
        Joined {
            storage: Some(self.raw.storage),
            // SAFETY: the view has borrowed the store of `T` for writing, and is itself borrowed exclusively as long as
            // the fetch, so values are accessed, inserted and removed in no other way.
            fetch: unsafe { WriteFetch::new(self.raw.store, self.raw.window) },
            // SAFETY: the view has borrowed the store of `T`, and is itself borrowed exclusively as long as the filter;
            // ticks are written through the items of this join alone, and no values inserted or removed.
            filter: unsafe { MutatedFilter::new(self.raw.store, self.raw.window.seen) },
        }
    }
}
