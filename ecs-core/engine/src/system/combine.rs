//! Conditions made of others.

use super::runner::{BoxCondition, ConditionSource, DynSystem, IntoCondition};
use crate::meta::ConditionMeta;
use crate::world::{CommandQueue, World};

/// Says the opposite of `condition`.
///
/// ```
/// use ecs_core::prelude::*;
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
            name: format!("not {}", phrase(&meta)).into(),
            parts: meta.parts,
        },
        build: Box::new(|world| Box::new(Not(build(world)))),
    }
}

/// The answer at which the second condition need not be asked.
#[derive(Clone, Copy)]
pub(super) enum Until {
    /// `and`.
    No,
    /// `or`.
    Yes,
}

/// Both conditions, of which the second one is asked if the first one does not decide.
pub(super) fn both(
    first: ConditionSource,
    until: Until,
    second: ConditionSource,
) -> ConditionSource {
    let word = match until {
        Until::No => "and",
        Until::Yes => "or",
    };
    let name = format!("{} {word} {}", phrase(&first.meta), phrase(&second.meta));
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
                until,
                second: (second.build)(world),
            })
        }),
    }
}

/// The name as part of a longer one.
fn phrase(meta: &ConditionMeta) -> String {
    if meta.parts.len() > 1 {
        format!("({})", meta.name)
    } else {
        meta.name.to_string()
    }
}

struct Not(BoxCondition);

impl DynSystem<(), bool> for Not {
    unsafe fn run(&mut self, world: &World, (): ()) -> bool {
        // SAFETY: the caller's promise; the metadata is that of the condition.
        !unsafe { self.0.run(world, ()) }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        self.0.flush(into);
    }
}

struct Both {
    first: BoxCondition,
    until: Until,
    second: BoxCondition,
}

impl DynSystem<(), bool> for Both {
    unsafe fn run(&mut self, world: &World, (): ()) -> bool {
        // SAFETY: the caller's promise; the metadata is that of both conditions, which run one after the other.
        let first = unsafe { self.first.run(world, ()) };
        if first == matches!(self.until, Until::Yes) {
            first
        } else {
            // SAFETY: as above.
            unsafe { self.second.run(world, ()) }
        }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        self.first.flush(into);
        self.second.flush(into);
    }
}

/// Tells the implementation of [`IntoCondition`] for [`ConditionSource`] apart.
#[doc(hidden)]
pub struct Combined;

#[diagnostic::do_not_recommend]
impl IntoCondition<Combined> for ConditionSource {
    fn into_condition(self) -> ConditionSource {
        self
    }
}
