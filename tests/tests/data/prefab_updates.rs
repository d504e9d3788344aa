//! Copies take the changes of their prefab, and keep what the game has changed.

use std::collections::BTreeMap;

use ecs_core::data::{ChangesError, Loader, Prefab, PrefabPart, UpdatedCopies, WorldData as _};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use ecs_core::world::hooks::OnAdd;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "hp")]
struct Hp(u32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "stats", storage = "sparse")]
struct Stats {
    now: u32,
    max: u32,
}

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "aim")]
struct Aim(Option<Entity>);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "child_of", tree, sources = "despawn")]
struct ChildOf;

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "mode")]
enum Mode {
    Walk { speed: u32 },
    Sleep { until: u32 },
}

/// Not more than 10, and never equal.
#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "span")]
#[serde(try_from = "SpanFields")]
struct Span {
    from: u32,
    to: u32,
}

#[derive(Deserialize)]
struct SpanFields {
    from: u32,
    to: u32,
}

impl TryFrom<SpanFields> for Span {
    type Error = &'static str;

    fn try_from(SpanFields { from, to }: SpanFields) -> Result<Self, Self::Error> {
        match from < to {
            true => Ok(Self { from, to }),
            false => Err("it ends before it begins"),
        }
    }
}

/// Not data.
#[derive(Component)]
struct Sprite;

fn loader() -> Loader {
    let loader = Loader::new().with::<Hp>().with::<Stats>().with::<Aim>();
    let loader = loader.with::<Mode>().with::<Span>().with::<Picky>();
    loader.with::<Sources<ChildOf>>()
}

fn read_by(loader: &Loader, entities: serde_json::Value) -> Prefab {
    Prefab::deserialize(loader, json!({ "entities": entities })).unwrap()
}

fn read(entities: serde_json::Value) -> Prefab {
    read_by(&loader(), entities)
}

fn spawn(prefab: &Prefab, world: &mut World) -> Entity {
    let copies = prefab.copies(1).remembered("it");
    copies.spawn(world).unwrap()[0]
}

/// Returns the part of a copy with a number.
fn part(world: &World, root: Entity, number: u32) -> Option<Entity> {
    let parts = world.query::<(Entity, &PrefabPart)>();
    let mut parts = parts.iter();
    let found = parts.find(|(_, part)| part.root() == root && part.number() == number);
    found.map(|(entity, _)| entity)
}

/// Updates the copies, and checks that a second update changes nothing, and that there is a way back.
fn update(world: &mut World, old: &Prefab, new: &Prefab) -> UpdatedCopies {
    old.register(world);
    new.register(world);
    let before = world.hash().unwrap();
    let updated = new.update_copies("it", old, world).unwrap();
    let after = world.hash().unwrap();
    updated.diff().reversed().apply(world).unwrap();
    assert_eq!(world.hash().unwrap(), before);
    updated.diff().apply(world).unwrap();
    assert_eq!(world.hash().unwrap(), after);
    updated
}

fn kept(updated: &UpdatedCopies) -> Vec<(u32, Option<&str>)> {
    let kept = updated.kept().iter();
    kept.map(|kept| (kept.number(), kept.name())).collect()
}

#[test]
fn values_components_and_children_follow_the_file() {
    let old = read(json!([
        { "hp": 1, "stats": { "now": 1, "max": 1 } },
        { "hp": 2, "child_of": 0 },
        { "hp": 3, "child_of": 0 },
    ]));
    let new = read(json!([
        { "hp": 5, "aim": 2 },
        { "hp": 2, "child_of": 0, "stats": { "now": 4, "max": 4 } },
        { "hp": 7, "child_of": 1, "aim": 0 },
    ]));
    let mut world = World::new();
    let bystander = world.spawn(Hp(1));
    let roots = [spawn(&old, &mut world), spawn(&old, &mut world)];
    let other = old.copies(1).remembered("other").spawn(&mut world).unwrap()[0];
    let updated = update(&mut world, &old, &new);
    assert_eq!((updated.copies(), updated.changed()), (2, 2));
    assert!(updated.kept().is_empty());
    for root in roots {
        let [first, second] = [1, 2].map(|number| part(&world, root, number).unwrap());
        assert_eq!(*world.get::<Hp>(root).unwrap(), Hp(5));
        assert!(world.get::<Stats>(root).is_none());
        assert_eq!(*world.get::<Aim>(root).unwrap(), Aim(Some(second)));
        assert_eq!(
            *world.get::<Stats>(first).unwrap(),
            Stats { now: 4, max: 4 }
        );
        assert_eq!(
            world.get::<Target<ChildOf>>(second).unwrap().entity(),
            first
        );
        assert_eq!(*world.get::<Aim>(second).unwrap(), Aim(Some(root)));
    }
    for entity in [bystander, other] {
        assert_eq!(*world.get::<Hp>(entity).unwrap(), Hp(1));
    }
    let again = new.update_copies("it", &old, &mut world).unwrap();
    assert_eq!((again.copies(), again.changed()), (2, 0));
}

