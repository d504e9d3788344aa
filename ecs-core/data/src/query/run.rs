//! Text queries and their matches.

use std::fmt;

use ecs_engine::dynamic::{DynamicQuery, Matches};
use ecs_engine::{Entity, World};

use super::column::TextColumn;
use super::error::TextQueryError;
use super::names::QueryNames;
use super::parser::parse;
use super::plan::QueryPlan;
use super::walk::{TextPlace, TextWalk};

/// A query that was written as text: `game.health, ?game.name, !game.dead, (ChildOf *)`.
///
/// # Syntax
/// Terms are separated by commas, and all of them have to match:
///
/// | term | matches entities |
/// |---|---|
/// | `game.health` | with the component |
/// | `?game.name` | with or without it; it is one of the [columns](Self::columns) |
/// | `!game.dead` | without it |
/// | `game.health.now < 10` | whose component has a field with this value: `==`, `!=`, `<`, `<=`, `>`, `>=`; the field is a column |
/// | `ecs.name ~ "rat"` | whose text contains this one, in any case of letters |
/// | `(ChildOf *)` | that are sources of the relation |
/// | `(ChildOf 3v1)` | that are related to this entity |
/// | `a \|\| b` | that match one of the two |
/// | `a && b` | that match both; it binds more tightly than `\|\|` |
/// | `!(a && b)` | that do not match the condition in parentheses |
///
/// Values are numbers, `true` and `false`, texts in quotes, entities such as `3v1`, and `none`. A field belongs to a component
/// that is [defined at run time](ecs_engine::dynamic), or is a part of a component that is data: the part that
/// [`Value::get`](crate::Value::get) finds at a path such as `items[0].name` in the tree of a value. A condition only looks at
/// that part, so the rest of the component does not matter.
///
/// A condition that no value of the field could meet is an error, where the type of the field is known: a number is not compared
/// with a text, and a list or struct with nothing, since their parts are compared. `none` fits a field that is an `Option`. A
/// variant without values is the text of its name (`mood == "Calm"`), and one with values is a step of the path
/// (`mood.Angry.level > 2`).
///
/// A component is known by its name (`#[component(name = "..")]` and the like), and otherwise by the path of its type.
/// The end of a name suffices if no other name ends so: `health`, or `Health` for `game::Health`. Put a name with other
/// characters than letters, digits and `_.:-` into backticks.
///
/// ```
/// use ecs_core::data::TextQuery;
/// use ecs_core::dynamic::{DynamicComponent, DynamicValue, FieldKind};
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// #[component(name = "game.dead")]
/// struct Dead;
/// #[derive(Relation)]
/// struct ChildOf;
///
/// let health = DynamicComponent::new("mod.health").field("now", FieldKind::U32).register()?;
/// let mut world = World::new();
/// let [king, hero, ghost] = [90_u32, 7, 3].map(|now| {
///     let entity = world.spawn(());
///     let value = DynamicValue::new(health).and_then(|value| value.with("now", now)).unwrap();
///     world.insert_dynamic(entity, value).unwrap();
///     entity
/// });
/// world.insert(ghost, Dead)?;
/// world.insert(hero, ChildOf.to(king))?;
///
/// let find = |text: &str| TextQuery::new(&world, text)?.entities(&world);
/// assert_eq!(find("mod.health, !game.dead")?, [king, hero]);
/// assert_eq!(find("mod.health.now < 10")?, [hero, ghost]);
/// assert_eq!(find("mod.health.now >= 90 || (ChildOf *)")?, [king, hero]);
/// assert_eq!(find("(ChildOf 0v1)")?, [hero]);
/// assert_eq!(
///     find("!game.dead, mod.healt").unwrap_err().to_string(),
///     "no component `mod.healt` in this world
///   | !game.dead, mod.healt
///   |             ^^^^^^^^^ column 13
///   = help: there is `mod.health`"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TextQuery {
    plan: QueryPlan,
}

impl TextQuery {
    /// Parses a text, and looks up its names among the components of a world. The query can then be used with any world.
    ///
    /// # Errors
    /// If the text is not a query, or names a component, field or relation that does not exist, or compares a field with a value that
    /// its type never has; the error points at it.
    pub fn new(world: &World, text: &str) -> Result<Self, TextQueryError> {
        let plan = || QueryPlan::new(&parse(text)?, &QueryNames::of(world));
        match plan() {
            Ok(plan) => Ok(Self { plan }),
            Err(problem) => Err(problem.of(text)),
        }
    }

