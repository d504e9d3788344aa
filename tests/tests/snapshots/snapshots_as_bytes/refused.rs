//! The parts of a snapshot that cannot be written, and bytes that another program has written.

use ecs_core::data::{ReadSnapshotError, WriteSnapshotError};
use ecs_core::snapshot::{RestoreError, Snapshot};

use super::*;

#[test]
fn a_type_that_is_no_data_is_refused_by_name() {
    #[derive(Component, Clone)]
    struct Handle;
    #[derive(Resource, Clone)]
    struct Window;
    #[derive(Default, Clone)]
    struct Secret;
    #[system]
    fn secretive(_secret: Local<Secret>) {}
    let (mut world, mut sim) = (World::new(), Schedule::new());
    world.insert_resource(Window);
    world.spawn(Handle);
    sim.add(secretive);
    sim.prepare(&mut world).unwrap();
    let snapshotter = Snapshotter::new().component::<Handle>().local::<Secret>();
    let snapshotter = snapshotter.resource::<Window>();
    let snapshot = snapshotter.take_with(&mut world, &mut [&mut sim]).unwrap();
    let error = snapshot.to_bytes().unwrap_err();
    let path = "snapshots::snapshots_as_bytes::refused::a_type_that_is_no_data_is_refused_by_name";
    let lines = error.to_string();
    for line in [
        format!("the component `{path}::Handle` is not data"),
        format!("the resource `{path}::Window` is not data"),
        format!("secretive` remembers a `{path}::Secret`, which is not data"),
        "help: give the component a name".to_owned(),
        "help: give the resource a name".to_owned(),
        "help: name the type of a `Local` in `local_data`".to_owned(),
    ] {
        assert!(lines.contains(&line), "{line}\n{lines}");
    }
    assert!(
        matches!(error, WriteSnapshotError::NoData { components, .. } if components.len() == 1)
    );
    // Without values they are no problem.
    let mut world = World::new();
    world.register::<Handle>();
    snapshotter.take(&mut world).unwrap().to_bytes().unwrap();
}

#[test]
fn parts_of_a_world_are_refused() {
    let (mut world, sim) = game();
    let partial = Err(WriteSnapshotError::Partial);
    assert_eq!(Snapshot::new().to_bytes(), partial);
    let some = snapshotter().entities::<With<Tag>>();
    assert_eq!(some.take(&mut world).unwrap().to_bytes(), partial);
    let mut fall = Schedule::new();
    fall.add(push);
    let written = snapshotter().only_written_by(fall.plan().unwrap());
    assert_eq!(written.take(&mut world).unwrap().to_bytes(), partial);
    drop(sim);
}

#[test]
fn bytes_are_for_the_same_schedules() {
    let (mut world, mut sim) = game();
    let bytes = bytes_of(&mut world, &mut sim);
    let snapshotter = snapshotter();
    let mut snapshot = snapshotter.read_bytes(&world, &bytes).unwrap();
    let refused = Err(RestoreError::OtherSchedules);
    assert_eq!(snapshotter.restore(&mut world, &mut snapshot), refused);
    // The same memories, by another name.
    #[system]
    fn ticking(_texts: Query<Entity, Changed<Text>>) {}
    #[system]
    fn tocking(_texts: Query<Entity, Changed<Text>>) {}
    let prepared = |world: &mut World, is_first: bool| {
        let mut schedule = Schedule::new();
        match is_first {
            true => schedule.add(ticking),
            false => schedule.add(tocking),
        };
        schedule.prepare(world).unwrap();
        schedule
    };
    let [mut one, mut other] = [true, false].map(|is_first| prepared(&mut world, is_first));
    let snapshot = snapshotter.take_with(&mut world, &mut [&mut one]).unwrap();
    let mut snapshot = snapshotter
        .read_bytes(&world, &snapshot.to_bytes().unwrap())
        .unwrap();
    let returned = snapshotter.restore_with(&mut world, &mut [&mut other], &mut snapshot);
    assert_eq!(returned, refused);
    let returned = snapshotter.restore_with(&mut world, &mut [&mut one], &mut snapshot);
    assert_eq!(returned, Ok(()));
}

