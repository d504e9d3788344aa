//! The walk over the matches of a pattern.

use std::collections::HashSet;
use std::fmt;
use std::ops::Index;

use ecs_engine::dynamic::{MatchRef, Matches};
use ecs_engine::view::ErasedRef;
use ecs_engine::{Entity, World};

use super::error::TextQueryError;
use super::pattern::{EntityPattern, PatternEdge, PatternPath, PatternVariable};

impl EntityPattern {
    /// Borrows the components of the pattern for reading. O(terms).
    ///
    /// # Errors
    /// If a component is borrowed for writing elsewhere.
    pub fn matches<'w>(&'w self, world: &'w World) -> Result<PatternMatches<'w>, TextQueryError> {
        let matches = self.queries().map(|query| world.try_query_dynamic(query));
        let matches = matches.collect::<Result<_, _>>()?;
        Ok(PatternMatches {
            pattern: self,
            matches,
        })
    }

    /// Iterates over the matches, if the components are already borrowed by the [`queries`](Self::queries), such as in a
    /// [`DynamicSystem`](ecs_engine::system::DynamicSystem).
    ///
    /// ```
    /// use ecs_core::data::EntityPattern;
    /// use ecs_core::prelude::*;
    /// use ecs_core::system::DynamicSystem;
    ///
    /// #[derive(Relation)]
    /// #[relation(many)]
    /// struct Knows;
    ///
    /// let mut pattern = EntityPattern::new();
    /// let [one, other] = ["one", "other"].map(|name| pattern.variable(name));
    /// pattern.related::<Knows>(one, other).related::<Knows>(other, one);
    /// let queries: Vec<_> = pattern.queries().cloned().collect();
    /// let mut friends = DynamicSystem::new("friends");
    /// for query in queries {
    ///     friends = friends.query(query);
    /// }
    /// let friends = friends.build(move |params| {
    ///     let pairs = pattern.matches_of(&params.queries).count();
    ///     assert_eq!(pairs, 2, "one pair, in both orders");
    /// });
    ///
    /// let mut world = World::new();
    /// let [ann, bob] = [(); 2].map(|()| world.spawn(()));
    /// world.relate(ann, Knows, bob).unwrap();
    /// world.relate(bob, Knows, ann).unwrap();
    /// let mut frame = Schedule::new();
    /// frame.add(friends);
    /// frame.run(&mut world).unwrap();
    /// ```
    ///
    /// # Panics
    /// If the matches are of other queries.
    #[must_use]
    pub fn matches_of<'a>(&'a self, matches: &'a [Matches<'a>]) -> PatternWalk<'a> {
        let queries = matches.iter().map(Matches::query);
        assert!(
            queries.eq(self.queries()),
            "the matches are not those of the pattern's queries; help: list all `queries` of the pattern in their order"
        );
        PatternWalk::new(self, matches)
    }
}

/// The matches of an [`EntityPattern`], borrowed for reading.
pub struct PatternMatches<'w> {
    pub(super) pattern: &'w EntityPattern,
    pub(super) matches: Vec<Matches<'w>>,
}

impl PatternMatches<'_> {
    /// Iterates over the matches.
    #[must_use]
    pub fn iter(&self) -> PatternWalk<'_> {
        PatternWalk::new(self.pattern, &self.matches)
    }
}

impl fmt::Debug for PatternMatches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Iterator over the matches of an [`EntityPattern`].
pub struct PatternWalk<'a> {
    pattern: &'a EntityPattern,
    /// By variable.
    matches: &'a [Matches<'a>],
    /// The ends of relations that are walked.
    walked: &'a [Matches<'a>],
    /// The entities that variables are bound to.
    bound: Vec<Option<MatchRef<'a>>>,
    /// One more than variables are bound, until the end.
    levels: Vec<Level<'a>>,
}

/// The candidates for a variable.
struct Level<'a> {
    variable: usize,
    /// The relation along which they were found, which needs no check.
    walked: Option<usize>,
    candidates: Box<dyn Iterator<Item = MatchRef<'a>> + 'a>,
}

