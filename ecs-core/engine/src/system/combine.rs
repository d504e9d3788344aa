//! Conditions combined of others.

use super::runner::{BoxCondition, ConditionSource, DynSystem, IntoCondition};
use crate::meta::ConditionMeta;
use crate::world::{CommandQueue, World};

/// Negates `condition`.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::conditions::not;
///
/// #[system]
/// fn paused(paused: Res<bool>) -> bool { *paused }
/// #[system]
/// fn tick(mut time: ResMut<u32>) { *time += 1 }
///
/// let mut frame = Schedule::new();
/// frame.add(tick.run_if(not(paused)));
/// let mut world = World::new();
/// world.insert_resource(0_u32);
/// for paused in [false, true, false] {
///     world.insert_resource(paused);
///     frame.run(&mut world)?;
/// }
/// assert_eq!(*world.resource::<u32>(), 2);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
pub fn not<M>(condition: impl IntoCondition<M>) -> ConditionSource {
    let ConditionSource { meta, build } = condition.into_condition();
    ConditionSource {
        meta: ConditionMeta {
            name: format!("not {}", operand_name(&meta)).into(),
            parts: meta.parts,
        },
        build: Box::new(|world| Box::new(Not(build(world)))),
    }
}

/// The result of the first condition at which the second one is not evaluated.
#[derive(Clone, Copy)]
pub(super) enum ShortCircuit {
    /// `and` stops at false.
    OnFalse,
    /// `or` stops at true.
    OnTrue,
}

/// Combines two conditions; the second one is evaluated unless the first one decides.
pub(super) fn both(
    first: ConditionSource,
    on: ShortCircuit,
    second: ConditionSource,
) -> ConditionSource {
    let word = match on {
        ShortCircuit::OnFalse => "and",
        ShortCircuit::OnTrue => "or",
    };
    let name = format!(
        "{} {word} {}",
        operand_name(&first.meta),
        operand_name(&second.meta)
    );
    let mut parts = first.meta.parts;
    parts.extend_from_slice(&second.meta.parts);
    ConditionSource {
        meta: ConditionMeta {
            name: name.into(),
            parts,
        },
        build: Box::new(move |world| {
            Box::new(Both {
                first: (first.build)(world),
                on,
                second: (second.build)(world),
            })
        }),
    }
}

/// Returns the name as part of a longer one.
fn operand_name(meta: &ConditionMeta) -> String {
    if meta.parts.len() > 1 {
        format!("({})", meta.name)
    } else {
        meta.name.to_string()
    }
}

struct Not(BoxCondition);

impl DynSystem<(), bool> for Not {
    unsafe fn run(&mut self, world: &World, (): ()) -> bool {
        // SAFETY: the caller's contract for `self` is that for the inner condition, as their metadata is the same.
        !unsafe { self.0.run(world, ()) }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        self.0.flush(into);
    }
}

struct Both {
    first: BoxCondition,
    on: ShortCircuit,
    second: BoxCondition,
}

impl DynSystem<(), bool> for Both {
    unsafe fn run(&mut self, world: &World, (): ()) -> bool {
        // SAFETY: by the caller's contract no other code uses what the metadata names in a conflicting way; it names
        // what both conditions access, and they run one after the other.
        let first = unsafe { self.first.run(world, ()) };
        if first == matches!(self.on, ShortCircuit::OnTrue) {
            first
        } else {
            // SAFETY: by the caller's contract no other code uses what the metadata names in a conflicting way; it
            // names what both conditions access, and the first one has ended.
            unsafe { self.second.run(world, ()) }
        }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        self.first.flush(into);
        self.second.flush(into);
    }
}

/// Marks [`ConditionSource`] in the `M` of [`IntoCondition`].
#[doc(hidden)]
pub struct Combined;

#[diagnostic::do_not_recommend]
impl IntoCondition<Combined> for ConditionSource {
    fn into_condition(self) -> ConditionSource {
        self
    }
}
