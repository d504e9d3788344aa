//! Compile errors of closed worlds, and code that must compile.

use ecs_tests::compilers::compile_once;

#[test]
fn errors_are_shown_at_their_cause() {
    compile_once();
    trybuild::TestCases::new().compile_fail("ui_static/*.rs");
}
