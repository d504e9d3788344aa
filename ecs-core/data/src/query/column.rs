//! The columns of a text query.

use std::fmt;

use ecs_engine::component::ComponentId;
use ecs_engine::dynamic::MatchRef;
use ecs_engine::entity::session::{IdForm, Session};

use super::field::FieldPlace;
use crate::{EncodedValue, ValueEncoder};

/// A column of a [`TextQuery`](super::TextQuery): a component, or a field of one.
#[derive(Clone, Debug)]
pub struct TextColumn {
    component: ComponentId,
    /// Empty for the whole component.
    field: Box<str>,
    /// The position of the component in the query.
    term: usize,
    place: Option<FieldPlace>,
    encoder: Option<ValueEncoder>,
}

impl TextColumn {
    /// Returns the column of a component.
    pub(super) fn of(term: usize, component: ComponentId) -> Self {
        Self {
            component,
            field: Box::default(),
            term,
            place: None,
            encoder: ValueEncoder::of(component),
        }
    }

    /// Returns the column of a field; of the component, if it is its only value.
    pub(super) fn of_field(term: usize, field: &str, place: &FieldPlace) -> Self {
        let whole = Self::of(term, place.component());
        if field.is_empty() {
            return whole;
        }
        Self {
            field: field.into(),
            place: Some(place.clone()),
            ..whole
        }
    }

    /// Returns the component.
    #[must_use]
    pub fn component(&self) -> ComponentId {
        self.component
    }

    /// Returns the field, as the text names it: a path such as `items[0].name`. It is empty if the column is the component.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Returns the position of the component in the query.
    pub(super) fn term(&self) -> usize {
        self.term
    }

    /// Returns the value of a match; `None` if the entity has none, or its form is not known.
    pub(super) fn value<'a>(&self, item: MatchRef<'a>) -> Option<EncodedValue<'a>> {
        let Some(place) = &self.place else {
            return Some(self.encoder?.encode(item.read(self.term)?));
        };
        let value = item.read(self.term)?;
        assert!(value.component() == place.component());
        let read = || {
            // SAFETY: the value belongs to the component, as was just checked, and is borrowed.
            unsafe { place.read(value.as_ptr()) }
        };
        let part = Session::new(IdForm::Tree).run(read)?;
        Some(EncodedValue::of_tree(part))
    }
}

/// They stand for the same values of the same query.
impl PartialEq for TextColumn {
    fn eq(&self, other: &Self) -> bool {
        (self.component, &self.field, self.term) == (other.component, &other.field, other.term)
    }
}

/// The name of the component, with the field: `game.health.now`.
impl fmt::Display for TextColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.component.name())?;
        if !self.field.is_empty() && !self.field.starts_with('[') {
            f.write_str(".")?;
        }
        f.write_str(&self.field)
    }
}
