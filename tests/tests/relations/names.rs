//! Names of entities, paths, and the relation `ChildOf`.

use std::fmt::Write as _;

use ecs_core::data::Loader;
use ecs_core::prelude::*;
use ecs_core::relation::{RelateError, Sources};
use ecs_core::tree::{ChildOf, Name, children};
use proptest::prelude::*;

fn ship() -> impl Bundle {
    (
        Name::new("ship"),
        children![
            (Name::new("turret"), children![Name::new("barrel")]),
            Name::new("engine"),
            children![Name::new("hidden")],
            Name::new("turret"),
        ],
    )
}

fn children_of(world: &World, parent: Entity) -> Vec<Entity> {
    let children = world.get::<Sources<ChildOf>>(parent);
    children.map_or(Vec::new(), |children| children.to_vec())
}

#[test]
fn a_path_leads_to_an_entity_and_back() {
    let mut world = World::new();
    let root = world.spawn(ship());
    let [first, engine, nameless, _] = *children_of(&world, root) else {
        panic!("there are four");
    };
    assert_eq!(world.find("ship"), Ok(root));
    assert_eq!(world.find("ship/engine"), Ok(engine));
    assert_eq!(world.find("ship/turret"), Ok(first));
    let barrel = children_of(&world, first)[0];
    assert_eq!(world.find("ship/turret/barrel"), Ok(barrel));
    assert_eq!(
        world.entity(root).unwrap().find("turret/barrel"),
        Ok(barrel)
    );
    assert_eq!(world.path_of(barrel).unwrap(), "ship/turret/barrel");

    let hidden = children_of(&world, nameless)[0];
    assert_eq!(world.path_of(hidden), None);
    assert_eq!(world.entity(nameless).unwrap().find("hidden"), Ok(hidden));
    assert_eq!(world.named("hidden"), [hidden]);
    assert_eq!(world.named("turret").len(), 2);
}

#[test]
fn a_path_goes_on_with_all_entities_that_fit() {
    let mut world = World::new();
    let [first, second] = [(); 2].map(|()| world.spawn(Name::new("ship")));
    let other = world.spawn((Name::new("engine"), ChildOf.to(second)));
    assert_eq!(world.find("ship"), Ok(first));
    assert_eq!(world.find("ship/engine"), Ok(other));
    let engine = world.spawn((Name::new("engine"), ChildOf.to(first)));
    assert_eq!(world.find("ship/engine"), Ok(engine));
}

#[test]
fn an_error_says_how_far_the_path_goes_and_what_is_there() {
    let mut world = World::new();
    let message = |world: &World, path| world.find(path).unwrap_err().to_string();
    assert_eq!(
        message(&world, "ship"),
        "no entity without a parent has the name `ship`; help: insert a `Name`: none there has one"
    );
    let root = world.spawn(ship());
    assert_eq!(
        message(&world, "shp/engine"),
        "no entity without a parent has the name `shp`; help: there is `ship`"
    );
    assert_eq!(
        message(&world, "ship/turet/barrel"),
        "no child of `ship` has the name `turet`; help: the closest names are `turret`, `engine`"
    );
    assert_eq!(
        message(&world, "ship/turret/barel"),
        "no child of `ship/turret` has the name `barel`; help: there is `barrel`"
    );
    assert_eq!(
        message(&world, "ship/engine/"),
        "no child of `ship/engine` has the name ``; help: insert a `Name`: none there has one"
    );
    let from = |path| world.entity(root).unwrap().find(path).unwrap_err();
    assert_eq!(
        from("turet").to_string(),
        format!(
            "no child of `ship ({root})` has the name `turet`; help: the closest names are `turret`, `engine`"
        )
    );
    let error = from("turret/barel");
    assert_eq!(error.parent, Some(format!("ship ({root})/turret")));
    assert_eq!(
        (error.name.as_str(), &*error.closest),
        ("barel", &["barrel".to_owned()][..])
    );
    assert_eq!(
        message(&world, ""),
        "no entity without a parent has the name ``; help: there is `ship`"
    );
}

