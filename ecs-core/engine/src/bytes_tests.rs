use super::*;
use alloc::string::ToString;

#[test]
fn numbers_are_printed_in_units_that_fit() {
    let text = |bytes| Human(bytes).to_string();
    assert_eq!(text(0), "0 B");
    assert_eq!(text(1023), "1023 B");
    assert_eq!(text(1024), "1.0 KiB");
    assert_eq!(text(3 << 19), "1.5 MiB");
    let most = match size_of::<usize>() {
        4 => "2.0 GiB",
        _ => "8388608.0 TiB",
    };
    assert_eq!(text(usize::MAX / 2), most);
    let amount = Bytes {
        used: 1,
        reserved: 2048,
    };
    assert_eq!(amount.to_string(), "1 B of 2.0 KiB");
    assert_eq!(amount.unused(), 2047);
}
