//! The options in `#[system(..)]`.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Result, Token, Type, parenthesized};

use crate::errors::Errors;
use crate::paths::{self, Root};

/// The options that are filters, and the types of these filters.
const FILTERS: [(&str, &str); 5] = [
    ("with", "With"),
    ("without", "Without"),
    ("changed", "Changed"),
    ("added", "Added"),
    ("mutated", "Mutated"),
];

/// The options of a system.
pub(super) struct Options {
    pub(super) root: Root,
    /// Set if the function is called for each entity.
    pub(super) for_each: Option<ForEach>,
}

/// The loop of a system that is called for each entity.
pub(super) struct ForEach {
    /// The span of `par_for_each`, if several threads share the entities.
    pub(super) parallel: Option<Span>,
    /// The filters besides the items: their names and components.
    pub(super) filters: Vec<(&'static str, Type)>,
}

/// Parses the options.
pub(super) fn parse(options: TokenStream, errors: &mut Errors) -> Options {
    let (mut path, mut filter) = (None, None::<Span>);
    let (mut one_by_one, mut parallel) = (None::<Span>, None::<Span>);
    let mut filters = Vec::new();
    let parser = syn::meta::parser(|meta| {
        if paths::parse_crate(&meta, &mut path)? {
            return Ok(());
        }
        let span = meta.path.span();
        if meta.path.is_ident("for_each") {
            one_by_one = Some(span);
            return Ok(());
        }
        if meta.path.is_ident("par_for_each") {
            parallel = Some(span);
            return Ok(());
        }
        let Some((_, name)) = FILTERS.iter().find(|(name, _)| meta.path.is_ident(name)) else {
            let unknown = meta.path.to_token_stream();
            return Err(meta.error(format!(
                "unknown option `{unknown}`\nhelp: valid options: `for_each`, `par_for_each`, `with(..)`, `without(..)`, `changed(..)`, `added(..)`, `mutated(..)`, `crate = path`"
            )));
        };
        filter = Some(span);
        filters.extend(types(&meta)?.into_iter().map(|ty| (*name, ty)));
        Ok(())
    });
    if let Err(error) = parser.parse2(options) {
        errors.add(error);
    }
    let for_each = one_by_one.or(parallel).is_some();
    if let (Some(span), false) = (filter, for_each) {
        errors.add(syn::Error::new(
            span,
            "filters can only be used with `for_each`\nhelp: write `#[system(for_each, ..)]`, or filter in the parameter: `Query<&A, With<B>>`",
        ));
    }
    if let (Some(_), Some(span)) = (one_by_one, parallel) {
        errors.add(syn::Error::new(
            span,
            "`for_each` and `par_for_each` cannot be combined\nhelp: remove `par_for_each` to call the function on one thread, or `for_each` to call it on several",
        ));
    }
    Options {
        root: Root::new(path.as_ref()),
        for_each: for_each.then_some(ForEach { parallel, filters }),
    }
}

fn types(meta: &ParseNestedMeta<'_>) -> Result<Punctuated<Type, Token![,]>> {
    let content;
    parenthesized!(content in meta.input);
    Punctuated::parse_terminated(&content)
}
