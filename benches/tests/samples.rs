//! Tests of the messages between parent and child processes.

use std::time::Duration;

use ecs_benches::child::{Sample, Task};

#[test]
fn a_sample_survives_its_line() {
    let sample = Sample {
        checksum: 0xdead_beef,
        runs: 17,
        bytes: Some(4096),
        batches: vec![Duration::from_micros(5_100), Duration::from_micros(5_300)],
    };
    assert_eq!(Sample::parse(&sample.to_line()), Some(sample));
}

#[test]
fn a_sample_without_bytes_survives_its_line() {
    let sample = Sample {
        checksum: 1,
        runs: 1,
        bytes: None,
        batches: Vec::new(),
    };
    assert_eq!(Sample::parse(&sample.to_line()), Some(sample));
}

#[test]
fn other_lines_are_no_samples() {
    for line in ["", "hello", "00ff 3", "00ff x 4096", "00ff 3 4096 later"] {
        assert_eq!(Sample::parse(line), None, "{line}");
    }
}

#[test]
fn a_task_does_the_work_that_it_names() {
    let task = Task {
        workload: "frag_iter".to_owned(),
        peer: "ours".to_owned(),
        form: "for_each".to_owned(),
        batch: Duration::from_nanos(1),
        runs: Some(3),
    };
    let sample = task.run().expect("it exists");
    assert_eq!(sample.runs, 3);
    assert!(!sample.batches.is_empty());
    let other = Task {
        peer: "limit".to_owned(),
        form: "one Vec".to_owned(),
        ..task
    };
    let other = other.run().expect("it exists");
    assert_eq!(sample.checksum, other.checksum);
}

#[test]
fn an_unknown_task_is_named() {
    let task = Task {
        workload: "frag_iter".to_owned(),
        peer: "ours".to_owned(),
        form: "magic".to_owned(),
        batch: Duration::from_nanos(1),
        runs: None,
    };
    let message = task.run().expect_err("there is no such form");
    assert!(message.contains("magic"), "{message}");
}