#[test]
fn a_child_that_the_game_despawned_stays_away() {
    let old = read(json!([{}, { "hp": 2, "child_of": 0 }, { "hp": 3, "child_of": 0 }]));
    let new = read(json!([
        {},
        { "hp": 9, "child_of": 0 },
        { "hp": 3, "child_of": 1, "aim": 1 },
        { "hp": 4, "child_of": 1 },
        { "hp": 5, "child_of": 3 },
    ]));
    let mut world = World::new();
    let root = spawn(&old, &mut world);
    let (first, second) = (
        part(&world, root, 1).unwrap(),
        part(&world, root, 2).unwrap(),
    );
    world.despawn(first).unwrap();
    let updated = update(&mut world, &old, &new);
    assert_eq!(
        kept(&updated),
        [(1, None), (2, Some("child_of")), (3, None), (4, None)]
    );
    assert_eq!(world.len(), 2);
    // It stays where it is, and its new aim is an id without an entity.
    assert_eq!(world.get::<Target<ChildOf>>(second).unwrap().entity(), root);
    let Aim(Some(aim)) = *world.get::<Aim>(second).unwrap() else {
        panic!("it aims at an id");
    };
    assert!(!world.contains(aim));
}

#[test]
fn a_child_that_left_the_file_goes_unless_the_game_needs_it() {
    let old = read(json!([
        {},
        { "hp": 1, "child_of": 0 },
        { "hp": 2, "child_of": 1 },
        { "hp": 3, "child_of": 0 },
    ]));
    let new = read(json!([{}]));
    let mut world = World::new();
    let roots = [(); 4].map(|()| spawn(&old, &mut world));
    // A sprite is not data.
    let first = part(&world, roots[0], 1).unwrap();
    world.insert(first, Sprite).unwrap();
    // A changed child keeps its parent.
    let changed = part(&world, roots[1], 2).unwrap();
    world.insert(changed, Hp(20)).unwrap();
    // An entity from elsewhere keeps its parent.
    let parent = part(&world, roots[2], 3).unwrap();
    world.spawn(ChildOf.to(parent));
    // A component was added.
    let grown = part(&world, roots[3], 3).unwrap();
    world.insert(grown, Stats { now: 1, max: 1 }).unwrap();
    let updated = new.update_copies("it", &old, &mut world).unwrap();
    assert_eq!(updated.changed(), 4);
    assert_eq!(kept(&updated), [(1, None), (2, None), (3, None), (3, None)]);
    let counts = roots.map(|root| world.descendants::<ChildOf>(root).count());
    assert_eq!(counts, [0, 2, 2, 1]);
    assert!(
        world.get::<PrefabPart>(changed).is_none(),
        "it is the game's now"
    );
    let again = new.update_copies("it", &old, &mut world).unwrap();
    assert_eq!((again.copies(), again.changed()), (4, 0));
}

#[test]
fn fields_are_merged_but_not_variants_and_not_into_wrong_values() {
    let old = read(json!([
        { "stats": { "now": 5, "max": 5 }, "mode": { "Walk": { "speed": 1 } }, "span": { "from": 2, "to": 4 } },
    ]));
    let new = read(json!([
        { "stats": { "now": 9, "max": 9 }, "mode": { "Sleep": { "until": 7 } }, "span": { "from": 8, "to": 9 } },
    ]));
    let mut world = World::new();
    let root = spawn(&old, &mut world);
    world.get_mut::<Stats>(root).unwrap().now = 3;
    world.insert(root, Mode::Walk { speed: 2 }).unwrap();
    world.get_mut::<Span>(root).unwrap().to = 5;
    let updated = update(&mut world, &old, &new);
    assert_eq!(
        kept(&updated),
        [(0, Some("mode")), (0, Some("span")), (0, Some("stats"))]
    );
    assert_eq!(*world.get::<Stats>(root).unwrap(), Stats { now: 3, max: 9 });
    assert_eq!(*world.get::<Mode>(root).unwrap(), Mode::Walk { speed: 2 });
    assert_eq!(*world.get::<Span>(root).unwrap(), Span { from: 2, to: 5 });
}

