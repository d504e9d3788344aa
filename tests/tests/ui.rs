//! Compile errors of components, bundles, systems and schedules.

#[test]
fn errors_are_shown_at_their_cause() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*.rs");
    cases.pass("ui/pass/*.rs");
}
