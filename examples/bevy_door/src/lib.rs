//! A door from [bevy](bevy_app) into `ecs_core`: a plugin that runs a schedule of `ecs_core`, and shares components and resources
//! with it, both ways. Copy this file into your game.
//!
//! ```
//! use bevy_app::{App, Update};
//! use bevy_door::EcsPlugin;
//! use ecs_core::prelude::*;
//!
//! /// A component of both worlds.
//! #[derive(bevy_ecs::component::Component, Component, Clone, PartialEq, Debug)]
//! struct Health(i32);
//!
//! #[system(for_each)]
//! fn poison(health: &mut Health) {
//!     health.0 -= 1;
//! }
//!
//! let mut rules = Schedule::new();
//! rules.add(poison);
//! let mut app = App::new();
//! app.add_plugins(EcsPlugin::new(rules).share::<Health>());
//! let rat = app.world_mut().spawn(Health(3)).id();
//! app.update();
//! assert_eq!(app.world().get::<Health>(rat), Some(&Health(2)));
//! ```
//!
//! # Order
//!
//! A run of the door is one system of bevy, in `Update` unless [`in_schedule`](EcsPlugin::in_schedule) says otherwise:
//!
//! 1. Values that bevy has written since the last run go to the [world of `ecs_core`](Ecs), in the order of the calls of the plugin.
//! 2. The schedule runs.
//! 3. Values of `ecs_core` that are others than bevy's go to bevy, in the same order.
//!
//! Before and after each of these, despawned entities are despawned on the other side, and removed components removed. So if both
//! sides have written a value between two runs, bevy's stays, and if one has removed it, it is gone.
//!
//! # Entities
//!
//! An entity with a shared component has a counterpart in the other world, until one of the two is despawned: [`InEcs`] and [`InBevy`]
//! are the ways. Ids inside of values stay as they are; a function of [`to_ecs`](EcsPlugin::to_ecs) or
//! [`to_bevy`](EcsPlugin::to_bevy) cannot map them. Despawn shared entities instead of disabling them: the values of a disabled entity are
//! not sent, and the despawn of one in bevy is not noticed.

use std::mem::take;
use std::sync::Mutex;

use bevy_app::{App, Plugin, Update};
use bevy_ecs::change_detection::{DetectChangesMut as _, Mut};
use bevy_ecs::component::{Component as BevyComponent, Mutable};
use bevy_ecs::entity::Entity as BevyEntity;
use bevy_ecs::error::BevyError;
use bevy_ecs::lifecycle::Remove;
use bevy_ecs::observer::On;
use bevy_ecs::query::{Changed as BevyChanged, QueryState};
use bevy_ecs::resource::Resource as BevyResource;
use bevy_ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy_ecs::system::{Query as BevyQuery, ResMut as BevyResMut};
use bevy_ecs::world::World as BevyWorld;
use ecs_core::component::TrackedComponent;
use ecs_core::prelude::*;
use ecs_core::query::QueryFilter;
use ecs_core::world::hooks::OnRemove;

/// The counterpart of an entity of bevy, which the plugin inserts and keeps. If you remove it, both entities are despawned.
#[derive(BevyComponent, Clone, Copy, Debug, PartialEq, Eq)]
#[component(immutable, clone_behavior = Ignore)]
pub struct InEcs(pub Entity);

/// The counterpart of an entity of `ecs_core`, which the plugin inserts and keeps. Don't remove it: the entity would get another
/// counterpart.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct InBevy(pub BevyEntity);

/// The other side of the door: a resource of bevy.
#[derive(BevyResource)]
pub struct Ecs {
    /// The world of `ecs_core`.
    pub world: World,
    schedule: Schedule,
    to_ecs: Vec<Step>,
    to_bevy: Vec<Step>,
}

/// Copies the values of one share.
type Step = Box<dyn FnMut(&mut BevyWorld, &mut World) + Send + Sync>;

/// A component or an entity that one side has lost, and the function that removes it on the other, unless it is back.
type Loss = (BevyEntity, Entity, LossFn);

type LossFn = fn(&mut BevyWorld, BevyEntity, &mut World, Entity);

/// Observes losses.
type Observe = Box<dyn Fn(&mut BevyWorld, &mut World) + Send + Sync>;

/// A resource of bevy.
#[derive(BevyResource, Default)]
struct LostInBevy(Vec<Loss>);

/// A resource of `ecs_core`.
#[derive(Resource, Default)]
struct LostInEcs(Vec<Loss>);

/// A plugin of bevy that runs a schedule of `ecs_core`. The [module](self) has the order of events.
#[must_use = "add it to an app"]
pub struct EcsPlugin {
    label: InternedScheduleLabel,
    observers: Vec<Observe>,
    /// A plugin is built through a shared reference, once.
    ecs: Mutex<Option<Ecs>>,
}

