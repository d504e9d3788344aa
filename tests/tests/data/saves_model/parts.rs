//! Worlds with everything in them, and their description.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use ecs_core::component::ComponentId;
use ecs_core::data::{Dangling, Loader, Save, WorldData};
use ecs_core::dynamic::{
    DynamicComponent, DynamicRef, DynamicValue, FieldError, FieldKind, FieldRef,
};
use ecs_core::prelude::*;
use ecs_core::query::AndDisabled;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::toggle::Toggle;
use serde::{Deserialize, Serialize};

/// Names an entity in descriptions.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "test.key")]
pub(crate) struct Key(pub(crate) u32);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "test.position")]
pub(crate) struct Position(pub(crate) f32, pub(crate) f64);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "test.path", track)]
pub(crate) struct Path {
    pub(crate) at: Option<Entity>,
    pub(crate) steps: Vec<(Entity, u8)>,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "test.tag")]
pub(crate) struct Tag;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "test.name", version = 3, alias = "test.title")]
pub(crate) struct Name(pub(crate) String);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "test.mood", storage = "sparse")]
pub(crate) enum Mood {
    Calm,
    Angry { at: Entity, words: Vec<String> },
    Afraid(Box<Mood>),
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "test.mark", storage = "sparse", track)]
pub(crate) struct Mark;

/// Ids in places that serde reaches in other ways: after a map, flattened, and in a variant without a name.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "test.odd", storage = "sparse")]
pub(crate) struct Odd {
    pub(crate) known: BTreeMap<String, Entity>,
    #[serde(flatten)]
    pub(crate) rest: Rest,
    pub(crate) either: Either,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rest {
    pub(crate) friend: Entity,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Either {
    Number(u64),
    One { entity: Entity },
}

/// Disables its entity.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "test.off", disables)]
pub(crate) struct Off(pub(crate) u8);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "test.shield", toggle)]
pub(crate) struct Shield(pub(crate) Option<Entity>);

/// It is not saved.
#[derive(Component)]
pub(crate) struct Texture;

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "test.chosen")]
pub(crate) struct Chosen(pub(crate) Vec<Entity>);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "test.child_of", tree, sources = "despawn")]
pub(crate) struct ChildOf;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "test.owned_by")]
pub(crate) struct OwnedBy(pub(crate) String);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "test.likes", many)]
pub(crate) struct Likes(pub(crate) Vec<u32>);

/// Components that are defined at run time: in tables, with ids and texts, and in a set, of plain bytes.
pub(crate) fn dynamic() -> [ComponentId; 2] {
    static IDS: OnceLock<[ComponentId; 2]> = OnceLock::new();
    *IDS.get_or_init(|| {
        let mana = DynamicComponent::new("test.mana")
            .field("school", FieldKind::String)
            .field("from", FieldKind::Entity)
            .field("now", FieldKind::F32)
            .tracked();
        let glow = DynamicComponent::new("test.glow")
            .field("color", FieldKind::U64)
            .field("on", FieldKind::Bool)
            .sparse();
        [mana, glow].map(|component| component.register().expect("the names are free"))
    })
}

fn mana(school: String, from: Option<Entity>, now: f32) -> Result<DynamicValue, FieldError> {
    let value = DynamicValue::new(dynamic()[0])?.with("school", school)?;
    value.with("from", from)?.with("now", now)
}

/// One action on a world: its kind, and three numbers.
pub(crate) type Step = (u8, u8, u8, u32);

