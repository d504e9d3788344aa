//! Text queries: any text is refused at a place inside of it, or matches a set of entities; and conditions have their
//! written meaning.

use std::cmp::Ordering;

use arbitrary::{Arbitrary, Result, Unstructured};
use ecs_core::component::ComponentId;
use ecs_core::data::{TextMatch, TextMatches, TextPlace, TextQuery};
use ecs_core::dynamic::{DynamicComponent, DynamicValue, FieldKind};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::decode::{Several, choices};

/// A query. The first byte of a condition is zero; all other inputs are texts.
#[derive(Debug)]
pub enum Input {
    /// Any text.
    Text(String),
    /// A condition written as text, and the white space between its words.
    Condition(Space, Condition),
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        if bytes.peek_bytes(1) == Some(&[0]) {
            let _: u8 = bytes.arbitrary()?;
            return Ok(Self::Condition(bytes.arbitrary()?, bytes.arbitrary()?));
        }
        let bytes = bytes.bytes(bytes.len())?;
        Ok(Self::Text(String::from_utf8_lossy(bytes).into_owned()))
    }
}

choices! {
    /// White space between words.
    #[derive(Clone, Copy, Debug)]
    pub enum Space {
        /// A blank.
        Blank,
        /// Nothing, if that is possible.
        Nothing,
        /// A new line.
        Line,
    }
}

choices! {
    /// A condition on an entity.
    #[derive(Debug)]
    #[expect(missing_docs, reason = "named as in the text")]
    pub enum Condition {
        Has(Has),
        Now(Operator, Number),
        Regen(Operator, Number),
        Level(Operator, Number),
        Bonus(Operator, Number),
        Name(Operator, u8),
        /// They have no order.
        Flag(bool, bool),
        /// The entity with the number, or none.
        Friend(bool, Option<u8>),
        ChildOf(u8),
        Likes(u8),
        Not(Box<Condition>),
        All(Box<Condition>, Several<Condition>),
        Any(Box<Condition>, Several<Condition>),
    }
}

choices! {
    /// A property that an entity has or lacks.
    #[derive(Clone, Copy, Debug)]
    #[expect(missing_docs, reason = "named as the components are")]
    pub enum Has {
        Dead,
        Lit,
        Health,
        Stats,
        ChildOf,
        Likes,
    }
}

choices! {
    /// A comparison.
    #[derive(Clone, Copy, Debug)]
    #[expect(missing_docs, reason = "named as in the text")]
    pub enum Operator {
        Equal,
        Unequal,
        Less,
        AtMost,
        Greater,
        AtLeast,
    }
}

choices! {
    /// A number in the text.
    #[derive(Clone, Copy, Debug)]
    #[expect(missing_docs, reason = "the names say it")]
    pub enum Number {
        Small(i8),
        Quarters(i8),
        Integer(i64),
        Float(f64),
    }
}

impl Operator {
    fn text(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }

    fn holds(self, ordering: Option<Ordering>) -> bool {
        match self {
            Self::Equal => ordering == Some(Ordering::Equal),
            Self::Unequal => ordering != Some(Ordering::Equal),
            Self::Less => ordering == Some(Ordering::Less),
            Self::AtMost => ordering.is_some_and(Ordering::is_le),
            Self::Greater => ordering == Some(Ordering::Greater),
            Self::AtLeast => ordering.is_some_and(Ordering::is_ge),
        }
    }
}

impl Number {
    /// Returns the text of the number, which is a number even if the float is not finite.
    fn text(self) -> String {
        match self {
            Self::Small(number) => number.to_string(),
            Self::Quarters(number) => format!("{:?}", f64::from(number) / 4.0),
            Self::Integer(number) => number.to_string(),
            Self::Float(number) if number.is_finite() => format!("{number:?}"),
            Self::Float(_) => "0.5".to_owned(),
        }
    }

