//! Components, resources and `Local`s that a client predicts, and components that it interpolates, without their types.

use std::collections::{BTreeMap, VecDeque};

use ecs_app::FixedUpdate;
use ecs_engine::component::{Component, ComponentId};
use ecs_engine::resource::Resource;
use ecs_engine::schedule::Label;
use ecs_engine::{Entity, World};

/// The number of steps that a client may be ahead of the newest state, and for which it keeps its past.
pub(crate) const PAST: usize = 128;

/// A component that the client predicts for its own entities.
pub(crate) trait PredictedKind: Send {
    fn component(&self) -> ComponentId;
    /// Gives entities the values that came last, and remembers those that they have.
    fn show_received(&mut self, world: &mut World);
    /// Notes the values of the player's entities and of others, which are the ones of the server now.
    fn note_received(&mut self, world: &World, mine: &[Entity], others: &[Entity]);
    /// Gives an entity that the server has not sent yet the value after a step, or its first one.
    fn rewind(&mut self, world: &mut World, entity: Entity, tick: u64);
    /// Notes the value of such an entity after a step.
    fn note_step(&mut self, world: &World, entity: Entity, tick: u64);
    /// Returns true if an entity of the player has another value than before [`show_received`](Self::show_received).
    fn has_changed(&self, world: &World) -> bool;
    /// Forgets entities that are gone.
    fn retain(&mut self, world: &World);
    /// Forgets everything.
    fn clear(&mut self);
}

/// A resource, or `Local`s of one type, that the steps of a client change, and that the server does not send.
pub(crate) trait PredictedMemory: Send {
    /// Notes the values after a step, if there are older ones or none.
    fn note_step(&mut self, world: &mut World, tick: u64);
    /// Returns to the values after a step, or to the oldest ones.
    fn rewind(&mut self, world: &mut World, tick: u64);
    /// Returns the step with the oldest values.
    fn oldest(&self) -> Option<u64>;
    /// Forgets the past.
    fn clear(&mut self);
}

/// A component that the client interpolates for entities of others.
pub(crate) trait InterpolatedKind: Send {
    fn component(&self) -> ComponentId;
    /// Gives entities the values that came last.
    fn show_received(&mut self, world: &mut World);
    /// Notes the values of entities of others at a tick of the server.
    fn note_received(&mut self, world: &World, others: &[Entity], tick: u64);
    /// Gives entities their values at a tick of the server.
    fn show(&mut self, world: &mut World, tick: f64);
    /// Forgets everything.
    fn clear(&mut self);
}

/// Gives an entity a value, or none.
fn set_or_remove<C: Component + PartialEq + Clone>(
    world: &mut World,
    entity: Entity,
    value: Option<&C>,
) {
    let is_same = world.get::<C>(entity).as_deref() == value;
    if is_same {
        return;
    }
    // An entity that is gone has no use for either.
    match value {
        Some(value) => _ = world.insert(entity, value.clone()),
        None => _ = world.remove::<C>(entity),
    }
}

/// Writes a value, if it is another one.
fn set<C: Component + Clone + PartialEq>(world: &mut World, entity: Entity, value: &C) {
    let is_other = world.get::<C>(entity).is_some_and(|now| *now != *value);
    if is_other {
        _ = world.insert(entity, value.clone());
    }
}

/// The values after the last steps.
pub(crate) struct PastValues<V>(VecDeque<(u64, V)>);

impl<V> Default for PastValues<V> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<V> PastValues<V> {
    /// Notes the value after a step, and forgets later ones.
    fn push(&mut self, tick: u64, value: V) {
        while self.0.back().is_some_and(|(last, _)| *last >= tick) {
            self.0.pop_back();
        }
        self.0.push_back((tick, value));
        if self.0.len() > PAST {
            self.0.pop_front();
        }
    }

    fn oldest(&self) -> Option<u64> {
        self.0.front().map(|(tick, _)| *tick)
    }

    /// Returns the value after a step, or the oldest one.
    fn at(&self, tick: u64) -> Option<&V> {
        let at = self.0.iter().rev().find(|(at, _)| *at <= tick);
        at.or(self.0.front()).map(|(_, value)| value)
    }
}

/// A predicted resource.
pub(crate) struct PredictedResource<R>(pub(crate) PastValues<Option<R>>);

impl<R: Resource + Clone> PredictedMemory for PredictedResource<R> {
    fn note_step(&mut self, world: &mut World, tick: u64) {
        if self.oldest().is_none_or(|oldest| oldest < tick) {
            let now = world.get_resource::<R>().map(|now| R::clone(&now));
            self.0.push(tick, now);
        }
    }

    fn oldest(&self) -> Option<u64> {
        self.0.oldest()
    }

    fn rewind(&mut self, world: &mut World, tick: u64) {
        match self.0.at(tick) {
            Some(Some(value)) => drop(world.insert_resource(value.clone())),
            Some(None) => drop(world.remove_resource::<R>()),
            None => {}
        }
    }

    fn clear(&mut self) {
        self.0 = PastValues::default();
    }
}

/// The predicted `Local`s of one type, in all systems of `FixedUpdate`.
pub(crate) struct PredictedLocals<T>(pub(crate) PastValues<Vec<T>>);

