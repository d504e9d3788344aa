//! Entities that are despawned and spawned.

use crate::columns::{ById, Id, Rows};
use crate::components::{Position, Rotation, Velocity};
use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::kinds;
use crate::workloads::waves::{self, LIVING, Row};

type Columns = (Vec<Id>, Vec<Position>, Vec<Rotation>, Vec<Velocity>);

/// Makes changes one by one even in batches: each victim is in a row of its own.
pub(super) fn waves(workload: &mut Workload) {
    waves_in::<Columns>(workload, "one Vec per component");
    workload.mark_as_plain();
    waves_in::<Vec<(Id, Row)>>(workload, "one Vec of rows");
}

fn waves_in<R: Rows<Row = Row> + Default + 'static>(workload: &mut Workload, form: &'static str) {
    waves::add(
        workload,
        Limit,
        form,
        || {
            let mut world = ById::<R>::default();
            let ids = (0..LIVING).map(|number| world.spawn(waves::row(number)));
            let ids = ids.collect();
            (world, ids)
        },
        |world, victims, numbers, born| {
            for &victim in victims {
                assert!(world.despawn(victim), "the entity was alive");
            }
            born.extend(numbers.map(|number| world.spawn(waves::row(number))));
        },
        |world| world.rows.digest(),
    );
}

/// Knows only the components of its entities.
pub(super) fn kinds(workload: &mut Workload) {
    kinds::add(
        workload,
        Limit,
        "one Vec of rows",
        ById::<Vec<(Id, (Position, Velocity))>>::default,
        |world, count| kinds::rows(count).map(|row| world.spawn(row)).collect(),
        |world, id| assert!(world.despawn(id), "the entity was alive"),
        |world| world.rows.digest(),
    );
    workload.mark_as_plain();
}
