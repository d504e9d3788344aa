//! Using a type makes it known: a program that has done nothing yet loads its own saves, without a list of types.
//!
//! Each test has a kind of place where a program can name a type, and two runs of the program: one that plays and saves, and
//! one that only starts. All run in one process, so the *world* has to know the types; it does not count that other parts of
//! the process have used a type.

use ecs_core::app::Last;
use ecs_core::data::{Loader, Prefab, PrefabPart};
use ecs_core::meta;
use ecs_core::prelude::*;
use ecs_core::schedule::NextState;
use ecs_core::system::{SystemHandle, meta as meta_of};
use ecs_core::toggle::TurnedOn;
use ecs_core::tree::{ChildOf, Name};
use ecs_core::world::hooks::{DeferredWorld, OnAdd, Trigger};
use serde::{Deserialize, Serialize};

/// Declares components that are data, under their own names.
macro_rules! components {
    ($($(#[$option:meta])* $name:ident)*) => {$(
        #[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        $(#[$option])*
        struct $name(u32);
    )*};
}

components! {
    #[component(data = "Plain")] Plain
    #[component(data = "Other")] Other
    #[component(data = "Leaf")] Leaf
    #[component(data = "Twig", require(Leaf))] Twig
    #[component(data = "Trunk", require(Twig, Other))] Trunk
    #[component(data = "Sparse", storage = "sparse", require(Leaf))] Sparse
    #[component(data = "Switch", toggle)] Switch
    #[component(data = "Tracked", track)] Tracked
}

/// Not data, and requires a component that is data.
#[derive(Component, Default)]
#[component(require(Leaf, Twig))]
struct Texture;

#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
#[component(data(Of<u8> = "Of<u8>", Of<u16> = "Of<u16>"), require(Leaf))]
struct Of<T: Send + Sync + Default + 'static>(T);

/// Generic, not data, and requires an instance of a generic type.
#[derive(Component, Default)]
#[component(require(Of<u16>))]
struct Wrapper<T: Send + Sync + Default + 'static>(T);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "Holds")]
struct Holds(u32);

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "Score")]
struct Score(u32);

#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "Hit")]
struct Hit(u32);

/// Saves the world of a program in each form of a save, and loads it into the world of a program that has only started.
#[track_caller]
fn loads(played: &World, begin: impl Fn() -> World) {
    let bytes = played.save().to_vec().unwrap();
    let mut new = begin();
    let (had, hash) = (new.len(), played.save().to_vec().unwrap());
    if let Err(error) = Loader::new().load_into(&mut new, &bytes[..]) {
        panic!("in columns: {error}");
    }
    assert_eq!(new.len(), had + played.len());
    let text = serde_json::to_string(&played.save()).unwrap();
    let mut new = begin();
    let mut json = serde_json::Deserializer::from_str(&text);
    if let Err(error) = Loader::new().deserialize(&mut new, &mut json) {
        panic!("as JSON: {error}\n{text}");
    }
    assert_eq!(new.save().to_vec().unwrap().len(), hash.len());
}

/// The names of the components and resources in the save of a world, each once.
fn saved(world: &World) -> Vec<String> {
    let text = serde_json::to_value(world.save()).unwrap();
    let mut names: Vec<String> = text["resources"]
        .as_object()
        .map_or(Vec::new(), |map| map.keys().cloned().collect());
    for entity in text["entities"].as_array().unwrap() {
        names.extend(entity.as_object().unwrap().keys().cloned());
    }
    names.sort();
    names.dedup();
    names
}

/// A schedule of one system, prepared for a world.
fn scheduled<M>(systems: impl IntoConfigs<M>) -> (World, Schedule) {
    let (mut world, mut frame) = (World::new(), Schedule::new());
    frame.add(systems);
    frame.prepare(&mut world).unwrap();
    (world, frame)
}

#[system]
fn grow(trunks: Query<&Trunk>) {
    let _ = trunks;
}

#[system]
fn draw(textures: Query<Entity, With<Texture>>) {
    let _ = textures;
}

#[system]
fn wrap(wrappers: Query<Entity, Or<(Changed<Tracked>, With<Wrapper<bool>>)>>) {
    let _ = wrappers;
}

#[test]
fn types_that_a_named_type_requires_are_known_at_any_depth() {
    let begin = || scheduled(grow).0;
    let mut world = begin();
    world.spawn(Trunk(1));
    assert_eq!(saved(&world), ["Leaf", "Other", "Trunk", "Twig"]);
    loads(&world, begin);
}

