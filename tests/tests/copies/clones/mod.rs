//! Clones of entities, trees and worlds, and prefabs, compared by their visible contents.

mod alone;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ecs_core::Disabled;
use ecs_core::component::ComponentId;
use ecs_core::data::{CloneError, Cloner, Dangling, Loader, Prefab, WorldData};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::world::hooks::OnAdd;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "clones.at")]
struct At(i32, i32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "clones.size")]
struct Size(u64);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "clones.name")]
struct Name(String);

#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "clones.links")]
struct Links {
    one: Option<Entity>,
    many: Vec<(Entity, u8)>,
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "clones.mood", storage = "sparse")]
enum Mood {
    Calm,
    Angry { at: Entity },
}

/// Not known to `serde`.
#[derive(Component, Clone, Debug, PartialEq)]
#[component(data = "clones.handle", no_serde)]
struct Handle(std::sync::Arc<u32>);

#[derive(Component, Debug, PartialEq)]
struct Texture(u32);

#[derive(Component, Debug, Serialize, Deserialize)]
#[component(data = "clones.unique", no_clone, no_serde)]
struct Unique;

#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "clones.chosen")]
struct Chosen(Vec<Entity>);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "clones.child_of", tree, sources = "despawn")]
struct ChildOf;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "clones.likes", many)]
struct Likes(u32, Option<Entity>);

fn parent(world: &World, of: Entity) -> Option<Entity> {
    world
        .get::<Target<ChildOf>>(of)
        .map(|target| target.entity())
}

/// Returns the contents of an entity, with each id passed through a function; children are listed if `children` is
/// true.
fn seen(world: &World, entity: Entity, map: &dyn Fn(Entity) -> Entity, children: bool) -> String {
    let links = world.get::<Links>(entity).map(|links| Links {
        one: links.one.map(map),
        many: links.many.iter().map(|&(id, n)| (map(id), n)).collect(),
    });
    let mood = world.get::<Mood>(entity).map(|mood| match &*mood {
        Mood::Calm => Mood::Calm,
        Mood::Angry { at } => Mood::Angry { at: map(*at) },
    });
    let likes = world.get::<Targets<Likes>>(entity).map(|targets| {
        let edges = targets.iter();
        let edges = edges.map(|(id, likes)| (map(id), Likes(likes.0, likes.1.map(map))));
        edges.collect::<Vec<_>>()
    });
    let parent = parent(world, entity).map(map);
    let below = world.get::<Sources<ChildOf>>(entity).filter(|_| children);
    let below: Option<Vec<Entity>> = below.map(|list| list.iter().map(map).collect());
    format!(
        "{:?} {:?} {:?} {:?} {links:?} {mood:?} {likes:?} {parent:?} {below:?}",
        world.get::<At>(entity).map(|at| *at),
        world.get::<Size>(entity).map(|size| *size),
        world.get::<Name>(entity).map(|name| name.clone()),
        world.get::<Handle>(entity).map(|handle| handle.clone()),
    )
}

/// The contents of an entity of a random world: bits of components, and the numbers of entities that it names.
#[derive(Clone, Debug)]
struct Plan {
    has: u8,
    parent: usize,
    names: [usize; 4],
}

fn plan() -> impl Strategy<Value = Plan> {
    let parts = (any::<u8>(), any::<usize>(), any::<[usize; 4]>());
    parts.prop_map(|(has, parent, names)| Plan { has, parent, names })
}

