//! Differences between worlds with many rows, which are compared in blocks.

use ecs_core::prelude::*;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "blocks.number")]
struct Number(u32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "blocks.weight", storage = "sparse")]
struct Weight(u32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "blocks.mark")]
struct Mark;

proptest! {
    #[test]
    fn differences_of_many_rows_are_the_differences_of_each_row(
        count in 1_u32..300,
        changes in vec((any::<Index>(), any::<bool>(), 0_u32..3, 0_u32..3), 0..6),
    ) {
        let mut old = World::new();
        // Equal values: only the entities tell which row is compared with which.
        let rows = (0..count).map(|_| (Number(0), Weight(0), Mark));
        let entities: Vec<Entity> = old.spawn_batch(rows).to_vec();
        let mut new = old.try_clone().unwrap();
        for (at, moves, number, weight) in changes {
            let entity = *at.get(&entities);
            if moves {
                // The entity moves to the last row, and the last one to its row.
                new.remove::<(Number, Weight)>(entity).unwrap();
            }
            new.insert(entity, (Number(number), Weight(weight))).unwrap();
        }
        let mut expected = String::new();
        for &entity in &entities {
            let [before, after] = [&old, &new].map(|world| {
                let number = world.get::<Number>(entity).unwrap().0;
                [number, world.get::<Weight>(entity).unwrap().0]
            });
            for (kind, name) in ["number", "weight"].into_iter().enumerate() {
                if before[kind] != after[kind] {
                    let [before, after] = [before[kind], after[kind]];
                    expected += &format!("{entity} blocks.{name}: {before} -> {after}\n");
                }
            }
        }
        prop_assert_eq!(old.diff(&new).unwrap().to_string(), expected);
    }
}
