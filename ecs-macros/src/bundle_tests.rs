use crate::tokens::{check, code_of};

#[test]
fn fields_are_visited_in_order() {
    let parts = "
        struct Unit { a: A, b: (B, C)}
            < A as :: ecs_core :: __private :: Bundle > :: COMPONENTS , < (B , C) as
            ! compile_error";
    check(code_of(super::expand), parts);
}
