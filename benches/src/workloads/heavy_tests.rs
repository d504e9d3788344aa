use super::*;

#[test]
fn a_matrix_times_its_inverse_is_one() {
    for number in [0, 1, 500, 999] {
        let m = row(number).0.0;
        let i = inverse(&m);
        for place in 0..16 {
            let (line, column) = (place / 4, place % 4);
            let product: f32 = (0..4).map(|k| m[line * 4 + k] * i[k * 4 + column]).sum();
            let one = f32::from(u8::from(line == column));
            assert!(
                (product - one).abs() < 1e-5,
                "{number}: {product} at {place}"
            );
        }
    }
}
