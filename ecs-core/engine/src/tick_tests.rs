use super::*;

#[test]
fn compact_ticks_are_ordered_like_their_ticks() {
    let clock = TickClock::starting_at(WINDOW - 3);
    let mut last = clock.compact(clock.tick());
    for _ in 0..10 {
        let next = clock.compact(clock.tick());
        assert!(next > last);
        last = next;
    }
}

#[test]
fn only_earlier_readers_see_a_change() {
    let clock = TickClock::default();
    let before = clock.tick();
    let change = clock.compact(clock.tick());
    let after = clock.tick();
    assert!(change > clock.seen(Tick::START) && change > clock.seen(before));
    assert!(change <= clock.seen(after));
}

#[test]
fn moving_the_base_keeps_the_order_inside_the_window() {
    let mut clock = TickClock::default();
    let mut ticks = [
        clock.compact(clock.tick()),
        CompactTick::LATEST,
        CompactTick::LATEST,
    ];
    clock.advance_to(WINDOW + 10);
    let (before, change, after) = (clock.tick(), clock.tick(), clock.tick());
    ticks[1] = clock.compact(change);
    clock.advance_to(LIMIT + 1);
    assert!(clock.is_behind());
    clock.advance().apply(&mut ticks);
    assert!(!clock.is_behind());
    assert_eq!(ticks[0], CompactTick::OLD);
    assert!(ticks[1] > clock.seen(before) && ticks[1] <= clock.seen(after));
    let now = clock.tick();
    assert!(ticks[2] > clock.seen(Tick(now.get() - 1)));
    assert!(
        ticks[0] > clock.seen(Tick(3)),
        "older than the window: counts as changed again"
    );
    assert!(ticks[0] <= clock.seen(before));
}

#[test]
fn a_mask_has_the_bits_of_later_ticks() {
    let seen = CompactTick::new(1 << 31);
    let distance = |n: u32| (1 << 31) - 7 + n * 0x9E37 % 15;
    let ticks: [CompactTick; 32] = core::array::from_fn(|n| CompactTick::new(distance(n as u32)));
    let mask = CompactTick::later(&ticks, seen);
    assert!(mask != 0 && mask != u32::MAX);
    for (n, &tick) in ticks.iter().enumerate() {
        assert_eq!(mask >> n & 1 == 1, tick > seen, "{n}");
    }
    assert_eq!(
        CompactTick::later(&[CompactTick::LATEST; 32], CompactTick::new(u32::MAX - 1)),
        u32::MAX
    );
    assert_eq!(
        CompactTick::later(&[CompactTick::OLD; 32], CompactTick::NEVER),
        u32::MAX
    );
    assert_eq!(
        CompactTick::later(&[CompactTick::OLD; 32], CompactTick::OLD),
        0
    );
}

#[test]
fn changes_count_again_rather_than_vanish_if_the_base_never_moved() {
    let mut clock = TickClock::default();
    clock.advance_to(u64::from(u32::MAX) + 5);
    let last = clock.tick();
    let change = clock.compact(clock.tick());
    assert!(change > clock.seen(last));
    let mut ticks = [change];
    clock.advance().apply(&mut ticks);
    assert!(ticks[0] > clock.seen(last));
}
