//! Patterns of several related entities.

use ecs_engine::World;
use ecs_engine::component::{Component, ComponentId};
use ecs_engine::dynamic::{DynamicQuery, Term};
use ecs_engine::relation::Relation;

use super::ast::TextTerm;
use super::error::{TextProblem, TextQueryError};
use super::names::QueryNames;
use super::pattern_parser::{EdgePath, PatternTerm, parse_pattern};
use super::plan::QueryPlan;

/// A query for several entities at once, which are related to each other: cats, what they like, and the places where both are.
///
/// Each entity is a variable. A match binds all variables, and each combination of entities that fits is one match. Two variables
/// may be bound to the same entity, unless they are [`distinct`](Self::distinct).
///
/// ```
/// use ecs_core::data::EntityPattern;
/// use ecs_core::prelude::*;
///
/// #[derive(Relation)]
/// #[relation(many)]
/// struct Likes;
/// #[derive(Relation)]
/// struct At;
/// #[derive(Component)]
/// struct Cat;
///
/// let mut world = World::new();
/// let [kitchen, garden] = [(); 2].map(|()| world.spawn(()));
/// let [fish, mouse] = [kitchen, garden].map(|place| world.spawn(At.to(place)));
/// let tom = world.spawn((Cat, Likes.to(fish).and(Likes, mouse), At.to(garden)));
/// let kit = world.spawn((Cat, Likes.to(mouse), At.to(kitchen)));
///
/// let mut pattern = EntityPattern::new();
/// let [cat, food, place] = ["cat", "food", "place"].map(|name| pattern.variable(name));
/// pattern.with::<Cat>(cat);
/// pattern.related::<Likes>(cat, food).related::<At>(cat, place).related::<At>(food, place);
/// let found: Vec<_> = pattern.matches(&world)?.iter().map(|found| (found[cat], found[food], found[place])).collect();
/// assert_eq!(found, [(tom, mouse, garden)]);
///
/// // The same as text.
/// let pattern = EntityPattern::from_text(&world, "Cat, (Likes $food), (At $place), $food: (At $place)")?;
/// let matches = pattern.matches(&world)?;
/// let found = matches.iter().next().expect("there is one match");
/// assert_eq!((found["this"], found["food"], found["place"]), (tom, mouse, garden));
///
/// // Cats that like something elsewhere.
/// let pattern = EntityPattern::from_text(&world, "Cat, (Likes $food), (At $place), $food: !(At $place)")?;
/// let found: Vec<_> = pattern.matches(&world)?.iter().map(|found| (found["this"], found["food"])).collect();
/// assert_eq!(found, [(tom, fish), (kit, mouse)]);
/// # Ok::<(), ecs_core::data::TextQueryError>(())
/// ```
///
/// # Text
/// [`from_text`](Self::from_text) takes the terms of a [`TextQuery`](super::TextQuery), each about one variable:
///
/// | term | |
/// |---|---|
/// | `game.health.now < 10` | a term without a variable is about `$this` |
/// | `$food: game.fresh && !game.hot` | a term about `$food` |
/// | `(Likes $food)`, `$cat: (Likes $food)` | `$this` or `$cat` is related to `$food` |
/// | `(PartOf+ $whole)` | it is related to `$whole` by one step or more: to its target, the target of that, and so on |
/// | `(Knows <> $other)` | it is related to `$other`, or `$other` to it |
/// | `!(Likes $food)` | it is not; `!` goes with all three |
/// | `$one != $other` | two variables are distinct |
///
/// # Systems
/// A [`DynamicSystem`](ecs_engine::system::DynamicSystem) with the [`queries`](Self::queries) of a pattern is scheduled by what it
/// reads, and walks over the matches by [`matches_of`](Self::matches_of).
///
/// # Order and cost
/// There is no fixed order of variables: each step binds the one with the fewest candidates, along the relations of those that
/// are bound, from either end. The first one is the variable with the rarest component or relation. If relations connect the
/// variables, the cost grows with the partial matches, and not with all combinations. Checking a further relation between two bound
/// entities is O(the shorter of their lists of edges). The same world gives the same order.
///
/// Variables in queries are an idea of flecs, which has it from Prolog.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntityPattern {
    pub(super) nodes: Vec<PatternNode>,
    pub(super) edges: Vec<PatternEdge>,
    pub(super) distinct: Vec<[usize; 2]>,
    /// Queries that read both ends of relations: those that are walked by several steps, or from both ends.
    pub(super) walked: Vec<DynamicQuery>,
}

/// A variable, and the conditions on its entity alone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PatternNode {
    name: String,
    pub(super) plan: QueryPlan,
}

/// A relation between two variables.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PatternEdge {
    /// The variables of the source and of the target.
    pub(super) ends: [usize; 2],
    pub(super) path: PatternPath,
    /// True if the two must not be related.
    pub(super) is_absent: bool,
}

