//! The mistakes that people make, and what the compiler tells them.

#[test]
fn mistakes_are_shown_where_they_are_made() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*.rs");
    cases.pass("ui/pass/*.rs");
}
