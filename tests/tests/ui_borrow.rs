//! Borrows that must not compile: items that outlive their view, and two items of one entity at the same time.

use ecs_tests::compilers::compile_once;

#[test]
fn borrows_that_could_alias_do_not_compile() {
    compile_once();
    trybuild::TestCases::new().compile_fail("tests/ui_borrow/*.rs");
}