impl<'a> PatternWalk<'a> {
    fn new(pattern: &'a EntityPattern, matches: &'a [Matches<'a>]) -> Self {
        let (matches, walked) = matches.split_at(pattern.nodes.len());
        let mut walk = Self {
            pattern,
            matches,
            walked,
            bound: vec![None; matches.len()],
            levels: Vec::new(),
        };
        walk.levels.extend(walk.next_level());
        walk
    }

    /// Returns the candidates for the variable that has the fewest; `None` if all are bound.
    fn next_level(&self) -> Option<Level<'a>> {
        let along = |(number, edge): (usize, &'a PatternEdge)| {
            let from = edge
                .ends
                .iter()
                .position(|&end| self.bound[end].is_some())?;
            let variable = edge.ends[1 - from];
            if edge.is_absent || self.bound[variable].is_some() {
                return None;
            }
            let most = self.matches[variable].upper_bound();
            let count = match edge.path {
                PatternPath::Direct(terms) => self.end(edge, terms, from)?.related_count(),
                PatternPath::EitherWay(_) | PatternPath::Steps(_) => most,
            };
            Some((count.min(most), number, from))
        };
        let edges = self.pattern.edges.iter().enumerate().filter_map(along);
        if let Some((_, number, from)) = edges.min_by_key(|(count, ..)| *count) {
            let edge = &self.pattern.edges[number];
            let variable = edge.ends[1 - from];
            let matches = &self.matches[variable];
            let related = self.related(edge, from).into_iter();
            return Some(Level {
                variable,
                walked: Some(number),
                candidates: Box::new(related.filter_map(|entity| matches.get_enabled(entity))),
            });
        }
        let free = (0..self.bound.len()).filter(|&variable| self.bound[variable].is_none());
        let variable = free.min_by_key(|&variable| self.matches[variable].upper_bound())?;
        Some(Level {
            variable,
            walked: None,
            candidates: Box::new(self.matches[variable].iter()),
        })
    }

    /// Returns the component of the source, or of the target, if it is bound and has one.
    fn end(&self, edge: &PatternEdge, terms: [usize; 2], end: usize) -> Option<ErasedRef<'a>> {
        self.bound[edge.ends[end]]?.read(terms[end])
    }

    /// Returns the component of an entity that is an end of a relation, if it has one: of sources, or of targets.
    fn walked_end(&self, walked: usize, entity: Entity, end: usize) -> Option<ErasedRef<'a>> {
        self.walked[walked].get(entity)?.read(end)
    }

    /// Returns the entities that are related to the source or the target of an edge, which is bound. Each comes once.
    fn related(&self, edge: &PatternEdge, from: usize) -> Vec<Entity> {
        let Some(entity) = self.bound[edge.ends[from]].map(MatchRef::entity) else {
            return Vec::new();
        };
        match edge.path {
            PatternPath::Direct(terms) => {
                let end = self.end(edge, terms, from);
                end.map_or_else(Vec::new, ErasedRef::related)
            }
            PatternPath::EitherWay(walked) => {
                let ends = [0, 1].map(|end| self.walked_end(walked, entity, end));
                let [mut related, other] =
                    ends.map(|end| end.map_or_else(Vec::new, ErasedRef::related));
                let both: HashSet<Entity> = related.iter().copied().collect();
                related.extend(other.into_iter().filter(|entity| !both.contains(entity)));
                related
            }
            PatternPath::Steps(walked) => self.steps(walked, entity, from, |_| false),
        }
    }

    /// Returns the entities that are reached from one by steps along a relation, from sources to targets or the other way, until one
    /// is the last.
    fn steps(
        &self,
        walked: usize,
        start: Entity,
        from: usize,
        is_last: impl Fn(Entity) -> bool,
    ) -> Vec<Entity> {
        let (mut reached, mut seen) = (Vec::new(), HashSet::new());
        let mut next = 0;
        let mut at = start;
        loop {
            let end = self.walked_end(walked, at, from);
            for entity in end.map_or_else(Vec::new, ErasedRef::related) {
                if seen.insert(entity) {
                    reached.push(entity);
                    if is_last(entity) {
                        return reached;
                    }
                }
            }
            let Some(&entity) = reached.get(next) else {
                return reached;
            };
            at = entity;
            next += 1;
        }
    }

    /// Returns true if two bound variables are related as the edge says.
    fn is_related(&self, edge: &PatternEdge, [source, target]: [Entity; 2]) -> bool {
        match edge.path {
            PatternPath::Direct(terms) => match [0, 1].map(|end| self.end(edge, terms, end)) {
                [Some(from), Some(to)] if from.related_count() <= to.related_count() => {
                    from.is_related_to(target)
                }
                [Some(_), Some(to)] => to.is_related_to(source),
                _ => false,
            },
            PatternPath::EitherWay(walked) => [0, 1].into_iter().any(|end| {
                let end = self.walked_end(walked, source, end);
                end.is_some_and(|end| end.is_related_to(target))
            }),
            PatternPath::Steps(walked) => {
                let reached = self.steps(walked, source, 0, |entity| entity == target);
                reached.last() == Some(&target)
            }
        }
    }

    /// Returns true if a variable that was bound last fits all others.
    fn fits(&self, variable: usize, found: MatchRef<'a>, walked: Option<usize>) -> bool {
        let entity = |variable: usize| self.bound[variable].map(MatchRef::entity);
        let holds = |(number, edge): (usize, &PatternEdge)| {
            if Some(number) == walked || !edge.ends.contains(&variable) {
                return true;
            }
            let [Some(source), Some(target)] = edge.ends.map(entity) else {
                return true;
            };
            self.is_related(edge, [source, target]) != edge.is_absent
        };
        let is_distinct = |pair: &[usize; 2]| {
            let [one, other] = pair.map(entity);
            !pair.contains(&variable) || one != other
        };
        self.pattern.distinct.iter().all(is_distinct)
            && self.pattern.edges.iter().enumerate().all(holds)
            && self.pattern.nodes[variable].plan.holds_for(found)
    }
}