#[test]
fn a_world_that_does_not_know_a_type_refuses_it_by_name() {
    #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
    #[resource(data = "bytes.only_here")]
    struct OnlyHere;
    let mut world = World::new();
    world.register_data_resource::<OnlyHere>();
    world.insert_resource(OnlyHere);
    let bytes = Snapshotter::new()
        .take(&mut world)
        .unwrap()
        .to_bytes()
        .unwrap();
    let name = "bytes.only_here".to_owned();
    let mut other = World::new();
    let error = Snapshotter::new().read_bytes(&other, &bytes).unwrap_err();
    assert_eq!(error, ReadSnapshotError::UnknownResource { name });
    assert!(
        error
            .to_string()
            .contains("`bytes.only_here`; help: call `register_data_resource`")
    );
    other.register_data_resource::<OnlyHere>();
    Snapshotter::new().read_bytes(&other, &bytes).unwrap();

    let (mut world, mut sim) = game();
    let bytes = bytes_of(&mut world, &mut sim);
    let error = Snapshotter::new().read_bytes(&world, &bytes).unwrap_err();
    assert!(
        matches!(&error, ReadSnapshotError::UnknownMemory { system, .. } if system.ends_with("count"))
    );
    assert!(
        error
            .to_string()
            .contains("help: name the type in `Snapshotter::local_data`")
    );
}

#[test]
fn a_value_that_cannot_be_written_is_refused() {
    #[derive(Component, Clone, Debug, Deserialize)]
    #[component(data = "bytes.failing")]
    struct Failing;
    impl Serialize for Failing {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("not today"))
        }
    }
    let mut world = World::new();
    world.spawn(Failing);
    let error = Snapshotter::new()
        .take(&mut world)
        .unwrap()
        .to_bytes()
        .unwrap_err();
    assert!(
        matches!(
            error,
            WriteSnapshotError::Value {
                name: "bytes.failing",
                ..
            }
        ),
        "{error}"
    );
    assert!(error.to_string().contains("not today"), "{error}");
}

mod names {
    use super::*;

    /// The first and the second type of one name.
    pub(super) mod first {
        use super::*;

        #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[component(data = "bytes.twice")]
        pub(crate) struct Twice(pub(crate) u32);
    }

    pub(super) mod second {
        use super::*;

        #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[component(data = "bytes.twice")]
        pub(crate) struct Twice(pub(crate) u32);
    }

    const PATH: &str = "snapshots::snapshots_as_bytes::refused::names";

    fn says_both(message: &str) -> bool {
        let both = format!("`bytes.twice`: `{PATH}::first::Twice` and `{PATH}::second::Twice`");
        message.contains(&both) && message.contains("help: give one of them another name")
    }

    #[test]
    fn of_two_types_with_a_name_the_one_counts_that_the_world_knows() {
        let mut world = World::new();
        let hero = world.spawn(first::Twice(7));
        let snapshotter = Snapshotter::new();
        let bytes = snapshotter.take(&mut world).unwrap().to_bytes().unwrap();
        // The process gets to know the other one.
        World::new().register::<second::Twice>();

        let mut other = World::new();
        let error = snapshotter.read_bytes(&other, &bytes).unwrap_err();
        assert!(matches!(error, ReadSnapshotError::SameName(_)));
        assert!(says_both(&error.to_string()), "{error}");
        assert!(error.to_string().contains("`World::register`"), "{error}");

        other.register::<first::Twice>();
        let mut snapshot = snapshotter.read_bytes(&other, &bytes).unwrap();
        snapshotter.restore(&mut other, &mut snapshot).unwrap();
        assert_eq!(*other.get::<first::Twice>(hero).unwrap(), first::Twice(7));
        snapshotter.read_bytes(&world, &bytes).unwrap();

        other.register::<second::Twice>();
        let error = snapshotter.read_bytes(&other, &bytes).unwrap_err();
        assert!(matches!(error, ReadSnapshotError::SameName(_)));
    }

    #[test]
    fn a_world_of_two_types_with_a_name_cannot_be_written() {
        let mut world = World::new();
        world.spawn((first::Twice(1), second::Twice(2)));
        let snapshot = Snapshotter::new().take(&mut world).unwrap();
        let error = snapshot.to_bytes().unwrap_err();
        assert!(matches!(error, WriteSnapshotError::SameName(_)));
        assert!(says_both(&error.to_string()), "{error}");
        // Saves and names say the same.
        let error = world.save().to_vec().unwrap_err().to_string();
        assert!(says_both(&error), "{error}");
        let hero = world.query::<Entity>().iter().next().unwrap();
        let error = world.get_by_name(hero, "bytes.twice").unwrap_err();
        assert!(says_both(&error.to_string()), "{error}");
        let error = World::new().diff(&world).unwrap_err();
        assert!(says_both(&error.to_string()), "{error}");
    }
}
