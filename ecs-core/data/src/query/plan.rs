//! A text query whose names were looked up: a dynamic query, and the conditions that it cannot express.

use ecs_engine::Entity;
use ecs_engine::component::{ComponentId, StorageKind};
use ecs_engine::dynamic::{DynamicQuery, MatchRef, MatchRows, Term};
use ecs_engine::entity::session::{IdForm, Session};

use super::ast::{QueryCondition, TextTerm};
use super::column::TextColumn;
use super::compare::{FieldComparison, first_value};
use super::error::TextProblem;
use super::field::NamedField;
use super::names::QueryNames;
use crate::codec::SomeRows;

/// The query that a text stands for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct QueryPlan {
    pub(super) query: DynamicQuery,
    /// All of them have to hold for a match of the query.
    tests: Vec<Test>,
    /// The components that the text names as terms of their own, and the fields that it tests.
    pub(super) columns: Vec<TextColumn>,
}

/// A condition; numbers are positions of terms of the query.
#[derive(Clone, Debug, PartialEq)]
enum Test {
    Has(usize),
    /// The term reads the component of the comparison.
    Compare(usize, Box<FieldComparison>),
    Related(usize, Entity),
    Not(Box<Test>),
    All(Vec<Test>),
    Any(Vec<Test>),
}

impl Test {
    /// Returns the result for all rows, if none of them has to be looked at: for consecutive rows of a table, which have the same
    /// components in tables.
    fn of_all(&self, rows: MatchRows<'_>) -> Option<bool> {
        let has = |term: usize| {
            let is_in_table = rows.component(term).storage() == StorageKind::Table;
            is_in_table.then(|| first_value(rows, term).is_some())
        };
        let join = |tests: &[Self], ends_at: bool| {
            let mut result = Some(!ends_at);
            for test in tests {
                match test.of_all(rows) {
                    Some(is_met) if is_met == ends_at => return Some(ends_at),
                    Some(_) => {}
                    None => result = None,
                }
            }
            result
        };
        match self {
            Self::Has(term) => has(*term),
            Self::Compare(term, _) | Self::Related(term, _) => {
                has(*term).filter(|is_there| !is_there)
            }
            Self::Not(test) => test.of_all(rows).map(|is_met| !is_met),
            Self::All(tests) => join(tests, false),
            Self::Any(tests) => join(tests, true),
        }
    }

    /// Returns the rows of a selection that pass.
    fn holds(&self, rows: MatchRows<'_>, among: SomeRows, session: &Session<'_>) -> SomeRows {
        match self {
            Self::Has(term) => {
                let mut found = SomeRows::NONE;
                rows.pointers(*term, among.iter(), |row, _| {
                    found = found.and(SomeRows::one(row));
                });
                found
            }
            Self::Compare(term, comparison) => comparison.holds(rows, among, *term, session),
            Self::Related(term, target) => among.filter(|row| {
                let value = rows.get(row).read(*term);
                value.is_some_and(|value| value.related().contains(target))
            }),
            Self::Not(test) => among.without(test.holds(rows, among, session)),
            Self::All(tests) => all(tests, rows, among, session),
            Self::Any(tests) => {
                let left = tests.iter().fold(among, |left, test| {
                    left.without(test.holds(rows, left, session))
                });
                among.without(left)
            }
        }
    }
}

/// Returns the rows of a selection that pass all tests. If a row fails a test, the next ones do not look at it, so those come first
/// whose values need not be looked up by entity.
fn all(tests: &[Test], rows: MatchRows<'_>, among: SomeRows, session: &Session<'_>) -> SomeRows {
    let mut left = among;
    for is_first in [true, false] {
        for test in tests {
            let is_in_order = matches!(test, Test::Compare(term, _) if rows.has_in_order(*term));
            if is_in_order == is_first && left != SomeRows::NONE {
                left = test.holds(rows, left, session);
            }
        }
    }
    left
}

impl QueryPlan {
    /// The query that matches all entities.
    pub(super) fn of_all_entities() -> Self {
        Self {
            query: DynamicQuery::new([]).expect("no terms conflict"),
            tests: Vec::new(),
            columns: Vec::new(),
        }
    }

    pub(super) fn new(terms: &[TextTerm], names: &QueryNames) -> Result<Self, TextProblem> {
        let mut planner = Planner {
            names,
            read: Vec::new(),
            excluded: Vec::new(),
            tests: Vec::new(),
            columns: Vec::new(),
        };
        for term in terms {
            match term {
                TextTerm::Optional(name) => {
                    let component = names.component(name)?;
                    let term = planner.read(component, false);
                    planner.add_column(TextColumn::of(term, component));
                }
                TextTerm::Condition(condition) => planner.require(condition)?,
            }
        }
        let read = planner.read.iter().map(|&(component, is_required)| {
            if is_required {
                Term::Read(component)
            } else {
                Term::OptionalRead(component)
            }
        });
        let excluded = planner.excluded.iter().copied().map(Term::Without);
        let query = DynamicQuery::new(read.chain(excluded));
        Ok(Self {
            query: query.expect("the query writes nothing"),
            tests: planner.tests,
            columns: planner.columns,
        })
    }

