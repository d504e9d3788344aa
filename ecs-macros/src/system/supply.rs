//! Errors in parameters that neither the caller nor the world can supply as written.

use super::param::{Param, ParamKind};
use crate::parameters::{Parameter, borrowing};
use crate::prelude::*;
use crate::types::{is_named, is_primitive, path, strip, word_mut};

/// Reports such an error; `before` is the first world parameter before this one.
pub(super) fn check(param: &Param, before: Option<&Param>, errors: &mut Errors) {
    if !param.deciding.is_empty() || param.has_impl() {
        return;
    }
    let is_parameter = |of: &TypeReference| path(&of.elem).is_some_and(Parameter::is_applied);
    match (strip(&param.ty), param.kind) {
        (Type::Reference(of), kind) if is_parameter(of) => by_reference(param, of, kind, errors),
        (Type::Reference(of), ParamKind::Borrowed) => not_from_world(param, of, before, errors),
        (ty, ParamKind::Borrowed) if is_named(ty, "Entity") => an_entity(param, before, errors),
        _ => {}
    }
}

fn by_reference(param: &Param, reference: &TypeReference, kind: ParamKind, errors: &mut Errors) {
    let mut ty = (*reference.elem).clone();
    if reference.mutability.is_some() {
        make_writing(&mut ty);
    }
    let (word, label, ty) = (word_mut(reference), &param.label, pretty::line(ty));
    let other = match kind {
        ParamKind::Argument => ", or mark it `#[arg]` if the caller supplies it",
        _ => "",
    };
    reject!(errors, &param.ty =>
        "a world parameter is taken by value, not by reference\nhelp: write `{word}{label}: {ty}`{other}");
}

/// Makes `Comp<T>` a `CompMut<T>`, and so on.
fn make_writing(ty: &mut Type) {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last_mut()
        && let name @ ("Comp" | "Res" | "NonSend") = last.ident.to_string().as_str()
    {
        last.ident = Ident::new(&format!("{name}Mut"), last.ident.span());
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
    let ways = match path(&reference.elem) {
        // A resource cannot be a bare `str` or slice: it would have to be a `Box` or a `String`.
        None => String::new(),
        Some(_) if is_named(&reference.elem, "str") => String::new(),
        Some(path) if is_primitive(path) => format!("write `{res}<{of}>` for the resource, or "),
        Some(_) => format!(
            "write `{comp}<{of}>` for the component of all entities or `{res}<{of}>` for the resource, or "
        ),
    };
    let argument = match before {
        Some(before) => argument_before(param, before),
        None => "mark it `#[arg]` if the caller supplies it".to_owned(),
    };
    reject!(errors, &param.ty =>
        "a reference cannot be borrowed from the world\nhelp: {ways}{argument}");
}

fn an_entity(param: &Param, before: Option<&Param>, errors: &mut Errors) {
    let argument = before.map(|before| format!(", or {}", argument_before(param, before)));
    reject!(errors, &param.ty =>
        "an `Entity` cannot be borrowed from the world\nhelp: write `Query<(Entity, &T)>` for the entities that have a `T`, or `#[system(for_each)]` to be called for each{}", argument.unwrap_or_default());
}

fn argument_before(param: &Param, before: &Param) -> String {
    let (own, before) = (&param.label, &before.label);
    format!("move `{own}`, if the caller supplies it, before `{before}`")
}
