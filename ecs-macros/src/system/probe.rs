//! Catches wrong guesses about ordinary arguments.
//!
//! A macro sees how a type is written and not what it is: an alias of a parameter type looks like an argument. The
//! compiler knows, so it is asked in a constant, which fails at the type's place.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::{Type, TypePath};

use super::classify;
use super::model::System;
use super::param::{Kind, Param};
use crate::lists::any;

/// A constant per ordinary argument that might be something else.
pub(super) fn probes(system: &System) -> TokenStream {
    let mut probes = TokenStream::new();
    for param in system.arguments() {
        if param.decider.is_none() {
            probes.extend(probe(system, param));
        }
    }
    probes
}

fn probe(system: &System, param: &Param) -> Option<TokenStream> {
    debug_assert!(param.kind == Kind::Argument, "others are no guesses");
    let (asked, question, message) = match classify::strip(&param.ty) {
        Type::Path(path) => (
            path,
            "IS_PARAM",
            "can be borrowed from the world: mark it `#[param]` for that, or `#[arg]` if the caller supplies it",
        ),
        Type::Reference(reference) => match classify::strip(&reference.elem) {
            Type::Path(path) => (
                path,
                "IS_COMPONENT",
                "is a reference to a component: take a view like `CompMut<T>` of those of all entities, or mark it `#[arg]` if the caller supplies it",
            ),
            _ => return None,
        },
        _ => return None,
    };
    if is_primitive(asked) || mentions_generics(system, asked.to_token_stream()) {
        return None;
    }
    let span = param.span();
    let private = system.root.private(Span::mixed_site());
    let function = system.root.private(span);
    let cfg = param.cfgs();
    let question = Ident::new(question, span);
    let message = format!("`{}: {}` {message}", param.label, param.type_text);
    let call =
        quote_spanned!(span=> #function::wrong_if(<#function::Probe<#asked>>::#question, #message));
    Some(quote! {
        #cfg
        const _: () = {
            use #private::Unknown as _;
            #call
        };
    })
}

fn is_primitive(path: &TypePath) -> bool {
    const NAMES: [&str; 19] = [
        "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32",
        "i64", "i128", "isize", "f32", "f64", "String", "Entity",
    ];
    path.path
        .get_ident()
        .is_some_and(|name| NAMES.iter().any(|known| name == known))
}

/// Whether a generic parameter of the function occurs: a constant outside of it cannot name those.
pub(super) fn mentions_generics(system: &System, tokens: TokenStream) -> bool {
    let generics = &system.function.generics;
    any(tokens, &mut |token| match token {
        TokenTree::Ident(name) => {
            generics.type_params().any(|param| param.ident == name)
                || generics.const_params().any(|param| param.ident == name)
                || system.declares(&name)
        }
        TokenTree::Group(group) => mentions_generics(system, group.stream()),
        _ => false,
    })
}