#[test]
fn an_error_lists_the_three_closest_names_once_each() {
    let mut world = World::new();
    for name in [
        "far away", "part 12", "part 1", "part 1", "part", "part 123",
    ] {
        world.spawn(Name::new(name));
    }
    let error = world.find("part 13").unwrap_err();
    assert_eq!(error.closest, ["part 12", "part 1", "part 123"]);
}

#[test]
fn an_entity_is_printed_with_its_name_if_it_has_one() {
    let mut world = World::new();
    let ship = world.spawn(Name::new("ship"));
    let other = world.spawn(());
    let print = |world: &World, entity| format!("{0} {0:?}", world.display(entity));
    assert_eq!(print(&world, ship), format!("ship ({ship}) ship ({ship})"));
    assert_eq!(print(&world, other), format!("{other} {other}"));
    {
        let mut names = world.view_mut::<Name>();
        assert_eq!(
            print(&world, ship),
            format!("{ship} {ship}"),
            "names are being written"
        );
        *names.get_mut(ship).unwrap() = Name::from("boat".to_owned());
    }
    assert_eq!(print(&world, ship), format!("boat ({ship}) boat ({ship})"));
    world.despawn(ship).unwrap();
    assert_eq!(print(&world, ship), format!("{ship} {ship}"));
}

#[test]
fn children_are_moved_with_what_is_below_them() {
    let mut world = World::new();
    let root = world.spawn(ship());
    let turret = world.find("ship/turret").unwrap();
    let dock = world.spawn(Name::new("dock"));
    world.entity_mut(turret).unwrap().reparent(dock).unwrap();
    assert!(world.find("dock/turret/barrel").is_ok());
    let barrel = world.find("dock/turret/barrel").unwrap();
    let refused = world.entity_mut(dock).unwrap().reparent(barrel).map(|_| ());
    assert!(matches!(refused, Err(RelateError::Cycle { .. })));
    assert!(
        world.find("dock/turret/barrel").is_ok(),
        "nothing has changed"
    );

    let engine = world.find("ship/engine").unwrap();
    let mut handle = world.entity_mut(dock).unwrap();
    handle.insert_children_at(0, &[engine, barrel]).unwrap();
    assert_eq!(children_of(&world, dock), [engine, barrel, turret]);

    world.detach::<ChildOf>(turret).unwrap();
    assert_eq!(world.find("turret"), Ok(turret));
    world.despawn(root).unwrap();
    assert!(world.contains(engine) && world.named("ship").is_empty());
    assert!(
        world.named("hidden").is_empty(),
        "despawned with its parents"
    );
}

#[test]
fn commands_build_and_move_children() {
    #[system]
    fn build(mut commands: Commands) {
        let mut dock = commands.spawn(Name::new("dock"));
        let mut boat = dock.id();
        dock.with_children(|dock| {
            dock.spawn(Name::new("crane"));
            boat = dock
                .spawn((Name::new("boat"), children![Name::new("oar")]))
                .id();
        });
        let dock = dock.id();
        commands.entity(dock).insert_children_at(0, &[boat]);
        let crew = commands.spawn(Name::new("crew")).reparent(boat).id();
        commands.entity(crew).reparent(crew); // refused
        commands
            .spawn((Name::new("gull"), ChildOf.to(boat)))
            .detach::<ChildOf>();
    }
    let mut world = World::new();
    world.run(build);
    let dock = world.find("dock").unwrap();
    let names = children_of(&world, dock)
        .into_iter()
        .map(|child| world.path_of(child).unwrap());
    assert!(names.eq(["dock/boat", "dock/crane"]));
    for path in ["dock/boat/oar", "dock/boat/crew", "gull"] {
        assert!(world.find(path).is_ok(), "{path}");
    }
}

