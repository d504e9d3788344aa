use super::*;

#[test]
fn arguments_are_the_text_in_the_last_brackets() {
    for (hidden, expected) in [
        ("game::__SystemTick1A2B", ""),
        ("game::__SystemTick1A2B<game::Position>", "<game::Position>"),
        (
            "game::<impl game::Shop<u8>>::run::__SystemSell1A2B<[alloc::vec::Vec<u8>; 3], 4>",
            "<[alloc::vec::Vec<u8>; 3], 4>",
        ),
        (
            "game::__SystemCall1A2B<fn(u8) -> u8, fn() -> alloc::vec::Vec<u8>>",
            "<fn(u8) -> u8, fn() -> alloc::vec::Vec<u8>>",
        ),
        ("fn() -> x>", ""),
        ("a<", ""),
        ("a>b<", ""),
        ("", ""),
        ("caf\u{e9}", ""),
        ("tick::<Position>", "<Position>"),
        ("Shop::<u8>::restock", ""),
    ] {
        assert_eq!(arguments(hidden), expected);
    }
}

#[test]
fn a_name_is_interned_once() {
    let meta = SystemMeta::new("game::tick", &[]);
    let [one, two] = [(); 2].map(|()| with_arguments(&meta, "game::hidden<u8>").name);
    assert_eq!(one, "game::tick<u8>");
    assert!(core::ptr::eq(one, two));
    assert!(core::ptr::eq(
        with_arguments(&meta, "game::hidden").name,
        meta.name
    ));
}
