//! The mistakes that people make, and what the compiler tells them.

#[test]
fn mistakes_are_shown_where_they_are_made() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
