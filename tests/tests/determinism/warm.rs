//! Other worlds of the process that use the same types.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use ecs_core::prelude::*;
use ecs_core::relation::Sources;
use ecs_core::world::hooks::{DeferredWorld, OnRemove};

use crate::bundles::{BUNDLES, KINDS, Make, with_bundle, with_kind};
use crate::kinds::*;
use crate::log::{Dice, Noted, logged, silently};
use crate::{program, systems};

/// Other uses of the types in the process, before the program or alongside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WarmUp {
    /// None.
    Nothing,
    /// The components were used from last to first, then the bundles, and relations.
    Backwards,
    /// A few components were used, in no order.
    Some,
    /// The same program ran with other random numbers.
    OtherDice,
    /// Another thread uses the same types while the program runs.
    Beside,
}

/// The thread that runs alongside the program, which stops when this is dropped.
pub(crate) struct Beside(Option<(JoinHandle<()>, &'static AtomicBool)>);

impl WarmUp {
    pub(crate) fn start(self) -> Beside {
        static STOP: AtomicBool = AtomicBool::new(false);
        match self {
            Self::Nothing => {}
            Self::Backwards => drop(logged(backwards)),
            Self::Some => drop(logged(|| {
                let mut world = World::new();
                for kind in [9, 15, 4, 17, 1] {
                    with_kind!(kind, K => world.register::<K>());
                }
                world.register::<Sources<Needs>>();
                world.register::<Never>();
            })),
            Self::OtherDice => drop(logged(|| program::run(99, 400, None))),
            Self::Beside => {
                let beside = || {
                    silently(|| {
                        while !STOP.load(Ordering::Relaxed) {
                            scattered();
                        }
                    });
                };
                return Beside(Some((thread::spawn(beside), &STOP)));
            }
        }
        Beside(None)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if let Some((thread, stop)) = self.0.take() {
            stop.store(true, Ordering::Relaxed);
            thread
                .join()
                .expect("the thread beside the program does not panic");
        }
    }
}

fn backwards() {
    let mut world = World::new();
    for kind in (0..KINDS).rev() {
        with_kind!(kind, K => {
            world.observe(|_: OnRemove<K>, _: DeferredWorld| {});
        });
    }
    for bundle in (0..BUNDLES).rev() {
        with_bundle!(bundle, B => world.spawn(B::make(0)));
    }
    let [one, other] = [(); 2].map(|()| world.spawn_empty());
    let value = || Noted::new("warm", 0);
    let needs = world.relate(one, Needs(value()), other);
    let child = world.relate(one, ChildOf(value()), other);
    needs.and(child).expect("both entities are alive");
    world.insert_resource(Thing::<5>::new(0));
    world.insert_resource(Thing::<0>::new(0));
    systems::warm_up(&mut world);
}

/// Uses components in an order that differs from process to process.
fn scattered() {
    let here = 0;
    let mut dice = Dice::new(std::ptr::from_ref(&here).addr() as u64);
    let mut world = World::new();
    for _ in 0..10 {
        let (kind, bundle) = (dice.roll(KINDS), dice.roll(BUNDLES));
        with_kind!(kind, K => world.register::<K>());
        thread::yield_now();
        with_bundle!(bundle, B => world.spawn(B::make(0)));
    }
}
