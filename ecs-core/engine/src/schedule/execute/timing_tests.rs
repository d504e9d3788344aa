use super::*;

#[test]
fn one_run_of_a_hundred_may_exceed_the_p99() {
    let mut timing = Timing::new(String::new(), "think");
    assert_eq!((timing.p99(), timing.max_at()), (Duration::ZERO, None));
    let start = Instant::now();
    let at = |n: u64| start + Duration::from_secs(n);
    for n in 0..100 {
        timing.add(at(n), Duration::from_micros(n));
    }
    assert_eq!(timing.p99(), Duration::from_micros(99));
    timing.add(at(100), Duration::from_secs(9));
    assert_eq!(timing.p99(), Duration::from_micros(99));
    timing.add(at(101), Duration::from_secs(9));
    assert_eq!(timing.p99(), Duration::from_nanos(u32::MAX.into()));
    assert_eq!(
        (timing.max(), timing.max_at()),
        (Duration::from_secs(9), Some(at(100)))
    );
    // Both are long ago, and the longest run stays.
    for n in 0..256 {
        timing.add(at(200 + n), Duration::from_micros(1000 - n));
    }
    assert_eq!(timing.p99(), Duration::from_micros(998));
    assert_eq!(timing.max(), Duration::from_secs(9));
}