    /// Compares a small number with it. Integers of 64 bits that floats cannot represent are far away from all small
    /// numbers, so their rounding does not matter.
    fn compare(self, field: f64) -> Option<Ordering> {
        let number = match self {
            Self::Small(number) => f64::from(number),
            Self::Quarters(number) => f64::from(number) / 4.0,
            Self::Integer(number) => number as f64,
            Self::Float(number) if number.is_finite() => number,
            Self::Float(_) => 0.5,
        };
        field.partial_cmp(&number)
    }
}

/// The number of entities; the number of an entity determines its components.
const COUNT: u8 = 24;

fn bonus(number: u8) -> Option<f32> {
    (number % 2 == 1).then(|| f32::from(number) / 4.0)
}

fn name(number: u8) -> String {
    format!("n{number:02}")
}

impl Has {
    fn text(self, separator: &str) -> String {
        match self {
            Self::Dead => "game.dead".to_owned(),
            Self::Lit => "lit".to_owned(),
            Self::Health => "`game.health`".to_owned(),
            Self::Stats => "fuzz.stats".to_owned(),
            Self::ChildOf => format!("({separator}ChildOf{separator}*{separator})"),
            Self::Likes => "(Likes, *)".to_owned(),
        }
    }

    fn holds(self, number: u8) -> bool {
        match self {
            Self::Dead => number & 2 != 0,
            Self::Lit => number & 4 != 0,
            Self::Health => number & 1 == 0,
            Self::Stats => number.is_multiple_of(3),
            Self::ChildOf => number & 8 != 0,
            Self::Likes => number > 1,
        }
    }
}

impl Condition {
    fn text(&self, separator: &str) -> String {
        let compare = |field: &str, operator: &Operator, value: &str| {
            [field, operator.text(), value].join(separator)
        };
        let join = |first: &Self, others: &[Self], operator: &str| {
            let all = std::iter::once(first).chain(others);
            let all: Vec<String> = all.map(|condition| condition.text(separator)).collect();
            let operator = format!("{separator}{operator}{separator}");
            format!("({})", all.join(&operator))
        };
        let equality = |is_equal| {
            if is_equal {
                Operator::Equal
            } else {
                Operator::Unequal
            }
        };
        match self {
            Self::Has(what) => what.text(separator),
            Self::Now(operator, number) => compare("game.health.now", operator, &number.text()),
            Self::Regen(operator, number) => compare("health.regen", operator, &number.text()),
            Self::Level(operator, number) => compare("fuzz.stats.level", operator, &number.text()),
            Self::Bonus(operator, number) => compare("stats.bonus", operator, &number.text()),
            Self::Name(operator, other) => {
                compare("health.name", operator, &format!("{:?}", name(*other)))
            }
            Self::Flag(is_equal, value) => {
                compare("health.on", &equality(*is_equal), &value.to_string())
            }
            Self::Friend(is_equal, friend) => {
                let friend = friend.map_or("none".to_owned(), |number| format!("{number}v1"));
                compare("stats.friend", &equality(*is_equal), &friend)
            }
            Self::ChildOf(parent) => format!("(ChildOf {parent}v1{separator})"),
            Self::Likes(target) => format!("(Likes,{separator}{target}v1)"),
            Self::Not(condition) => format!("!{separator}{}", condition.text(separator)),
            Self::All(first, others) => join(first, &others.0, "&&"),
            Self::Any(first, others) => join(first, &others.0, "||"),
        }
    }

