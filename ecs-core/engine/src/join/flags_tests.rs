use super::*;

#[test]
fn bits_have_the_order_of_the_values() {
    for start in 0..200_u32 {
        let bits_of = start.wrapping_mul(0x9E37_79B9) ^ start;
        let values = core::array::from_fn(|n| bits_of >> n & 1 == 1);
        assert_eq!(bits(values), bits_of);
    }
    for n in 0..GROUP {
        assert_eq!(bits(core::array::from_fn(|m| m == n)), 1 << n);
    }
}
