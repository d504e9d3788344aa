//! The sine that is the same on all machines.

use ecs_examples::sin_cos;

#[test]
fn it_is_the_sine_and_the_cosine() {
    for n in -40_000..40_000 {
        let angle = n as f32 * 0.001;
        let (sin, cos) = sin_cos(angle);
        let (exact_sin, exact_cos) = f64::from(angle).sin_cos();
        assert!((f64::from(sin) - exact_sin).abs() < 4e-8, "sine of {angle}");
        assert!(
            (f64::from(cos) - exact_cos).abs() < 4e-8,
            "cosine of {angle}"
        );
    }
}

/// The bits of some, so that another machine, which has other constants or fuses operations, is noticed.
#[test]
fn its_bits_are_the_same_everywhere() {
    let bits = |angle: f32| {
        let (sin, cos) = sin_cos(angle);
        (sin.to_bits(), cos.to_bits())
    };
    let sum = (0..10_000).fold(0_u32, |sum, n| {
        let (sin, cos) = bits(n as f32 * 0.01);
        sum.rotate_left(1) ^ sin ^ cos.rotate_left(16)
    });
    assert_eq!(bits(0.0), (0.0_f32.to_bits(), 1.0_f32.to_bits()));
    assert_eq!(sum, SUM);
}

const SUM: u32 = 0xD5DC_1FD4;