    fn holds(&self, number: u8) -> bool {
        let has = |what: Has| what.holds(number);
        let all = |first: &Self, others: &[Self], expected: bool| {
            let mut all = std::iter::once(first).chain(others);
            all.all(|condition| condition.holds(number) == expected)
        };
        match self {
            Self::Has(what) => has(*what),
            Self::Now(operator, other) => {
                has(Has::Health) && operator.holds(other.compare(f64::from(number) - 8.0))
            }
            Self::Regen(operator, other) => {
                has(Has::Health) && operator.holds(other.compare(f64::from(number) / 4.0))
            }
            Self::Level(operator, other) => {
                has(Has::Stats) && operator.holds(other.compare(f64::from(number)))
            }
            Self::Bonus(operator, other) => {
                let bonus = bonus(number).map(f64::from);
                has(Has::Stats) && operator.holds(bonus.and_then(|bonus| other.compare(bonus)))
            }
            Self::Name(operator, other) => {
                has(Has::Health) && operator.holds(Some(name(number).cmp(&name(*other))))
            }
            Self::Flag(is_equal, value) => {
                has(Has::Health) && ((number & 4 != 0) == *value) == *is_equal
            }
            Self::Friend(is_equal, friend) => {
                has(Has::Stats) && (number.checked_sub(1) == *friend) == *is_equal
            }
            Self::ChildOf(parent) => has(Has::ChildOf) && *parent == 0,
            Self::Likes(target) => has(Has::Likes) && [0, number / 2].contains(target),
            Self::Not(condition) => !condition.holds(number),
            Self::All(first, others) => all(first, &others.0, true),
            Self::Any(first, others) => !all(first, &others.0, false),
        }
    }

    /// Returns the nesting depth of parentheses and `!`.
    fn depth(&self) -> usize {
        match self {
            Self::Has(Has::ChildOf | Has::Likes) | Self::ChildOf(_) | Self::Likes(_) => 1,
            Self::Not(condition) => 1 + condition.depth(),
            Self::All(first, others) | Self::Any(first, others) => {
                let others = others.0.iter().map(Self::depth).max();
                1 + first.depth().max(others.unwrap_or(0))
            }
            _ => 0,
        }
    }
}

#[derive(Component)]
#[component(name = "game.dead")]
struct Dead;

#[derive(Component)]
#[component(name = "game.lit", storage = "sparse")]
struct Lit;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "fuzz.stats")]
struct Stats {
    level: u8,
    bonus: Option<f32>,
    friend: Option<Entity>,
    words: Vec<String>,
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
        .field("on", FieldKind::Bool);
    health.register().expect("it is always the same")
}

/// A world with an entity for each number, and its entities.
fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let all: Vec<Entity> = (0..COUNT).map(|_| world.spawn(())).collect();
    for (number, &entity) in (0..COUNT).zip(&all) {
        if Has::Health.holds(number) {
            let value = DynamicValue::new(health())
                .and_then(|value| value.with("now", i32::from(number) - 8))
                .and_then(|value| value.with("regen", f32::from(number) / 4.0))
                .and_then(|value| value.with("name", name(number)))
                .and_then(|value| value.with("on", number & 4 != 0));
            let value = value.expect("all fields are there");
            world.insert_dynamic(entity, value).unwrap();
        }
        if Has::Dead.holds(number) {
            world.insert(entity, Dead).unwrap();
        }
        if Has::Lit.holds(number) {
            world.insert(entity, Lit).unwrap();
        }
        if Has::Stats.holds(number) {
            let stats = Stats {
                level: number,
                bonus: bonus(number),
                friend: number.checked_sub(1).map(|friend| all[usize::from(friend)]),
                words: vec![name(number); usize::from(number % 3)],
            };
            world.insert(entity, stats).unwrap();
        }
        if Has::ChildOf.holds(number) {
            world.relate(entity, ChildOf, all[0]).unwrap();
        }
        if Has::Likes.holds(number) {
            world.relate(entity, Likes, all[0]).unwrap();
            world
                .relate(entity, Likes, all[usize::from(number / 2)])
                .unwrap();
        }
    }
    (world, all)
}

