//! Borrows that must not compile: items that outlive their view, and two items of one entity at the same time.

#[test]
fn borrows_that_could_alias_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui_borrow/*.rs");
}