#[test]
fn a_move_of_the_file_makes_no_circle_with_one_of_the_game() {
    let old = read(json!([{}, { "child_of": 0 }, { "child_of": 0 }]));
    let new = read(json!([{}, { "child_of": 2, "hp": 1 }, { "child_of": 0 }]));
    let mut world = World::new();
    let root = spawn(&old, &mut world);
    let (first, second) = (
        part(&world, root, 1).unwrap(),
        part(&world, root, 2).unwrap(),
    );
    world.insert(second, ChildOf.to(first)).unwrap();
    let updated = update(&mut world, &old, &new);
    assert_eq!(kept(&updated), [(1, Some("child_of"))]);
    assert_eq!(world.get::<Target<ChildOf>>(first).unwrap().entity(), root);
    assert_eq!(*world.get::<Hp>(first).unwrap(), Hp(1));
}

#[test]
fn children_take_the_order_of_the_file() {
    let entities = json!([{}, { "child_of": 0 }, { "child_of": 0 }, { "child_of": 0 }]);
    let old = read(entities.clone());
    let file = json!({ "entities": entities, "orders": { "child_of": [[0, [2, 3, 1]]] } });
    let new = Prefab::deserialize(&loader(), file).unwrap();
    let mut world = World::new();
    let [plain, extended, sorted] = [(); 3].map(|()| spawn(&old, &mut world));
    let guest = world.spawn(ChildOf.to(extended));
    let mut children = world.sources_mut::<ChildOf>(extended).unwrap();
    children.move_to(guest, 1);
    let mut children = world.sources_mut::<ChildOf>(sorted).unwrap();
    let last = children[2];
    children.move_to(last, 0);
    let own = children.to_vec();
    let updated = update(&mut world, &old, &new);
    let order = |root| world.get::<Sources<ChildOf>>(root).unwrap().to_vec();
    let parts = |root, numbers: [u32; 3]| numbers.map(|number| part(&world, root, number).unwrap());
    assert_eq!(order(plain), parts(plain, [2, 3, 1]));
    let [a, b, c] = parts(extended, [2, 3, 1]);
    assert_eq!(order(extended), [a, guest, b, c]);
    assert_eq!(order(sorted), own);
    assert_eq!(kept(&updated), [(0, Some("child_of"))]);
}