#[test]
fn names_and_children_are_data() {
    let mut world = World::new();
    let root = world.spawn(ship());
    for copy in [
        saved(&world, true),
        saved(&world, false),
        world.try_clone().unwrap(),
    ] {
        assert!(copy.find("ship/turret/barrel").is_ok());
        let root = copy.find("ship").unwrap();
        assert_eq!(children_of(&copy, root).len(), 4);
        copy.check_invariants();
    }
    let mut copy = world.try_clone().unwrap();
    assert_eq!(copy.hash().unwrap(), world.hash().unwrap());
    copy.insert(root, Name::new("boat")).unwrap();
    assert_ne!(copy.hash().unwrap(), world.hash().unwrap());
    let diff = world.diff(&copy).unwrap().to_string();
    assert!(diff.contains("ecs.name") && diff.contains("boat"), "{diff}");
    let name = world.get_by_name(root, "ecs.name").unwrap();
    assert_eq!(name, Some(ecs_core::data::Value::from("ship")));
    assert_eq!(
        format!("{:?}", *world.get::<Name>(root).unwrap()),
        "Name(\"ship\")"
    );
}

/// Saves a world and loads it into a new one.
fn saved(world: &World, is_text: bool) -> World {
    let loader = Loader::new();
    if !is_text {
        let bytes = world.save().to_vec().unwrap();
        return loader.load(&bytes[..]).unwrap();
    }
    let text = serde_json::to_string(&world.save()).unwrap();
    assert!(
        text.contains("ecs.name") && text.contains("ecs.child_of"),
        "{text}"
    );
    let mut copy = World::new();
    let mut json = serde_json::Deserializer::from_str(&text);
    loader.deserialize(&mut copy, &mut json).unwrap();
    copy
}

/// The parent of each entity, an earlier one, and its name.
fn forest() -> impl Strategy<Value = Vec<(Option<usize>, Option<u8>)>> {
    let node = (
        proptest::option::of(any::<prop::sample::Index>()),
        proptest::option::weighted(0.9, 0..3_u8),
    );
    proptest::collection::vec(node, 1..16).prop_map(|nodes| {
        let node = |(at, (parent, name)): (usize, (Option<prop::sample::Index>, _))| {
            (
                parent.filter(|_| at > 0).map(|parent| parent.index(at)),
                name,
            )
        };
        nodes.into_iter().enumerate().map(node).collect()
    })
}

proptest! {
    #[test]
    fn the_first_of_all_entities_with_a_path_is_found(nodes in forest()) {
        let mut world = World::new();
        let mut entities: Vec<Entity> = Vec::new();
        let mut paths: Vec<Option<String>> = Vec::new();
        // The positions of the entity and its ancestors in their lists, which order entities with the same path.
        let mut places: Vec<Vec<usize>> = Vec::new();
        for (at, &(parent, name)) in nodes.iter().enumerate() {
            let entity = world.spawn(());
            let mut path = Some(String::new());
            let mut place = Vec::new();
            if let Some(parent) = parent {
                world.relate(entity, ChildOf, entities[parent]).unwrap();
                path = paths[parent].clone().map(|path| path + "/");
                place.clone_from(&places[parent]);
            }
            place.push(at);
            if let Some(name) = name {
                world.insert(entity, Name::new(format!("n{name}"))).unwrap();
            }
            let path = path.zip(name).map(|(mut path, name)| {
                write!(path, "n{name}").unwrap();
                path
            });
            entities.push(entity);
            paths.push(path);
            places.push(place);
        }
        for (at, path) in paths.iter().enumerate() {
            prop_assert_eq!(&world.path_of(entities[at]), path);
            let Some(path) = path else {
                continue;
            };
            let same = (0..nodes.len()).filter(|&other| paths[other].as_ref() == Some(path));
            let first = same.min_by_key(|&other| &places[other]).unwrap();
            prop_assert_eq!(world.find(path), Ok(entities[first]));
            let missing = format!("{path}/none");
            let parent = world.find(&missing).unwrap_err().parent;
            prop_assert_eq!(parent.as_ref(), Some(path));
        }
    }
}