impl EcsPlugin {
    /// Returns a plugin that runs a schedule in a world of its own, and shares nothing yet.
    pub fn new(schedule: Schedule) -> Self {
        let mut world = World::new();
        world.insert_resource(LostInEcs::default());
        let plugin = Self {
            label: Update.intern(),
            observers: Vec::new(),
            ecs: Mutex::new(Some(Ecs {
                world,
                schedule,
                to_ecs: Vec::new(),
                to_bevy: Vec::new(),
            })),
        };
        plugin
            .lose_in_ecs::<InEcs>(|bevy, here, ecs, there| {
                if bevy.get(here) != Some(&InEcs(there)) {
                    _ = ecs.despawn(there);
                }
            })
            .lose_in_bevy::<InBevy>(|bevy, there, ecs, here| {
                if !ecs.contains(here) {
                    _ = bevy.try_despawn(there);
                }
            })
    }

    /// Runs in a schedule of bevy, such as `FixedUpdate`.
    pub fn in_schedule(mut self, label: impl ScheduleLabel) -> Self {
        self.label = label.intern();
        self
    }

    /// Shares a component of both worlds, both ways.
    pub fn share<T>(self) -> Self
    where
        T: BevyComponent<Mutability = Mutable> + Component + Clone + PartialEq,
    {
        self.to_ecs(|value: &T, _| value.clone())
            .to_bevy(|value: &T, _| value.clone())
    }

    /// Gives `ecs_core` a component of its own for one of bevy's: a function makes it, and gets the last value too.
    pub fn to_ecs<B, C>(
        mut self,
        make: impl Fn(&B, Option<&C>) -> C + Send + Sync + 'static,
    ) -> Self
    where
        B: BevyComponent,
        C: Component,
    {
        let mut changed = None;
        self.ecs().to_ecs.push(Box::new(move |bevy, ecs| {
            let changed: &mut QueryState<(BevyEntity, &B, Option<&InEcs>), BevyChanged<B>> =
                changed.get_or_insert_with(|| bevy.query_filtered());
            let mut new = Vec::new();
            for (here, value, there) in changed.iter(bevy) {
                match there {
                    Some(&InEcs(there)) => {
                        let value = make(value, ecs.get::<C>(there).as_deref());
                        _ = ecs.insert(there, value);
                    }
                    None => {
                        let there = ecs.spawn((make(value, None), InBevy(here)));
                        new.push((here, InEcs(there)));
                    }
                }
            }
            for (here, there) in new {
                bevy.entity_mut(here).insert(there);
            }
        }));
        self.lose_in_ecs::<B>(|bevy, here, ecs, there| {
            if bevy.get::<B>(here).is_none() {
                _ = ecs.remove::<C>(there);
            }
        })
    }

