use alloc::vec;

use super::*;
use crate::component::{Component, Disabled};

fn readers(runs: &[(u64, u64)]) -> LateReaders {
    let mut readers = LateReaders {
        of: Disabled::IDENTITY.ident(),
        runs: vec![],
    };
    for &(last, now) in runs {
        let [last, now] = [last, now].map(Tick::new);
        readers.add(ReaderRuns {
            last,
            now,
            weight: 1,
        });
        readers.shorten();
    }
    readers
}

fn all_seen(readers: &LateReaders, disabled: u64) -> u64 {
    readers.all_seen(Tick::new(disabled)).get()
}

#[test]
fn what_came_before_the_last_run_is_seen() {
    assert_eq!(all_seen(&readers(&[]), 7), 6);
    let two = readers(&[(5, 10), (8, 12)]);
    assert_eq!(all_seen(&two, 9), 5, "both ran then");
    assert_eq!(all_seen(&two, 11), 8, "the first one had run before");
    assert_eq!(all_seen(&two, 13), 12, "they run later");
    assert_eq!(all_seen(&two, 4), 3, "they ran before");
}

#[test]
fn runs_that_say_nothing_more_are_dropped() {
    assert_eq!(readers(&[(5, 10), (8, 12), (4, 13)]).runs.len(), 1);
    assert_eq!(readers(&[(4, 13), (5, 10)]).runs.len(), 1);
}

#[test]
fn many_runs_show_more_and_never_less() {
    let runs: Vec<_> = (0..1000).map(|n| (n * 10, n * 10 + 15)).collect();
    let many = readers(&runs);
    assert_eq!(many.runs.len(), LateReaders::RUNS);
    for disabled in 1..10_000 {
        let exact = runs.iter().filter(|run| run.1 >= disabled);
        let exact = exact.map(|run| run.0).min().unwrap().min(disabled - 1);
        let seen = all_seen(&many, disabled);
        assert!(seen <= exact);
        assert!(
            exact - seen <= (10_000 - exact) / 5,
            "{disabled} {exact} {seen}"
        );
    }
    assert_eq!(all_seen(&many, 9_990), 9_980);
}
