//! Of which entities filters ask for ticks: those of others may be written at the same time, by systems that are kept apart
//! by what they fetch.

use std::sync::{Mutex, PoisonError};

use super::*;
use crate::component::ComponentId;
use crate::join::{Join, Joined};
use crate::test_components::{Mood, Tag};
use crate::world::World;

/// A filter that notes whose ticks it looks at.
#[derive(Clone, Copy)]
struct Noting<'a> {
    filter: ChangedFilter<'a, Mood>,
    asked: &'a Mutex<Vec<Entity>>,
}

// SAFETY: it passes all on to a filter that keeps the contract, and notes what was asked.
unsafe impl<'a> Filter<'a> for Noting<'a> {
    const SPARSE: bool = true;
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
        unreachable!("entities are asked one by one")
    }

    unsafe fn row(&self, (): (), _: usize) -> bool {
        unreachable!("entities are asked one by one")
    }

    fn entity(&self, entity: Entity, at: Location) -> bool {
        self.filter.entity(entity, at)
    }

    unsafe fn ticks(&self, entity: Entity, at: Location) -> bool {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(entity);
        // SAFETY: the caller promises that the entity is there, and that nothing writes its ticks.
        unsafe { self.filter.ticks(entity, at) }
    }
}

#[test]
fn ticks_are_asked_of_entities_that_have_the_items_alone() {
    let mut world = World::new();
    let both = world.spawn((Tag, Mood("glad".to_owned())));
    let other = world.spawn(Mood("sad".to_owned()));
    // So that it is shorter to go by moods.
    world.spawn_batch([(); 4].map(|()| Tag));
    let (tags, asked) = (world.view::<Tag>(), Mutex::default());
    let store = world.storage.component(ComponentId::of::<Mood>());
    // SAFETY: the store is that of moods, which nothing writes.
    let filter = unsafe { ChangedFilter::new(store, CompactTick::NEVER) };
    let join = || {
        let Joined { storage, fetch, .. } = (&tags).joined();
        let asked = &asked;
        let filter = Noting { filter, asked };
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
