//! Compile errors of closed worlds, and code that must compile.

use ecs_tests::packages::compile_once;

#[test]
fn errors_are_shown_at_their_cause() {
    compile_once();
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui_static/*.rs");
    // A passing case makes trybuild build all cases instead of only checking them: some errors appear only in a build.
    cases.pass("ui_static/pass/*.rs");
}
