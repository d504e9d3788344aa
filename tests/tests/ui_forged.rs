//! Safe code cannot forge handles of another type or the facts that the engine relies on.

use ecs_tests::compilers::compile_once;

#[test]
fn safe_code_cannot_forge_what_the_engine_relies_on() {
    compile_once();
    trybuild::TestCases::new().compile_fail("ui_forged/*.rs");
}
