//! One `Vec` per component: written and read by serde, and copied.

use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::saves::{self, Place, Speed, Turn};

pub(super) type Columns = (Vec<Place>, Vec<Turn>, Vec<Speed>);

pub(super) fn columns(entities: u32) -> Columns {
    let mut columns = Columns::default();
    columns.extend((0..entities).map(saves::row));
    columns
}

pub(super) fn digest((places, turns, speeds): &Columns) -> u64 {
    let both = places.iter().zip(turns).zip(speeds);
    saves::digest(both.map(|((place, turn), speed)| (place, turn, speed)))
}

fn written(columns: &Columns) -> Vec<u8> {
    postcard::to_allocvec(columns).expect("floats can be written")
}

fn read(bytes: &[u8]) -> Columns {
    postcard::from_bytes(bytes).expect("it was written")
}

pub(super) fn save(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Limit,
        "serde over Vecs, postcard",
        move || (columns(entities), Vec::new()),
        |(columns, bytes)| *bytes = written(columns),
        |(_, bytes)| digest(&read(bytes)),
    );
    workload.mark_as_plain();
}

pub(super) fn load(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Limit,
        "serde over Vecs, postcard",
        move || (written(&columns(entities)), Columns::default()),
        |(bytes, columns)| *columns = read(bytes),
        |(_, columns)| digest(columns),
    );
    workload.mark_as_plain();
}

pub(super) fn clone_entities(workload: &mut Workload) {
    let entities = workload.elements();
    let count = entities as usize;
    workload.add(
        Limit,
        "one Vec per component",
        move || columns(entities),
        move |(places, turns, speeds)| {
            places.truncate(count);
            turns.truncate(count);
            speeds.truncate(count);
            places.extend_from_within(..);
            turns.extend_from_within(..);
            speeds.extend_from_within(..);
        },
        |columns| digest(columns),
    );
    workload.mark_as_plain();
}

pub(super) fn prefab(workload: &mut Workload) {
    let count = workload.elements() as usize;
    workload.add(
        Limit,
        "one Vec per component",
        Columns::default,
        move |columns| {
            let (place, turn, speed) = saves::row(0);
            *columns = (vec![place; count], vec![turn; count], vec![speed; count]);
        },
        |columns| digest(columns),
    );
    workload.mark_as_plain();
}