fn build(plans: &[Plan]) -> (World, Vec<Entity>) {
    let mut world = World::new();
    // So that ids are neither dense nor of one generation.
    let old: Vec<Entity> = (0..5).map(|i| world.spawn(At(i, i))).collect();
    for &entity in &old[1..4] {
        world.despawn(entity).unwrap();
    }
    let all: Vec<Entity> = plans.iter().map(|_| world.spawn(())).collect();
    for (i, (plan, &entity)) in plans.iter().zip(&all).enumerate() {
        let named = |n: usize| all[plan.names[n] % all.len()];
        let has = |bit: u8| plan.has & 1 << bit != 0;
        if has(0) {
            world.insert(entity, At(i as i32, -1)).unwrap();
        }
        if has(1) {
            world.insert(entity, Name(format!("number {i}"))).unwrap();
        }
        if has(2) {
            let many = vec![(named(1), 1), (named(2), 2)];
            let one = has(3).then(|| named(0));
            world.insert(entity, Links { one, many }).unwrap();
        }
        if has(4) {
            let mood = if has(3) {
                Mood::Calm
            } else {
                Mood::Angry { at: named(3) }
            };
            world.insert(entity, mood).unwrap();
        }
        if has(5) {
            world.insert(entity, Size(i as u64)).unwrap();
        }
        if has(6) {
            for n in [1, 0] {
                if named(n) != entity {
                    let likes = Likes(i as u32, Some(named(2)));
                    world.relate(entity, likes, named(n)).unwrap();
                }
            }
        }
        if i > 0 && has(7) {
            world.relate(entity, ChildOf, all[plan.parent % i]).unwrap();
        }
    }
    (world, all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(200)))]

    /// A copy of a tree equals the original, with ids of the tree replaced; all others stay.
    #[test]
    fn trees_are_cloned(plans in prop::collection::vec(plan(), 1..24), root in any::<usize>()) {
        let (mut world, all) = build(&plans);
        let root = all[root % all.len()];
        let same = |id: Entity| id;
        let before: Vec<String> = all.iter().map(|&id| seen(&world, id, &same, false)).collect();
        let mut siblings = parent(&world, root).map(|parent| {
            (parent, world.get::<Sources<ChildOf>>(parent).unwrap().to_vec())
        });

        let cloned = Cloner::new().tree::<ChildOf>(&mut world, root).unwrap();
        world.check_invariants();
        let map: HashMap<Entity, Entity> = cloned.pairs.iter().copied().collect();
        let tree: Vec<Entity> = core::iter::once(root).chain(world.descendants::<ChildOf>(root)).collect();
        prop_assert_eq!(&tree, &cloned.pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
        prop_assert_eq!(world.len(), 2 + all.len() + tree.len());
        let copied = |id: Entity| map.get(&id).copied().unwrap_or(id);
        for (&original, &copy) in &map {
            prop_assert!(!all.contains(&copy));
            prop_assert_eq!(seen(&world, copy, &same, true), seen(&world, original, &copied, true));
        }
        for (&original, &copy) in &map {
            // Entities outside of the tree stay with the original.
            let liked_by = |of| world.get::<Sources<Likes>>(of).map(|list| list.to_vec()).unwrap_or_default();
            let expected: Vec<Entity> = liked_by(original).iter().filter_map(|id| map.get(id).copied()).collect();
            prop_assert_eq!(liked_by(copy), expected);
        }
        for (&entity, before) in all.iter().zip(&before) {
            prop_assert_eq!(&seen(&world, entity, &same, false), before, "the originals stay");
        }
        if let Some((parent, siblings)) = &mut siblings {
            siblings.push(cloned.root());
            prop_assert_eq!(&*world.get::<Sources<ChildOf>>(*parent).unwrap().to_vec(), &**siblings);
        }
    }

    /// A copy of a world has the same save, byte for byte.
    #[test]
    fn worlds_are_cloned(plans in prop::collection::vec(plan(), 1..24)) {
        let (mut world, all) = build(&plans);
        world.insert_resource(Chosen(all.clone()));
        let mut copy = Cloner::new().resource::<Chosen>().world(&world).unwrap();
        copy.check_invariants();
        let save = |world: &World| world.save().with_ids().resource::<Chosen>().to_vec().unwrap();
        prop_assert_eq!(save(&world), save(&copy));
        prop_assert_eq!(world.len(), copy.len());
        for &entity in &all {
            let same = |id: Entity| id;
            prop_assert_eq!(seen(&world, entity, &same, true), seen(&copy, entity, &same, true));
        }
        let new = copy.spawn(At(0, 0));
        prop_assert!(!world.contains(new));
        prop_assert_eq!(world.spawn(At(0, 0)), new);
    }

    /// All copies of a prefab equal the tree.
    #[test]
    fn prefabs_are_spawned(plans in prop::collection::vec(plan(), 1..16), n in 0..5_usize) {
        let (mut world, all) = build(&plans);
        let tree: Vec<Entity> = core::iter::once(all[0]).chain(world.descendants::<ChildOf>(all[0])).collect();
        let cloner = Cloner::new().dangling(Dangling::Dead);
        let prefab = cloner.prefab::<ChildOf>(&world, all[0]).unwrap();
        // Edges and ids that lead out of the tree are lost, so the other copies are compared with the first one.
        let first = prefab.spawn(&mut world).unwrap();
        let roots = prefab.copies(n).with(|i| Size(i as u64)).with(|i| Texture(i as u32)).spawn(&mut world).unwrap();
        world.check_invariants();
        prop_assert_eq!(roots.len(), n);
        let of = |root: Entity| -> Vec<Entity> {
            core::iter::once(root).chain(world.descendants::<ChildOf>(root)).collect()
        };
        let firsts = of(first);
        prop_assert_eq!(firsts.len(), tree.len());
        for (i, &root) in roots.iter().enumerate() {
            prop_assert_eq!(*world.get::<Size>(root).unwrap(), Size(i as u64));
            prop_assert_eq!(&*world.get::<Texture>(root).unwrap(), &Texture(i as u32));
            let copies = of(root);
            let map: HashMap<Entity, Entity> = firsts.iter().copied().zip(copies.iter().copied()).collect();
            let to_copy = |id: Entity| map.get(&id).copied().unwrap_or(id);
            for (&one, &other) in firsts.iter().zip(&copies).skip(1) {
                prop_assert_eq!(seen(&world, one, &to_copy, true), seen(&world, other, &|id| id, true));
            }
            prop_assert_eq!(
                world.get::<Links>(first).map(|l| l.many.iter().map(|x| to_copy(x.0)).collect::<Vec<_>>()),
                world.get::<Links>(root).map(|l| l.many.iter().map(|x| x.0).collect::<Vec<_>>())
            );
        }
    }
}

