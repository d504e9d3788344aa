//! The mistakes that people make with closed worlds, and what the compiler tells them; and code around them that must
//! not be one.

#[test]
fn mistakes_are_shown_where_they_are_made() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui_static/*.rs");
    // A case that passes makes all be built, not only checked: some mistakes show only there.
    cases.pass("ui_static/pass/*.rs");
}
