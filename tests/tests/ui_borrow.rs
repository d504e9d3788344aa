//! Borrows that must not compile: items beyond their view, two items of one entity at once.

#[test]
fn borrows_that_could_alias_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui_borrow/*.rs");
}
