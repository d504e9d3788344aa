//! Edits of many edges at once, against plain maps: a difference, a packet or a load that leaves a cycle in a tree, or an
//! entity that is related to itself, is refused and changes nothing; others are accepted, whatever the edges form on the way.

use std::collections::HashMap;

use ecs_core::data::{Diff, Loader, Protocol, Replica, Replicator, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::relation::{RelateError, Sources, Target, ToOne};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data_steps::{ChildOf, Place};

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "inside", tree)]
struct Inside;

/// Is not a tree: entities may follow each other.
#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "follows")]
struct Follows;

const NAMES: [&str; 3] = ["child_of", "inside", "follows"];
const TREES: [bool; 3] = [true, true, false];
/// The most entities.
const MOST: usize = 6;

/// By relation and source: the target.
type Table = [[Option<usize>; MOST]; 3];

/// New entities, and the edges that change: relation, source, and target.
#[derive(Clone, Debug)]
struct Change {
    new: usize,
    edges: Vec<(usize, usize, Option<usize>)>,
}

impl Change {
    /// Makes the change in the model.
    fn make(&self, count: &mut usize, table: &mut Table) {
        *count = (*count + self.new).min(MOST);
        for &(relation, source, target) in &self.edges {
            if source < *count {
                table[relation][source] = target.filter(|&target| target < *count);
            }
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let target = prop::option::weighted(0.8, 0..MOST);
    let edges = prop::collection::vec((0_usize..3, 0..MOST, target), 0..8);
    (0_usize..3, edges).prop_map(|(new, edges)| Change { new, edges })
}

/// Returns true if an entity is related to itself, or is its own ancestor in a tree.
fn is_wrong(table: &Table) -> bool {
    let leads_back = |relation: usize, start: usize| {
        let mut at = table[relation][start];
        for _ in 0..MOST {
            match at {
                Some(target) if target == start => return true,
                Some(target) if TREES[relation] => at = table[relation][target],
                _ => return false,
            }
        }
        false
    };
    (0..3).any(|relation| (0..MOST).any(|start| leads_back(relation, start)))
}

fn target_of<R: ToOne>(world: &World, entity: Entity) -> Option<Entity> {
    Some(world.get::<Target<R>>(entity)?.entity())
}

/// Checks the edges of a world with these entities.
#[track_caller]
fn check(world: &World, entities: &[Entity], table: &Table) {
    world.check_invariants();
    for (source, &entity) in entities.iter().enumerate() {
        let found = [
            target_of::<ChildOf>(world, entity),
            target_of::<Inside>(world, entity),
            target_of::<Follows>(world, entity),
        ];
        let expected =
            [0, 1, 2].map(|relation: usize| table[relation][source].map(|to| entities[to]));
        assert_eq!(found, expected, "{entity}");
    }
}

/// Makes changes with a function that reports an error as a text, and checks the world after each.
fn run(
    world: &mut World,
    changes: &[Change],
    is_complete: bool,
    mut make: impl FnMut(&mut World, (usize, &Table), (usize, &Table)) -> Result<Vec<Entity>, String>,
) {
    let (mut count, mut table) = (0, Table::default());
    let (mut wanted, mut wanted_count) = (table, count);
    let mut entities: Vec<Entity> = Vec::new();
    for change in changes {
        // A refused change is forgotten, unless each has all that is wanted.
        if !is_complete {
            (wanted, wanted_count) = (table, count);
        }
        change.make(&mut wanted_count, &mut wanted);
        let before = WorldHasher::new().exact(world).unwrap();
        match make(world, (count, &table), (wanted_count, &wanted)) {
            Ok(all) => {
                assert!(!is_wrong(&wanted), "{wanted:?} was accepted");
                (entities, count, table) = (all, wanted_count, wanted);
            }
            Err(error) => {
                assert!(is_wrong(&wanted), "{error}: {wanted:?}");
                let texts = ["which is a tree: ", "itself"];
                assert!(texts.iter().any(|text| error.contains(text)), "{error}");
                assert_eq!(WorldHasher::new().exact(world).unwrap(), before);
            }
        }
        check(world, &entities, &table);
    }
}

fn loader() -> Loader {
    Loader::new()
        .with::<Sources<ChildOf>>()
        .with::<Sources<Inside>>()
        .with::<Sources<Follows>>()
}

/// Returns the difference between two states of a world that has issued ids from 0 on.
fn diff_of((before, old): (usize, &Table), (after, new): (usize, &Table)) -> Diff {
    let id = |target: usize| format!(r#""{target}v1""#);
    let mut entities = Vec::new();
    for source in 0..after {
        let mut values = Vec::new();
        for relation in 0..3 {
            let (old, new) = (old[relation][source], new[relation][source]);
            if old != new {
                let ends = [("old", old), ("new", new)].into_iter();
                let ends = ends.filter_map(|(key, to)| Some(format!(r#""{key}":{}"#, id(to?))));
                let ends = Vec::from_iter(ends).join(",");
                values.push(format!(r#""{}":{{{ends}}}"#, NAMES[relation]));
            }
        }
        let spawned = if source >= before {
            r#","spawned":true"#
        } else {
            ""
        };
        if !values.is_empty() || !spawned.is_empty() {
            let values = values.join(",");
            entities.push(format!(
                r#"{{"entity":"{source}v1"{spawned},"values":{{{values}}}}}"#
            ));
        }
    }
    let text = format!(r#"{{"format":1,"entities":[{}]}}"#, entities.join(","));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Returns a save with all entities.
fn save_of((count, table): (usize, &Table)) -> String {
    let entities = (0..count).map(|source| {
        let edges = (0..3).filter_map(|relation| {
            Some(format!(
                r#""{}":{}"#,
                NAMES[relation], table[relation][source]?
            ))
        });
        format!("{{{}}}", Vec::from_iter(edges).join(","))
    });
    format!(r#"{{"entities":[{}]}}"#, Vec::from_iter(entities).join(","))
}

fn protocol() -> Protocol {
    Protocol::new()
        .with::<Place>()
        .with_relation::<ChildOf>()
        .with_relation::<Inside>()
        .with_relation::<Follows>()
}

/// Returns the bytes of an id that is the only one of a part in a packet. From index 2,047 on, they are three, of which no others
/// of these packets are.
fn only_id(entity: Entity) -> Vec<u8> {
    let mut number = (u64::from(entity.index()) + 1) << 3;
    let mut bytes = Vec::new();
    while number > 0x7F {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// A server whose packets say anything. Its entities are related to decoys, whose ids in a packet are replaced.
struct Liar {
    world: World,
    replicator: Replicator,
    entities: Vec<Entity>,
    /// By relation and source: two decoys, of which the second one is used next.
    decoys: HashMap<(usize, usize), [Entity; 2]>,
    edges: Table,
}

impl Liar {
    fn new() -> Self {
        let (mut world, mut decoys) = (World::new(), HashMap::new());
        world.spawn_batch([(); 2_047]);
        for relation in 0..3 {
            for source in 0..MOST {
                let pair = [(); 2].map(|()| world.spawn(Place(0.0, 0)));
                decoys.insert((relation, source), pair);
            }
        }
        Self {
            world,
            replicator: Replicator::new(protocol()),
            entities: Vec::new(),
            decoys,
            edges: Table::default(),
        }
    }

    fn packet(
        &mut self,
        client: ecs_core::data::ClientId,
        (count, table): (usize, &Table),
    ) -> Vec<u8> {
        while self.entities.len() < count {
            self.entities.push(self.world.spawn(Place(1.0, 1)));
        }
        for (relation, targets) in table.iter().enumerate() {
            for (source, &new) in targets.iter().enumerate().take(count) {
                if self.edges[relation][source] == new {
                    continue;
                }
                let entity = self.entities[source];
                let pair = self.decoys.get_mut(&(relation, source)).unwrap();
                pair.swap(0, 1);
                let (world, decoy) = (&mut self.world, pair[0]);
                match (relation, new) {
                    (0, None) => _ = world.remove::<Target<ChildOf>>(entity),
                    (1, None) => _ = world.remove::<Target<Inside>>(entity),
                    (_, None) => _ = world.remove::<Target<Follows>>(entity),
                    (0, Some(_)) => world.relate(entity, ChildOf, decoy).unwrap(),
                    (1, Some(_)) => world.relate(entity, Inside, decoy).unwrap(),
                    (_, Some(_)) => world.relate(entity, Follows, decoy).unwrap(),
                }
            }
        }
        self.edges = *table;
        self.replicator.update(&self.world).unwrap();
        let mut packet = self.replicator.packet(client, |_| true).unwrap();
        for (&(relation, source), pair) in &self.decoys {
            let Some(target) = table[relation][source] else {
                continue;
            };
            let (decoy, target) = (only_id(pair[0]), only_id(self.entities[target]));
            let mut places = packet.windows(decoy.len());
            if let Some(at) = places.position(|bytes| bytes == decoy) {
                packet.splice(at..at + decoy.len(), target);
            }
        }
        packet
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(400)))]

    #[test]
    fn a_difference_is_refused_exactly_if_its_end_has_a_cycle(
        changes in prop::collection::vec(change(), 1..6),
        with_hooks in any::<bool>(),
    ) {
        let mut world = World::new();
        loader().deserialize(&mut world, &mut serde_json::Deserializer::from_str("{}")).unwrap();
        world.register::<Sources<ChildOf>>();
        world.register::<Sources<Inside>>();
        world.register::<Sources<Follows>>();
        run(&mut world, &changes, false, |world, old, new| {
            let diff = diff_of(old, new);
            let applied = match with_hooks {
                true => diff.apply_with_hooks(world),
                false => diff.apply(world),
            };
            applied.map_err(|error| error.to_string())?;
            let mut all = Vec::from_iter(&world.query::<Entity>());
            all.sort_unstable();
            Ok(all)
        });
    }

    #[test]
    fn a_load_is_refused_exactly_if_it_has_a_cycle(
        changes in prop::collection::vec(change(), 1..6),
    ) {
        run(&mut World::new(), &changes, true, |world, _, new| {
            let save = save_of(new);
            let loaded = loader().deserialize(world, &mut serde_json::Deserializer::from_str(&save));
            loaded.map(|loaded| loaded.entities).map_err(|error| error.to_string())
        });
    }

    #[test]
    fn a_packet_is_refused_exactly_if_its_end_has_a_cycle(
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let mut liar = Liar::new();
        let client = liar.replicator.connect();
        let (mut world, mut replica) = (World::new(), Replica::new(protocol()));
        // The decoys are known before.
        let packet = liar.packet(client, (0, &Table::default()));
        replica.apply(&mut world, &packet).unwrap();
        liar.replicator.acknowledge(client, replica.applied()).unwrap();
        run(&mut world, &changes, true, |world, _, new| {
            let packet = liar.packet(client, new);
            replica.apply(world, &packet).map_err(|error| error.to_string())?;
            liar.replicator.acknowledge(client, replica.applied()).unwrap();
            Ok(liar.entities.iter().map(|&entity| replica.local(entity).unwrap()).collect())
        });
    }
}

#[test]
fn an_entity_above_that_goes_out_of_sight_closes_no_cycle() {
    let mut server = World::new();
    let [top, middle, bottom] = [(); 3].map(|()| server.spawn(Place(0.0, 0)));
    server.relate(middle, ChildOf, top).unwrap();
    server.relate(bottom, ChildOf, middle).unwrap();
    let mut replicator = Replicator::new(protocol());
    let client = replicator.connect();
    let (mut world, mut replica) = (World::new(), Replica::new(protocol()));
    replicator.update(&server).unwrap();
    let packet = replicator.packet(client, |_| true).unwrap();
    replica.apply(&mut world, &packet).unwrap();
    replicator.acknowledge(client, replica.applied()).unwrap();
    // While the client does not see it, the middle leaves the top. The edge from the bottom to it has not changed.
    server.remove::<Target<ChildOf>>(middle).unwrap();
    server.relate(top, ChildOf, bottom).unwrap();
    replicator.update(&server).unwrap();
    let packet = replicator
        .packet(client, |entity| entity != middle)
        .unwrap();
    replica.apply(&mut world, &packet).unwrap();
    let [top, bottom] = [top, bottom].map(|entity| replica.local(entity).unwrap());
    assert!(world.is_related::<ChildOf>(top, bottom));
    assert_eq!(target_of::<ChildOf>(&world, bottom), None);
    world.check_invariants();
}

#[test]
fn each_way_into_a_world_names_a_cycle_in_the_same_words() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn(()));
    world.relate(b, ChildOf, a).unwrap();
    let words = |source: &str, target: &str, relation: &str| {
        format!(
            "{source} cannot be related to {target} by `{relation}`, which is a tree: {target} is a descendant of "
        )
    };
    let error = world.relate(a, ChildOf, b).unwrap_err();
    assert!(
        matches!(error, RelateError::Cycle { source, target, .. } if (source, target) == (a, b))
    );
    let typed = std::any::type_name::<ChildOf>();
    assert_eq!(
        error.to_string(),
        format!("{}0v1", words("entity 0v1", "1v1", typed))
    );
    let (mut old, mut new) = (Table::default(), Table::default());
    old[0][1] = Some(0);
    new[0] = [Some(1), Some(0), None, None, None, None];
    let error = diff_of((2, &old), (2, &new)).apply(&mut world).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{}0v1", words("entity 0v1", "1v1", "child_of"))
    );
    let save = save_of((2, &new));
    let loaded = loader().deserialize(&mut world, &mut serde_json::Deserializer::from_str(&save));
    let error = loaded.unwrap_err().to_string();
    assert!(
        error.contains(&words("the new entity 0", "1", "child_of")),
        "{error}"
    );
}
