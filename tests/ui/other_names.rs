//! Names that other libraries have for methods and types.

use ecs_core::prelude::*;
use ecs_core::schedule::State;
use ecs_core::schedule::conditions::resource_exists;

#[derive(Component)]
struct Position(f32);
struct Hit;
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Screen {
    Menu,
}

#[system]
fn read(mut hits: EventReader<Hit>) -> usize {
    hits.iter().count()
}

#[system]
fn write(mut hits: EventWriter<Hit>) {
    hits.write(Hit);
}

#[system]
fn add(mut commands: Commands) {
    commands.add(|world: &mut World| world.clear());
}

#[system]
fn families(root: Entity, mut commands: Commands) {
    commands.entity(root).despawn_recursive();
    let child = commands.spawn(Position(0.0)).with(Position(1.0)).id();
    let position = commands.get::<Position>(child).unwrap();
}

#[system]
fn one(mut query: Query<&mut Position>) {
    let Ok(mut position) = query.get_single_mut() else {
        return;
    };
    position.0 += 1.0;
    for position in query.par_iter_mut() {
        position.0 += 1.0;
    }
}

#[system]
fn start(mut screen: ResMut<State<Screen>>, all: Comp<Position>) {
    screen.set(Screen::Menu);
    for (id, position) in all.iter().with_id() {}
}

#[system]
fn order(mut positions: Query<&mut Position>) {
    for [one, other] in positions.iter_combinations_mut() {}
    for position in positions.iter().sort_by_key(|position| position.0 as i32) {}
}

fn messages(hits: MessageReader<Hit>) {}

fn main() {
    App::new().add_systems(OnEnter(Screen::Menu), one);
    App::new().init_state::<Screen>();
    App::new().spawn(Position(0.0));
    App::new().add_system(one).update();
    let mut world = World::new();
    let entity = world.spawn(Position(0.0)).id();
    world.init_resource::<Screen>();
    world.progress();
    for position in &world.query::<&Position>().without::<&Screen>() {
        drop(position.0);
    }
    world.save().to_file("game.save").unwrap();
    App::new().add_plugin(Hit);
    App::new().add_systems(Update, one.run_if(resource_exists::<u32>));
    world.create_entity().with(Position(0.0)).build();
    world.resource_scope(|world, screen: Mut<Screen>| drop(screen));
    Schedule::new().add_systems(one);
}

//~ hits.iter()
//~ hits.write(Hit)
//~ commands.add(
//~ entity(root).despawn_recursive()
//~ .with(Position(1.0)).id()
//~ commands.get::<Position>
//~ get_single_mut
//~ par_iter_mut
//~ screen.set(
//~ with_id
//~ iter_combinations_mut
//~ sort_by_key
//~ MessageReader
//~ OnEnter(Screen::Menu)
//~ init_state::<Screen>
//~ App::new().spawn
//~ add_system(one)
//~ Position(0.0)).id()
//~ init_resource
//~ progress
//~ without::<&Screen>
//~ to_file
//~ add_plugin(Hit)
//~ resource_exists::<u32>
//~ create_entity
//~ resource_scope
//~ Schedule::new().add_systems
