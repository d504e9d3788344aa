use super::*;

#[test]
fn readers_share_and_exclude_a_writer() {
    let flag = BorrowFlag::default();
    let one = flag.try_shared().unwrap();
    let two = one.clone();
    assert!(flag.try_exclusive().is_none());
    drop(one);
    assert!(flag.try_exclusive().is_none());
    drop(two);
    assert!(flag.try_exclusive().is_some());
}

#[test]
fn a_writer_excludes_all_others_until_dropped() {
    let flag = BorrowFlag::default();
    let writer = flag.try_exclusive().unwrap();
    assert!(flag.try_shared().is_none());
    assert!(flag.try_exclusive().is_none());
    drop(writer);
    assert!(flag.try_shared().is_some());
}

#[test]
fn readers_never_add_up_to_a_writer() {
    let flag = BorrowFlag {
        state: AtomicU32::new(WRITER - 2),
    };
    let last = flag.try_shared().unwrap();
    assert!(flag.try_shared().is_none());
    drop(last);
    assert!(flag.try_shared().is_some());
}

#[test]
fn a_failed_attempt_does_not_change_the_flag() {
    let flag = BorrowFlag::default();
    let writer = flag.try_exclusive().unwrap();
    assert!(flag.try_shared().is_none());
    drop(writer);
    assert!(flag.try_exclusive().is_some());
}
