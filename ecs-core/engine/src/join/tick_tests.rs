//! Tests that filters read ticks only of entities that have the items: another system may write the ticks of others at the
//! same time, if the two are disjoint by the items they fetch.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use std::sync::{Mutex, PoisonError};

use super::*;
use crate::component::ComponentId;
use crate::join::{Join, Joined};
use crate::test_components::{Mood, Tag};
use crate::world::World;

/// A filter that records whose ticks it reads.
#[derive(Clone, Copy)]
struct StepRecording<'a> {
    filter: ChangedFilter<'a, Mood>,
    asked: &'a Mutex<Vec<Entity>>,
}

// SAFETY: delegates to a filter that keeps the contract; `next_excluded` and `DENSE` are the trait's.
unsafe impl<'a> Filter<'a> for StepRecording<'a> {
    const BY_ENTITY: bool = true;
    const SEES_DISABLED: bool = false;
    const ROWS: bool = true;

    type Rows = ();

    fn entities(&self) -> Option<&'a [Entity]> {
        self.filter.entities()
    }

    fn table(&self, table: TableId) -> bool {
        self.filter.table(table)
    }

    fn rows(&self, _: TableId) {}

    unsafe fn mask(&self, (): (), _: usize) -> u32 {
        unreachable!("entities are tested one by one")
    }

    unsafe fn row(&self, (): (), _: usize) -> bool {
        unreachable!("entities are tested one by one")
    }

    fn entity(&self, entity: Entity, at: Location) -> bool {
        self.filter.entity(entity, at)
    }

    unsafe fn ticks(&self, entity: Entity, at: Location) -> bool {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(entity);
        // SAFETY: by the caller's contract the entity is placed at `at`, and no other code writes its ticks.
        unsafe { self.filter.ticks(entity, at) }
    }
}

#[test]
fn ticks_are_read_only_of_entities_that_have_the_items() {
    let mut world = World::new();
    let both = world.spawn((Tag, Mood("glad".to_owned())));
    let other = world.spawn(Mood("sad".to_owned()));
    // Makes the moods the shorter list of candidates.
    world.spawn_batch([(); 4].map(|()| Tag));
    let (tags, asked) = (world.view::<Tag>(), Mutex::default());
    let store = world.storage.component(ComponentId::of::<Mood>());
    // SAFETY: the store belongs to `Mood`, and is borrowed from `world`; no code writes its ticks in this test.
    let filter = unsafe { ChangedFilter::new(store, CompactTick::NEVER) };
    let join = || {
        let Joined { storage, fetch, .. } = (&tags).joined();
        let asked = &asked;
        let filter = StepRecording { filter, asked };
        Joined {
            storage,
            fetch,
            filter,
        }
    };
    assert_eq!(join().iter().count(), 1);
    assert!(join().get(both).is_some() && join().get(other).is_none());
    assert_eq!(*asked.lock().unwrap(), [both, both]);
}