    /// Adds a term, unless the query has one that includes it, and returns its position. The other terms keep theirs.
    pub(super) fn add(&mut self, term: Term) -> usize {
        let mut terms = self.query.terms().to_vec();
        let reads = |other: &Term| {
            other.component() == term.component() && other.kind().is_some() && term.kind().is_some()
        };
        let known = terms
            .iter()
            .position(|other| *other == term || reads(other));
        let position = known.unwrap_or(terms.len());
        if position == terms.len() {
            terms.push(term);
        } else if matches!(term, Term::Read(_)) {
            terms[position] = term;
        }
        self.query = DynamicQuery::new(terms).expect("the query writes nothing");
        position
    }

    /// Returns whether all of some matches pass, or none of them; `None` if they have to be looked at.
    pub(super) fn of_all(&self, rows: MatchRows<'_>) -> Option<bool> {
        if !rows.are_in_one_table() {
            return self.tests.is_empty().then_some(true);
        }
        let mut result = Some(true);
        for test in &self.tests {
            match test.of_all(rows) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => result = None,
            }
        }
        result
    }

    /// Returns true if the match passes all conditions.
    pub(super) fn holds_for(&self, found: MatchRef<'_>) -> bool {
        self.tests.is_empty()
            || self.holds(found.alone(), &Session::new(IdForm::Bits)) != SomeRows::NONE
    }

    /// Returns the matches that pass all conditions. The session says how ids are written.
    pub(super) fn holds(&self, rows: MatchRows<'_>, session: &Session<'_>) -> SomeRows {
        all(&self.tests, rows, SomeRows::first(rows.len()), session)
    }
}

struct Planner<'a> {
    names: &'a QueryNames,
    /// The components that are read, and whether all matches have them.
    read: Vec<(ComponentId, bool)>,
    /// The components that no match has.
    excluded: Vec<ComponentId>,
    tests: Vec<Test>,
    columns: Vec<TextColumn>,
}

impl Planner<'_> {
    /// Returns the position of a component in the query.
    fn read(&mut self, component: ComponentId, is_required: bool) -> usize {
        let known = self.read.iter().position(|(other, _)| *other == component);
        let term = known.unwrap_or_else(|| {
            self.read.push((component, false));
            self.read.len() - 1
        });
        self.read[term].1 |= is_required;
        term
    }

    fn add_column(&mut self, column: TextColumn) {
        if !self.columns.contains(&column) {
            self.columns.push(column);
        }
    }

    /// Adds a condition that each match fulfils, so that the query can search by it.
    fn require(&mut self, condition: &QueryCondition) -> Result<(), TextProblem> {
        match condition {
            QueryCondition::Has(name) => {
                let component = self.names.component(name)?;
                let term = self.read(component, true);
                self.add_column(TextColumn::of(term, component));
            }
            QueryCondition::All(conditions) => {
                for condition in conditions {
                    self.require(condition)?;
                }
            }
            QueryCondition::Not(condition) => match &**condition {
                QueryCondition::Has(name) => self.exclude(self.names.component(name)?),
                QueryCondition::Related(name, None) => self.exclude(self.names.relation(name)?),
                condition => {
                    let test = self.test(condition, false)?;
                    self.tests.push(Test::Not(Box::new(test)));
                }
            },
            QueryCondition::Related(name, None) => {
                let component = self.names.relation(name)?;
                self.read(component, true);
            }
            condition => {
                let test = self.test(condition, true)?;
                self.tests.push(test);
            }
        }
        Ok(())
    }

    fn exclude(&mut self, component: ComponentId) {
        if !self.excluded.contains(&component) {
            self.excluded.push(component);
        }
    }

    /// Returns the test of a condition. `is_required` if each match fulfils it, and so has its component.
    fn test(&mut self, condition: &QueryCondition, is_required: bool) -> Result<Test, TextProblem> {
        Ok(match condition {
            QueryCondition::Has(name) => {
                let component = self.names.component(name)?;
                Test::Has(self.read(component, is_required))
            }
            QueryCondition::Compare {
                field: name,
                operator,
                operator_at,
                value,
                value_at,
            } => {
                let (component, field) = self.names.field(name)?;
                let field = &*field;
                let comparison = FieldComparison::new(
                    NamedField {
                        component,
                        field,
                        name,
                    },
                    (*operator, operator_at),
                    (value, value_at),
                )?;
                let term = self.read(component, is_required);
                self.add_column(TextColumn::of_field(term, field, comparison.field()));
                Test::Compare(term, Box::new(comparison))
            }
            QueryCondition::Related(name, target) => {
                let component = self.names.relation(name)?;
                let term = self.read(component, is_required);
                match target {
                    Some(target) => Test::Related(term, *target),
                    None => Test::Has(term),
                }
            }
            QueryCondition::Not(condition) => Test::Not(Box::new(self.test(condition, false)?)),
            QueryCondition::All(conditions) => Test::All(self.tests(conditions)?),
            QueryCondition::Any(conditions) => {
                let tests = self.tests(conditions)?;
                // If all of them test values of one component, no other entity passes.
                let terms = tests.iter().map(|test| match test {
                    Test::Compare(term, _) => Some(*term),
                    _ => None,
                });
                let first = terms.clone().next().flatten();
                if let Some(term) = first.filter(|_| is_required)
                    && terms.into_iter().all(|other| other == first)
                {
                    self.read[term].1 = true;
                }
                Test::Any(tests)
            }
        })
    }

    fn tests(&mut self, conditions: &[QueryCondition]) -> Result<Vec<Test>, TextProblem> {
        let tests = conditions.iter();
        tests.map(|condition| self.test(condition, false)).collect()
    }
}
