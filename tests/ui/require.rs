use ecs_core::prelude::*;

#[derive(Component, Default)]
struct Position(f32);

#[derive(Component)]
struct NoDefault(f32);

#[derive(Default)]
struct NoComponent;

#[derive(Component)]
#[component(require(Position(1.0)))]
struct Called;

#[derive(Component)]
#[component(require(Position, Position))]
struct Twice;

#[derive(Component)]
#[component(require((Position, NoDefault)))]
struct Tuple;

#[derive(Component)]
#[component(require = Position)]
struct Unparenthesised;

#[derive(Component)]
#[component(require(NoDefault))]
struct Undefaulted;

#[derive(Component)]
#[component(require(NoComponent))]
struct Undeclared;

#[derive(Component)]
#[component(require(Position = 1.0))]
struct Mistyped;

#[derive(Component)]
#[component(storage = "sparse", immediate, require(Position))]
struct Immediate;

#[derive(Component)]
#[component(require(Position::default()))]
struct Function;

struct Neither;

#[derive(Component)]
#[component(require(Neither))]
struct WithoutBoth;

fn main() {}

//~ #[component(require(Position(1.0)))]
//~ #[component(require(Position, Position))]
//~ (Position, NoDefault)
//~ require =
//~ #[component(require(NoDefault))]
//~ #[component(require(NoComponent))]
//~ Position = 1.0
//~ immediate, require(Position))]
//~ Position::default
//~ #[component(require(Neither))]