#[test]
fn a_parent_is_cloned_without_its_children() {
    let mut world = World::new();
    let root = world.spawn(At(1, 2));
    let child = world.spawn(ChildOf.to(root));
    let copy = world.clone_entity(root).unwrap();
    world.check_invariants();
    assert_eq!(*world.get::<At>(copy).unwrap(), At(1, 2));
    assert!(!world.has::<Sources<ChildOf>>(copy));
    assert_eq!(parent(&world, child), Some(root));
}

#[test]
fn prefabs_are_resources() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Prefab>();
}

#[test]
fn one_entity_is_cloned() {
    let mut world = World::new();
    let other = world.spawn(At(1, 2));
    let handle = Handle(std::sync::Arc::new(7));
    let entity = world.spawn((Mood::Angry { at: other }, handle.clone()));
    world
        .insert(
            entity,
            Links {
                one: Some(entity),
                many: vec![(other, 3)],
            },
        )
        .unwrap();
    let copy = world.clone_entity(entity).unwrap();
    assert_eq!(*world.get::<Mood>(copy).unwrap(), Mood::Angry { at: other });
    assert_eq!(
        *world.get::<Links>(copy).unwrap(),
        Links {
            one: Some(copy),
            many: vec![(other, 3)]
        }
    );
    assert!(std::sync::Arc::ptr_eq(
        &world.get::<Handle>(copy).unwrap().0,
        &handle.0
    ));
    world.despawn(entity).unwrap();
    let error = world.clone_entity(entity).unwrap_err();
    assert!(matches!(error, CloneError::NoEntity { .. }), "{error}");
}

#[test]
fn what_cannot_be_cloned_is_named() {
    let mut world = World::new();
    let entity = world.spawn((At(1, 2), Texture(3)));
    let error = world.clone_entity(entity).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "entity {entity} cannot be cloned: `{}` is not data; help: add `data = \"..\"` to its attribute, or leave it out with `Cloner::without` or `Cloner::only_data`",
            std::any::type_name::<Texture>()
        )
    );
    assert_eq!(world.len(), 1);
    for cloner in [
        Cloner::new().without::<Texture>(),
        Cloner::new().only_data(),
    ] {
        let copy = cloner.entities(&mut world, [entity]).unwrap().root();
        assert!(world.has::<At>(copy) && !world.has::<Texture>(copy));
    }
    let unique = world.spawn(Unique);
    let error = world.clone_entity(unique).unwrap_err();
    assert!(
        matches!(
            error,
            CloneError::NotCloneable {
                name: "clones.unique"
            }
        ),
        "{error}"
    );
}

