//! The errors of a signature.

use super::item;
use super::model::SystemModel;
use super::param::{Param, ParamKind};
use super::{certain, event, supply};
use crate::parameters::{Parameter, lifetime_of};
use crate::prelude::*;
use crate::types::{self, has_impl, is_named, is_primitive, optional, strip};

/// Reports all errors in the signature.
pub(super) fn check(system: &SystemModel, errors: &mut Errors) {
    qualifiers(system, errors);
    returned(system, errors);
    deciding_attributes(system, errors);
    items(system, errors);
    event::check(system, errors);
    let mut borrowed = None;
    for param in system.written() {
        if param.has_impl() {
            let is_impl = |ty: &Type| matches!(ty, Type::ImplTrait(_));
            let at = types::find(&param.ty, &is_impl).unwrap_or(&param.ty);
            let bounds = match at {
                Type::ImplTrait(found) => pretty::line(&found.bounds),
                _ => "Component".to_owned(),
            };
            reject!(errors, at =>
                "a system cannot take `impl Trait`\nhelp: name the type, `T` in this place: `fn {}<T: {bounds}>`", system.function.ident);
        }
        if let Some(wrong) = system.wrong(param) {
            wrong.report(errors);
        } else if param.kind == ParamKind::Argument || !system.is_exclusive() {
            supply::check(param, borrowed, errors);
        }
        if param.kind != ParamKind::Argument {
            forever(param, errors);
            borrowed = borrowed.or(Some(param));
        } else if !param.is_event() {
            argument(system, param, borrowed, errors);
        }
    }
    exclusive(system, errors);
    certain::check(system, errors);
}

/// Reports a parameter that is borrowed for `'static`, and a query whose data has the lifetime of the query.
fn forever(param: &Param, errors: &mut Errors) {
    let Some(own) = lifetime_of(&param.ty).filter(|own| own.ident != "_") else {
        return;
    };
    let is_query = Parameter::of(&param.ty).is_some_and(Parameter::is_query);
    let has = |ty: &Type| matches!(ty, Type::Reference(it) if it.lifetime.as_ref() == Some(own));
    if own.ident == "static" {
        reject!(errors, own =>
            "a system borrows its parameters for one run, not for `'static`\nhelp: write `'_`, or no lifetime");
    } else if let Some(Type::Reference(found)) = types::find(&param.ty, &has).filter(|_| is_query) {
        reject!(errors, &found.lifetime =>
            "the data of a query is written without its lifetime\nhelp: remove this `{own}`");
    }
}

fn qualifiers(system: &SystemModel, errors: &mut Errors) {
    for word in &system.function.qualifiers {
        let text = format!("`{word}`");
        if let Some(problem) = QUALIFIERS.iter().find(|known| known.starts_with(&text)) {
            reject!(errors, word => "a system cannot be {problem}");
        }
    }
}

/// The words before `fn` that a system cannot have, each as the end of its message.
const QUALIFIERS: [&str; 4] = [
    "`async`, because it runs to completion\nhelp: write a plain function; `Tasks` does work in the background and brings its result into the world",
    "`const`, because there is no world at compile time\nhelp: remove `const`",
    "`unsafe`, because a schedule cannot uphold its contract\nhelp: write an `unsafe` block in the body",
    "`extern`\nhelp: remove `extern`",
];

fn returned(system: &SystemModel, errors: &mut Errors) {
    let Some(ty) = system.function.returned() else {
        return;
    };
    if has_impl(ty) {
        reject!(errors, ty => "a system cannot return `impl Trait`\nhelp: name the type, or box it");
    } else if system.for_each && is_value(ty) {
        reject!(errors, ty =>
            "a system that is called for each entity returns `()` or `Result<(), E>`\nhelp: write the value into an item, or take the entities as a `Query` and return it once");
    }
}

/// Returns whether a type is certainly neither `()` nor a `Result<(), E>`.
fn is_value(ty: &Type) -> bool {
    match strip(ty) {
        Type::Path(path) => match types::inside(ty).as_slice() {
            [of, ..] if is_named(ty, "Result") => {
                is_value(of) || matches!(strip(of), Type::Path(_))
            }
            _ => is_primitive(&path.path) || optional(ty).is_some(),
        },
        Type::Tuple(tuple) => !tuple.elems.is_empty(),
        _ => false,
    }
}

/// Reports that the returned value borrows from the world; for a method, when the type of `self` is known.
pub(super) fn reject_borrow(system: &SystemModel, errors: &mut Errors) {
    let returned = system.function.returned().filter(|ty| !has_impl(ty));
    if let Some(ty) = returned.filter(|ty| system.returns_borrow(ty)) {
        reject!(errors, ty =>
            "a system cannot return a borrow from the world, which ends with the call\nhelp: return a copy or an `Entity`, or name the lifetime if it belongs to an argument");
    }
}

fn deciding_attributes(system: &SystemModel, errors: &mut Errors) {
    for attributes in system.params.iter().map(|param| &param.deciding) {
        for attribute in attributes {
            if attribute.path().is_ident("item") && !system.for_each {
                reject!(errors, attribute =>
                    "`#[item]` can only be used in a system that is called for each entity\nhelp: write `#[system(for_each)]`");
            }
            if !matches!(attribute.meta, Meta::Path(_)) {
                let name = attribute.path().to_token_stream();
                reject!(errors, &attribute.meta => "`#[{name}]` takes no value\nhelp: write `#[{name}]`");
            }
        }
        for attribute in attributes.iter().skip(1) {
            reject!(errors, attribute =>
                "it is already decided who supplies this parameter\nhelp: keep one of `#[arg]` for the caller, `#[param]` for the world and `#[item]` for each entity");
        }
    }
}