#[test]
fn parts_of_nested_prefabs_belong_to_their_roots() {
    let camp = |loader: Loader, entities| read_by(&loader, entities);
    let goblin = read(json!([{ "hp": 7 }, { "hp": 100, "child_of": 0 }]));
    let known = loader().prefab("goblin", &goblin).unwrap();
    let old = camp(
        known,
        json!([
            {},
            { "prefab": "goblin", "child_of": 0 },
            { "prefab": "goblin", "child_of": 0, "hp": 12 },
        ]),
    );
    // The goblin has a new helmet, and the camp a new fire: all parts have other numbers.
    let goblin =
        read(json!([{ "hp": 8 }, { "hp": 100, "child_of": 0 }, { "hp": 1, "child_of": 0 }]));
    let known = loader().prefab("goblin", &goblin).unwrap();
    let new = camp(
        known,
        json!([
            {},
            { "prefab": "goblin", "child_of": 0 },
            { "prefab": "goblin", "child_of": 0, "hp": 12 },
            { "hp": 3, "child_of": 0 },
        ]),
    );
    let mut world = World::new();
    let root = spawn(&old, &mut world);
    let shield = part(&world, root, 4).unwrap();
    world.insert(shield, Hp(50)).unwrap();
    let updated = update(&mut world, &old, &new);
    assert!(updated.kept().is_empty());
    let fresh = spawn(&new, &mut world);
    let values = |root| {
        let below = |of: Entity| {
            let mut values = vec![world.get::<Hp>(of).map(|hp| hp.0)];
            values.extend(
                world
                    .descendants::<ChildOf>(of)
                    .map(|it| world.get::<Hp>(it).map(|hp| hp.0)),
            );
            values.sort_unstable();
            values
        };
        let children = world.get::<Sources<ChildOf>>(root).unwrap();
        let mut children: Vec<_> = children.iter().map(below).collect();
        children.sort_unstable();
        children
    };
    let mut expected = values(fresh);
    for goblin in expected
        .iter_mut()
        .filter(|values| values.contains(&Some(12)))
    {
        for hp in goblin.iter_mut().filter(|hp| **hp == Some(100)) {
            *hp = Some(50);
        }
        goblin.sort_unstable();
    }
    expected.sort_unstable();
    assert_eq!(values(root), expected);
    for number in 0..new.len() as u32 {
        let [one, other] = [root, fresh].map(|root| part(&world, root, number).unwrap());
        assert_eq!(
            world.get::<Hp>(one).is_some(),
            world.get::<Hp>(other).is_some()
        );
        let again = new.changes(&world, fresh).unwrap();
        assert!(again.is_empty());
    }
    assert_eq!(
        part(&world, root, 6),
        Some(shield),
        "of seven, the last but one"
    );
}

#[test]
fn parts_follow_without_their_root_and_copies_lead_to_each_other() {
    let old = read(json!([{ "hp": 1 }, { "hp": 2, "child_of": 0 }]));
    let new = read(json!([{ "hp": 5, "aim": 1 }, { "hp": 6, "child_of": 0, "aim": 0 }]));
    let gone = read(json!([{ "hp": 5 }]));
    let mut world = World::new();
    let [orphaned, guest, host] = [(); 3].map(|()| spawn(&old, &mut world));
    let child = part(&world, orphaned, 1).unwrap();
    world.remove::<Target<ChildOf>>(child).unwrap();
    world.despawn(orphaned).unwrap();
    let seat = part(&world, host, 1).unwrap();
    world.insert(guest, ChildOf.to(seat)).unwrap();
    let updated = update(&mut world, &old, &new);
    assert_eq!(updated.copies(), 3);
    assert_eq!(*world.get::<Hp>(child).unwrap(), Hp(6));
    assert_eq!(kept(&updated), [(0, None)]);
    // The guest sits on a part that the file no longer has.
    let updated = update(&mut world, &new, &gone);
    assert!(world.contains(seat));
    assert_eq!(world.get::<Target<ChildOf>>(guest).unwrap().entity(), seat);
    assert!(kept(&updated).contains(&(1, None)));
    // The game has taken the child from its parent.
    assert!(world.contains(child) && world.get::<PrefabPart>(child).is_none());
}

#[test]
fn hooks_are_called_and_an_old_save_follows() {
    #[derive(Resource, Default)]
    struct Added(u32);

    let old = read(json!([{ "hp": 1 }]));
    let new = read(json!([{ "hp": 2 }, { "hp": 3, "child_of": 0 }]));
    let mut world = World::new();
    spawn(&old, &mut world);
    let save = world.save().to_vec().unwrap();
    let mut world = World::new();
    world.insert_resource(Added::default());
    world.observe(|_: OnAdd<Hp>, mut added: ResMut<Added>| added.0 += 1);
    loader().load_into(&mut world, &save[..]).unwrap();
    assert_eq!(world.resource::<Added>().0, 1);
    let updated = new.update_copies("it", &old, &mut world).unwrap();
    assert_eq!((updated.changed(), world.resource::<Added>().0), (1, 2));
    let mut hp: Vec<u32> = world.query::<&Hp>().iter().map(|hp| hp.0).collect();
    hp.sort_unstable();
    assert_eq!(hp, [2, 3]);
}