/// Makes a world whose entities have keys from `first` on.
pub(crate) fn build(steps: &[Step], first: u32) -> World {
    let mut world = World::new();
    let mut all: Vec<Entity> = Vec::new();
    for &(what, a, b, n) in steps {
        if what % 30 < 4 || all.is_empty() {
            all.push(world.spawn(Key(first + all.len() as u32)));
        }
        let a = all[usize::from(a) % all.len()];
        let b = all[usize::from(b) % all.len()];
        let words = || vec![format!("word {n}"); n as usize % 4];
        // Dead entities and cycles in the tree are refused.
        match what % 30 {
            4 | 5 => drop(world.insert(a, Position(f32::from_bits(n), f64::from(n) / 4.0))),
            6 => drop(world.insert(
                a,
                Path {
                    at: (n % 3 > 0).then_some(b),
                    steps: vec![(b, n as u8); n as usize % 3],
                },
            )),
            7 => drop(world.insert(a, Tag)),
            8 => drop(world.insert(a, Name("ä\"\n".repeat(n as usize % 5)))),
            9 => drop(world.insert(a, Mood::Calm)),
            10 => drop(world.insert(
                a,
                Mood::Angry {
                    at: b,
                    words: words(),
                },
            )),
            11 => {
                let inner = Mood::Angry {
                    at: b,
                    words: words(),
                };
                let _ = world.insert(a, Mood::Afraid(Box::new(inner)));
            }
            12 => drop(world.insert(a, Mark)),
            13 => {
                let either = match n % 2 {
                    0 => Either::Number(n.into()),
                    _ => Either::One { entity: a },
                };
                let known = words().into_iter().map(|word| (word, b)).collect();
                let rest = Rest { friend: b };
                let _ = world.insert(
                    a,
                    Odd {
                        known,
                        rest,
                        either,
                    },
                );
            }
            14 | 15 => drop(world.relate(a, ChildOf, b)),
            16 => drop(world.relate(a, OwnedBy(format!("{n}")), b)),
            17 | 18 => drop(world.relate(a, Likes(vec![n; n as usize % 3]), b)),
            19 => {
                if let Some(mut sources) = world.sources_mut::<Likes>(b) {
                    sources.sort_by(|x, y| y.id().cmp(&x.id()));
                }
            }
            20 => drop(world.remove::<Position>(a)),
            21 => drop(world.insert(a, Texture)),
            22 => drop(world.insert_resource(Chosen(vec![a, b]))),
            23 if n % 4 == 0 => drop(world.despawn(a)),
            24 => {
                let from = (n % 3 > 0).then_some(b);
                let value = mana(words().concat(), from, f32::from_bits(n));
                let _ = world.insert_dynamic(a, value.expect("it has these fields"));
            }
            25 => {
                let value = DynamicValue::new(dynamic()[1]).expect("it has fields");
                let value = value.with("color", u64::MAX - u64::from(n));
                let _ = world.insert_dynamic(a, value.expect("it has the field"));
            }
            26 => drop(world.insert(a, Off(n as u8))),
            27 => drop(world.insert(a, Shield((n % 3 > 0).then_some(b)))),
            28 => _ = world.turn_off::<Shield>(a),
            29 if n % 2 == 0 => drop(world.remove::<Off>(a)),
            _ => {}
        }
    }
    world
}

pub(crate) fn loader() -> Loader {
    Loader::new()
        .with::<Key>()
        .with::<Position>()
        .with::<Path>()
        .with::<Tag>()
        .with::<Name>()
        .with::<Mood>()
        .with::<Mark>()
        .with::<Odd>()
        .with::<Off>()
        .with::<Shield>()
        .with::<Toggle<Shield>>()
        .with::<Sources<ChildOf>>()
        .with::<Sources<OwnedBy>>()
        .with::<Targets<Likes>>()
        .with_resource::<Chosen>()
        .dynamic(dynamic()[0])
        .dynamic(dynamic()[1])
}

pub(crate) fn save(world: &World) -> Save<'_> {
    world.save().resource::<Chosen>().dangling(Dangling::Dead)
}

