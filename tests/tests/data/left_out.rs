//! The list of everything that a save leaves out because it is not data.

use ecs_core::command::Delay;
use ecs_core::prelude::*;
use ecs_core::relation::Target;
use ecs_core::schedule::FrameTime;
use ecs_core::task::Tasks;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "left_out.known")]
struct Known(u8);

#[derive(Component)]
struct Texture;

#[derive(Component)]
#[component(storage = "sparse")]
struct Sound;

#[derive(Relation)]
struct Watches;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "left_out.near")]
struct Near;

#[derive(Resource)]
struct Socket;

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "left_out.score")]
struct Score(u32);

fn names(list: &[&'static str]) -> Vec<&'static str> {
    let last = |name: &&'static str| name.rsplit("::").next().unwrap_or_default();
    list.iter().map(last).collect()
}

#[test]
fn a_save_lists_what_it_leaves_out_because_it_is_no_data() {
    let mut world = World::new();
    assert!(world.save().left_out().is_empty());
    let a = world.spawn((Known(1), Texture));
    let b = world.spawn((Known(2), Sound, Near.to(a)));
    world.register_data_resource::<Score>();
    world.insert_resource(Score(1));
    world.insert_resource(FrameTime::default());
    world.insert_resource(Socket);
    let left_out = world.save().left_out();
    assert_eq!(names(&left_out.components), ["Texture", "Sound"]);
    assert_eq!(names(&left_out.resources), ["Socket"]);
    assert!(left_out.delayed.is_empty() && left_out.tasks == 0);

    // Of the saved entities alone, and nothing that was left out on request.
    let part = world.save().only([b]).left_out();
    assert_eq!(names(&part.components), ["Sound"]);
    let part = world
        .save()
        .without::<Sound>()
        .without_resources()
        .left_out();
    assert_eq!(names(&part.components), ["Texture"]);
    assert!(part.resources.is_empty());

    // A relation by the component of its sources.
    world.relate(a, Watches, b).unwrap();
    let left_out = world.save().left_out();
    assert_eq!(left_out.components.len(), 3);
    let target = std::any::type_name::<Target<Watches>>();
    let known = left_out.components[2];
    assert!(known.contains("Watches"), "{known}, not {target}");
    world.remove::<Texture>(a).unwrap();
    world.remove::<Sound>(b).unwrap();
    assert_eq!(world.save().left_out().components.len(), 1);
}

#[test]
fn delayed_functions_are_listed_with_their_places_and_gone_after_a_load() {
    #[system]
    fn later(mut commands: Commands) {
        commands.delay(Delay::Runs(5), |world| _ = world.spawn(Known(9)));
    }
    let mut world = World::new();
    later(&world);
    world.flush();
    let line = line!() + 1;
    world.delay(Delay::Runs(3), |world| _ = world.spawn(Known(8)));
    let left_out = world.save().left_out();
    let lines = [line, line - 6];
    for (function, line) in left_out.delayed.iter().zip(lines) {
        assert_eq!((function.at.file(), function.at.line()), (file!(), line));
    }
    assert_eq!(left_out.delayed.len(), 2);
    assert!(left_out.delayed[1].name.contains("later"), "{}", left_out);
    assert!(
        left_out
            .to_string()
            .contains(&format!("from {}:{}:", file!(), lines[0]))
    );
    let bytes = world.save().to_vec().unwrap();
    let loaded = ecs_core::data::Loader::new()
        .types_of(&world)
        .load(&bytes[..]);
    assert!(loaded.unwrap().save().left_out().is_empty());
}

#[test]
fn running_tasks_are_counted() {
    let mut world = World::new();
    world.insert_resource(Tasks::default());
    let promise = world
        .resource_mut::<Tasks>()
        .promise(|world, number: Result<u8, _>| _ = world.spawn(Known(number.unwrap())));
    assert_eq!(world.save().left_out().tasks, 1);
    promise.keep(7);
    world.flush_tasks();
    assert_eq!(world.save().left_out().tasks, 0);
    assert_eq!(world.query::<&Known>().single().unwrap().0, 7);
}
