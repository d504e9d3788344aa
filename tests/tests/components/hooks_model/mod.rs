//! Random structural changes on components with observers and with hooks that queue commands and panic, against a plain
//! model: order of the calls, data that each call sees, effect of queued commands, and equality of both after a panic.

mod both;
mod bundles;
mod model;
mod ops;
mod parts;

use ecs_tests::Ledger;
use proptest::prelude::*;

use self::both::Both;
use self::ops::op;
use self::parts::LEDGER;

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(192))
    })]

    #[test]
    fn hooks_are_called_as_the_model_says(ops in prop::collection::vec(op(), 1..40)) {
        let mut both = Both::new();
        for op in ops {
            both.step(op);
        }
        drop(both);
        prop_assert!(LEDGER.with_borrow(Ledger::alive).is_empty());
    }
}
