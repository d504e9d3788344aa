use ecs_core::prelude::*;

#[derive(SystemParam)]
enum Either<'w> {
    One(Res<'w, u32>),
}

#[derive(SystemParam)]
union Both<'w> {
    one: Res<'w, u32>,
}

#[derive(SystemParam)]
struct Generic<'w, P, Q> {
    p: P,
    q: Q,
    time: Res<'w, u32>,
}

#[derive(SystemParam)]
#[system_param(name = "x")]
struct Optioned<'w>(Res<'w, u32>);

#[system]
fn users_of_wrong_parameters_do_not_err(_either: Either<'_>, _option: Optioned<'_>) {}

fn main() {
    users_of_wrong_parameters_do_not_err(&World::new());
}

//~ enum
//~ union
//~ one: Res<'w, u32>
//~ p: P
//~ q: Q
//~ name