/// A path from one variable to another; see [`EdgePath`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PatternPath {
    /// The positions of the terms that read the relation, in the query of the source and in the query of the target.
    Direct([usize; 2]),
    /// The query at this position in `walked`.
    EitherWay(usize),
    Steps(usize),
}

/// A variable of an [`EntityPattern`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PatternVariable(pub(super) usize);

impl EntityPattern {
    /// Creates a pattern without variables, which has no match.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Parses a text, and looks up its names among the components of a world. The pattern can then be used with any world.
    /// Variables are numbered as they are mentioned.
    ///
    /// # Errors
    /// As [`TextQuery::new`](super::TextQuery::new).
    pub fn from_text(world: &World, text: &str) -> Result<Self, TextQueryError> {
        Self::parsed(&QueryNames::of(world), text).map_err(|problem| problem.of(text))
    }

    fn parsed(names: &QueryNames, text: &str) -> Result<Self, TextProblem> {
        let terms = parse_pattern(text)?;
        let mut pattern = Self::new();
        let mut about: Vec<Vec<TextTerm>> = Vec::new();
        for term in &terms {
            let (first, second) = match term {
                PatternTerm::Of(variable, _) => (variable, None),
                PatternTerm::Edge { source, target, .. } => (source, Some(target)),
                PatternTerm::Distinct(one, other) => (one, Some(other)),
            };
            let variable = pattern.variable(&first.name);
            if let Some(second) = second {
                pattern.variable(&second.name);
            }
            about.resize(pattern.nodes.len(), Vec::new());
            if let PatternTerm::Of(_, term) = term {
                about[variable.0].push(term.clone());
            }
        }
        for (node, terms) in pattern.nodes.iter_mut().zip(&about) {
            node.plan = QueryPlan::new(terms, names)?;
        }
        for term in &terms {
            match term {
                PatternTerm::Of(..) => {}
                PatternTerm::Edge {
                    source,
                    relation,
                    path,
                    target,
                    is_absent,
                } => {
                    let outgoing = names.relation(relation)?;
                    let ends = [source, target].map(|end| pattern.variable(&end.name));
                    pattern.add_edge(outgoing, *path, ends, *is_absent);
                }
                PatternTerm::Distinct(one, other) => {
                    if one.name == other.name {
                        return Err(TextProblem::new(
                            other.at.clone(),
                            format!("`${}` is never distinct from itself", one.name),
                            "name another variable",
                        ));
                    }
                    let [one, other] = [one, other].map(|end| pattern.variable(&end.name));
                    pattern.distinct(one, other);
                }
            }
        }
        Ok(pattern)
    }

    /// Returns the variable with the name, which is added if there is none. As long as nothing is asked of it, it is any entity.
    pub fn variable(&mut self, name: &str) -> PatternVariable {
        let known = self.variable_named(name);
        known.unwrap_or_else(|| {
            self.nodes.push(PatternNode {
                name: name.to_owned(),
                plan: QueryPlan::of_all_entities(),
            });
            PatternVariable(self.nodes.len() - 1)
        })
    }

    /// Returns the variable with the name, if there is one.
    #[must_use]
    pub fn variable_named(&self, name: &str) -> Option<PatternVariable> {
        let found = self.nodes.iter().position(|node| node.name == name);
        found.map(PatternVariable)
    }

