//! Tests that all forms of a workload do the same work. They run with the tests of the workspace, without peers; with
//! peers: `cargo test -p ecs-benches --features peers`.

use ecs_benches::child::CHECKED_RUNS;
use ecs_benches::digest::Digest;
use ecs_benches::harness;
use ecs_benches::kind::{GROWTH, STANDARD, Spec};
use ecs_benches::peers::Peer;
use ecs_benches::shapes::{self, SHAPES};
use ecs_benches::subject::Workload;
use ecs_benches::workloads::heavy::{inverse, row};

/// Runs all entries and compares their checksums, all in this process.
fn agreement(workload: &Workload) -> Result<(), String> {
    let mut expected = None;
    for entry in &workload.entries {
        let mut subject = entry.build();
        for _ in 0..CHECKED_RUNS {
            subject.run();
        }
        let found = subject.checksum();
        harness::agree(&workload.spec, entry, found, &mut expected)?;
    }
    Ok(())
}

/// Large workloads run the same code with more rows, too slowly without optimisation: a fifth of `most` is enough by default, and
/// all before a change lands, as random tests have it.
fn at_most(spec: &Spec, most: u32) -> u32 {
    let most = match std::env::var_os("ECS_WORLDS") {
        Some(_) => most,
        None => most / 5,
    };
    spec.elements.min(most)
}

#[test]
fn all_forms_of_a_workload_leave_the_same_data() {
    for spec in STANDARD {
        let elements = at_most(spec, 20_000);
        let small = Spec { elements, ..*spec };
        if let Err(message) = agreement(&Workload::of_all_peers(small)) {
            panic!("{message}");
        }
    }
}

#[test]
fn all_forms_leave_the_same_data_at_each_size() {
    for spec in GROWTH {
        let elements = at_most(spec, 2_000);
        let small = Spec { elements, ..*spec };
        if let Err(message) = agreement(&Workload::of_all_peers(small)) {
            panic!("{message}");
        }
    }
}

#[test]
fn counted_loops_leave_the_same_data_as_plain_ones() {
    for shape in SHAPES {
        let mut all = Workload::new(*shape);
        for peer in [Peer::Limit, Peer::Ours] {
            let found = shapes::find(shape.name, peer).expect("a shape of the list");
            all.entries.extend(found.entries);
        }
        assert!(!all.entries.is_empty(), "{}", shape.name);
        if let Err(message) = agreement(&all) {
            panic!("{message}");
        }
    }
}

#[test]
fn forms_have_names_of_their_own() {
    for spec in STANDARD {
        let workload = Workload::of_all_peers(*spec);
        for entry in &workload.entries {
            let same = workload
                .entries
                .iter()
                .filter(|other| other.peer == entry.peer && other.form == entry.form);
            assert_eq!(
                same.count(),
                1,
                "{}: {} {}",
                spec.name,
                entry.peer,
                entry.form
            );
        }
    }
}

#[test]
fn every_peer_implements_a_workload_or_gives_a_reason() {
    for spec in STANDARD {
        let workload = Workload::of_all_peers(*spec);
        for peer in Peer::ALL.iter().filter(|peer| peer.is_built()) {
            let does = workload.entries.iter().any(|entry| entry.peer == *peer);
            let lacks = workload.absent.iter().any(|(absent, _)| absent == peer);
            assert!(does != lacks, "{}: {peer}", spec.name);
        }
    }
}

#[test]
fn hand_written_code_has_one_plain_form() {
    for spec in STANDARD {
        let workload = Workload::of(*spec, Peer::Limit);
        let plain = workload.entries.iter().filter(|entry| entry.plain);
        assert_eq!(plain.count(), 1, "{}", spec.name);
    }
}

#[test]
fn workloads_have_names_of_their_own() {
    let names: Vec<&str> = STANDARD
        .iter()
        .chain(GROWTH)
        .map(|spec| spec.name)
        .collect();
    for name in &names {
        assert_eq!(
            names.iter().filter(|other| *other == name).count(),
            1,
            "{name}"
        );
    }
}

#[test]
fn names_of_growth_have_an_axis_and_a_size() {
    for spec in GROWTH {
        let parts = spec
            .name
            .split_once('@')
            .map(|(path, _)| path.split_once('.'));
        assert!(parts.flatten().is_some(), "{}", spec.name);
    }
}

#[test]
fn a_form_that_does_other_work_is_refused() {
    let mut workload = Workload::new(STANDARD[0]);
    workload.add(Peer::Limit, "busy", || 0, |n| *n += 1, |n| *n);
    workload.add(Peer::Limit, "lazy", || 0, |_| {}, |n| *n);
    let message = agreement(&workload).expect_err("they differ");
    assert!(
        message.starts_with("iter_10k: `limit lazy` and the first entry leave different data"),
        "{message}"
    );
}

#[test]
fn digest_ignores_the_order_of_rows() {
    assert_eq!(
        Digest::of([[1.0, 2.0], [3.0, 4.0]]),
        Digest::of([[3.0, 4.0], [1.0, 2.0]])
    );
}

#[test]
fn digest_sees_values_that_changed_rows() {
    assert_ne!(
        Digest::of([[1.0, 2.0], [3.0, 4.0]]),
        Digest::of([[1.0, 4.0], [3.0, 2.0]])
    );
}

#[test]
fn digest_sees_a_row_too_many() {
    assert_ne!(
        Digest::of([[1.0, 2.0]]),
        Digest::of([[1.0, 2.0], [0.0, 0.0]])
    );
}

#[test]
fn a_matrix_times_its_inverse_is_one() {
    for number in [0, 1, 500, 999] {
        let m = row(number).0.0;
        let i = inverse(&m);
        for place in 0..16 {
            let (line, column) = (place / 4, place % 4);
            let product: f32 = (0..4).map(|k| m[line * 4 + k] * i[k * 4 + column]).sum();
            let one = f32::from(u8::from(line == column));
            assert!(
                (product - one).abs() < 1e-5,
                "{number}: {product} at {place}"
            );
        }
    }
}
