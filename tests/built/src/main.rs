//! Compile errors that `cargo build` reports and `cargo check` does not.

#[path = "../../src/compilers.rs"]
pub mod compilers;

#[test]
fn errors_that_only_a_build_finds_are_shown_at_their_cause() {
    if compilers::has_sources() {
        println!("skipped: with the sources of the standard library the errors quote it");
        return;
    }
    compilers::compile_once();
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui_built/*.rs");
    // A passing case makes trybuild build all cases instead of only checking them.
    cases.pass("ui_built/pass/*.rs");
}
