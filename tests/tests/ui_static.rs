//! Compile errors of closed worlds, and code that must compile.

#[test]
fn errors_are_shown_at_their_cause() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui_static/*.rs");
    // A case that passes makes trybuild build all cases, not only check them: some errors are those of a build.
    cases.pass("ui_static/pass/*.rs");
}