thread_local! {
    static REFUSES: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Cannot be read while the flag is set.
#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "picky")]
#[serde(try_from = "u32", into = "u32")]
struct Picky(u32);

impl TryFrom<u32> for Picky {
    type Error = &'static str;

    fn try_from(value: u32) -> Result<Self, Self::Error> {
        match REFUSES.get() {
            false => Ok(Self(value)),
            true => Err("not now"),
        }
    }
}

impl From<Picky> for u32 {
    fn from(Picky(value): Picky) -> Self {
        value
    }
}

#[test]
fn an_error_changes_nothing() {
    let old = read(json!([{ "hp": 1 }, { "hp": 1, "child_of": 0, "picky": 1 }]));
    let new = read(json!([{ "hp": 2 }, { "hp": 2, "child_of": 0, "picky": 2 }]));
    let mut world = World::new();
    spawn(&old, &mut world);
    spawn(&old, &mut world);
    let before = world.hash().unwrap();
    REFUSES.set(true);
    let error = new.update_copies("it", &old, &mut world).unwrap_err();
    REFUSES.set(false);
    assert!(matches!(error, ChangesError::Apply(_)), "{error}");
    assert_eq!(error.to_string(), "entity 1v1, `picky`: not now");
    assert_eq!(world.hash().unwrap(), before);
    new.update_copies("it", &old, &mut world).unwrap();
    assert_ne!(world.hash().unwrap(), before);
}

/// An entity of a file or of a copy. Others are known by their numbers.
#[derive(Clone, Debug, PartialEq)]
struct Node {
    parent: Option<usize>,
    hp: Option<u32>,
    stats: Option<(u32, u32)>,
    aim: Option<Option<usize>>,
}

type Nodes = BTreeMap<usize, Node>;

/// A number for an entity that does not exist.
const MISSING: usize = 99;
/// A number for an entity outside of the copy.
const VILLAGE: usize = 98;

#[derive(Clone, Debug)]
struct Step(u8, usize, usize, u32);

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = (0..10_u8, 0..8_usize, 0..8_usize, 0..4_u32);
    prop::collection::vec(step.prop_map(|(a, b, c, d)| Step(a, b, c, d)), 0..most)
}

/// Makes a step in a file or in a copy: only the values.
fn change(nodes: &mut Nodes, &Step(kind, at, other, value): &Step) -> Option<usize> {
    let ids: Vec<usize> = nodes.keys().copied().collect();
    let (at, other) = (ids[at % ids.len()], ids[other % ids.len()]);
    let node = nodes.get_mut(&at)?;
    match kind {
        0 => node.hp = Some(value),
        1 => node.hp = None,
        2 => node.stats = Some((value, value + 1)),
        3 => node.stats = node.stats.map(|(now, _)| (now, value)),
        4 => node.stats = node.stats.map(|(_, max)| (value, max)),
        5 => node.stats = None,
        6 => node.aim = Some(Some(other)),
        7 => node.aim = Some(None),
        8 if node.parent.is_some() && other < at => node.parent = Some(other),
        _ => return None,
    }
    Some(at)
}

fn edit_file(nodes: &mut Nodes, step: &Step) {
    let last = *nodes.keys().last().unwrap();
    match step.0 {
        9 if step.3 < 2 && last > 0 => {
            if nodes.values().any(|node| node.parent == Some(last)) {
                return;
            }
            nodes.remove(&last);
            for node in nodes.values_mut() {
                node.aim = node.aim.map(|aim| aim.filter(|&aim| aim != last));
            }
        }
        9 => {
            let node = Node {
                parent: Some(step.1 % (last + 1)),
                hp: Some(step.3),
                stats: None,
                aim: Some(Some(step.2 % (last + 1))),
            };
            nodes.insert(last + 1, node);
        }
        _ => _ = change(nodes, step),
    }
}

fn file(nodes: &Nodes) -> Prefab {
    let rows = nodes.iter().map(|(number, node)| {
        let mut row = serde_json::Map::new();
        let mut set = |name: &str, value| _ = row.insert(name.to_owned(), value);
        set("ecs.name", json!(format!("part {number}")));
        if let Some(parent) = node.parent {
            set("child_of", json!(parent));
        }
        if let Some(hp) = node.hp {
            set("hp", json!(hp));
        }
        if let Some((now, max)) = node.stats {
            set("stats", json!({ "now": now, "max": max }));
        }
        if let Some(aim) = node.aim {
            set("aim", json!(aim));
        }
        serde_json::Value::Object(row)
    });
    read(rows.collect())
}

