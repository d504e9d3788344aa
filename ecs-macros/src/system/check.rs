//! What a system must not be, and what to write instead.

use quote::ToTokens as _;
use syn::Type;

use super::classify;
use super::model::System;
use super::param::{Kind, Param};
use crate::errors::Errors;
use crate::pretty;

/// Reports all mistakes in the signature.
pub(super) fn check(system: &System, errors: &mut Errors) {
    qualifiers(system, errors);
    returned(system, errors);
    deciders(system, errors);
    items(system, errors);
    let mut borrowed = None;
    for param in system.written() {
        match param.kind {
            Kind::Argument => {
                argument(param, borrowed, errors);
                if system.parallel.is_some() {
                    shared_argument(param, errors);
                }
            }
            _ => {
                from_world(param, errors);
                borrowed = Some(param);
            }
        }
    }
    exclusive(system, errors);
}

fn qualifiers(system: &System, errors: &mut Errors) {
    for word in &system.function.qualifiers {
        let advice = match word.to_string().as_str() {
            "async" => {
                "a system cannot be `async`: it runs to its end; start the future elsewhere and let a system look whether it is done"
            }
            "const" => "a system cannot be `const`: there is no world while compiling",
            "unsafe" => {
                "a system cannot be `unsafe`: a schedule could not keep its contract; put an `unsafe` block into the body"
            }
            "extern" => "a system is a Rust function, without `extern`",
            _ => continue,
        };
        errors.push(word, advice);
    }
}

fn returned(system: &System, errors: &mut Errors) {
    let Some(ty) = system.function.returned() else {
        return;
    };
    if classify::has_impl(ty) {
        errors.push(
            ty,
            "a system cannot return `impl Trait`; name the type, or box it",
        );
    } else if matches!(classify::strip(ty), Type::Never(_)) {
        errors.push(ty, "a system returns to its caller: leave `-> !` out");
    }
}

/// Reports that what is returned is borrowed from the world; for a method when it is known what `self` is.
pub(super) fn refuse_borrow(system: &System, errors: &mut Errors) {
    if let Some(ty) = system.function.returned()
        && !classify::has_impl(ty)
        && system.returns_borrow(ty)
    {
        errors.push(
            ty,
            "a system cannot return what it borrows from the world, as the borrow ends with the call; return a copy or an `Entity`, or name the lifetime if it is that of an argument",
        );
    }
}

fn deciders(system: &System, errors: &mut Errors) {
    for param in &system.params {
        match &param.decider {
            Some(decider) if decider.path().is_ident("item") && !system.for_each => {
                errors.push(decider, "`#[item]` belongs to systems that are called for each entity: `#[system(for_each)]`");
            }
            _ => {}
        }
    }
}

/// The longest tuple that is a query.
const MOST: usize = 16;

fn items(system: &System, errors: &mut Errors) {
    if !system.for_each {
        return;
    }
    let mut seen = false;
    for param in &system.params {
        seen |= param.kind == Kind::Item;
        if let (Kind::Item, Some(cfg)) = (param.kind, param.cfg.first()) {
            errors.push(cfg, "an item cannot be configured away; put the `cfg` on the whole system, or take an `Option<&T>`");
        }
    }
    let items = system.params.iter().filter(|p| p.kind == Kind::Item);
    if let Some(param) = items.clone().nth(MOST) {
        errors.push(
            &param.ty,
            "a system that is called for each entity takes up to 16 items; put some of them into a struct with `#[derive(QueryData)]`, and take it as `#[item]`",
        );
    }
    if let Some((_, ty)) = system.filters.get(MOST) {
        errors.push(ty, "up to 16 filters are tested");
    }
    if !seen {
        errors.push(
            &system.function.ident,
            "a system that is called for each entity takes at least one item: `&T`, `&mut T`, `Option<&T>`, `Option<&mut T>` or `Entity`",
        );
    }
}

fn argument(param: &Param, borrowed: Option<&Param>, errors: &mut Errors) {
    if let Some(before) = borrowed {
        errors.push(
            &param.ty,
            format!(
                "ordinary arguments come before the world parameters; write `{}` before `{}`",
                param.label, before.label
            ),
        );
    }
    if classify::has_impl(&param.ty) {
        errors.push(
            &param.ty,
            "a system cannot take `impl Trait`; give the function a generic parameter instead",
        );
    }
}

fn shared_argument(param: &Param, errors: &mut Errors) {
    if let Type::Reference(reference) = classify::strip(&param.ty)
        && reference.mutability.is_some()
    {
        errors.push(
            &param.ty,
            "several threads cannot share a `&mut`: take a `&` (perhaps to an atomic or a `Mutex`), or call the function with one thread, `#[system(for_each)]`",
        );
    }
}

fn from_world(param: &Param, errors: &mut Errors) {
    if classify::has_impl(&param.ty) {
        errors.push(
            &param.ty,
            "a system cannot take `impl Trait`; give the function a generic parameter instead",
        );
        return;
    }
    let Type::Reference(reference) = classify::strip(&param.ty) else {
        return;
    };
    if param.kind != Kind::Borrowed {
        return;
    }
    let of = pretty::line(reference.elem.to_token_stream());
    let (comp, res) = match reference.mutability {
        Some(_) => ("CompMut", "ResMut"),
        None => ("Comp", "Res"),
    };
    errors.push(
        &param.ty,
        format!(
            "a reference cannot be borrowed from the world: write `{comp}<{of}>` for the component of all entities, or `{res}<{of}>` for the resource; what the caller supplies comes before the first world parameter"
        ),
    );
}

fn exclusive(system: &System, errors: &mut Errors) {
    if !system.is_exclusive() {
        return;
    }
    let mut seen = false;
    for param in system.written().filter(|p| p.kind != Kind::Argument) {
        if param.kind == Kind::Exclusive && !core::mem::replace(&mut seen, true) {
            continue;
        }
        errors.push(
            &param.ty,
            "`&mut World` is all of the world, so there is no other world parameter beside it; ask the world for the rest, for example `world.resource_mut::<Time>()`",
        );
    }
}
