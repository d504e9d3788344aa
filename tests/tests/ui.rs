//! Compile errors of components, bundles, systems and schedules.

use ecs_tests::has_sources;
use ecs_tests::packages::compile_once;

#[test]
fn errors_are_shown_at_their_cause() {
    compile_once();
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}

#[test]
fn errors_that_only_a_build_finds_are_shown_at_their_cause() {
    compile_once();
    if has_sources() {
        println!("skipped: with the sources of the standard library the errors quote it");
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui_built/*.rs");
    // A passing case makes trybuild build all cases instead of only checking them.
    cases.pass("ui_built/pass/*.rs");
}
