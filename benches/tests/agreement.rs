//! The measured code must do the same work, whoever does it; this runs in the workspace's ordinary tests, without peers
//! (with them: `cargo test -p ecs-benches --features peers`).

use ecs_benches::digest::Digest;
use ecs_benches::{harness, workloads};

#[test]
fn all_forms_of_a_workload_leave_the_same_data() {
    for workload in workloads::all() {
        // The same code with more rows; too slow without optimisation.
        if workload.name == "iter_1m" {
            continue;
        }
        let subjects = harness::checked_subjects(&workload);
        assert_eq!(
            subjects.len(),
            workload.entries.len(),
            "{}: not all forms were checked",
            workload.name
        );
    }
}

#[test]
fn forms_have_names_of_their_own() {
    for workload in workloads::all() {
        for entry in &workload.entries {
            let same = workload
                .entries
                .iter()
                .filter(|other| other.peer == entry.peer && other.form == entry.form);
            assert_eq!(
                same.count(),
                1,
                "{}: {} {}",
                workload.name,
                entry.peer,
                entry.form
            );
        }
    }
}

#[test]
#[should_panic(expected = "two: `limit lazy` leaves other data than the first entry")]
fn a_form_that_does_other_work_is_refused() {
    use ecs_benches::subject::{Peer, Workload};

    let mut workload = Workload::new("two", 1, "");
    workload.add(Peer::Limit, "busy", || 0, |n| *n += 1, |n| *n);
    workload.add(Peer::Limit, "lazy", || 0, |_| {}, |n| *n);
    let _ = harness::checked_subjects(&workload);
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