/// The game's copy: its entities, by their numbers, and how many of its own it has put below each.
struct Game {
    root: Entity,
    ids: BTreeMap<usize, Entity>,
    village: Entity,
    nodes: Nodes,
    guests: Vec<usize>,
}

impl Game {
    fn act(&mut self, world: &mut World, step: &Step) {
        let ids: Vec<usize> = self.nodes.keys().copied().collect();
        if ids.is_empty() {
            return;
        }
        let at = ids[step.1 % ids.len()];
        match step.0 {
            9 if step.3 == 0 => {
                world.spawn(ChildOf.to(self.ids[&at]));
                self.guests.push(at);
            }
            9 if step.3 == 1 && at > 0 => {
                world.despawn(self.ids[&at]).unwrap();
                let gone = |number: &usize, nodes: &Nodes| {
                    let mut next = Some(*number);
                    while let Some(number) =
                        next.filter(|&number| number != at && number != VILLAGE)
                    {
                        next = nodes[&number].parent;
                    }
                    next == Some(at)
                };
                let all = self.nodes.clone();
                self.guests.retain(|guest| !gone(guest, &all));
                self.nodes.retain(|number, _| !gone(number, &all));
                for node in self.nodes.values_mut() {
                    let there = |&aim: &usize| all.contains_key(&aim) && !gone(&aim, &all);
                    node.aim = node.aim.map(|aim| {
                        aim.map(|aim| {
                            if aim == VILLAGE || there(&aim) {
                                aim
                            } else {
                                MISSING
                            }
                        })
                    });
                }
            }
            9 if step.3 == 2 => {
                world
                    .insert(self.ids[&at], Aim(Some(self.village)))
                    .unwrap();
                self.nodes.get_mut(&at).unwrap().aim = Some(Some(VILLAGE));
            }
            9 if at > 0 => {
                world
                    .insert(self.ids[&at], ChildOf.to(self.village))
                    .unwrap();
                self.nodes.get_mut(&at).unwrap().parent = Some(VILLAGE);
            }
            _ => {
                if change(&mut self.nodes, step).is_none() {
                    return;
                }
                let node = &self.nodes[&at];
                let entity = self.ids[&at];
                match step.0 {
                    0 => _ = world.insert(entity, Hp(node.hp.unwrap())),
                    1 => _ = world.remove::<Hp>(entity),
                    2..=4 => {
                        if let Some((now, max)) = node.stats {
                            world.insert(entity, Stats { now, max }).unwrap();
                        }
                    }
                    5 => _ = world.remove::<Stats>(entity),
                    6 | 7 => {
                        let aim = node.aim.unwrap().map(|aim| self.ids[&aim]);
                        world.insert(entity, Aim(aim)).unwrap();
                    }
                    _ => {
                        let parent = self.ids[&node.parent.unwrap()];
                        world.insert(entity, ChildOf.to(parent)).unwrap();
                    }
                }
            }
        }
    }

    /// Returns the copy in the world.
    fn seen(&self, world: &World) -> Nodes {
        let number = |id: Entity| {
            let mut all = self.ids.iter();
            match all.find(|(_, other)| **other == id) {
                Some((number, _)) if world.contains(id) => *number,
                _ if id == self.village => VILLAGE,
                _ => MISSING,
            }
        };
        let living = self.ids.iter().filter(|(_, id)| world.contains(**id));
        let node = |id: Entity| Node {
            parent: world
                .get::<Target<ChildOf>>(id)
                .map(|to| number(to.entity())),
            hp: world.get::<Hp>(id).map(|hp| hp.0),
            stats: world.get::<Stats>(id).map(|stats| (stats.now, stats.max)),
            aim: world.get::<Aim>(id).map(|aim| aim.0.map(number)),
        };
        living.map(|(&number, &id)| (number, node(id))).collect()
    }
}

fn merge<T: PartialEq + Clone>(old: &T, new: &T, now: &T) -> T {
    if old == now { new.clone() } else { now.clone() }
}