impl<T: Clone + Send + 'static> PredictedMemory for PredictedLocals<T> {
    fn note_step(&mut self, world: &mut World, tick: u64) {
        if self.oldest().is_some_and(|oldest| tick <= oldest) {
            return;
        }
        let mut now = Vec::new();
        if let Some(schedule) = world.stored_schedule(&Label::new(FixedUpdate)) {
            schedule.for_each_local(|value: &mut T| now.push(value.clone()));
        }
        self.0.push(tick, now);
    }

    fn oldest(&self) -> Option<u64> {
        self.0.oldest()
    }

    fn rewind(&mut self, world: &mut World, tick: u64) {
        let past = self.0.at(tick).cloned();
        let mut past = past.into_iter().flatten();
        if let Some(schedule) = world.stored_schedule(&Label::new(FixedUpdate)) {
            schedule.for_each_local(|value: &mut T| {
                if let Some(past) = past.next() {
                    *value = past;
                }
            });
        }
    }

    fn clear(&mut self) {
        self.0 = PastValues::default();
    }
}

/// The values of one predicted component; `None` for an entity of the player without it.
pub(crate) struct PredictedComponent<C> {
    received: BTreeMap<Entity, Option<C>>,
    before: BTreeMap<Entity, Option<C>>,
    past: BTreeMap<Entity, PastValues<Option<C>>>,
}

impl<C> Default for PredictedComponent<C> {
    fn default() -> Self {
        Self {
            received: BTreeMap::new(),
            before: BTreeMap::new(),
            past: BTreeMap::new(),
        }
    }
}

impl<C: Component + Clone + PartialEq> PredictedKind for PredictedComponent<C> {
    fn component(&self) -> ComponentId {
        ComponentId::of::<C>()
    }

    fn show_received(&mut self, world: &mut World) {
        self.before.clear();
        for (&entity, received) in &self.received {
            if world.contains(entity) {
                self.before.insert(entity, copied(world, entity));
                set_or_remove(world, entity, received.as_ref());
            }
        }
    }

    fn note_received(&mut self, world: &World, mine: &[Entity], others: &[Entity]) {
        let own = mine.iter().map(|&entity| (entity, copied(world, entity)));
        self.received = own.collect();
        let of_others = others.iter().filter_map(|&entity| {
            let value = copied(world, entity)?;
            Some((entity, Some(value)))
        });
        self.received.extend(of_others);
        self.before
            .retain(|entity, _| mine.binary_search(entity).is_ok());
    }

    fn rewind(&mut self, world: &mut World, entity: Entity, tick: u64) {
        if let Some(value) = self.past.get(&entity).and_then(|past| past.at(tick)) {
            set_or_remove(world, entity, value.as_ref());
        }
    }

    fn note_step(&mut self, world: &World, entity: Entity, tick: u64) {
        let past = self.past.entry(entity).or_default();
        past.push(tick, copied(world, entity));
    }

    fn has_changed(&self, world: &World) -> bool {
        let mut before = self.before.iter();
        before.any(|(&entity, before)| {
            world.contains(entity) && world.get::<C>(entity).as_deref() != before.as_ref()
        })
    }

    fn retain(&mut self, world: &World) {
        self.past.retain(|&entity, _| world.contains(entity));
        self.received.retain(|&entity, _| world.contains(entity));
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Returns a copy of an entity's value.
fn copied<C: Component + Clone>(world: &World, entity: Entity) -> Option<C> {
    world.get::<C>(entity).map(|value| C::clone(&value))
}

/// The values of one interpolated component.
pub(crate) struct InterpolatedComponent<C> {
    pub(crate) between: fn(&C, &C, f32) -> C,
    /// By entity, ticks of the server and the values there.
    pub(crate) received: BTreeMap<Entity, VecDeque<(u64, C)>>,
}

impl<C: Component + Clone + PartialEq> InterpolatedKind for InterpolatedComponent<C> {
    fn component(&self) -> ComponentId {
        ComponentId::of::<C>()
    }

    fn show_received(&mut self, world: &mut World) {
        for (&entity, received) in &self.received {
            if let Some((_, last)) = received.back() {
                set(world, entity, last);
            }
        }
    }

    fn note_received(&mut self, world: &World, others: &[Entity], tick: u64) {
        let mut before = std::mem::take(&mut self.received);
        for &entity in others {
            let Some(value) = world.get::<C>(entity) else {
                continue;
            };
            let mut values = before.remove(&entity).unwrap_or_default();
            if values.back().is_some_and(|(last, _)| *last == tick) {
                values.pop_back();
            }
            values.push_back((tick, C::clone(&value)));
            if values.len() > PAST {
                values.pop_front();
            }
            self.received.insert(entity, values);
        }
    }

    fn show(&mut self, world: &mut World, tick: f64) {
        for (&entity, values) in &mut self.received {
            // The last value before the tick, and the first one after it.
            while values.len() > 2 && values[1].0 as f64 <= tick {
                values.pop_front();
            }
            let value = match (values.front(), values.get(1)) {
                (Some((from, before)), Some((to, after))) if *from as f64 <= tick => {
                    let part = (tick - *from as f64) / (to - from).max(1) as f64;
                    (self.between)(before, after, part.min(1.0) as f32)
                }
                (Some((_, only)), _) => only.clone(),
                (None, _) => continue,
            };
            set(world, entity, &value);
        }
    }

    fn clear(&mut self) {
        self.received.clear();
    }
}
