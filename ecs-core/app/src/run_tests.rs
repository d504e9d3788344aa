use std::time::Duration;

use super::Pace;

#[test]
fn frames_are_late_until_the_time_is_made_up_or_given_up() {
    let mut pace = Pace::new(Duration::from_millis(10));
    let mut rest = |millis| pace.rest(Duration::from_millis(millis)).as_millis();
    assert_eq!(rest(3), 7);
    // A long frame, and two short ones.
    assert_eq!([rest(45), rest(46), rest(47), rest(48)], [0, 0, 0, 2]);
    // Four frames late, which are made up.
    assert_eq!([rest(100), rest(101), rest(102), rest(103)], [0; 4]);
    assert_eq!([rest(104), rest(105)], [0, 5]);
    // More than four, which are given up.
    assert_eq!([rest(161), rest(162)], [0, 9]);
}
