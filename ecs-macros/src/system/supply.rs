//! Errors in parameters that neither the caller nor the world can supply as written.

use super::param::{Param, ParamKind};
use crate::parameters::{Parameter, borrowing};
use crate::prelude::*;
use crate::types::{has_impl, head, is_named, is_primitive, path, strip};

/// Reports such an error; `before` is the first world parameter before this one.
pub(super) fn check(param: &Param, before: Option<&Param>, errors: &mut Errors) {
    if !param.deciding.is_empty() || has_impl(&param.ty) {
        return;
    }
    match (strip(&param.ty), param.kind) {
        (Type::Reference(reference), kind)
            if path(&reference.elem).is_some_and(Parameter::is_applied) =>
        {
            by_reference(param, reference, kind, errors);
        }
        (Type::Reference(reference), ParamKind::Borrowed) => {
            not_from_world(param, reference, before, errors);
        }
        (ty, ParamKind::Borrowed) if is_named(ty, "Entity") => an_entity(param, before, errors),
        _ => {}
    }
}

fn by_reference(param: &Param, reference: &TypeReference, kind: ParamKind, errors: &mut Errors) {
    let is_mutable = reference.mutability.is_some();
    let mut ty = (*reference.elem).clone();
    if is_mutable {
        make_writing(&mut ty);
    }
    let ty = pretty::line(ty);
    let word = if is_mutable { "mut " } else { "" };
    let label = &param.label;
    let other = if kind == ParamKind::Argument {
        ", or mark it `#[arg]` if the caller supplies it"
    } else {
        ""
    };
    reject!(errors, &param.ty =>
        "a world parameter is taken by value, not by reference\nhelp: write `{word}{label}: {ty}`{other}");
}

/// Makes `Comp<T>` a `CompMut<T>`, and so on.
fn make_writing(ty: &mut Type) {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last_mut()
        && ["Comp", "Res", "NonSend"]
            .iter()
            .any(|name| last.ident == name)
    {
        last.ident = Ident::new(&format!("{}Mut", last.ident), last.ident.span());
    }
}

fn not_from_world(
    param: &Param,
    reference: &TypeReference,
    before: Option<&Param>,
    errors: &mut Errors,
) {
    let of = pretty::line(&reference.elem);
    let (comp, res) = borrowing(reference);
    let mut ways = match path(&reference.elem) {
        // A resource cannot be a bare `str` or slice: it would have to be a `Box` or a `String`.
        Some(path) if head(path).is_some_and(|head| head == "str") => String::new(),
        None => String::new(),
        Some(path) if is_primitive(path) => format!("write `{res}<{of}>` for the resource, or "),
        Some(_) => format!(
            "write `{comp}<{of}>` for the component of all entities or `{res}<{of}>` for the resource, or "
        ),
    };
    ways.push_str(&match before {
        Some(before) => argument_before(param, before),
        None => "mark it `#[arg]` if the caller supplies it".to_owned(),
    });
    reject!(errors, &param.ty => "a reference cannot be borrowed from the world\nhelp: {ways}");
}

fn an_entity(param: &Param, before: Option<&Param>, errors: &mut Errors) {
    let mut message = "an `Entity` cannot be borrowed from the world\nhelp: write `Query<(Entity, &T)>` for the entities that have a `T`, or `#[system(for_each)]` to be called for each".to_owned();
    if let Some(before) = before {
        message.push_str(", or ");
        message.push_str(&argument_before(param, before));
    }
    errors.push(&param.ty, message);
}

fn argument_before(param: &Param, before: &Param) -> String {
    format!(
        "move `{}`, if the caller supplies it, before `{}`",
        param.label, before.label
    )
}