#[test]
fn so_are_those_that_a_type_requires_which_is_not_data_itself() {
    let begin = || scheduled(draw).0;
    let mut world = begin();
    world.spawn(Texture);
    assert_eq!(saved(&world), ["Leaf", "Twig"]);
    loads(&world, begin);
}

#[test]
fn so_are_instances_of_generic_types() {
    let begin = || scheduled(wrap).0;
    let mut world = begin();
    world.spawn((Wrapper(true), Tracked(1)));
    assert_eq!(saved(&world), ["Leaf", "Of<u16>", "Tracked"]);
    loads(&world, begin);
    let begin = || scheduled(|_: Query<Option<&Of<u8>>>| {}).0;
    let mut world = begin();
    world.spawn(Of(1_u8));
    loads(&world, begin);
}

#[test]
fn a_loader_knows_what_its_types_require() {
    let mut world = World::new();
    world.spawn(Trunk(1));
    let bytes = world.save().to_vec().unwrap();
    Loader::new().with::<Trunk>().load(&bytes[..]).unwrap();
    let error = Loader::new().with::<Twig>().load(&bytes[..]).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("which the loader does not know"), "{text}");
    for way in [
        "Commands<",
        "World::register",
        "Loader::with",
        "Prefab::register",
    ] {
        assert!(text.contains(way), "{way}: {text}");
    }
}

type Either = Or<(With<Plain>, With<Other>)>;

#[test]
fn filters_optional_parts_and_removals_name_types() {
    fn check<M, S: IntoConfigs<M>>(system: impl Fn() -> S, fill: impl Fn(&mut World)) {
        let begin = || scheduled(system()).0;
        let mut world = begin();
        fill(&mut world);
        assert!(!saved(&world).is_empty());
        loads(&world, begin);
    }
    let plain = |world: &mut World| _ = world.spawn(Plain(1));
    let tracked = |world: &mut World| _ = world.spawn(Tracked(1));
    check(|| |_: Query<Entity, With<Plain>>| {}, plain);
    check(|| |_: Query<Entity, Without<Plain>>| {}, plain);
    check(|| |_: Query<Entity, Either>| {}, plain);
    check(|| |_: Query<Option<&mut Plain>>| {}, plain);
    check(|| |_: Option<Single<&Plain>>| {}, plain);
    check(|| |_: Comp<Plain>| {}, plain);
    check(|| |_: ParamSet<(CompMut<Plain>, Comp<Plain>)>| {}, plain);
    check(|| |_: (Commands, (Comp<Plain>,))| {}, plain);
    check(|| |_: Removed<Tracked>| {}, tracked);
    check(|| |_: Query<Entity, Added<Tracked>>| {}, tracked);
    check(
        || |_: Query<Entity, TurnedOn<Switch>>| {},
        |world| {
            let entity = world.spawn(Switch(1));
            assert!(world.turn_off::<Switch>(entity));
        },
    );
    check(
        || |_: Query<&Switch>| {},
        |world| {
            let entity = world.spawn(Switch(1));
            assert!(world.turn_off::<Switch>(entity));
        },
    );
    check(|| |_: Comp<Sparse>| {}, |world| _ = world.spawn(Sparse(1)));
}

#[test]
fn both_ends_of_a_relation_name_it() {
    use ecs_core::relation::{Related, Sources, Target, Up};
    let relate = |world: &mut World| {
        let (a, b) = (world.spawn(()), world.spawn(()));
        world.relate(a, Holds(3), b).unwrap();
    };
    let begin = || scheduled(|_: Query<&Target<Holds>>| {}).0;
    let mut world = begin();
    relate(&mut world);
    loads(&world, begin);
    let begin = || scheduled(|_: Query<Entity, With<Sources<Holds>>>| {}).0;
    let mut world = begin();
    relate(&mut world);
    loads(&world, begin);
    let begin = || scheduled(|_: Query<Entity, Related<Holds, With<Trunk>>>| {}).0;
    let mut world = begin();
    relate(&mut world);
    world.spawn(Trunk(1));
    loads(&world, begin);
    let begin = || scheduled(|_: Query<Up<Holds, &Trunk>>| {}).0;
    let mut world = begin();
    relate(&mut world);
    world.spawn(Trunk(1));
    loads(&world, begin);
}

#[system]
fn strike(mut commands: Commands<(Trunk, Texture)>) {
    commands.spawn((Trunk(1), Texture));
    // Undeclared components can be spawned as well; another system names it.
    commands.spawn(Plain(1));
}