    /// Returns the components that the text names as terms of their own, including the optional ones, and the fields that it
    /// tests, in the order of the text.
    #[must_use]
    pub fn columns(&self) -> &[TextColumn] {
        &self.plan.columns
    }

    /// Returns the query without the conditions on values, which access the world in the same way.
    #[must_use]
    pub fn query(&self) -> &DynamicQuery {
        &self.plan.query
    }

    /// Borrows the components of the query.
    ///
    /// # Errors
    /// If a component is borrowed for writing elsewhere.
    pub fn matches<'w>(&'w self, world: &'w World) -> Result<TextMatches<'w>, TextQueryError> {
        let matches = world.try_query_dynamic(&self.plan.query)?;
        Ok(TextMatches {
            matches,
            plan: &self.plan,
        })
    }

    /// Returns the entities that match.
    ///
    /// # Errors
    /// If a component is borrowed for writing elsewhere.
    pub fn entities(&self, world: &World) -> Result<Vec<Entity>, TextQueryError> {
        Ok(self
            .matches(world)?
            .iter()
            .map(|found| found.entity())
            .collect())
    }
}

/// The entities that a text query matches, borrowed for reading.
pub struct TextMatches<'w> {
    matches: Matches<'w>,
    plan: &'w QueryPlan,
}

impl TextMatches<'_> {
    /// Iterates over the matches.
    pub fn iter(&self) -> TextWalk<'_> {
        let rows = self.matches.rows(usize::MAX);
        TextWalk::new(self.plan, rows, None)
    }

    /// Goes on with a walk at a place, and looks at no more than `limit` rows; [`TextPlace::START`] begins one. So the walk can be
    /// cut into parts that take a bounded time, with changes of the world between them.
    ///
    /// Ask the result for its [place](TextWalk::place) when you have got enough matches, or when it has no more. Without changes
    /// in between, the parts together return each match once, in the order of tables.
    ///
    /// ```
    /// use ecs_core::data::{TextPlace, TextQuery};
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(name = "game.tree")]
    /// struct Tree;
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..100).map(|_| Tree));
    /// let query = TextQuery::new(&world, "game.tree")?;
    ///
    /// let (mut place, mut pages) = (Some(TextPlace::START), Vec::new());
    /// while let Some(from) = place {
    ///     // Other work comes here, in a frame of its own.
    ///     let matches = query.matches(&world)?;
    ///     let mut walk = matches.resume(&from, 10_000);
    ///     assert!(!walk.has_moved());
    ///     pages.push(walk.by_ref().take(40).count());
    ///     place = walk.place();
    /// }
    /// assert_eq!(pages, [40, 40, 20]);
    /// # Ok::<(), ecs_core::data::TextQueryError>(())
    /// ```
    ///
    /// # Changes in between
    /// An entity is tested when the walk passes its row. If rows move between the parts, entities may be missed or come twice: a
    /// despawn fills the row with the last row of its table, and the first component of a kind, or the loss of one, moves the
    /// entity to another table. [`TextWalk::has_moved`] notices. As long as it returns `false` in all parts, each entity that has
    /// matched all the time was returned exactly once. New entities, components in sparse sets, toggles and new values do not
    /// move rows.
    ///
    /// # Complexity
    /// O(tables) to begin, and at most `limit` rows are tested. Tables without the components of the query do not count.
    #[must_use]
    pub fn resume(&self, place: &TextPlace, limit: usize) -> TextWalk<'_> {
        let rows = self.matches.resume(place.0, limit, usize::MAX);
        TextWalk::new(self.plan, rows, Some(self.matches.has_moved(place.0)))
    }

    /// Returns the number of matches. O(tables) if all conditions are about components in tables, and not about values; otherwise
    /// it walks over the matches.
    #[must_use]
    pub fn count(&self) -> usize {
        self.iter().count()
    }

    /// Returns true if the entity matches.
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        let item = self.matches.get(entity);
        item.is_some_and(|item| self.plan.holds_for(item))
    }
}

impl fmt::Debug for TextMatches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = self.iter().map(|found| found.entity());
        f.debug_list().entries(found).finish()
    }
}
