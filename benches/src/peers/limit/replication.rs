//! Changes of a `Vec` that are sent to a copy.

use crate::digest::Digest;
use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::saves::{self, EVERY, Place};

/// A list, its copy, and the number of the frame.
type Both = (Vec<Place>, Vec<Place>, usize);

fn both(entities: u32) -> Both {
    let places: Vec<Place> = (0..entities).map(|number| saves::row(number).0).collect();
    (places.clone(), places, 0)
}

/// Changes one of a hundred values, and returns which ones.
fn change(places: &mut [Place], frame: &mut usize) -> Vec<u32> {
    let mut changed = Vec::new();
    let all = places.iter_mut().zip(0_u32..);
    for (place, number) in all.skip(*frame % EVERY).step_by(EVERY) {
        place.0[1] += 1.0;
        changed.push(number);
    }
    *frame += 1;
    changed
}

fn digest(both: &mut Both) -> u64 {
    Digest::of(both.1.iter().map(|place| place.0))
}

pub(super) fn replicate(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Limit,
        "a list of changes, postcard",
        move || both(entities),
        |(places, copy, frame)| {
            let changed = change(places, frame);
            let changed = changed.into_iter().map(|number| (number, places[number as usize]));
            let changed: Vec<(u32, Place)> = changed.collect();
            let packet = postcard::to_allocvec(&changed).expect("floats can be written");
            let read: Vec<(u32, Place)> = postcard::from_bytes(&packet).expect("it was written");
            for (number, place) in read {
                copy[number as usize] = place;
            }
        },
        digest,
    );
    workload.add(
        Limit,
        "all values, postcard",
        move || both(entities),
        |(places, copy, frame)| {
            change(places, frame);
            let packet = postcard::to_allocvec(places).expect("floats can be written");
            *copy = postcard::from_bytes(&packet).expect("it was written");
        },
        digest,
    );
    workload.mark_as_plain();
}
