//! The errors of a `system!`.

use super::model::{InlineParam, ParamFetch, text};
use super::parse::InlineSystem;
use crate::prelude::*;
use crate::types::parts;

pub(super) fn check(system: &InlineSystem, params: &[InlineParam], errors: &mut Errors) {
    if params.is_empty() {
        errors.add(wrong!(at system.bar =>
            "a `system!` must have at least one parameter\nhelp: add a component that selects the entities: `velocity: &mut Velocity`"));
    }
    for (index, InlineParam { pattern, fetch, .. }) in params.iter().enumerate() {
        match fetch {
            ParamFetch::Unknown => reject!(errors, pattern =>
                "missing type of a parameter\nhelp: write `velocity: &Velocity`, `&mut Velocity` or `Option<&Velocity>`; only the id, which comes first, needs no type"),
            ParamFetch::Id if index > 0 => reject!(errors, pattern =>
                "the id must be the first parameter\nhelp: move it before the others"),
            _ => {}
        }
    }
    match &system.output {
        None => changing(params, errors),
        Some(output) => returning(output, params, errors),
    }
}

/// Checks the parameters of a system without a return type.
fn changing(params: &[InlineParam], errors: &mut Errors) {
    for (index, param) in params.iter().enumerate() {
        match &param.fetch {
            ParamFetch::Old(ty) => {
                let name = text(ty);
                reject!(errors, ty =>
                    "`{name}` cannot be taken by value, because the system does not return it\nhelp: for a component write `&{name}` or `&mut {name}`, or return the new value: `|old: {name}| -> {name} {{ .. }}`; anything else is a variable outside of the closure");
            }
            ParamFetch::Borrowed { of, mutably, .. } => {
                let name = text(of);
                let twice = params[..index].iter().any(|other| {
                    matches!(&other.fetch, ParamFetch::Borrowed { of, mutably: other, .. }
                        if text(of) == name && (*mutably || *other))
                });
                if twice {
                    reject!(errors, of => "`{name}` is borrowed twice, at least once mutably\nhelp: borrow it once");
                }
            }
            ParamFetch::Id | ParamFetch::Unknown => {}
        }
    }
}

/// Checks the parameters of a system that first reads all entities and then writes the returned values.
fn returning(output: &Type, params: &[InlineParam], errors: &mut Errors) {
    let returned = parts(output);
    if returned.is_empty() {
        reject!(errors, output => "a `system!` that returns nothing cannot have a return type\nhelp: remove `-> ()`");
        return;
    }
    if returned.len() > 16 {
        reject!(errors, output => "a `system!` cannot return more than 16 components");
    }
    // A parameter of a wrong kind is reported once: here, or where its value is used.
    let mut replaces_nothing = false;
    for (index, ty) in returned.iter().enumerate() {
        let name = text(ty);
        let replaced = |param: &InlineParam| match &param.fetch {
            ParamFetch::Borrowed { of, mutably, .. } => *mutably && text(of) == name,
            _ => param.is_old(ty),
        };
        if returned[..index].iter().any(|other| text(other) == name) {
            reject!(errors, ty => "`{name}` is returned twice\nhelp: return it once");
        } else if !params.iter().any(replaced) {
            replaces_nothing = true;
            reject!(errors, ty => "the returned `{name}` replaces no old value\nhelp: add the parameter `old: {name}`");
        }
    }
    for param in params {
        let name = param.component().map(text).unwrap_or_default();
        match &param.fetch {
            ParamFetch::Old(ty)
                if !replaces_nothing && !returned.iter().any(|other| text(other) == name) =>
            {
                reject!(errors, ty =>
                    "`{name}` cannot be taken by value, because it is not returned\nhelp: write `&{name}`");
            }
            ParamFetch::Borrowed { ty, mutably, .. } if *mutably => reject!(errors, ty =>
                "a `system!` that returns values cannot borrow mutably\nhelp: write `&{name}`, or take `old: {name}` and return it too"),
            _ => {}
        }
    }
}
