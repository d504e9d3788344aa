//! Tests of text queries: their matches, their errors, and arbitrary text.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use ecs_core::component::ComponentId;
use ecs_core::data::{TextQuery, Value, WorldData};
use ecs_core::dynamic::{DynamicComponent, DynamicRef, DynamicValue, FieldKind};
use ecs_core::prelude::*;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component)]
#[component(name = "game.dead")]
struct Dead;

#[derive(Component)]
#[component(name = "game.lit", storage = "sparse")]
struct Lit;

#[derive(Component)]
#[component(name = "ui.dead")]
struct Greyed;

#[derive(Component)]
struct Unnamed(#[expect(dead_code, reason = "gives it a size")] u32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.stats")]
struct Stats {
    level: u8,
    names: Vec<String>,
    owner: Option<Entity>,
    bonus: Option<f32>,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.speed", storage = "sparse")]
struct Speed(f64);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.state")]
enum State {
    Idle,
    Walk { to: Entity },
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.bag")]
struct Bag {
    names: Vec<String>,
    marks: BTreeMap<String, u8>,
}

/// A bag of names, as many as the level, and with marks by names that differ in their last letters.
fn bag(level: u8) -> Bag {
    let names = (0..level).map(|number| format!("n{number}"));
    let marks = (0..level).map(|number| (format!("mark {number}"), level - number));
    Bag {
        names: names.collect(),
        marks: marks.collect(),
    }
}

fn stats(level: u8) -> Stats {
    Stats {
        level,
        names: vec![format!("n{level}"), "x".to_owned()],
        owner: None,
        bonus: (level > 2).then_some(0.1),
    }
}

#[derive(Relation)]
struct ChildOf;

#[derive(Relation)]
#[relation(many)]
struct Likes;

fn health() -> ComponentId {
    let health = DynamicComponent::new("game.health")
        .field("now", FieldKind::I32)
        .field("regen", FieldKind::F32)
        .field("name", FieldKind::String)
        .field("on", FieldKind::Bool)
        .field("sign", FieldKind::Char)
        .field("of", FieldKind::Entity);
    health.register().unwrap()
}

/// A world with one entity for each number: its health is the number, and its bits select the other components.
fn world(numbers: impl IntoIterator<Item = u8>) -> (World, Vec<Entity>) {
    let mut world = World::new();
    world.register::<Dead>();
    world.register::<Lit>();
    let mut all = Vec::new();
    for number in numbers {
        let entity = world.spawn(());
        let value = DynamicValue::new(health()).unwrap();
        let value = value.with("now", i32::from(number) - 8).unwrap();
        let value = value.with("regen", f32::from(number) / 4.0).unwrap();
        let value = value.with("name", format!("n{number:02}")).unwrap();
        let value = value.with("on", number % 2 == 1).unwrap();
        let value = value.with("sign", char::from(b'a' + number % 16)).unwrap();
        let value = value.with("of", all.first().copied()).unwrap();
        if number & 1 == 0 {
            world.insert_dynamic(entity, value).unwrap();
        }
        if number & 2 != 0 {
            world.insert(entity, Dead).unwrap();
        }
        if number & 4 != 0 {
            world.insert(entity, Lit).unwrap();
        }
        if number & 8 != 0 && !all.is_empty() {
            world.insert(entity, ChildOf.to(all[0])).unwrap();
        }
        all.push(entity);
    }
    (world, all)
}

/// Returns the positions of the entities that a text matches.
fn find(text: &str) -> Vec<usize> {
    let (world, all) = world(0..16);
    let query = TextQuery::new(&world, text).unwrap_or_else(|error| panic!("{error}"));
    let matches = query.matches(&world).unwrap();
    let found = |(index, &entity)| matches.contains(entity).then_some(index);
    let found: Vec<usize> = all.iter().enumerate().filter_map(found).collect();
    assert_eq!(matches.count(), found.len());
    let mut entities = query.entities(&world).unwrap();
    entities.sort_by_key(|entity| entity.index());
    assert_eq!(
        entities,
        found.iter().map(|&index| all[index]).collect::<Vec<_>>()
    );
    found
}

fn where_(is: impl Fn(usize) -> bool) -> Vec<usize> {
    (0..16).filter(|&number| is(number)).collect()
}

#[test]
fn terms_match_components() {
    let has_health = |n: usize| n.is_multiple_of(2);
    assert_eq!(find(""), where_(|_| true));
    assert_eq!(find(" \n\t "), where_(|_| true));
    assert_eq!(find("game.health"), where_(has_health));
    assert_eq!(find("game.health,"), where_(has_health));
    assert_eq!(find("?game.health"), where_(|_| true));
    assert_eq!(
        find("!game.dead, game.health"),
        where_(|n| n & 2 == 0 && has_health(n))
    );
    assert_eq!(
        find("health && lit"),
        where_(|n| has_health(n) && n & 4 != 0)
    );
    assert_eq!(find("lit, !lit"), where_(|_| false));
    assert_eq!(find("game.dead || game.lit"), where_(|n| n & 6 != 0));
    assert_eq!(
        find("health && game.dead || lit"),
        where_(|n| has_health(n) && n & 2 != 0 || n & 4 != 0)
    );
    assert_eq!(
        find("health && (game.dead || lit)"),
        where_(|n| has_health(n) && n & 6 != 0)
    );
    assert_eq!(
        find("!(game.dead || lit), !!health"),
        where_(|n| n & 6 == 0 && has_health(n))
    );
    assert_eq!(find("`game.dead`"), where_(|n| n & 2 != 0));
}

#[test]
fn relations_match_their_sources() {
    let child = |n: usize| n & 8 != 0;
    assert_eq!(find("(ChildOf *)"), where_(child));
    assert_eq!(find("(ChildOf, *)"), where_(child));
    assert_eq!(find("!(ChildOf *)"), where_(|n| !child(n)));
    assert_eq!(find("(ChildOf 0v1)"), where_(child));
    assert_eq!(find("(ChildOf 1v1)"), where_(|_| false));
    assert_eq!(
        find("!(ChildOf 0v1), game.lit"),
        where_(|n| !child(n) && n & 4 != 0)
    );
    let (mut world, all) = world(0..4);
    world.relate(all[2], Likes, all[0]).unwrap();
    world.relate(all[2], Likes, all[1]).unwrap();
    world.relate(all[3], Likes, all[1]).unwrap();
    let found = |text: &str| {
        TextQuery::new(&world, text)
            .unwrap()
            .entities(&world)
            .unwrap()
    };
    assert_eq!(found("(Likes 0v1)"), [all[2]]);
    assert_eq!(found("(Likes 1v1)"), [all[2], all[3]]);
    assert_eq!(found("(Likes 1v1), !(Likes 0v1)"), [all[3]]);
}

#[test]
fn fields_are_compared_with_values() {
    let even = |is: &dyn Fn(i32) -> bool| where_(|n| n.is_multiple_of(2) && is(n as i32 - 8));
    assert_eq!(find("game.health.now < -2"), even(&|now| now < -2));
    assert_eq!(find("health.now<=-2"), even(&|now| now <= -2));
    assert_eq!(find("health.now > 0.5"), even(&|now| now > 0));
    assert_eq!(find("health.now >= 4"), even(&|now| now >= 4));
    assert_eq!(find("health.now == 2.0"), even(&|now| now == 2));
    assert_eq!(find("health.now == 2.5"), even(&|_| false));
    assert_eq!(find("health.now != 2"), even(&|now| now != 2));
    assert_eq!(find("!health.now == 2"), where_(|n| n != 10));
    assert_eq!(
        find("health.now < 99999999999999999999999"),
        even(&|_| true)
    );
    assert_eq!(
        find("health.regen > 1"),
        where_(|n| n.is_multiple_of(2) && n > 4)
    );
    assert_eq!(find("health.regen == 0.5"), [2]);
    assert_eq!(find("health.name == \"n06\""), [6]);
    assert_eq!(find("health.name > \"n10\""), [12, 14]);
    assert_eq!(find("health.name ~ \"N0\""), [0, 2, 4, 6, 8]);
    assert_eq!(
        find("!game.dead, health.name~\"6\""),
        find("!game.dead, health.name == \"n06\"")
    );
    assert_eq!(find("health.name ~ \"\""), even(&|_| true));
    assert_eq!(
        find("!health.name ~ \"n0\""),
        where_(|n| n % 2 == 1 || n >= 10)
    );
    assert_eq!(find("health.on == true"), where_(|_| false));
    assert_eq!(find("health.sign >= \"o\""), [14]);
    assert_eq!(find("health.of == none"), [0]);
    assert_eq!(
        find("health.of == 0v1"),
        where_(|n| n.is_multiple_of(2) && n > 0)
    );
    assert_eq!(find("health.of != 0v1"), [0]);
    assert_eq!(
        find("health.now < 0 && lit || (ChildOf *)"),
        where_(|n| { n.is_multiple_of(2) && n < 8 && n & 4 != 0 || n & 8 != 0 })
    );
}

#[test]
fn fields_of_data_are_compared_with_values() {
    let mut world = World::new();
    let all: Vec<Entity> = (0..6)
        .map(|level| {
            let entity = world.spawn((stats(level), Speed(f64::from(level) / 2.0)));
            let state = if level < 3 {
                State::Idle
            } else {
                State::Walk { to: entity }
            };
            world.insert(entity, state).unwrap();
            entity
        })
        .collect();
    world.get_mut::<Stats>(all[1]).unwrap().owner = Some(all[4]);
    let find = |text: &str| {
        let query = TextQuery::new(&world, text).unwrap_or_else(|error| panic!("{error}"));
        let found = query.entities(&world).unwrap();
        let found = found.iter().map(|entity| entity.index());
        found.collect::<Vec<_>>()
    };
    assert_eq!(find("game.stats.level >= 4"), [4, 5]);
    assert_eq!(find("stats.level < 1.5"), [0, 1]);
    assert_eq!(find("stats.owner == 4v1"), [1]);
    assert_eq!(find("stats.owner != none"), [1]);
    assert_eq!(find("stats.owner == none, stats.level < 2"), [0]);
    assert_eq!(find("stats.bonus == 0.1"), [3, 4, 5]);
    assert_eq!(find("stats.bonus == none"), [0, 1, 2]);
    assert_eq!(find("`game.stats`, speed > 2"), [5]);
    assert_eq!(find("game.speed == 1"), [2]);
    assert_eq!(find("state == \"Idle\""), [0, 1, 2]);
    assert_eq!(find("state.Walk.to == 3v1 || state.Walk.to == 4v1"), [3, 4]);
}

#[test]
fn columns_are_the_terms_that_name_components() {
    let (world, all) = world(0..16);
    let text =
        "?game.lit, game.dead, health.now < 100, (ChildOf *), ?game.health, lit || health.now < 9";
    let query = TextQuery::new(&world, text).unwrap();
    let columns = query.columns().iter();
    let names: Vec<_> = columns
        .map(|column| (column.component(), column.field()))
        .collect();
    let expected = [
        (ComponentId::of::<Lit>(), ""),
        (ComponentId::of::<Dead>(), ""),
        (health(), "now"),
        (health(), ""),
    ];
    assert_eq!(names, expected);
    assert_eq!(query.columns()[2].to_string(), "game.health.now");
    let matches = query.matches(&world).unwrap();
    let mut found = 0;
    for item in matches.iter() {
        let lit = world.has::<Lit>(item.entity());
        assert_eq!(item.column(0).is_some(), lit);
        assert!(item.column(1).unwrap().downcast::<Dead>().is_some());
        assert_eq!(item.column(2).unwrap().component(), health());
        let health = DynamicRef::of(item.column(3).unwrap()).unwrap();
        let number = all
            .iter()
            .position(|&entity| entity == item.entity())
            .unwrap();
        assert_eq!(health.get::<i32>("now"), Ok(&(number as i32 - 8)));
        let now = number as i32 - 8;
        assert_eq!(item.value(2).unwrap().to_value().ok(), Some(now.into()));
        let health = world.get_by_name(item.entity(), "game.health").unwrap();
        assert_eq!(item.value(3).unwrap().to_value().ok(), health);
        assert!(item.value(1).is_none(), "its values have no form");
        assert!(item.column(4).is_none() && item.value(4).is_none());
        found += 1;
    }
    assert_eq!(found, 2);
    drop(matches);
    let _writer = world.view_mut::<Dead>();
    let error = query.entities(&world).unwrap_err();
    assert!(error.line_and_column().is_none());
    assert_eq!(
        error.to_string(),
        "component `game.dead` cannot be read now: it is being written through another view, query or reference; help: let that one end first"
    );
}

#[test]
fn a_name_of_the_process_is_known_before_the_world_has_it() {
    let (world, _) = world(0..4);
    let id = DynamicComponent::new("test.never_inserted")
        .register()
        .unwrap();
    let query = TextQuery::new(&world, "test.never_inserted").unwrap();
    assert_eq!(query.columns()[0].component(), id);
    assert_eq!(query.entities(&world).unwrap(), []);
}

fn refusal(text: &str) -> String {
    let (mut world, _) = world(0..16);
    world.spawn((Greyed, Unnamed(0)));
    DynamicComponent::new("test.tag").register().unwrap();
    world.spawn(stats(0));
    world
        .remove::<Stats>(world.entities().iter().last().unwrap())
        .unwrap();
    TextQuery::new(&world, text).unwrap_err().to_string()
}

#[test]
fn errors_point_at_the_column() {
    let cases = [
        (
            "game.helth",
            "no component `game.helth` in this world
  | game.helth
  | ^^^^^^^^^^ column 1
  = help: there is `game.health`",
        ),
        (
            "game.helth.now < 3",
            "no component `game.helth` in this world
  | game.helth.now < 3
  | ^^^^^^^^^^ column 1
  = help: there is `game.health`",
        ),
        (
            "helth.now < 3 || lit",
            "no component `helth` in this world
  | helth.now < 3 || lit
  | ^^^^^ column 1
  = help: there is `health`",
        ),
        (
            "!game.health.now",
            "no component `game.health.now` in this world
  | !game.health.now
  |  ^^^^^^^^^^^^^^^ column 2
  = help: compare `now` of `game.health` with a value, such as `game.health.now == 1`",
        ),
        (
            "game.health, dead",
            "`dead` may be one of 2 components
  | game.health, dead
  |              ^^^^ column 14
  = help: write one of `game.dead`, `ui.dead`",
        ),
        (
            "game.health game.dead",
            "expected a comma or an operator, found the name `game.dead`
  | game.health game.dead
  |             ^^^^^^^^^ column 13
  = help: separate terms by commas",
        ),
        (
            "game.health.noww < 3",
            "component `game.health` has no field `noww`
  | game.health.noww < 3
  |             ^^^^ column 13
  = help: its fields are `now: i32`, `regen: f32`, `name: String`, `on: bool`, `sign: char`, `of: Option<Entity>`",
        ),
        (
            "game.health < 3",
            "component `game.health` has several values
  | game.health < 3
  | ^^^^^^^^^^^ column 1
  = help: its fields are `now: i32`, `regen: f32`, `name: String`, `on: bool`, `sign: char`, `of: Option<Entity>`",
        ),
        (
            "game.lit.on == true",
            "the values of component `game.lit` cannot be compared
  | game.lit.on == true
  |          ^^ column 10
  = help: make it data by `#[component(data = \"game.lit\")]`, or ask for the component alone",
        ),
        (
            "test.tag == 3",
            "component `test.tag` has no fields that can be compared
  | test.tag == 3
  | ^^^^^^^^ column 1
  = help: ask for the component alone",
        ),
        (
            "game.stats.nam == \"a\"",
            "component `game.stats` has no field `nam`
  | game.stats.nam == \"a\"
  |            ^^^ column 12
  = help: its fields are `level`, `names`, `owner`, `bonus`",
        ),
        (
            "game.health.now < \"three\"",
            "field `now` of `game.health` is of type `i32`, and is never `\"three\"`
  | game.health.now < \"three\"
  |                   ^^^^^^^ column 19
  = help: compare it with a number",
        ),
        (
            "game.health.on < true",
            "field `on` of `game.health` is of type `bool`, whose values have no order
  | game.health.on < true
  |                ^ column 16
  = help: compare them with `==` or `!=`",
        ),
        (
            "game.health.name ~ 3",
            "`~` looks for a part of a text, and not for `3`
  | game.health.name ~ 3
  |                    ^ column 20
  = help: write a text in quotes: `\"3\"`",
        ),
        (
            "game.health.now ~ \"3\"",
            "field `now` of `game.health` is of type `i32`, and is never `\"3\"`
  | game.health.now ~ \"3\"
  |                   ^^^ column 19
  = help: compare it with a number",
        ),
        (
            "game.health.name == ork",
            "expected a value to compare with, found the name `ork`
  | game.health.name == ork
  |                     ^^^ column 21
  = help: put a text into quotes: `\"ork\"`; fields are compared with values only",
        ),
        (
            "game.health.now = 3",
            "unexpected character `=`
  | game.health.now = 3
  |                 ^ column 17
  = help: compare with `==`",
        ),
        (
            "game.health.now <",
            "expected a value to compare with, found the end of the query
  | game.health.now <
  |                  ^ column 18
  = help: write a number, `true`, `false`, a text in quotes, an entity such as `3v1`, or `none`",
        ),
        (
            "(ChildOff *)",
            "no relation `ChildOff` in this world
  | (ChildOff *)
  |  ^^^^^^^^ column 2
  = help: there is `ChildOf`",
        ),
        (
            "(ChildOf game.dead)",
            "expected the target of a relation, found the name `game.dead`
  | (ChildOf game.dead)
  |          ^^^^^^^^^ column 10
  = help: write `*` for any target, or an entity such as `3v1`",
        ),
        (
            "(ChildOf * game.dead)",
            "expected `)`, found the name `game.dead`
  | (ChildOf * game.dead)
  |            ^^^^^^^^^ column 12
  = help: name only one target",
        ),
        (
            "(game.dead, game.lit",
            "expected the target of a relation, found the name `game.lit`
  | (game.dead, game.lit
  |             ^^^^^^^^ column 13
  = help: write `*` for any target, or an entity such as `3v1`",
        ),
        (
            "(game.dead || game.lit",
            "expected `)` or an operator, found the end of the query
  | (game.dead || game.lit
  |                       ^ column 23
  = help: join conditions in parentheses by `&&` and `||`",
        ),
        (
            "game.dead || ?game.lit",
            "expected a component, found `?`
  | game.dead || ?game.lit
  |              ^ column 14
  = help: write a comma before `?`, which begins a term of its own",
        ),
        (
            "?game.health.now < 3",
            "expected a comma, found `<`
  | ?game.health.now < 3
  |                  ^ column 18
  = help: write the optional component as a term of its own, without a condition",
        ),
        (
            "game.dead,, game.lit",
            "expected a component, found `,`
  | game.dead,, game.lit
  |           ^ column 11
  = help: name one, such as `game.health`, or a relation, such as `(ChildOf *)`",
        ),
        (
            "game.dead, !",
            "expected a component, found the end of the query
  | game.dead, !
  |             ^ column 13
  = help: name one, such as `game.health`",
        ),
        (
            "game.health.name == \"orc",
            "a text has no end
  | game.health.name == \"orc
  |                     ^^^^ column 21
  = help: write another `\"` after it",
        ),
        (
            "game.health.now < 3x",
            "`3x` is not a number
  | game.health.now < 3x
  |                   ^^ column 19
  = help: write numbers like `10`, `-2.5` and `1e6`, and entities like `3v1`",
        ),
        (
            "game.dead,\n\tgame.lit,\n\té.ü",
            "no component `é.ü` in this world
  |  é.ü
  |  ^^^ line 3, column 2
  = help: there are `game.dead`, `game.health`, `game.lit`, `game.stats`, `queries::text_queries::Unnamed`, `ui.dead`",
        ),
    ];
    for (text, expected) in cases {
        let found = refusal(text);
        // Ends of relations are also in the lists of components.
        let ends = [
            "`Sources<queries::text_queries::ChildOf>`, ",
            "`Target<queries::text_queries::ChildOf>`, ",
        ];
        let found = ends.iter().fold(found, |found, end| found.replace(end, ""));
        assert_eq!(found, expected, "\n{found}");
    }
}

#[test]
fn depth_is_limited() {
    let nested = |depth: usize| format!("{}game.dead{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(find(&nested(64)), find("game.dead"));
    assert!(
        refusal(&nested(65)).starts_with("more than 64 parentheses and `!` inside of each other")
    );
    assert!(refusal(&"!".repeat(100_000)).starts_with("more than 64"));
    assert!(refusal(&"(".repeat(100_000)).starts_with("more than 64"));
}

/// A condition, both a text and a function of the number of an entity.
#[derive(Clone, Debug)]
enum Model {
    Leaf(&'static str, fn(u8) -> bool),
    Not(Box<Model>),
    All(Vec<Model>),
    Any(Vec<Model>),
}

impl Model {
    fn text(&self) -> String {
        let join = |parts: &[Self], operator: &str| {
            let parts: Vec<String> = parts.iter().map(Self::text).collect();
            format!("({})", parts.join(operator))
        };
        match self {
            Self::Leaf(text, _) => (*text).to_owned(),
            Self::Not(inner) => format!("!({})", inner.text()),
            Self::All(parts) => join(parts, " && "),
            Self::Any(parts) => join(parts, "||"),
        }
    }

    fn holds(&self, number: u8) -> bool {
        match self {
            Self::Leaf(_, is) => is(number),
            Self::Not(inner) => !inner.holds(number),
            Self::All(parts) => parts.iter().all(|part| part.holds(number)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(number)),
        }
    }
}

fn model() -> impl Strategy<Value = Model> {
    let leaf = prop_oneof![
        Just(Model::Leaf("game.dead", |n| n & 2 != 0)),
        Just(Model::Leaf("game.lit", |n| n & 4 != 0)),
        Just(Model::Leaf("game.health", |n| n & 1 == 0)),
        Just(Model::Leaf("(ChildOf *)", |n| n & 8 != 0)),
        Just(Model::Leaf("game.health.now < 0", |n| n & 1 == 0 && n < 8)),
        Just(Model::Leaf("game.health.name >= \"n04\"", |n| n & 1 == 0 && n >= 4)),
        Just(Model::Leaf("game.health.of == 0v1", |n| n & 1 == 0 && n > 0)),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Model::Not(Box::new(inner))),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Model::All),
            prop::collection::vec(inner, 1..4).prop_map(Model::Any),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(400)))]

    #[test]
    fn conditions_mean_what_they_say(terms in prop::collection::vec(model(), 0..4)) {
        let text: Vec<String> = terms.iter().map(Model::text).collect();
        let expected = where_(|number| terms.iter().all(|term| term.holds(number as u8)));
        prop_assert_eq!(find(&text.join(", ")), expected, "{}", text.join(", "));
    }

    #[test]
    fn arbitrary_text_is_a_query_or_an_error(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn arbitrary_words_are_a_query_or_an_error(words in prop::collection::vec(prop::sample::select(vec![
        "game.dead", "game.health", "game.health.now", "dead", "lit", "ChildOf", "`a b`", ".", "..", "a.", ",", "!", "?",
        "(", ")", "*", "&&", "||", "==", "!=", "<", "<=", ">", ">=", "~", "=", "&", "3", "-3", "2.5", "1e999", "-", "+", "3v1",
        "3v0", "99999999999999999999v1", "true", "none", "\"text\"", "\"", "\"\\q\"", "`", "\n", "\t", "é", "\u{202e}", "\0",
    ]), 0..12), space in any::<bool>()) {
        check(&words.join(if space { " " } else { "" }));
    }
}

/// Compares a part of a tree with the text of a value.
fn compare(part: &Value, literal: &str) -> Option<Ordering> {
    if let Some(id) = part.as_entity() {
        let id = id.to_string();
        return (literal == id || literal == format!("{id:?}")).then_some(Ordering::Equal);
    }
    match part {
        Value::Null => (literal == "none").then_some(Ordering::Equal),
        Value::Int(part) => (*part as f64).partial_cmp(&literal.parse().ok()?),
        Value::Float(part) => part.partial_cmp(&literal.parse().ok()?),
        Value::String(part) => {
            let text = literal.strip_prefix('"')?.strip_suffix('"')?;
            Some(part.as_str().cmp(text))
        }
        _ => None,
    }
}

fn is_met(operator: &str, ordering: Option<Ordering>) -> bool {
    match operator {
        "==" => ordering == Some(Ordering::Equal),
        "!=" => ordering != Some(Ordering::Equal),
        "<" => ordering == Some(Ordering::Less),
        "<=" => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
        ">" => ordering == Some(Ordering::Greater),
        _ => matches!(ordering, Some(Ordering::Greater | Ordering::Equal)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 400 }))]

    #[test]
    fn a_condition_on_data_compares_what_its_tree_has(
        levels in prop::collection::vec(0..6_u8, 0..150),
        component in prop::sample::select(vec!["game.stats", "game.speed", "game.state", "game.bag"]),
        path in prop::sample::select(vec![
            "", ".level", ".names", ".names[0]", ".names[1]", ".names[2]", ".bonus", ".Walk", ".Walk.to", ".level.level",
            ".names[3]", ".marks", ".marks[\"mark 0\"]", ".marks[\"mark 2\"]", ".marks[\"mark 22\"]", ".marks[2]",
        ]),
        operator in prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">=", "~"]),
        literal in prop::sample::select(vec![
            "0", "3", "2.5", "4v1", "-1", "0.1", "0.5", "none", "true", "\"n3\"", "\"x\"", "\"Idle\"", "\"D\"", "\"\"",
            "99999999999999999999",
        ]),
        is_negated in any::<bool>(),
        // A second condition, whose values are in a sparse set or in a table, before the first or after it.
        other in prop::sample::select(vec!["", "game.speed >= 1", "game.stats.level < 4"]),
        is_other_first in any::<bool>(),
    ) {
        let mut world = World::new();
        world.register::<Stats>();
        world.register::<Speed>();
        world.register::<State>();
        world.register::<Bag>();
        let mut all = Vec::new();
        for (number, &level) in levels.iter().enumerate() {
            let entity = world.spawn(());
            if number % 3 != 0 {
                world.insert(entity, stats(level)).unwrap();
            }
            if number % 2 != 0 {
                world.insert(entity, Speed(f64::from(level) / 2.0)).unwrap();
            }
            if number % 5 != 0 {
                world.insert(entity, bag(level)).unwrap();
            }
            if level != 2 {
                let state = if level < 3 { State::Idle } else { State::Walk { to: entity } };
                world.insert(entity, state).unwrap();
            }
            all.push(entity);
        }
        // Optional components are not searched for, so sparse values are looked up in the rows of tables.
        let text = format!("{component}{path} {operator} {literal}");
        let text = if is_negated { format!("!({text})") } else { text };
        let text = match other {
            "" => text,
            other if is_other_first => format!("({other} && ({text}))"),
            other => format!("{text}, {other}"),
        };
        let ordering = |entity: Entity| {
            let tree = world.get_by_name(entity, component).unwrap()?;
            let part = if path.is_empty() { Some(&tree) } else { tree.get(path.trim_start_matches('.')) };
            Some(part.and_then(|part| compare(part, literal)))
        };
        let has_part = |entity: Entity| {
            let tree = world.get_by_name(entity, component).unwrap()?;
            let part = if path.is_empty() { Some(&tree) } else { tree.get(path.trim_start_matches('.')) };
            let text = literal.strip_prefix('"')?.strip_suffix('"')?.to_lowercase();
            Some(matches!(part, Some(Value::String(part)) if part.to_lowercase().contains(&text)))
        };
        let holds = |&entity: &Entity| match operator {
            "~" => has_part(entity) == Some(true),
            operator => ordering(entity).is_some_and(|ordering| is_met(operator, ordering)),
        };
        let Ok(query) = TextQuery::new(&world, &text) else {
            // It is refused since no value meets it, or since `none` and ids have no order.
            if ["none", "4v1"].contains(&literal) && !["==", "!="].contains(&operator) {
                return Ok(());
            }
            prop_assert!(operator == "!=" || !all.iter().any(holds), "{}", text);
            prop_assert!(operator == "~" || all.iter().all(|entity| ordering(*entity).flatten() != Some(Ordering::Equal)), "{}", text);
            return Ok(());
        };
        let is_expected = |entity: &Entity| {
            let other = match other {
                "" => true,
                "game.speed >= 1" => world.get::<Speed>(*entity).is_some_and(|speed| speed.0 >= 1.0),
                _ => world.get::<Stats>(*entity).is_some_and(|stats| stats.level < 4),
            };
            other && holds(entity) != is_negated
        };
        let expected: Vec<Entity> = all.iter().copied().filter(is_expected).collect();
        let mut found = query.entities(&world).unwrap();
        found.sort_by_key(|entity| entity.index());
        prop_assert_eq!(&found, &expected, "{}", text);
        let matches = query.matches(&world).unwrap();
        prop_assert_eq!(matches.count(), expected.len());
        let name = format!("{component}{path}");
        let column = query.columns().iter().position(|column| column.to_string() == name).unwrap();
        for item in matches.iter() {
            // The column of the field is the part of the tree.
            let tree = world.get_by_name(item.entity(), component).unwrap();
            let part = tree.as_ref().and_then(|tree| tree.get(path.trim_start_matches('.')));
            let value = item.value(column).map(|value| value.to_value().unwrap());
            prop_assert_eq!(value.as_ref(), part, "{}", text);
        }
        for entity in &all {
            prop_assert_eq!(matches.contains(*entity), expected.contains(entity));
        }
    }
}

/// Parses and runs any text; an error must point inside of it.
fn check(text: &str) {
    let (world, _) = world(0..16);
    match TextQuery::new(&world, text) {
        Ok(query) => assert!(query.entities(&world).unwrap().len() <= 16),
        Err(error) => {
            let (line, column) = error.line_and_column().unwrap();
            let line = text.split('\n').nth(line - 1).unwrap();
            assert!(column <= line.chars().count() + 1);
            assert!(error.to_string().contains(&format!("column {column}")));
            assert!(!error.message().is_empty() && !error.help().is_empty());
        }
    }
}
