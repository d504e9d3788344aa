//! The effects of a bundle, without their types.

use alloc::boxed::Box;
use core::any::Any;

use super::{ApplyEffect, EffectVisitor};
use crate::entity::Entity;

/// All effects as one function of a world and an entity.
pub(crate) type Effect = Box<dyn FnOnce(&mut dyn Any, Entity) + Send + Sync>;

/// Takes the effects of a bundle: most bundles with effects have one.
#[derive(Default)]
pub(crate) struct Effects(pub(crate) Option<Effect>);

impl EffectVisitor for Effects {
    fn visit<E: Send + Sync + 'static>(&mut self, effect: E, apply: ApplyEffect<E>) {
        self.0 = Some(match self.0.take() {
            None => Box::new(move |world, entity| apply(effect, world, entity)),
            Some(earlier) => Box::new(move |world, entity| {
                earlier(world, entity);
                apply(effect, world, entity);
            }),
        });
    }
}