/// The copy that is expected.
fn expected(old: &Nodes, new: &Nodes, now: &Nodes, guests: &[usize]) -> Nodes {
    let seen = |node: &Node| {
        let aim = |aim: usize| {
            if old.contains_key(&aim) && !now.contains_key(&aim) {
                MISSING
            } else {
                aim
            }
        };
        let parent = |parent: usize| {
            if now.contains_key(&parent) {
                parent
            } else {
                MISSING
            }
        };
        Node {
            aim: node.aim.map(|it| it.map(aim)),
            parent: node.parent.map(parent),
            ..node.clone()
        }
    };
    // Untouched ones go, and none of them below one that stays.
    let is_gone = |number: &usize| old.contains_key(number) && !new.contains_key(number);
    let mut removed: Vec<usize> = now.keys().copied().filter(is_gone).collect();
    removed.retain(|number| seen(&old[number]) == now[number] && !guests.contains(number));
    loop {
        let before = removed.len();
        let all = removed.clone();
        removed.retain(|number| {
            now.iter().all(|(source, node)| {
                let is_moved = || {
                    let new = new.get(source);
                    new.is_some_and(|_| seen(&old[source]).parent == node.parent)
                };
                node.parent != Some(*number) || all.contains(source) || is_moved()
            })
        });
        if removed.len() == before {
            break;
        }
    }
    let mut there: Vec<usize> = now.keys().copied().collect();
    there.retain(|number| !removed.contains(number));
    for (number, node) in new {
        if !old.contains_key(number) && there.contains(&node.parent.unwrap()) {
            there.push(*number);
        }
    }
    let target = |it: usize| {
        if there.contains(&it) || it == VILLAGE {
            it
        } else {
            MISSING
        }
    };
    let later = there.iter().map(|number| {
        let Some(now) = now.get(number) else {
            let node = &new[number];
            return (
                *number,
                Node {
                    aim: node.aim.map(|aim| aim.map(target)),
                    ..node.clone()
                },
            );
        };
        let Some(new) = new.get(number) else {
            let aim = now.aim.map(|aim| aim.map(target));
            return (*number, Node { aim, ..now.clone() });
        };
        let old = &old[number];
        let was = seen(old);
        let parent = if old.parent == new.parent || was.parent != now.parent {
            now.parent
        } else {
            match new.parent.filter(|parent| there.contains(parent)) {
                Some(parent) => Some(parent),
                None => now.parent.filter(|parent| there.contains(parent)),
            }
        };
        let stats = match (old.stats, new.stats, now.stats) {
            (Some(old), Some(new), Some(now)) => {
                Some((merge(&old.0, &new.0, &now.0), merge(&old.1, &new.1, &now.1)))
            }
            (old, new, now) => merge(&old, &new, &now),
        };
        let aim = if old.aim == new.aim {
            now.aim
        } else {
            merge(&was.aim, &new.aim, &now.aim)
        };
        let node = Node {
            parent,
            hp: merge(&old.hp, &new.hp, &now.hp),
            stats,
            aim: aim.map(|aim| aim.map(target)),
        };
        (*number, node)
    });
    later.collect()
}

proptest! {
    #[test]
    fn copies_are_merged_like_maps(
        first in steps(12),
        second in steps(8),
        games in prop::collection::vec(steps(6), 1..4),
    ) {
        let root = Node { parent: None, hp: Some(1), stats: Some((1, 2)), aim: None };
        let child = Node { parent: Some(0), aim: Some(Some(0)), ..root.clone() };
        let mut old = Nodes::from([(0, root), (1, child.clone()), (2, child)]);
        first.iter().for_each(|step| edit_file(&mut old, step));
        let mut new = old.clone();
        second.iter().for_each(|step| edit_file(&mut new, step));
        let (old_file, new_file) = (file(&old), file(&new));
        let mut world = World::new();
        let village = world.spawn(());
        let mut copies: Vec<Game> = Vec::new();
        for _ in &games {
            let root = spawn(&old_file, &mut world);
            let ids = old.keys().map(|&number| (number, part(&world, root, number as u32).unwrap()));
            copies.push(Game { root, ids: ids.collect(), village, nodes: old.clone(), guests: Vec::new() });
        }
        for (game, steps) in copies.iter_mut().zip(&games) {
            steps.iter().for_each(|step| game.act(&mut world, step));
            prop_assert_eq!(&game.seen(&world), &game.nodes);
        }
        let updated = update(&mut world, &old_file, &new_file);
        prop_assert_eq!(updated.copies(), copies.len());
        for game in &mut copies {
            for &number in new.keys().filter(|number| !old.contains_key(number)) {
                if let Some(id) = part(&world, game.root, number as u32) {
                    game.ids.insert(number, id);
                }
            }
            let expected = expected(&old, &new, &game.nodes, &game.guests);
            prop_assert_eq!(&game.seen(&world), &expected);
            for (number, id) in game.ids.iter().filter(|(_, id)| world.contains(**id)) {
                let is_part = world.get::<PrefabPart>(*id).map(|part| part.number() as usize);
                prop_assert_eq!(is_part, new.contains_key(number).then_some(*number));
            }
        }
        let again = new_file.update_copies("it", &old_file, &mut world).unwrap();
        prop_assert_eq!(again.changed(), 0, "{}", again.diff());
    }
}

