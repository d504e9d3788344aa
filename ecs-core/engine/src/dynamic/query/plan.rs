//! A dynamic query, checked once, and used with any world.

use alloc::boxed::Box;
use core::fmt;

use super::term::Term;
use crate::component::ComponentId;
use crate::meta::{Compatibility, Kind, terms_compatible};

/// A query whose terms are known at run time only. It is checked when it is made, and can then be used with any world,
/// any number of times: [`World::query_dynamic`](crate::World::query_dynamic).
///
/// Its components are Rust types and [dynamic](crate::dynamic) ones alike, and it conflicts with the same queries and views
/// as a [`Query`](crate::Query) with the same terms.
///
/// ```
/// use ecs_core::component::ComponentId;
/// use ecs_core::dynamic::{DynamicQuery, Term};
/// use ecs_core::prelude::*;
///
/// #[derive(Component, Debug)]
/// #[component(name = "game.health")]
/// struct Health(u32);
/// #[derive(Component)]
/// #[component(name = "game.regeneration")]
/// struct Regeneration(u32);
/// #[derive(Component)]
/// struct Dead;
///
/// let mut world = World::new();
/// let hero = world.spawn((Health(3), Regeneration(2)));
/// world.spawn((Health(0), Regeneration(1), Dead));
/// let rock = world.spawn(Health(9));
///
/// let [health, regeneration] = [ComponentId::of::<Health>(), ComponentId::of::<Regeneration>()];
/// let terms = [Term::Write(health), Term::OptionalRead(regeneration), Term::Without(ComponentId::of::<Dead>())];
/// let query = DynamicQuery::new(terms)?;
///
/// let mut living = world.query_dynamic(&query);
/// for mut entity in living.iter_mut() {
///     let more = entity.read(1).and_then(|value| value.downcast::<Regeneration>()).map_or(0, |more| more.0);
///     entity.write(0).unwrap().downcast::<Health>().unwrap().0 += more;
/// }
/// assert_eq!(living.iter().map(|entity| entity.entity()).collect::<Vec<_>>(), [hero, rock]);
/// drop(living);
/// assert_eq!(world.get::<Health>(hero).unwrap().0, 5);
///
/// let error = DynamicQuery::new([Term::Read(health), Term::Write(health)]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "conflicting terms in a dynamic query: term 0 reads and term 1 writes the component `game.health`; help: borrow it once, to write"
/// );
/// # Ok::<(), ecs_core::dynamic::QueryError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DynamicQuery {
    /// Invariant 1: no two terms access the same component, one of them for writing.
    /// Invariant 2: no term writes an end of a relation, or an immutable component.
    terms: Box<[Term]>,
}

impl DynamicQuery {
    /// Checks the terms, which must all match. Without terms the query matches all entities. O(terms^2).
    ///
    /// # Errors
    /// If two terms access the same component and one of them writes, or if a term writes an end of a
    /// [relation](crate::relation) or an [immutable](crate::Component) component.
    #[inline]
    pub fn new(terms: impl IntoIterator<Item = Term>) -> Result<Self, QueryError> {
        let terms: Box<[Term]> = terms.into_iter().collect();
        for (second, &two) in terms.iter().enumerate() {
            let component = two.component();
            if two.kind() == Some(Kind::Write) {
                let term = second;
                if component.info().link.is_some() {
                    return Err(QueryError::WritesRelation { term, component });
                }
                if component.ident().is_immutable() {
                    return Err(QueryError::WritesImmutable { term, component });
                }
            }
            for (first, &one) in terms[..second].iter().enumerate() {
                let compatibility = terms_compatible(&one.access(), &two.access());
                if let (Compatibility::Conflict(_), Some(one), Some(two)) =
                    (compatibility, one.kind(), two.kind())
                {
                    return Err(QueryError::Conflict {
                        component,
                        terms: [first, second],
                        kinds: [one, two],
                    });
                }
            }
        }
        Ok(Self { terms })
    }

    /// Returns the terms.
    #[must_use]
    #[inline]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }
}

/// Prints the terms, separated by commas.
impl fmt::Display for DynamicQuery {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, term) in self.terms.iter().enumerate() {
            let before = if index == 0 { "" } else { ", " };
            write!(f, "{before}{term}")?;
        }
        Ok(())
    }
}

/// The error of terms that cannot be in one query.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueryError {
    /// Two terms access the same component, and one of them writes.
    Conflict {
        /// The component.
        component: ComponentId,
        /// The positions of the terms.
        terms: [usize; 2],
        /// The accesses of the terms.
        kinds: [Kind; 2],
    },
    /// A term writes an end of a relation, which the world keeps consistent with the other end.
    WritesRelation {
        /// The position of the term.
        term: usize,
        /// The component.
        component: ComponentId,
    },
    /// A term writes a component whose values are only replaced.
    WritesImmutable {
        /// The position of the term.
        term: usize,
        /// The component.
        component: ComponentId,
    },
}

impl fmt::Display for QueryError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict {
                component,
                terms: [first, second],
                kinds: [one, two],
            } => write!(
                f,
                "conflicting terms in a dynamic query: term {first}{} and term {second}{} the component `{}`; help: borrow it once, to write",
                crate::meta::kind_word(*one),
                crate::meta::kind_word(*two),
                component.name()
            ),
            Self::WritesRelation { term, component } => write!(
                f,
                "term {term} of a dynamic query writes the component `{}`, which is an end of a relation and changes only together with the other end; help: read it, and call `World::relate` or `World::unrelate`",
                component.name()
            ),
            Self::WritesImmutable { term, component } => write!(
                f,
                "term {term} of a dynamic query writes the component `{}`, which is immutable; help: read it, and replace the value by `insert`",
                component.name()
            ),
        }
    }
}

impl core::error::Error for QueryError {}
