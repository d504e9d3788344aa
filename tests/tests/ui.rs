//! Compile errors of components, bundles, systems and schedules.

use ecs_tests::compilers::compile_once;

#[test]
fn errors_are_shown_at_their_cause() {
    compile_once();
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