#[test]
fn an_entity_that_leaves_the_middle_of_the_list_takes_no_other_with_it() {
    let row = |hp: u32| json!({ "hp": hp, "child_of": 0 });
    let old = read(json!([{}, row(1), row(2), row(3)]));
    let new = read(json!([{}, row(2), row(4)]));
    let mut world = World::new();
    let root = spawn(&old, &mut world);
    let [first, second, third] = [1, 2, 3].map(|number| part(&world, root, number).unwrap());
    world.insert(second, Stats { now: 3, max: 8 }).unwrap();
    let updated = update(&mut world, &old, &new);
    assert!(updated.kept().is_empty());
    assert!(!world.contains(first));
    assert_eq!(*world.get::<Hp>(second).unwrap(), Hp(2));
    assert!(world.has::<Stats>(second));
    assert_eq!(*world.get::<Hp>(third).unwrap(), Hp(4));
    assert_eq!(part(&world, root, 1), Some(second));
    assert_eq!(part(&world, root, 2), Some(third));
    // Now with another one in front, and beside a copy that is new.
    let newest = read(json!([{}, row(9), row(2), row(4)]));
    let fresh = spawn(&newest, &mut world);
    let updated = update(&mut world, &new, &newest);
    assert_eq!((updated.copies(), updated.changed()), (2, 1));
    assert_eq!(part(&world, root, 2), Some(second));
    for root in [root, fresh] {
        let hp = [1, 2, 3].map(|number| {
            let part = part(&world, root, number).unwrap();
            world.get::<Hp>(part).unwrap().0
        });
        assert_eq!(hp, [9, 2, 4]);
    }
}

#[test]
fn names_say_which_entity_is_which() {
    let row = |name: &str, hp: u32| json!({ "ecs.name": name, "hp": hp, "child_of": 0 });
    let old = read(json!([
        {},
        row("shield", 1),
        row("spear", 1),
        row("helmet", 1)
    ]));
    let new = read(json!([
        {},
        row("helmet", 5),
        row("hat", 6),
        row("shield", 7)
    ]));
    let mut world = World::new();
    let root = spawn(&old, &mut world);
    let [shield, spear, helmet] = [1, 2, 3].map(|number| part(&world, root, number).unwrap());
    update(&mut world, &old, &new);
    let hp = [shield, spear, helmet].map(|entity| world.get::<Hp>(entity).unwrap().0);
    assert_eq!(hp, [7, 6, 5]);
}

#[test]
fn parts_of_a_nested_prefab_that_became_shorter_are_found() {
    let goblin = |rows: serde_json::Value| {
        let goblin = read(rows);
        let known = loader().prefab("goblin", &goblin).unwrap();
        read_by(
            &known,
            json!([{}, { "prefab": "goblin", "child_of": 0 }, { "prefab": "goblin", "child_of": 0 }]),
        )
    };
    let old = goblin(json!([{ "hp": 7 }, { "hp": 1, "child_of": 0 }, { "hp": 2, "child_of": 0 }]));
    let new = goblin(json!([{ "hp": 8 }, { "hp": 2, "child_of": 0 }]));
    let mut world = World::new();
    let root = spawn(&old, &mut world);
    let last = part(&world, root, 6).unwrap();
    assert_eq!(*world.get::<Hp>(last).unwrap(), Hp(2));
    world.insert(last, Hp(20)).unwrap();
    let updated = update(&mut world, &old, &new);
    assert!(updated.kept().is_empty());
    assert_eq!(world.len(), 5);
    assert_eq!(*world.get::<Hp>(last).unwrap(), Hp(20));
}
