//! Sine and cosine that are the same on every machine.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// Returns the sine and the cosine of an angle.
///
/// `f32::sin` is the one of the system's library, and a page has another one than a program: a game whose worlds are compared
/// needs one of its own. This one only multiplies and adds, which rounds in the same way everywhere.
#[must_use]
pub fn sin_cos(angle: f32) -> (f32, f32) {
    let angle = f64::from(angle);
    let quarters = (angle * FRAC_2_PI).round();
    let rest = angle - quarters * FRAC_PI_2;
    let square = rest * rest;
    // 1 - square / (1 * 2) * (1 - square / (3 * 4) * ..), and the same for the sine from 2 * 3 on.
    let series = |first: u32| {
        let factors = (0..7).map(|n| f64::from((first + 2 * n) * (first + 2 * n + 1)));
        factors.rev().fold(1.0, |sum, by| 1.0 - square / by * sum)
    };
    let (sin, cos) = ((rest * series(2)) as f32, series(1) as f32);
    match (quarters as i64).rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}
