//! Random apps against an interpreter of lists: plugins, schedules inside schedules and run by hand, fixed steps, states,
//! sets, events, removals, errors and commands give the same logs and the same entities, on one thread, on several, and in
//! any order that the plan allows, watched by hooks, and system by system.

mod interpreter;
mod program;
pub(crate) mod run;

use proptest::prelude::*;

use crate::app_model::program::{Program, programs};

/// The effects of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// Systems that write different logs may run at the same time.
    pub(crate) logs: [Vec<u64>; 3],
    /// The tags of all entities, sorted.
    pub(crate) tags: Vec<u64>,
    /// The systems that have failed.
    pub(crate) failed: Vec<u64>,
}

fn check(program: &Program, how: run::How) {
    let expected = interpreter::run(program);
    let found = run::run(program, how);
    for (frame, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(found, expected, "after frame {frame} of {program:#?}");
    }
    assert_eq!(found.len(), expected.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ecs_tests::worlds(500), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_apps_do_what_lists_do(program in programs(), seed in 1_u64..) {
        check(&program, run::How::OneThread);
        check(&program, run::How::Shuffled(seed));
        let seen = if seed.is_multiple_of(2) { run::How::Watched } else { run::How::Stepped(seed) };
        check(&program, seen);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ecs_tests::worlds(40), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_apps_do_the_same_on_threads(program in programs()) {
        for threads in 1..=4 {
            check(&program, run::How::Threads(threads));
        }
    }
}
