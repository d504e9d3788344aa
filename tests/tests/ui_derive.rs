//! Compile errors of derived parameters, derived queries and `#[systems]` blocks.

#[test]
fn errors_are_shown_at_their_cause() {
    trybuild::TestCases::new().compile_fail("ui_derive/*.rs");
}
