use ecs_core::prelude::*;

struct State(u8);

#[system]
fn f(state: Local<State>) {}

fn main() {}

//~ Local<State>