/// Describes some entities by their keys, and the resource; ids of all others are `dead`.
pub(crate) fn describe(world: &World, entities: &[Entity]) -> BTreeMap<u32, Vec<String>> {
    let set: BTreeSet<Entity> = entities.iter().copied().collect();
    let key = |entity: Entity| match world.get::<Key>(entity) {
        Some(key) if set.contains(&entity) => key.0.to_string(),
        _ => "dead".to_owned(),
    };
    let mood = |mood: &Mood| {
        let mut text = String::new();
        let mut next = mood;
        loop {
            match next {
                Mood::Calm => break text + "calm",
                Mood::Angry { at, words } => break text + &format!("angry {} {words:?}", key(*at)),
                Mood::Afraid(inner) => {
                    text += "afraid ";
                    next = inner;
                }
            }
        }
    };
    let mut all = BTreeMap::new();
    for &entity in entities {
        let mut list = Vec::new();
        if let Some(position) = world.get::<Position>(entity) {
            let nan = position.0.is_nan();
            let first = if nan {
                "nan".into()
            } else {
                position.0.to_bits().to_string()
            };
            list.push(format!("position {first} {}", position.1.to_bits()));
        }
        if let Some(path) = world.get::<Path>(entity) {
            let steps: Vec<_> = path.steps.iter().map(|(at, n)| (key(*at), *n)).collect();
            list.push(format!("path {:?} {steps:?}", path.at.map(key)));
        }
        if world.has::<Tag>(entity) {
            list.push("tag".to_owned());
        }
        if let Some(name) = world.get::<Name>(entity) {
            list.push(format!("name {:?}", name.0));
        }
        if let Some(value) = world.get::<Mood>(entity) {
            list.push(format!("mood {}", mood(&value)));
        }
        if world.has::<Mark>(entity) {
            list.push("mark".to_owned());
        }
        if let Some(odd) = world.get::<Odd>(entity) {
            let known: Vec<_> = odd
                .known
                .iter()
                .map(|(word, at)| (word, key(*at)))
                .collect();
            let either = match &odd.either {
                Either::Number(n) => n.to_string(),
                Either::One { entity } => format!("one {}", key(*entity)),
            };
            list.push(format!("odd {known:?} {} {either}", key(odd.rest.friend)));
        }
        if let Some(off) = world.get::<Off>(entity) {
            list.push(format!("off {}", off.0));
        }
        if let Some(shield) = world.get::<Shield>(entity) {
            let is_on = world.is_on::<Shield>(entity);
            list.push(format!("shield {:?} {is_on:?}", shield.0.map(key)));
        }
        for component in dynamic() {
            let view = world.view_erased(component);
            let Some(value) = view.get(entity) else {
                continue;
            };
            let value = DynamicRef::of(value).expect("it has fields");
            let fields = value.fields().map(|(name, field)| match field {
                FieldRef::Entity(entity) => format!("{name} {:?}", entity.map(key)),
                FieldRef::F32(field) if field.is_nan() => format!("{name} nan"),
                field => format!("{name} {field}"),
            });
            let fields: Vec<_> = fields.collect();
            list.push(format!("{} {}", component.name(), fields.join(" ")));
        }
        let is_in = |entity: &Entity| set.contains(entity);
        if let Some(parent) = world
            .get::<Target<ChildOf>>(entity)
            .filter(|p| is_in(&p.entity()))
        {
            list.push(format!("child of {}", key(parent.entity())));
        }
        if let Some(owner) = world
            .get::<Target<OwnedBy>>(entity)
            .filter(|p| is_in(&p.entity()))
        {
            list.push(format!(
                "owned by {} {:?}",
                key(owner.entity()),
                owner.value()
            ));
        }
        if let Some(likes) = world.get::<Targets<Likes>>(entity) {
            let likes = likes.iter().filter(|(target, _)| is_in(target));
            let likes: Vec<_> = likes
                .map(|(target, value)| (key(target), value.0.clone()))
                .collect();
            if !likes.is_empty() {
                list.push(format!("likes {likes:?}"));
            }
        }
        let lists = [
            world
                .get::<Sources<ChildOf>>(entity)
                .map(|list| list.to_vec()),
            world
                .get::<Sources<OwnedBy>>(entity)
                .map(|list| list.to_vec()),
            world
                .get::<Sources<Likes>>(entity)
                .map(|list| list.to_vec()),
        ];
        for (relation, list_of) in lists.into_iter().enumerate() {
            let sources: Vec<_> = list_of
                .into_iter()
                .flatten()
                .filter(is_in)
                .map(key)
                .collect();
            if !sources.is_empty() {
                list.push(format!("sources {relation} {sources:?}"));
            }
        }
        let key = world.get::<Key>(entity).expect("each entity has a key").0;
        assert!(all.insert(key, list).is_none(), "the key {key} occurs once");
    }
    if let Some(chosen) = world.get_resource::<Chosen>() {
        all.insert(
            u32::MAX,
            chosen.0.iter().map(|&entity| key(entity)).collect(),
        );
    }
    all
}

/// Returns all entities, disabled ones too.
pub(crate) fn all(world: &World) -> Vec<Entity> {
    let query = world.query_filtered::<Entity, (With<Key>, AndDisabled)>();
    query.iter().collect()
}