impl<'a> Iterator for PatternWalk<'a> {
    type Item = PatternMatch<'a>;

    fn next(&mut self) -> Option<PatternMatch<'a>> {
        loop {
            let level = self.levels.last_mut()?;
            let (variable, walked) = (level.variable, level.walked);
            self.bound[variable] = None;
            let Some(found) = level.candidates.next() else {
                self.levels.pop();
                continue;
            };
            self.bound[variable] = Some(found);
            if !self.fits(variable, found, walked) {
                continue;
            }
            match self.next_level() {
                Some(level) => self.levels.push(level),
                None => {
                    let entities = self.bound.iter().flatten().map(|found| found.entity());
                    return Some(PatternMatch {
                        pattern: self.pattern,
                        entities: entities.collect(),
                    });
                }
            }
        }
    }
}

impl fmt::Debug for PatternWalk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PatternWalk")
            .field("pattern", self.pattern)
            .finish_non_exhaustive()
    }
}

/// A match of an [`EntityPattern`]: the entity of each variable, which is indexed by the variable or its name.
#[derive(Clone)]
pub struct PatternMatch<'a> {
    pattern: &'a EntityPattern,
    entities: Box<[Entity]>,
}

impl PatternMatch<'_> {
    /// Returns the entities, in the order of the variables.
    #[must_use]
    pub fn entities(&self) -> &[Entity] {
        &self.entities
    }
}

/// # Panics
/// If the variable belongs to another pattern, which has more variables.
impl Index<PatternVariable> for PatternMatch<'_> {
    type Output = Entity;

    fn index(&self, variable: PatternVariable) -> &Entity {
        &self.entities[variable.0]
    }
}

/// # Panics
/// If there is no variable with this name.
impl Index<&str> for PatternMatch<'_> {
    type Output = Entity;

    fn index(&self, name: &str) -> &Entity {
        &self.entities[self.pattern.number(name)]
    }
}

impl fmt::Debug for PatternMatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entities = self.pattern.names().zip(&self.entities);
        f.debug_map().entries(entities).finish()
    }
}
