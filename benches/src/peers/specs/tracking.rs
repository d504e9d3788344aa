//! Change tracking.

use specs::hibitset::BitSet;
use specs::prelude::ComponentEvent;
use specs::shrev::ReaderId;
use specs::{Builder, Component, Entity, FlaggedStorage, Join, VecStorage, World, WorldExt};

use crate::peers::Peer::Specs;
use crate::subject::Workload;
use crate::workloads::tracking::{State, values};

struct Tracked(f32);

impl Component for Tracked {
    type Storage = FlaggedStorage<Self, VecStorage<Self>>;
}

/// The world, the reader of its events, and the entities in them.
type Prepared = (World, ReaderId<ComponentEvent>, BitSet);

pub(super) fn changed_sparse(workload: &mut Workload) {
    let changes = workload.elements() as usize;
    workload.add(
        Specs,
        "FlaggedStorage",
        || -> State<Prepared, Entity> {
            let mut world = World::new();
            world.register::<Tracked>();
            let ids = values().map(|value| world.create_entity().with(Tracked(value)).build());
            let ids = ids.collect();
            let reader = world.write_storage::<Tracked>().register_reader();
            State::new((world, reader, BitSet::new()), ids)
        },
        move |state| {
            let ((world, reader, changed), ids, seen) = state.turn(changes);
            let mut values = world.write_storage::<Tracked>();
            for &id in ids {
                values.get_mut(id).expect("the entity is alive").0 += 1.0;
            }
            changed.clear();
            for event in values.channel().read(reader) {
                if let ComponentEvent::Modified(index) = event {
                    changed.add(*index);
                }
            }
            for (value, _) in (&values, &*changed).join() {
                seen.visit(value.0);
            }
        },
        |state| {
            let (world, ..) = &state.world;
            let values = world.read_storage::<Tracked>();
            state.seen.digest((&values).join().map(|value| value.0))
        },
    );
}
