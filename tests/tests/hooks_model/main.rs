//! Random verbs on components with hooks that queue commands and panic, and observers, against a plain model: who is called when and
//! sees what, what the queued commands do, and that a panic leaves both alike.

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
        ..ProptestConfig::with_cases(if cfg!(miri) { 3 } else { 192 })
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