/// The number of members in the longest tuple that is a query.
const MOST: usize = 16;

fn items(system: &SystemModel, errors: &mut Errors) {
    if !system.for_each {
        return;
    }
    if let Some(param) = system.items().nth(MOST) {
        reject!(errors, &param.ty =>
            "a system cannot take more than 16 items\nhelp: put some of them into a struct with `#[derive(QueryData)]`, and take it as `#[item]`");
    }
    if let Some((_, ty)) = system.filters.get(MOST) {
        reject!(errors, ty => "a system cannot have more than 16 filters");
    }
    for (filter, ty) in &system.filters {
        let component = match (strip(ty), &*types::inside(ty)) {
            (Type::Reference(reference), _) => &*reference.elem,
            (_, [of]) if is_named(ty, filter) => of,
            _ => continue,
        };
        let (option, of) = (filter.to_lowercase(), pretty::line(component));
        reject!(errors, ty => "`{option}` takes a component\nhelp: write `{option}({of})`");
    }
    let without = system.filters.iter().filter(|(name, _)| *name == "Without");
    for (_, ty) in without {
        let text = pretty::line(ty);
        let is_required = |param: &&Param| item::requires(&param.ty, &text);
        if let Some(Param { label, .. }) = system.items().find(is_required) {
            reject!(errors, ty =>
                "no entity without `{text}` has a value for `{label}`\nhelp: remove the filter, or the parameter");
        }
    }
    for Param { ty, label, .. } in system.items() {
        if item::component(ty).is_some_and(|(of, _)| is_named(of, "Entity")) {
            reject!(errors, ty => "an `Entity` is taken by value\nhelp: write `{label}: Entity`");
        }
    }
    if system.items().next().is_none() {
        no_item(system, errors);
    }
}

/// Reports a loop without items.
fn no_item(system: &SystemModel, errors: &mut Errors) {
    let is_query = |param: &&Param| Parameter::of(&param.ty).is_some_and(Parameter::is_query);
    let path = |param: &Param| types::path(&param.ty).cloned();
    let is_own = |param: &&Param| path(param).is_some_and(|ty| Parameter::known(&ty).is_none());
    let is_path = |param: &&Param| path(param).is_some_and(|ty| !is_primitive(&ty));
    if let Some(Param { ty, type_text, .. }) = system.borrowed().find(is_query) {
        reject!(errors, ty =>
            "a system that is called for each entity takes the items of one, not a query alone\nhelp: write a parameter for each item, for example `pos: &mut Position`, or `#[system]` and `{type_text}`");
    } else if let Some(param) = system.borrowed().find(is_own) {
        reject!(errors, &param.ty =>
            "a system that is called for each entity must take at least one item\nhelp: write `#[item] {}` if it is query data", param.text());
    } else if let Some(param) = system.arguments().find(is_path) {
        let (text, label, ty) = (param.text(), &param.label, &param.type_text);
        reject!(errors, &param.ty =>
            "a system that is called for each entity must take at least one item, and `{text}` is an argument of its caller\nhelp: write `{label}: &{ty}` or `{label}: &mut {ty}` for a component of the entity, or `#[item] {text}` for query data");
    } else {
        reject!(errors, &system.function.ident =>
            "a system that is called for each entity must take at least one item\nhelp: add a parameter of type `&T`, `&mut T`, `Option<&T>`, `Option<&mut T>` or `Entity`");
    }
}

fn argument(system: &SystemModel, param: &Param, borrowed: Option<&Param>, errors: &mut Errors) {
    if let Some(before) = borrowed {
        reject!(errors, &param.ty =>
            "ordinary arguments must come before the world parameters\nhelp: write `{}` before `{}`", param.label, before.label);
    }
    if let Type::Reference(reference) = strip(&param.ty)
        && system.parallel.is_some()
        && reference.mutability.is_some()
    {
        reject!(errors, &param.ty =>
            "several threads cannot share a `&mut`\nhelp: take a `&`, perhaps to an atomic or a `Mutex`, or use one thread: `#[system(for_each)]`");
    }
}

fn exclusive(system: &SystemModel, errors: &mut Errors) {
    let params = system.written().filter(|p| p.kind != ParamKind::Argument);
    let world = params.clone().find(|p| p.kind == ParamKind::Exclusive);
    let is_other = |param: &&Param| world.is_some_and(|world| !core::ptr::eq(*param, world));
    for param in params.filter(is_other) {
        reject!(errors, &param.ty =>
            "a system with `&mut World` cannot have other world parameters\nhelp: {}", in_place_of(param));
    }
}

/// Returns the words to write in place of a parameter beside a `&mut World`.
fn in_place_of(param: &Param) -> String {
    let name = types::name(&param.ty).unwrap_or_default();
    let types = to_vec(types::inside(&param.ty).into_iter().map(pretty::line));
    let call = match (name.as_str(), types.len()) {
        ("Query", 1) => "query",
        ("Query", 2) => "query_filtered",
        ("Comp", 1) => "view",
        ("CompMut", 1) => "view_mut",
        ("Res", 1) => "resource",
        ("ResMut" | "Local", 1) => "resource_mut",
        _ => return "call the world in place of `Commands`; write an argument of the caller before the `&mut World`; take anything else in another system, and `pipe` its result into this one".to_owned(),
    };
    format!("write `world.{call}::<{}>()`", types.join(", "))
}
