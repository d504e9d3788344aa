//! Two differences as one.

use std::collections::BTreeMap;

use ecs_engine::Entity;

use super::same::{is_same, is_same_value};
use super::{Diff, DiffOmissions, EntityChange, OrderChange, ThenError, ValueChange};

impl Diff {
    /// Returns the difference from this one's first state to the second state of another one, which continues this one.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// let mut world = World::new();
    /// let states = [(); 3].map(|()| {
    ///     world.spawn(());
    ///     world.try_clone().expect("there is nothing that cannot be cloned")
    /// });
    /// let first = states[0].diff(&states[1])?;
    /// let second = states[1].diff(&states[2])?;
    /// assert_eq!(first.clone().then(&second)?, states[0].diff(&states[2])?);
    /// assert!(first.clone().then(&first.reversed())?.is_empty());
    /// assert!(second.clone().then(&second).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// O(size of both), times log.
    ///
    /// # Errors
    /// If the end of this one and the start of the other have different values of something that both name.
    pub fn then(self, next: &Self) -> Result<Self, ThenError> {
        let is_from_text = self.is_from_text || next.is_from_text;
        let of_entity = |change: EntityChange| (change.entity, change);
        let mut entities: BTreeMap<Entity, EntityChange> =
            self.entities.into_iter().map(of_entity).collect();
        for change in &next.entities {
            let Some(first) = entities.remove(&change.entity) else {
                entities.insert(change.entity, change.clone());
                continue;
            };
            entities.extend(both(first, change, is_from_text)?.map(of_entity));
        }
        let key = |order: OrderChange| ((order.relation.clone(), order.target), order);
        let mut orders: BTreeMap<_, _> = self.orders.into_iter().map(key).collect();
        for order in &next.orders {
            let (key, mut order) = key(order.clone());
            if let Some(first) = orders.remove(&key) {
                if first.new != order.old {
                    return Err(ThenError {
                        entity: Some(order.target),
                        name: Some(order.relation),
                    });
                }
                order.old = first.old;
            }
            if order.old != order.new {
                orders.insert(key, order);
            }
        }
        let resources = values(self.resources, &next.resources, None, is_from_text)?;
        Ok(Self {
            entities: entities.into_values().collect(),
            orders: orders.into_values().collect(),
            resources,
            left_out: self.left_out.and(&next.left_out),
            is_from_text,
        })
    }
}

impl DiffOmissions {
    /// Returns everything that one of two differences leaves out.
    fn and(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Names(mut names), Self::Names(others)) => {
                names.extend_from_slice(others);
                names.sort_unstable();
                names.dedup();
                Self::Names(names)
            }
            _ => Self::Others,
        }
    }
}

/// Returns the combined change of an entity; `None` if it is the same in the end.
fn both(
    first: EntityChange,
    next: &EntityChange,
    is_from_text: bool,
) -> Result<Option<EntityChange>, ThenError> {
    let entity = first.entity;
    if first.is_alive != next.was_alive {
        return Err(ThenError {
            entity: Some(entity),
            name: None,
        });
    }
    let change = EntityChange {
        entity,
        was_alive: first.was_alive,
        is_alive: next.is_alive,
        values: values(first.values, &next.values, Some(entity), is_from_text)?,
    };
    // A new entity has no old values, and a despawned one no new values.
    let mut impossible = change.values.iter().filter(|value| {
        let has_old = !change.was_alive && value.old.is_some();
        has_old || !change.is_alive && value.new.is_some()
    });
    if let Some(value) = impossible.next() {
        return Err(ThenError {
            entity: Some(entity),
            name: Some(value.name.clone()),
        });
    }
    let differs = change.was_alive != change.is_alive || !change.values.is_empty();
    Ok(differs.then_some(change))
}

/// Returns the combined changes of the values of an entity, or of resources. One of the differences may have been read from
/// text.
fn values(
    first: Vec<ValueChange>,
    next: &[ValueChange],
    entity: Option<Entity>,
    is_from_text: bool,
) -> Result<Vec<ValueChange>, ThenError> {
    let named = |change: ValueChange| (change.name.clone(), change);
    // Different values may look the same in a text, if a type accepts any kind of value. They only count as equal if a text
    // has lost the difference.
    let is_unchanged = match is_from_text {
        true => is_same_value,
        false => is_same,
    };
    let mut values: BTreeMap<String, ValueChange> = first.into_iter().map(named).collect();
    for change in next {
        let mut change = change.clone();
        if let Some(first) = values.remove(&change.name) {
            if !is_same_value(first.new.as_ref(), change.old.as_ref()) {
                return Err(ThenError {
                    entity,
                    name: Some(change.name),
                });
            }
            change.old = first.old;
        }
        if !is_unchanged(change.old.as_ref(), change.new.as_ref()) {
            values.insert(change.name.clone(), change);
        }
    }
    Ok(values.into_values().collect())
}
