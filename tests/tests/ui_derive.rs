//! The mistakes that people make with derived parameters, derived queries and `#[systems]` blocks.

#[test]
fn mistakes_are_shown_where_they_are_made() {
    trybuild::TestCases::new().compile_fail("ui_derive/*.rs");
}