/// Parses a text, and runs it if it is a query; `None` if it is refused.
///
/// # Panics
/// If the error names no place in the text, or if different queries give different answers.
fn find(world: &World, all: &[Entity], text: &str) -> Option<Vec<bool>> {
    let query = match TextQuery::new(world, text) {
        Ok(query) => query,
        Err(error) => {
            let (line, column) = error.line_and_column().expect("the text is to blame");
            let line = text.split('\n').nth(line - 1).expect("a line of the text");
            assert!((1..=line.chars().count() + 1).contains(&column));
            assert!(error.to_string().contains(&format!("column {column}")));
            assert!(!error.message().is_empty() && !error.help().is_empty());
            return None;
        }
    };
    assert_eq!(TextQuery::new(world, text).as_ref(), Ok(&query));
    let matches = query.matches(world).expect("nothing is borrowed");
    let found: Vec<bool> = all.iter().map(|&entity| matches.contains(entity)).collect();
    let mut listed = vec![false; all.len()];
    for item in matches.iter() {
        let position = all.iter().position(|&entity| entity == item.entity());
        let is_listed = &mut listed[position.expect("an entity of the world")];
        assert!(!std::mem::replace(is_listed, true), "it is listed once");
        for (number, column) in query.columns().iter().enumerate() {
            let component = item.column(number).map(|value| value.component());
            assert!(component.is_none_or(|component| component == column.component()));
            let value = item.value(number);
            assert!(value.is_none_or(|value| value.to_value().is_ok()));
        }
        assert!(item.column(query.columns().len()).is_none());
    }
    assert_eq!(listed, found);
    assert_eq!(
        matches.count(),
        found.iter().filter(|is_found| **is_found).count()
    );
    walk_in_parts(&matches);
    Some(found)
}

/// Compares a walk in parts with one in a single part.
fn walk_in_parts(matches: &TextMatches<'_>) {
    let mut whole = matches.resume(&TextPlace::START, usize::MAX);
    let (mut place, mut limit) = (Some(TextPlace::START), 0);
    while let Some(from) = place {
        let mut part = matches.resume(&from, limit);
        assert!(!part.has_moved(), "nothing changes");
        for found in part.by_ref().take(3) {
            assert_eq!(whole.next().map(TextMatch::entity), Some(found.entity()));
        }
        place = part.place();
        limit = (limit + 2) % 9;
    }
    assert!(whole.next().is_none());
}

/// Compares a text with others derived from it.
fn compare_with_others(world: &World, all: &[Entity], text: &str, found: &[bool]) {
    // Refused if the text already ends with a comma, or if nothing precedes the comma.
    let twice = find(world, all, &format!("{text}\n,{text}"));
    assert!(twice.is_none_or(|twice| twice == found));
    // A list of terms cannot be a condition in parentheses.
    if text.contains([',', '?', '"', '`']) || text.trim().is_empty() {
        return;
    }
    // Too many parentheses are refused.
    if let Some(not) = find(world, all, &format!("!({text})")) {
        assert!(not.iter().zip(found).all(|(not, found)| not != found));
    }
    for same in [format!("({text})"), format!("({text}) || ({text} && lit)")] {
        let same = find(world, all, &same);
        assert!(same.is_none_or(|same| same == found));
    }
}

/// Parses a query, and compares its matches with the condition's, or with the matches of other queries.
///
/// # Panics
/// If a comparison fails.
pub fn run(input: Input) {
    let (world, all) = world();
    match input {
        Input::Text(text) => {
            if let Some(found) = find(&world, &all, &text) {
                compare_with_others(&world, &all, &text, &found);
            }
        }
        Input::Condition(space, condition) => {
            let text = condition.text(space.text());
            let expected: Vec<bool> = (0..COUNT).map(|number| condition.holds(number)).collect();
            match find(&world, &all, &text) {
                Some(found) => assert_eq!(found, expected, "{text}"),
                None => assert!(condition.depth() > MAX_DEPTH, "{text} is a query"),
            }
        }
    }
}

/// The depth that queries can have.
const MAX_DEPTH: usize = 64;

impl Space {
    fn text(self) -> &'static str {
        match self {
            Self::Blank => " ",
            Self::Nothing => "",
            Self::Line => "\n",
        }
    }
}
