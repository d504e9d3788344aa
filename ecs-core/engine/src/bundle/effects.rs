//! The effects of a bundle, without their types.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

use super::{ApplyEffect, EffectVisitor};
use crate::entity::Entity;

/// An effect as a function of a world and an entity.
type Effect = Box<dyn FnOnce(&mut dyn Any, Entity) + Send + Sync>;

/// Takes the effects of a bundle: most bundles with effects have one.
#[derive(Default)]
pub(crate) struct Effects {
    first: Option<Effect>,
    /// A list, and not functions that contain each other: a loop may add any number of them to a builder.
    more: Vec<Effect>,
}

impl Effects {
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Applies all of them to an entity, in order.
    pub(crate) fn apply(self, world: &mut dyn Any, entity: Entity) {
        for effect in self.first.into_iter().chain(self.more) {
            effect(world, entity);
        }
    }
}

impl EffectVisitor for Effects {
    fn visit<E: Send + Sync + 'static>(&mut self, effect: E, apply: ApplyEffect<E>) {
        let effect: Effect = Box::new(move |world, entity| apply(effect, world, entity));
        match self.first {
            None => self.first = Some(effect),
            Some(_) => self.more.push(effect),
        }
    }
}