#[derive(Bundle, Default)]
struct Tree {
    trunk: Trunk,
    more: (Texture, Plain),
}

#[derive(SystemParam)]
struct Growth<'w> {
    commands: Commands<'w, Tree>,
    score: ResMut<'w, Score>,
}

#[system]
fn seed(mut growth: Growth<'_>) {
    growth.score.0 += 1;
    growth.commands.spawn(Tree::default());
}

/// Runs a schedule once and loads its world into one whose schedule has not run.
#[track_caller]
fn runs_and_loads<M, S: IntoConfigs<M>>(systems: impl Fn() -> S, names: &[&str]) {
    let begin = || {
        let (mut world, frame) = scheduled(systems());
        world.insert_resource(Score(1));
        (world, frame)
    };
    let (mut world, mut frame) = begin();
    frame.run(&mut world).unwrap();
    assert_eq!(saved(&world), names);
    loads(&world, || begin().0);
}

#[test]
fn declared_commands_name_types_and_take_others() {
    let all = ["Leaf", "Other", "Plain", "Trunk", "Twig"];
    runs_and_loads(|| (strike, |_: Comp<Plain>| {}), &all);
    let and_score = ["Leaf", "Other", "Plain", "Score", "Trunk", "Twig"];
    runs_and_loads(|| seed, &and_score);
    let closure = || |mut commands: Commands<(Tree, Switch)>| _ = commands.spawn(Tree::default());
    runs_and_loads(closure, &all);
    let plain = |mut commands: Commands<Plain>| {
        fn helper(commands: &mut Commands) {
            commands.spawn_empty();
        }
        helper(&mut commands.reborrow());
        commands.spawn(Plain(3)).insert(Name::new("named"));
    };
    runs_and_loads(|| plain, &["Plain", "ecs.name"]);
}

#[test]
fn declared_commands_are_in_the_metadata() {
    let of = |commands: Vec<meta::ConstTypeId>| -> Vec<&str> {
        commands.iter().map(|ident| ident.name()).collect()
    };
    assert_eq!(
        of(meta_of(&strike).commands()),
        ["Trunk", "data::known_types::Texture"]
    );
    assert_eq!(
        of(meta_of(&seed).commands()),
        ["Trunk", "data::known_types::Texture", "Plain"]
    );
    assert!(meta_of(&grow).commands().is_empty());
    assert_eq!(
        meta_of(&strike).access().count(),
        0,
        "commands access nothing"
    );
    assert!(meta_of(&strike).defers());
    assert!(!meta_of(&grow).defers());
}

#[test]
fn conditions_pipes_and_nested_schedules_name_types() {
    let condition = |found: Query<&Twig>| found.iter().count() == 0;
    let spawn = |mut commands: Commands| _ = commands.spawn(Twig(1));
    runs_and_loads(|| spawn.run_if(condition), &["Leaf", "Twig"]);
    #[system]
    fn one() -> u32 {
        1
    }
    #[system]
    fn spawn_n(n: u32, mut commands: Commands<Twig>) {
        commands.spawn(Twig(n));
    }
    runs_and_loads(|| one.pipe(spawn_n), &["Leaf", "Twig"]);
    let nested = || {
        let mut inner = Schedule::named("inner");
        inner.add((spawn, |_: Query<&mut Twig>| {}));
        let mut outer = Schedule::named("outer");
        outer.add(inner);
        outer
    };
    runs_and_loads(nested, &["Leaf", "Twig"]);
}

#[test]
fn schedules_that_a_world_keeps_name_types() {
    let begin = || {
        let (mut world, mut turn) = (World::new(), Schedule::new());
        turn.add(|mut commands: Commands<Trunk>| _ = commands.spawn(Trunk(1)));
        world.insert_schedule("turn", turn);
        world
    };
    let mut world = begin();
    world.run_schedule("turn").unwrap();
    loads(&world, begin);
}