#[test]
fn clones_in_another_world_name_no_ids_of_the_first() {
    let mut from = World::new();
    let outside = from.spawn(At(0, 0));
    let root = from.spawn((ChildOf.to(outside), Name("root".into())));
    let child = from.spawn((ChildOf.to(root), Mood::Angry { at: outside }));
    let mut to = World::new();
    let error = Cloner::new()
        .tree_into::<ChildOf>(&from, root, &mut to)
        .unwrap_err();
    let CloneError::Value { entity, name, .. } = error else {
        panic!("{error}")
    };
    assert_eq!((entity, name, to.len()), (Some(child), "clones.mood", 0));
    let cloner = Cloner::new().dangling(Dangling::Dead);
    let cloned = cloner.tree_into::<ChildOf>(&from, root, &mut to).unwrap();
    to.check_invariants();
    assert_eq!(to.len(), 2);
    let copy = cloned.copy_of(child).unwrap();
    let Mood::Angry { at } = *to.get::<Mood>(copy).unwrap() else {
        panic!()
    };
    assert!(!to.contains(at) && at != outside);
    assert_eq!(parent(&to, copy), Some(cloned.root()));
    assert_eq!(parent(&to, cloned.root()), None);
}

/// Values that are alive, and the `Clone` that panics.
static ALIVE: AtomicIsize = AtomicIsize::new(0);
static UNTIL_PANIC: AtomicIsize = AtomicIsize::new(isize::MAX);
/// Locked by a test that counts values.
static COUNTING: Mutex<()> = Mutex::new(());

#[derive(Component, Debug)]
#[component(data = "clones.counted", no_serde)]
struct Counted(u32);