    /// Gives bevy a component for one of `ecs_core`: a function makes it, and gets the last value too, whose other fields it may keep.
    /// Each run compares all values.
    pub fn to_bevy<C, B>(self, make: impl Fn(&C, Option<&B>) -> B + Send + Sync + 'static) -> Self
    where
        C: Component,
        B: BevyComponent<Mutability = Mutable> + PartialEq,
    {
        self.filtered_to_bevy::<C, B, ()>(make)
    }

    /// Does the same for a tracked component: each run only compares the values that were written.
    pub fn changed_to_bevy<C, B>(
        self,
        make: impl Fn(&C, Option<&B>) -> B + Send + Sync + 'static,
    ) -> Self
    where
        C: TrackedComponent,
        B: BevyComponent<Mutability = Mutable> + PartialEq,
    {
        self.filtered_to_bevy::<C, B, Changed<C>>(make)
    }

    fn filtered_to_bevy<C, B, F>(
        mut self,
        make: impl Fn(&C, Option<&B>) -> B + Send + Sync + 'static,
    ) -> Self
    where
        C: Component,
        B: BevyComponent<Mutability = Mutable> + PartialEq,
        F: QueryFilter + 'static,
    {
        self.ecs().to_bevy.push(Box::new(move |bevy, ecs| {
            for (here, there) in send::<C, B, F>(bevy, &make, &*ecs) {
                _ = ecs.insert(here, there);
            }
        }));
        self.lose_in_bevy::<C>(|bevy, there, ecs, here| {
            if !ecs.has::<C>(here)
                && let Ok(mut there) = bevy.get_entity_mut(there)
            {
                there.remove::<B>();
            }
        })
    }

    /// Shares a resource of both worlds, both ways.
    pub fn share_resource<R>(self) -> Self
    where
        R: BevyResource<Mutability = Mutable> + Resource + Clone + PartialEq,
    {
        self.resource_to_ecs(R::clone).resource_to_bevy(R::clone)
    }

    /// Gives `ecs_core` a resource made of one of bevy's, such as the time.
    pub fn resource_to_ecs<B, R>(mut self, make: impl Fn(&B) -> R + Send + Sync + 'static) -> Self
    where
        B: BevyResource,
        R: Resource,
    {
        self.ecs().to_ecs.push(Box::new(move |bevy, ecs| {
            if bevy.is_resource_changed::<B>() {
                ecs.insert_resource(make(bevy.resource::<B>()));
            }
        }));
        self
    }

    /// Gives bevy a resource made of one of `ecs_core`.
    pub fn resource_to_bevy<R, B>(mut self, make: impl Fn(&R) -> B + Send + Sync + 'static) -> Self
    where
        R: Resource,
        B: BevyResource<Mutability = Mutable> + PartialEq,
    {
        self.ecs().to_bevy.push(Box::new(move |bevy, ecs| {
            let Some(value) = ecs.get_resource::<R>() else {
                return;
            };
            let value = make(&value);
            match bevy.get_resource_mut::<B>() {
                Some(mut last) => _ = last.set_if_neq(value),
                None => bevy.insert_resource(value),
            }
        }));
        self
    }

    fn ecs(&mut self) -> &mut Ecs {
        let ecs = self.ecs.get_mut().ok().and_then(Option::as_mut);
        ecs.expect("it is only taken when the plugin is built")
    }

    /// Calls a function for each entity of bevy with a counterpart that has lost a component.
    fn lose_in_ecs<B: BevyComponent>(mut self, lose: LossFn) -> Self {
        self.observers.push(Box::new(move |bevy, _| {
            bevy.add_observer(
                move |lost: On<Remove<B>>,
                      all: BevyQuery<&InEcs>,
                      mut losses: BevyResMut<LostInBevy>| {
                    if let Ok(&InEcs(there)) = all.get(lost.entity) {
                        losses.0.push((lost.entity, there, lose));
                    }
                },
            );
        }));
        self
    }

    /// The same for entities of `ecs_core`.
    fn lose_in_bevy<C: Component>(mut self, lose: LossFn) -> Self {
        self.observers.push(Box::new(move |_, ecs| {
            ecs.observe(
                move |lost: OnRemove<C>, all: Comp<InBevy>, mut losses: ResMut<LostInEcs>| {
                    if let Some(&InBevy(there)) = all.get(lost.entity()) {
                        losses.0.push((there, lost.entity(), lose));
                    }
                },
            );
        }));
        self
    }
}

/// Writes the values of entities to their counterparts in bevy. Returns the counterparts of new entities.
///
/// A system remembers its last run in its world, by its types.
#[system]
fn send<C, B, F>(
    bevy: &mut BevyWorld,
    make: &dyn Fn(&C, Option<&B>) -> B,
    values: Query<(Entity, &C, Option<&InBevy>), F>,
) -> Vec<(Entity, InBevy)>
where
    C: Component,
    B: BevyComponent<Mutability = Mutable> + PartialEq,
    F: QueryFilter + 'static,
{
    let mut new = Vec::new();
    for (here, value, there) in values.iter() {
        let Some(&InBevy(there)) = there else {
            let there = bevy.spawn((make(value, None), InEcs(here))).id();
            new.push((here, InBevy(there)));
            continue;
        };
        // It may be despawned just now.
        let Ok(mut there) = bevy.get_entity_mut(there) else {
            continue;
        };
        if let Some(mut last) = there.get_mut::<B>() {
            let value = make(value, Some(&last));
            last.set_if_neq(value);
        } else {
            there.insert(make(value, None));
        }
    }
    new
}

/// Removes components and entities of each side that the other has lost. Observers may remove more meanwhile.
fn settle(bevy: &mut BevyWorld, ecs: &mut World) {
    loop {
        let mut losses = take(&mut bevy.resource_mut::<LostInBevy>().0);
        losses.append(&mut ecs.resource_mut::<LostInEcs>().0);
        if losses.is_empty() {
            return;
        }
        for (in_bevy, in_ecs, lose) in losses {
            lose(bevy, in_bevy, ecs, in_ecs);
        }
    }
}

/// The system of bevy that runs the door, for constraints: `sail.before(bevy_door::run)`.
///
/// # Errors
/// If a system of the schedule fails.
pub fn run(bevy: &mut BevyWorld) -> Result<(), BevyError> {
    bevy.resource_scope(|bevy, mut ecs: Mut<Ecs>| {
        let ecs = &mut *ecs;
        settle(bevy, &mut ecs.world);
        for copy in &mut ecs.to_ecs {
            copy(bevy, &mut ecs.world);
        }
        settle(bevy, &mut ecs.world);
        ecs.schedule.run(&mut ecs.world)?;
        settle(bevy, &mut ecs.world);
        for copy in &mut ecs.to_bevy {
            copy(bevy, &mut ecs.world);
        }
        settle(bevy, &mut ecs.world);
        Ok(())
    })
}

impl Plugin for EcsPlugin {
    fn build(&self, app: &mut App) {
        let ecs = self.ecs.lock().ok().and_then(|mut ecs| ecs.take());
        let mut ecs = ecs.expect("bevy builds a plugin once");
        let bevy = app.world_mut();
        bevy.init_resource::<LostInBevy>();
        for observe in &self.observers {
            observe(bevy, &mut ecs.world);
        }
        bevy.insert_resource(ecs);
        app.add_systems(self.label, run);
    }
}
