use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use super::{Executor, Lent};
use crate::schedule::execute::Run;

/// Runs nothing. The test writes its number between two lendings.
struct Counts(u32);

impl Executor for Counts {
    fn run(&mut self, _: &mut Run<'_>) {}
}

fn is_there(lent: &Lent) -> bool {
    lent.borrow().is_some()
}

#[test]
fn an_executor_is_there_while_it_is_lent() {
    let (lent, mut counts) = (Lent::default(), Counts(0));
    assert!(!is_there(&lent));
    lent.during(&mut counts, || {
        assert!(is_there(&lent));
        let mut borrowed = lent.borrow().unwrap();
        let _: &mut dyn Executor = borrowed.get();
        assert!(!is_there(&lent));
        drop(borrowed);
        thread::scope(|scope| _ = scope.spawn(|| assert!(!is_there(&lent))));
        assert!(is_there(&lent));
    });
    assert!(!is_there(&lent));
    counts.0 += 1;
    let caught = catch_unwind(AssertUnwindSafe(|| {
        lent.during(&mut counts, || {
            let _borrowed = lent.borrow();
            panic!("oh");
        });
    }));
    caught.unwrap_err();
    assert!(!is_there(&lent));
    assert_eq!(counts.0, 1);
}