impl Counted {
    fn new(value: u32) -> Self {
        ALIVE.fetch_add(1, Ordering::SeqCst);
        Self(value)
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        assert!(
            UNTIL_PANIC.fetch_sub(1, Ordering::SeqCst) > 0,
            "this clone panics"
        );
        Self::new(self.0)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn a_clone_that_panics_changes_nothing() {
    let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut world = World::new();
    let root = world.spawn((Counted::new(0), At(1, 1)));
    for i in 1..4 {
        let child = world.spawn((ChildOf.to(root), Counted::new(i)));
        world
            .insert(
                child,
                Links {
                    one: Some(root),
                    many: vec![],
                },
            )
            .unwrap();
    }
    let save = world.save().with_ids().to_vec().unwrap();
    let prefab = Prefab::from_tree::<ChildOf>(&world, root).unwrap();
    let next = world.next_ids(1).unwrap();
    let alive = ALIVE.load(Ordering::SeqCst);
    assert_eq!(alive, 8);
    let mut panics = 0;
    for n in 0..100 {
        UNTIL_PANIC.store(n, Ordering::SeqCst);
        let step = AssertUnwindSafe(|| match n % 2 {
            0 => drop(
                prefab
                    .copies(3)
                    .with(|i| Counted::new(i as u32))
                    .spawn(&mut world),
            ),
            _ => drop(world.clone_tree::<ChildOf>(root)),
        });
        let result = catch_unwind(step);
        UNTIL_PANIC.store(isize::MAX, Ordering::SeqCst);
        world.check_invariants();
        if result.is_ok() {
            break;
        }
        panics += 1;
        assert_eq!(ALIVE.load(Ordering::SeqCst), alive, "clone {n}");
        assert_eq!(world.save().with_ids().to_vec().unwrap(), save);
        assert_eq!(world.next_ids(1).unwrap(), next);
    }
    assert!(panics >= 4, "{panics}");
    drop(world);
    drop(prefab);
    assert_eq!(ALIVE.load(Ordering::SeqCst), 0);
}

#[test]
fn hooks_see_all_copies() {
    let mut world = World::new();
    let root = world.spawn(At(0, 0));
    world.spawn((ChildOf.to(root), At(1, 1)));
    let prefab = Prefab::from_tree::<ChildOf>(&world, root).unwrap();
    world.insert_resource(Chosen(Vec::new()));
    world.observe(
        |added: OnAdd<At>, ats: Comp<At>, mut chosen: ResMut<Chosen>| {
            assert_eq!(ats.len(), 2 + 6);
            chosen.0.push(added.entity());
        },
    );
    let roots = prefab.spawn_n(&mut world, 3).unwrap();
    assert_eq!(world.resource::<Chosen>().0.len(), 6);
    assert!(
        roots
            .iter()
            .all(|root| world.resource::<Chosen>().0.contains(root))
    );
}

#[test]
fn a_prefab_is_a_file() {
    let mut world = World::new();
    let root = world.spawn(At(0, 0));
    // A table that comes before the root's in the file.
    let spear = world.spawn((Name("spear".into()), ChildOf.to(root)));
    world
        .insert(
            root,
            (
                Links {
                    one: Some(spear),
                    many: vec![],
                },
                Size(3),
            ),
        )
        .unwrap();
    let loader = Loader::new().types_of(&world);
    let prefab = Prefab::from_tree::<ChildOf>(&world, root).unwrap();
    let file = prefab.to_world().unwrap();
    let json = serde_json::to_string(&file.save()).unwrap();
    assert!(
        json.contains(r#""entities":[{"clones.at""#),
        "the root is the first: {json}"
    );
    let bytes = world.save().to_vec().unwrap();
    let ron = ron::to_string(&file.save()).unwrap();
    let from_json = Prefab::deserialize(&loader, &mut serde_json::Deserializer::from_str(&json));
    let from_ron = Prefab::deserialize(&loader, &mut ron::Deserializer::from_str(&ron).unwrap());
    let prefabs = [
        from_json.unwrap(),
        from_ron.unwrap(),
        Prefab::load(&loader, &bytes[..]).unwrap(),
    ];
    for prefab in prefabs {
        let mut world = World::new();
        let root = prefab.spawn(&mut world).unwrap();
        world.check_invariants();
        let spear = world.get::<Links>(root).unwrap().one.unwrap();
        assert_eq!(parent(&world, spear), Some(root));
        assert_eq!(*world.get::<Name>(spear).unwrap(), Name("spear".into()));
        assert_eq!(*world.get::<Size>(root).unwrap(), Size(3));
    }
    let empty = World::new().save().to_vec().unwrap();
    let error = Prefab::load(&loader, &empty[..]).unwrap_err();
    assert!(
        error.to_string().starts_with("the prefab has no entity"),
        "{error}"
    );
}

#[test]
fn many_copies_of_a_large_prefab() {
    let mut world = World::new();
    let root = world.spawn((At(0, 0), Name("root".into())));
    for i in 1..20 {
        let child = world.spawn((ChildOf.to(root), At(i, 0)));
        world
            .insert(
                child,
                Links {
                    one: Some(root),
                    many: vec![],
                },
            )
            .unwrap();
    }
    let n = if cfg!(miri) { 10 } else { 1000 };
    let prefab = Prefab::from_tree::<ChildOf>(&world, root).unwrap();
    let roots = prefab
        .copies(n)
        .with(|i| At(-1, i as i32))
        .spawn(&mut world)
        .unwrap();
    world.check_invariants();
    assert_eq!(world.len(), 20 + 20 * n);
    for (i, &root) in roots.iter().enumerate() {
        assert_eq!(*world.get::<At>(root).unwrap(), At(-1, i as i32));
        let children: Vec<Entity> = world.descendants::<ChildOf>(root).collect();
        assert_eq!(children.len(), 19);
        for (j, &child) in children.iter().enumerate() {
            assert_eq!(*world.get::<At>(child).unwrap(), At(j as i32 + 1, 0));
            assert_eq!(world.get::<Links>(child).unwrap().one, Some(root));
        }
    }
}

#[test]
fn resources_are_cloned() {
    let mut world = World::new();
    let living = world.spawn(At(0, 0));
    let gone = world.spawn(At(0, 0));
    world.despawn(gone).unwrap();
    world.insert_resource(Chosen(vec![living, gone]));
    let without = world.try_clone().unwrap();
    assert!(without.get_resource::<Chosen>().is_none());
    let copy = Cloner::new().resource::<Chosen>().world(&world).unwrap();
    let chosen = copy.resource::<Chosen>();
    assert_eq!(chosen.0[0], living);
    assert_eq!(chosen.0[1], gone);
    drop(chosen);
    let mut copy = copy;
    for _ in 0..5 {
        let new = copy.spawn(());
        assert!(
            new != gone && !copy.contains(gone),
            "it is not issued again"
        );
    }
}

#[test]
fn sources_keep_their_order_whatever_that_of_the_list() {
    let mut world = World::new();
    let root = world.spawn(At(0, 0));
    let children = [1, 2, 3].map(|i| world.spawn((At(i, i), ChildOf.to(root))));
    let [a, b, c] = children;
    let cloned = Cloner::new()
        .entities(&mut world, [c, root, a, c, b])
        .unwrap();
    assert_eq!(cloned.pairs.len(), 4, "twice is once");
    let copy = cloned.copy_of(root).unwrap();
    let of_copy = world.get::<Sources<ChildOf>>(copy).unwrap().to_vec();
    assert_eq!(
        of_copy,
        children.map(|child| cloned.copy_of(child).unwrap())
    );
}

/// The length of a list below; generated code uses the same name.
const DATA: usize = 3;

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "test.grid")]
struct Grid {
    cells: [f32; Self::N],
    named: [[f32; DATA]; 2],
}

impl Grid {
    const N: usize = 4;
}

/// A number in memory that is written as an entity.
#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "test.hidden")]
struct Hidden {
    #[serde(with = "as_entity")]
    target: f64,
}

mod as_entity {
    use super::*;
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bits: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        let entity = Entity::from_bits(bits.to_bits()).expect("these are the bits of an entity");
        entity.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Entity::deserialize(from).map(|entity| f64::from_bits(entity.to_bits()))
    }
}