    /// Returns the names of the variables, in the order in which they were added.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.nodes.iter().map(|node| node.name.as_str())
    }

    /// The entity has a component.
    ///
    /// # Panics
    /// If the variable belongs to another pattern, which has more variables.
    pub fn with<T: Component>(&mut self, variable: PatternVariable) -> &mut Self {
        self.add(variable, Term::With(ComponentId::of::<T>()));
        self
    }

    /// The entity lacks a component.
    ///
    /// # Panics
    /// If the variable belongs to another pattern, which has more variables.
    pub fn without<T: Component>(&mut self, variable: PatternVariable) -> &mut Self {
        self.add(variable, Term::Without(ComponentId::of::<T>()));
        self
    }

    /// The first entity is related to the second one.
    ///
    /// # Panics
    /// If a variable belongs to another pattern, which has more variables.
    pub fn related<R: Relation>(
        &mut self,
        source: PatternVariable,
        target: PatternVariable,
    ) -> &mut Self {
        self.add_typed::<R>(EdgePath::Direct, [source, target], false)
    }

    /// The first entity is related to the second one by one step or more: to its target, the target of that, and so on. In a
    /// relation with cycles, an entity may reach itself. O(entities that are reached) for each entity that is bound first.
    ///
    /// ```
    /// use ecs_core::data::EntityPattern;
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Relation)]
    /// struct In;
    /// #[derive(Component)]
    /// struct Country;
    ///
    /// let mut world = World::new();
    /// let country = world.spawn(Country);
    /// let town = world.spawn(In.to(country));
    /// let house = world.spawn(In.to(town));
    /// let mut pattern = EntityPattern::new();
    /// let [place, whole] = ["place", "whole"].map(|name| pattern.variable(name));
    /// pattern.reaches::<In>(place, whole).with::<Country>(whole);
    /// let places: Vec<Entity> = pattern.matches(&world)?.iter().map(|found| found[place]).collect();
    /// assert_eq!(places, [town, house]);
    /// # Ok::<(), ecs_core::data::TextQueryError>(())
    /// ```
    ///
    /// # Panics
    /// If a variable belongs to another pattern, which has more variables.
    pub fn reaches<R: Relation>(
        &mut self,
        source: PatternVariable,
        target: PatternVariable,
    ) -> &mut Self {
        self.add_typed::<R>(EdgePath::Steps, [source, target], false)
    }

    /// One of the two entities is related to the other: for relations that mean the same from both ends, such as neighbours. An
    /// edge in one direction is enough, and edges in both are one match.
    ///
    /// # Panics
    /// If a variable belongs to another pattern, which has more variables.
    pub fn related_either_way<R: Relation>(
        &mut self,
        one: PatternVariable,
        other: PatternVariable,
    ) -> &mut Self {
        self.add_typed::<R>(EdgePath::EitherWay, [one, other], false)
    }

    /// The first entity is not related to the second one.
    ///
    /// # Panics
    /// If a variable belongs to another pattern, which has more variables.
    pub fn unrelated<R: Relation>(
        &mut self,
        source: PatternVariable,
        target: PatternVariable,
    ) -> &mut Self {
        self.add_typed::<R>(EdgePath::Direct, [source, target], true)
    }

    /// The two variables are different entities.
    ///
    /// # Panics
    /// If a variable belongs to another pattern, which has more variables.
    pub fn distinct(&mut self, one: PatternVariable, other: PatternVariable) -> &mut Self {
        self.distinct.push([self.node(one), self.node(other)]);
        self
    }

    /// Returns the query of each variable, in their order, without the conditions on values, and then queries of relations that
    /// are walked by several steps, or from both ends.
    pub fn queries(&self) -> impl Iterator<Item = &DynamicQuery> {
        let nodes = self.nodes.iter().map(|node| &node.plan.query);
        nodes.chain(&self.walked)
    }

    /// Returns the number of a variable.
    #[track_caller]
    fn node(&self, variable: PatternVariable) -> usize {
        assert!(
            variable.0 < self.nodes.len(),
            "the variable belongs to another pattern; help: get it by `variable` of this one"
        );
        variable.0
    }

    #[track_caller]
    fn add(&mut self, variable: PatternVariable, term: Term) -> usize {
        let node = self.node(variable);
        self.nodes[node].plan.add(term)
    }

    #[track_caller]
    fn add_typed<R: Relation>(
        &mut self,
        path: EdgePath,
        ends: [PatternVariable; 2],
        is_absent: bool,
    ) -> &mut Self {
        self.add_edge(ComponentId::of::<R::Outgoing>(), path, ends, is_absent);
        self
    }

    /// Adds a relation, whose sources have the component `outgoing`.
    #[track_caller]
    fn add_edge(
        &mut self,
        outgoing: ComponentId,
        path: EdgePath,
        ends: [PatternVariable; 2],
        is_absent: bool,
    ) {
        let numbers = ends.map(|end| self.node(end));
        let incoming = outgoing.other_end();
        let incoming = incoming.expect("the component of sources of a relation has another end");
        let term = if is_absent {
            Term::OptionalRead
        } else {
            Term::Read
        };
        let mut both = || {
            [
                self.add(ends[0], term(outgoing)),
                self.add(ends[1], term(incoming)),
            ]
        };
        let path = match path {
            EdgePath::Direct => PatternPath::Direct(both()),
            EdgePath::EitherWay => PatternPath::EitherWay(self.walk(outgoing, incoming)),
            EdgePath::Steps => {
                both();
                PatternPath::Steps(self.walk(outgoing, incoming))
            }
        };
        self.edges.push(PatternEdge {
            ends: numbers,
            path,
            is_absent,
        });
    }

    /// Returns the position of the query that reads both ends of a relation.
    fn walk(&mut self, outgoing: ComponentId, incoming: ComponentId) -> usize {
        let query = DynamicQuery::new([outgoing, incoming].map(Term::OptionalRead));
        let query = query.expect("the query writes nothing");
        let known = self.walked.iter().position(|other| *other == query);
        known.unwrap_or_else(|| {
            self.walked.push(query);
            self.walked.len() - 1
        })
    }

    /// Returns the number of the variable with a name, which exists.
    #[track_caller]
    pub(super) fn number(&self, name: &str) -> usize {
        let found = self.variable_named(name);
        let known = || {
            let names: Vec<String> = self.names().map(|name| format!("`{name}`")).collect();
            names.join(", ")
        };
        match found {
            Some(variable) => variable.0,
            None => panic!(
                "no variable `{name}` in the pattern; help: there is {}",
                known()
            ),
        }
    }
}
