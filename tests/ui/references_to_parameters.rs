use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Time;

#[system]
fn commands(commands: &mut Commands) {
    commands.queue(|_: &mut World| {});
}

#[system]
fn commands_late(_time: Res<Time>, _commands: &Commands) {}

#[system]
fn query(_query: &mut Query<&mut Position>) {}

#[system]
fn view(view: &mut Comp<Position>) {
    for position in view.iter() {
        let _ = position.0;
    }
}

#[system(for_each)]
fn each(_position: &Position, _commands: &mut Commands) {}

#[system]
fn text(_time: Res<Time>, _name: &str) {}

#[system]
fn number(_time: Res<Time>, _number: &mut u32) {}

#[system]
fn entity(_time: Res<Time>, _entity: Entity) {}

#[system]
fn component(_position: &Position) {}

// The caller can supply anything.
#[system]
fn helper(#[arg] _commands: &mut Commands, #[arg] _position: &mut Position, _time: Res<Time>) {}

fn main() {}

//~ fn commands(commands: &mut Commands) {
//~ &Commands
//~ &mut Query<&mut Position>
//~ &mut Comp<Position>
//~ fn each(_position: &Position, _commands: &mut Commands) {}
//~ &str
//~ &mut u32
//~ Entity
//~ fn component(_position: &Position) {}
