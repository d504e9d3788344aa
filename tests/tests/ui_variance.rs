//! Coercions that must not compile: a handle of one type into a handle of its supertype, which is another component.

#[test]
fn handles_do_not_become_handles_of_a_supertype() {
    trybuild::TestCases::new().compile_fail("ui_variance/*.rs");
}