#[test]
fn floats_are_cloned_whatever_gives_lists_of_them_their_length() {
    let mut world = World::new();
    let grid = Grid {
        cells: [1.0, 2.0, 3.0, 4.0],
        named: [[5.0; DATA]; 2],
    };
    let original = world.spawn(grid);
    let copy = world.clone_entity(original).unwrap();
    assert_eq!(*world.get::<Grid>(copy).unwrap(), grid);
}

#[test]
fn an_id_is_found_in_a_number_that_is_written_as_one() {
    let mut world = World::new();
    let original = world.spawn(());
    let target = f64::from_bits(original.to_bits());
    world.insert(original, Hidden { target }).unwrap();
    let copy = world.clone_entity(original).unwrap();
    let of_copy = world.get::<Hidden>(copy).unwrap().target;
    assert_eq!(of_copy.to_bits(), copy.to_bits());
}

/// All ids are the same in the copy of a world, so no value has to be written and read for them.
#[test]
fn a_world_is_cloned_by_the_clone_of_its_values() {
    /// Cannot be written.
    #[derive(Clone, Debug, PartialEq)]
    struct Sealed(u8);
    impl Serialize for Sealed {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("sealed"))
        }
    }
    impl<'de> Deserialize<'de> for Sealed {
        fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
            Err(serde::de::Error::custom("sealed"))
        }
    }
    #[derive(Component, Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[component(data = "clones.chest")]
    #[resource(data = "clones.chest_resource")]
    struct Chest {
        owner: Entity,
        by_owner: HashMap<Entity, String>,
        #[serde(skip)]
        skipped: u8,
        sealed: Sealed,
    }

    let mut world = World::new();
    let [owner, dead, other_dead] = [(); 3].map(|()| world.spawn(()));
    world.despawn(dead).unwrap();
    world.despawn(other_dead).unwrap();
    let chest = Chest {
        owner,
        by_owner: [owner, dead, other_dead]
            .map(|id| (id, id.to_string()))
            .into(),
        skipped: 3,
        sealed: Sealed(7),
    };
    world.insert(owner, chest.clone()).unwrap();
    world.register_data_resource::<Chest>();
    world.insert_resource(chest.clone());
    let copy = world.try_clone().unwrap();
    assert_eq!(*copy.get::<Chest>(owner).unwrap(), chest);
    assert_eq!(*copy.resource::<Chest>(), chest);
    // Copies beside the original have other ids.
    let error = Cloner::new().entities(&mut world, [owner]).unwrap_err();
    assert!(matches!(error, CloneError::Value { .. }), "{error}");
}
