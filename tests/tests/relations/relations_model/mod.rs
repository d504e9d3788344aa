//! Random structural changes on related entities, direct and queued, against plain maps: both ends agree after each step,
//! observers see each edge come and go, values are dropped once, and panics of hooks and drops leave no half of an edge.

mod both;
mod model;
mod relations;
mod steps;

use ecs_tests::Ledger;
use proptest::prelude::*;

use self::both::Both;
use self::relations::LEDGER;
use self::steps::act;

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(400))
    })]

    #[test]
    fn both_ends_agree_with_plain_maps(acts in prop::collection::vec(act(), 1..if cfg!(miri) { 25 } else { 80 })) {
        std::panic::set_hook(Box::new(|info| {
            let message = info.payload_as_str().unwrap_or("");
            if message != "trap" && !message.contains("instead of panicking") {
                eprintln!("{info}");
            }
        }));
        LEDGER.set(Ledger::default());
        let mut both = Both::new();
        for act in acts {
            both.act(act);
            both.check();
        }
        drop(both);
        LEDGER.with_borrow(|ledger| assert!(ledger.alive().is_empty()));
    }
}