#[test]
fn observers_and_their_parameters_name_types() {
    #[system]
    fn on_hit(_: Trigger<Hit>, mut commands: Commands<Twig>, mut score: ResMut<Score>) {
        score.0 += 1;
        commands.spawn(Twig(1));
    }
    let begin = || {
        let mut world = World::new();
        world.insert_resource(Score(0));
        world.observe(on_hit);
        world.observe(|_: OnAdd<Plain>, _: Query<&Of<u8>>| {});
        world.observe(|_: OnAdd<Trunk>, _: DeferredWorld<'_>| {});
        world
    };
    let mut world = begin();
    world.trigger(Hit(1));
    world.spawn((Plain(1), Of(1_u8), Trunk(1)));
    let names = ["Leaf", "Of<u8>", "Other", "Plain", "Score", "Trunk", "Twig"];
    assert_eq!(saved(&world), names);
    loads(&world, begin);
    let begin = || {
        let mut world = World::new();
        let button = world.spawn(());
        let observer =
            |_: Trigger<Hit>, mut commands: Commands<Other>| _ = commands.spawn(Other(1));
        world.observe_on(button, observer).unwrap();
        (world, button)
    };
    let (mut world, button) = begin();
    world.trigger_on(button, Hit(1)).unwrap();
    world.despawn(button).unwrap();
    let bytes = world.save().to_vec().unwrap();
    Loader::new().load_into(&mut begin().0, &bytes[..]).unwrap();
}

#[test]
fn registered_systems_name_types() {
    let begin = || {
        let mut world = World::new();
        world.insert_resource(Score(0));
        let handle: SystemHandle<(), ()> =
            world.register_system(|mut commands: Commands<Trunk>, mut score: ResMut<Score>| {
                score.0 += 1;
                commands.spawn(Trunk(1));
            });
        (world, handle)
    };
    let (mut world, handle) = begin();
    world.run_system(handle, ()).unwrap();
    assert_eq!(saved(&world), ["Leaf", "Other", "Score", "Trunk", "Twig"]);
    loads(&world, || begin().0);
}

#[test]
fn static_schedules_name_types_when_they_have_been_built() {
    schedule! {
        static FRAME = [grow, draw];
    }
    let begin = || {
        let mut world = World::new();
        FRAME.run(&mut world).unwrap();
        world
    };
    let mut world = begin();
    world.spawn((Trunk(1), Texture));
    loads(&world, begin);
    let begin = || {
        let mut world = World::new();
        FRAME.to_schedule().prepare(&mut world).unwrap();
        world
    };
    loads(&world, begin);
}

#[test]
fn dynamic_components_that_are_registered_are_known() {
    use ecs_core::dynamic::{DynamicComponent, FieldKind};
    let mana = DynamicComponent::new("known_types.mana")
        .field("now", FieldKind::U32)
        .register()
        .unwrap();
    let begin = || {
        let mut world = World::new();
        world.register_erased(mana);
        world
    };
    let mut world = begin();
    let entity = world.spawn(());
    world
        .insert_by_name(
            entity,
            "known_types.mana",
            &[("now", 3)].into_iter().collect(),
        )
        .unwrap();
    loads(&world, begin);
}

fn prefab() -> Prefab {
    let mut world = World::new();
    let root = world.spawn((Texture, Sparse(1)));
    world.spawn((Plain(2), ChildOf.to(root)));
    world.remove::<Texture>(root).unwrap();
    Prefab::from_tree::<ChildOf>(&world, root).unwrap()
}

#[test]
fn a_registered_prefab_names_types_and_so_does_a_copy_that_remembers_it() {
    let begin = || {
        let mut world = World::new();
        prefab().register(&mut world);
        world
    };
    let mut world = begin();
    prefab()
        .copies(2)
        .remembered("tree")
        .spawn(&mut world)
        .unwrap();
    assert_eq!(world.query::<&PrefabPart>().count(), 4);
    loads(&world, begin);
}

#[test]
fn events_that_are_registered_as_data_are_known() {
    let begin = || {
        let (mut world, mut frame) = (World::new(), Schedule::new());
        world.register_data_event::<Hit>();
        frame.add(|mut hits: EventWriter<Hit>| hits.send(Hit(3)));
        frame.prepare(&mut world).unwrap();
        (world, frame)
    };
    let (mut world, mut frame) = begin();
    frame.run(&mut world).unwrap();
    assert_eq!(saved(&world), ["Hit"]);
    loads(&world, || begin().0);
}

#[derive(SystemParam)]
struct Hits<'w> {
    hits: EventWriter<'w, Hit>,
}

