//! The items of a system that is called for each entity.

use crate::parameters::{is_resources, is_world};
use crate::prelude::*;
use crate::types::{any_of, find, inside, is_named, mutable_reference, optional, reference, strip};

/// Returns whether values of this type come from the entity.
pub(super) fn is_item(ty: &Type) -> bool {
    match (reference(ty), strip(ty)) {
        (Some((reference, _)), _) => !is_world(reference) && !is_resources(reference),
        (None, Type::Tuple(tuple)) => !tuple.elems.is_empty() && tuple.elems.iter().all(is_item),
        (None, _) => match optional(ty) {
            // An optional id may come from the caller.
            Some(inside) => {
                is_item(inside) && members(ty).into_iter().any(|ty| !is_named(ty, "Entity"))
            }
            None => {
                let has_items = any_of(ty).is_some_and(|any| any.elems.iter().any(is_item));
                is_named(ty, "Entity") || is_named(ty, "Mut") || has_items || is_object(ty)
            }
        },
    }
}

/// Returns whether this has components by their trait, such as `One<dyn Shape>`.
fn is_object(ty: &Type) -> bool {
    let is_known = ["All", "AllMut", "One", "OneMut"].map(|name| is_named(ty, name));
    is_known.contains(&true) && find(ty, &|ty| matches!(ty, Type::TraitObject(_))).is_some()
}

/// Returns the members of a tuple and of the tuples in it, including optional ones; for another type, the type alone.
pub(crate) fn members(ty: &Type) -> Vec<&Type> {
    match (strip(ty), optional(ty)) {
        (Type::Tuple(tuple), _) => to_vec(tuple.elems.iter().flat_map(members)),
        // An optional component is a member.
        (_, Some(inside)) if component(ty).is_none() => members(inside),
        _ if is_named(ty, "Any") => to_vec(inside(ty).into_iter().flat_map(members)),
        _ => vec![ty],
    }
}

/// Returns whether only entities with this component have a value of this type. An `Any` requires none of its members.
pub(super) fn requires(ty: &Type, of: &str) -> bool {
    let required = component(ty).filter(|_| optional(ty).is_none());
    match strip(ty) {
        Type::Tuple(tuple) => tuple.elems.iter().any(|ty| requires(ty, of)),
        _ => required.is_some_and(|(component, _)| pretty::line(component) == of),
    }
}

/// Returns the component of an item `&T`, `&mut T`, `Mut<T>` or an `Option` of these, and whether it must be tracked.
pub(crate) fn component(ty: &Type) -> Option<(&Type, bool)> {
    if let Some((reference, _)) = reference(ty) {
        return Some((&reference.elem, false));
    }
    let ty = optional(ty).unwrap_or(ty);
    let component = inside(ty).first().copied()?;
    is_named(ty, "Mut").then_some((component, true))
}

/// Returns the component of an item, and whether it is written.
pub(crate) fn access(ty: &Type) -> Option<(&Type, bool)> {
    let (component, tracked) = component(ty)?;
    Some((component, tracked || mutable_reference(ty).is_some()))
}
