//! Checks of the parameters that look like ordinary arguments.
//!
//! A macro sees only the tokens of a type: an alias of a parameter type looks like an argument. So a constant, which
//! fails at the type's span, lets the compiler check it.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::Type;

use super::model::System;
use super::param::{Param, ParamKind};
use crate::pretty;
use crate::tokens::{after, before, site};
use crate::types::{is_primitive, strip, type_arguments};

/// Returns a constant for each ordinary argument that might be something else.
pub(super) fn probes(system: &System) -> TokenStream {
    let mut probes = TokenStream::new();
    for param in system.arguments() {
        if param.deciding.is_empty() {
            probes.extend(probe(system, param));
        }
    }
    probes
}

fn probe(system: &System, param: &Param) -> Option<TokenStream> {
    debug_assert!(param.kind == ParamKind::Argument, "others are certain");
    let (path, question, message) = match strip(&param.ty) {
        Type::Path(path) => (
            path,
            "IS_PARAM",
            match type_arguments(&path.path)[..] {
                [] => format!("is a system parameter; help: write `{}<'_>` if the type has a lifetime, or mark it `#[param]` to borrow it from the world, or `#[arg]` if the caller supplies it", pretty::line(path.to_token_stream())),
                _ => "is a system parameter; help: mark it `#[param]` to borrow it from the world, or `#[arg]` if the caller supplies it".to_owned(),
            },
        ),
        Type::Reference(reference) => match strip(&reference.elem) {
            Type::Path(path) => {
                let view = reference.mutability.map_or("Comp", |_| "CompMut");
                let of = pretty::line(path.to_token_stream());
                (
                    path,
                    "IS_COMPONENT",
                    format!("is a reference to a component; help: write `{view}<{of}>` for the component of all entities, or `#[system(for_each)]` to be called for each, or mark it `#[arg]` if the caller supplies it"),
                )
            }
            _ => return None,
        },
        _ => return None,
    };
    if is_primitive(&path.path) || system.mentions_generics(path.to_token_stream()) {
        return None;
    }
    // From the first token of the type to the last one: the error is shown there.
    let (first, span) = (before(param.ends.0), after(param.ends.1));
    let private = system.root.private(site());
    let (function, probe) = (system.root.private(first), system.root.private(span));
    let question = Ident::new(question, span);
    let message = format!("`{}: {}` {message}", param.label, param.type_text);
    let call =
        quote_spanned!(span=> #function::wrong_if(<#probe::Probe<#path>>::#question, #message));
    Some(frame! {
        const _: () = {
            use #private::Unknown as _;
            #call
        };
    })
}
