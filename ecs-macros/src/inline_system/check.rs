//! The mistakes that one can make in `system!`.

use syn::Type;

use super::model::{Kind, Param, members, text};
use super::parse::Inline;
use crate::errors::Errors;

pub(super) fn check(system: &Inline, params: &[Param], errors: &mut Errors) {
    if params.is_empty() {
        errors.add(syn::Error::new(
            system.bar,
            "a `system!` visits the entities that have the components of its parameters: write at least one, such as `velocity: &mut Velocity`",
        ));
    }
    for (index, param) in params.iter().enumerate() {
        match &param.kind {
            Kind::Unknown => errors.push(
                &param.pattern,
                "the type of a parameter says what it is given: `velocity: &Velocity`, `&mut Velocity`, `Option<&Velocity>`; only the id, which comes first, needs none",
            ),
            Kind::Id if index > 0 => {
                errors.push(&param.pattern, "the id is the first parameter");
            }
            _ => {}
        }
    }
    match &system.output {
        None => changing(params, errors),
        Some(output) => returning(output, params, errors),
    }
}

/// Without a return type.
fn changing(params: &[Param], errors: &mut Errors) {
    for (index, param) in params.iter().enumerate() {
        match &param.kind {
            Kind::Old { ty } => {
                let name = text(ty);
                errors.push(
                    ty,
                    format!("write `&{name}` or `&mut {name}`; by value it is the old value of a system that returns the new one: `|old: {name}| -> {name} {{ .. }}`"),
                );
            }
            Kind::Borrowed { of, mutably, .. } => {
                let name = text(of);
                let twice = params[..index].iter().any(|other| {
                    matches!(&other.kind, Kind::Borrowed { of, mutably: other, .. }
                        if text(of) == name && (*mutably || *other))
                });
                if twice {
                    errors.push(
                        of,
                        format!("`{name}` is borrowed mutably and a second time, which would alias; borrow it once"),
                    );
                }
            }
            Kind::Id | Kind::Unknown => {}
        }
    }
}

/// With a return type: all is read first, and what is returned is written then.
fn returning(output: &Type, params: &[Param], errors: &mut Errors) {
    let returned = members(output);
    if returned.is_empty() {
        errors.push(output, "nothing is returned: leave `-> ()` out");
    }
    if returned.len() > 16 {
        errors.push(output, "a `system!` returns up to 16 components");
    }
    for (index, ty) in returned.iter().enumerate() {
        let name = text(ty);
        if returned[..index].iter().any(|other| text(other) == name) {
            errors.push(ty, format!("`{name}` is returned already"));
        } else if !params
            .iter()
            .any(|param| matches!(&param.kind, Kind::Old { ty } if text(ty) == name))
        {
            errors.push(
                ty,
                format!("what is returned replaces a component that is read: add the parameter `old: {name}`"),
            );
        }
    }
    for param in params {
        match &param.kind {
            Kind::Old { ty } if !returned.iter().any(|other| text(other) == text(ty)) => {
                let name = text(ty);
                errors.push(
                    ty,
                    format!("write `&{name}`; by value it is the old value of what is returned, and `{name}` is not"),
                );
            }
            Kind::Borrowed {
                of,
                mutably: true,
                ty,
            } => {
                let name = text(of);
                errors.push(
                    ty,
                    format!("a `system!` that returns new values only reads: write `&{name}`, or `old: {name}` and return the new one as well"),
                );
            }
            _ => {}
        }
    }
}
