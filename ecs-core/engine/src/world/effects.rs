//! Effects of bundles: changes that follow once an entity has the bundle's components.
//!
//! # Spawn a tree
//! `related!` and `children!` make a `Related` (`relation/effect.rs`): a bundle without components that has an effect.
//! `BundleInfo::is_plain` is false for a bundle with effects, so it takes the slow paths, which test the constant
//! `HAS_EFFECTS`: they take the effects out of the bundle before anything is written, and apply them when the entity is
//! complete, as part of the same change (`world/effects.rs`). An effect is a box. Without the box, each structural change
//! would have to be generic over the whole tree. The engine itself uses effects only in `tree`, whose types are data through
//! `DataType`s without functions of their own. The functions are in `ecs-data` (`saved.rs`), because the engine does not
//! know codecs.

use super::World;
use crate::bundle::{Bundle, Effects};
use crate::entity::Entity;

/// Adds the components of a bundle with `add`, which returns their entity. Then applies the effects of the bundle to that
/// entity.
///
/// All of it is one change: commands of hooks are applied at its end. If something panics, the remaining effects are
/// dropped.
pub(super) fn with_effects<B: Bundle, R>(
    world: &mut World,
    mut bundle: B,
    add: impl FnOnce(&mut World, B) -> (Entity, R),
) -> R {
    let mut effects = Effects::default();
    bundle.take_effects(&mut effects);
    world.as_one_change(|world| {
        let (entity, result) = add(world, bundle);
        effects.apply(world, entity);
        result
    })
}
