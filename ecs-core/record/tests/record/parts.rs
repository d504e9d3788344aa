//! Hashes of parts of a world: each value is in one of them.

use ecs_core::relation::Sources;
use ecs_core::tree::ChildOf;

use super::*;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "parts.rank")]
struct Rank(u32);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "parts.likes", many)]
struct Likes(u32);

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "parts.gold")]
struct Gold(u32);

/// The change that one of two builds makes to the world, once.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
enum Planted {
    Nothing,
    Component(u32),
    Sparse(u32),
    Edge(u32),
    Parent(u32),
    Resource,
    Entity,
    /// Another order of the children of a parent.
    Order,
}

const ENTITIES: u32 = 300;
/// The frame of the difference, by the number that systems see.
const FRAME: u64 = 40;

#[system]
fn plant(
    mut ranks: Query<(Entity, &mut Rank)>,
    mut sparks: Query<(Entity, &mut Spark)>,
    mut gold: ResMut<Gold>,
    planted: Res<Planted>,
    time: Res<Time>,
    mut commands: Commands,
) {
    if time.frame() != FRAME {
        return;
    }
    let ids: Vec<Entity> = ranks.iter().map(|(entity, _)| entity).collect();
    match *planted {
        Planted::Nothing => {}
        Planted::Component(at) => {
            let (_, rank) = (&mut ranks).into_iter().nth(at as usize).unwrap();
            rank.0 += 1;
        }
        Planted::Sparse(at) => {
            let (_, spark) = (&mut sparks).into_iter().nth(at as usize).unwrap();
            spark.0 += 1;
        }
        Planted::Edge(at) => {
            commands.relate(ids[at as usize], Likes(9), ids[0]);
        }
        Planted::Parent(at) => {
            commands.relate(ids[at as usize], ChildOf, ids[1]);
        }
        Planted::Resource => gold.0 += 1,
        Planted::Entity => drop(commands.spawn(())),
        Planted::Order => {
            // The first child goes away, and comes back as the last one.
            commands.relate(ids[2], ChildOf, ids[1]);
            commands.relate(ids[2], ChildOf, ids[0]);
        }
    }
}

fn game(planted: Planted) -> App {
    let mut app = App::new();
    let ranks = (0..ENTITIES).map(|n| (Rank(n), Spark(n)));
    let ids = app.world_mut().spawn_batch(ranks).to_vec();
    for (n, &id) in ids.iter().enumerate().skip(2) {
        let world = app.world_mut();
        world.relate(id, Likes(n as u32), ids[0]).unwrap();
        world.relate(id, ChildOf, ids[0]).unwrap();
    }
    app.insert_resource(Gold(1)).insert_resource(planted);
    app.add_systems(Update, plant);
    app.set_snapshotter(Snapshotter::new().without_resource::<Planted>());
    app
}

#[test]
fn a_difference_anywhere_is_found_after_all_parts_have_had_their_turn() {
    let places = [0, 2, 150, ENTITIES - 1];
    let planted = places
        .iter()
        .flat_map(|&at| {
            [
                Planted::Component(at),
                Planted::Sparse(at),
                Planted::Edge(at.max(2)),
                Planted::Parent(at.max(2)),
            ]
        })
        .chain([Planted::Resource, Planted::Entity]);
    let folder = Folder::new();
    let paths = ["a.rec", "b.rec"].map(|name| folder.0.join(name));
    let record = |path: &Path, planted| {
        let mut app = game(planted);
        app.add_plugin(Recorder::new(path).hash_at_most(50).snapshot_every(0));
        app.update_times(120, Duration::from_millis(16));
    };
    record(&paths[0], Planted::Nothing);
    for planted in planted {
        record(&paths[1], planted);
        let [a, b] = &paths;
        // A replay notices it, and says since when it can be.
        let mut replay = Replay::open(b, || game(Planted::Nothing)).unwrap();
        let Outcome::Different { frame, since, .. } = replay.finish().unwrap() else {
            panic!("{planted:?} is not noticed");
        };
        assert_eq!(replay.compared(), 120);
        let wrong = FRAME - 1;
        // 2,100 values: 64 parts.
        assert!(
            since <= wrong && (wrong..wrong + 128).contains(&frame),
            "{planted:?}: {since} to {frame}"
        );
        // The comparison names the frame itself.
        let found = first_difference((a, game(Planted::Nothing)), (b, game(planted)));
        let found = found.unwrap().unwrap();
        assert_eq!(found.frame, wrong, "{planted:?}: {found}");
        let DifferenceKind::Results {
            system: Some(system),
            ..
        } = &found.kind
        else {
            panic!("{planted:?}: {found}");
        };
        assert!(system.ends_with("parts::plant"), "{planted:?}: {system}");
        // The files alone name frames around it.
        let [a, b] = [a, b].map(|path| Recording::read(path).unwrap());
        let found = a.first_difference(&b).unwrap();
        let DifferenceKind::Hashes { since, .. } = found.kind else {
            panic!("{planted:?}: {found}");
        };
        assert!(
            since <= wrong && wrong <= found.frame,
            "{planted:?}: {since} to {}",
            found.frame
        );
    }
}

#[test]
fn a_difference_that_no_part_shows_is_found_where_it_began() {
    /// Much later, the order of the children decides.
    #[system]
    fn inherit(parents: Comp<Sources<ChildOf>>, mut gold: ResMut<Gold>, time: Res<Time>) {
        if time.frame() == FRAME + 50 {
            let first = parents
                .iter()
                .next()
                .and_then(|children| children.iter().next());
            gold.0 = first.map_or(0, Entity::index);
        }
    }
    let game = |planted| {
        let mut app = game(planted);
        app.add_systems(Update, inherit.after(plant));
        app
    };
    let folder = Folder::new();
    let paths = ["a.rec", "b.rec"].map(|name| folder.0.join(name));
    let kinds = [Planted::Nothing, Planted::Order];
    for (path, planted) in paths.iter().zip(kinds) {
        let mut app = game(planted);
        app.add_plugin(Recorder::new(path).hash_at_most(600));
        app.update_times(120, Duration::from_millis(16));
    }
    let sides = [0, 1].map(|side| (&paths[side], game(kinds[side])));
    let [a, b] = sides;
    let found = first_difference(a, b).unwrap().unwrap();
    assert_eq!(found.frame, FRAME - 1, "{found}");
}

#[test]
fn entities_that_come_or_go_between_frames_are_noticed_in_any_part() {
    let folder = Folder::new();
    let mut app = game(Planted::Nothing);
    let settings = Recorder::new(folder.path()).hash_at_most(50);
    app.add_plugin(settings.snapshot_every(0));
    let mut last = None;
    for frame in 0..300 {
        match frame {
            10 => last = Some(app.world_mut().spawn(Rank(7))),
            160 => app.world_mut().despawn(last.unwrap()).unwrap(),
            _ => {}
        }
        app.update_by(Duration::from_millis(16));
    }
    drop(app);
    let mut replay = Replay::open(folder.path(), || game(Planted::Nothing)).unwrap();
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    assert_eq!(replay.compared(), 300);
}