#[test]
fn events_that_a_system_or_a_derived_parameter_names_are_known() {
    #[system]
    fn strike(mut hits: EventWriter<Hit>) {
        hits.send(Hit(3));
    }
    #[system]
    fn count(mut hits: EventReader<Hit>, mut score: ResMut<Score>) {
        score.0 += hits.read().map(|hit| hit.0).sum::<u32>();
    }
    #[system]
    fn strike_by(mut all: Hits<'_>) {
        all.hits.send(Hit(3));
    }
    // Other events are still events.
    #[system]
    fn ask(mut words: EventReader<&'static str>) {
        words.read().for_each(drop);
    }
    let begin = |add: &dyn Fn(&mut Schedule)| {
        let (mut world, mut frame) = (World::new(), Schedule::new());
        world.add_event::<Hit>();
        world.add_event::<&'static str>();
        world.insert_resource(Score(0));
        add(&mut frame);
        frame.prepare(&mut world).unwrap();
        (world, frame)
    };
    let forms: [&dyn Fn(&mut Schedule); 3] = [
        &|frame| _ = frame.add((strike, ask)),
        &|frame| _ = frame.add((ask, count)),
        &|frame| _ = frame.add(strike_by),
    ];
    for add in forms {
        let (mut world, mut frame) = begin(add);
        frame.run(&mut world).unwrap();
        world.send_event(Hit(4));
        assert!(saved(&world).contains(&"Hit".to_owned()));
        loads(&world, || begin(add).0);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Menu,
    Play,
}

/// An app with types of all kinds, each named in only one place.
fn app() -> App {
    #[system]
    fn spawn(mut commands: Commands<(Trunk, Texture)>) {
        commands.spawn((Trunk(1), Texture));
    }
    #[system]
    fn score(mut score: ResMut<Score>, mut next: ResMut<NextState<Phase>>) {
        score.0 += 1;
        next.set(Phase::Play);
    }
    fn plugin(app: &mut App) {
        app.insert_resource(Score(0))
            .add_state(Phase::Menu)
            .on_enter(Phase::Play, |mut commands: Commands<Other>| {
                commands.spawn(Other(1));
            })
            .add_systems(Startup, spawn)
            .add_systems(FixedUpdate, |_: Query<&Sparse>| {})
            .add_systems(Update, score.run_if(|_: Query<&Plain>| true))
            .add_schedule("turn")
            .add_systems("turn", |_: Query<&Switch>| {});
        app.observe(|_: Trigger<Hit>, mut commands: Commands<Of<u8>>| {
            commands.spawn(Of(1_u8));
        });
        app.world_mut().spawn(Name::new("from the plugin"));
        // After a request for the world.
        app.add_systems(Last, |_: Comp<Tracked>| {});
    }
    let mut app = App::new();
    app.add_plugin(plugin);
    app
}

#[test]
fn an_app_loads_its_autosave_before_its_first_frame() {
    let mut played = app();
    for _ in 0..3 {
        played.update_by(std::time::Duration::from_millis(20));
    }
    let world = played.world_mut();
    world.trigger(Hit(1));
    world.spawn((Sparse(1), Plain(1), Switch(1), Tracked(1)));
    let of_all = [
        "Leaf",
        "Of<u8>",
        "Other",
        "Plain",
        "Score",
        "Sparse",
        "Switch",
        "Toggle<Switch>",
        "Tracked",
        "Trunk",
        "Twig",
        "ecs.name",
    ];
    let saved = saved(world);
    for name in of_all {
        let is_there = saved.iter().any(|other| other.contains(name));
        assert!(is_there || name.starts_with("Toggle"), "{name}: {saved:?}");
    }
    let bytes = world.save().to_vec().unwrap();
    // A new app that was not built.
    let mut new = app();
    let loaded = Loader::new()
        .load_into(new.world_mut(), &bytes[..])
        .unwrap();
    assert_eq!(loaded.entities.len(), world.len());
    assert_eq!(*new.world().resource::<Score>(), *world.resource::<Score>());
    // An app that was built, and one that has run.
    let mut new = app();
    new.build().unwrap();
    Loader::new()
        .load_into(new.world_mut(), &bytes[..])
        .unwrap();
    new.update_by(std::time::Duration::from_millis(20));
    Loader::new()
        .load_into(new.world_mut(), &bytes[..])
        .unwrap();
    // An app that lost a system before.
    let mut new = app();
    #[system]
    fn more(_: Query<&Plain>) {}
    new.add_systems(Update, more);
    _ = new.world_mut();
    new.remove_systems(Update, more);
    new.add_systems(Update, |_: Query<&Of<u16>>| {});
    let mut other = World::new();
    other.spawn(Of(1_u16));
    let bytes = other.save().to_vec().unwrap();
    Loader::new()
        .load_into(new.world_mut(), &bytes[..])
        .unwrap();
}
