//! What safe code cannot forge: a handle of another type than it was made for, and what the engine takes for the truth.

#[test]
fn what_the_engine_relies_on_cannot_be_forged_by_safe_code() {
    trybuild::TestCases::new().compile_fail("ui_forged/*.rs");
}
