//! The options in `#[system(..)]`.

use proc_macro2::{Span, TokenStream};
use syn::meta::ParseNestedMeta;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Result, Token, Type, parenthesized};

use crate::errors::Errors;
use crate::paths::{self, Root};

const KNOWN: &str = "unknown option of `#[system]`; known here: `for_each`, `par_for_each`, `with(..)`, `without(..)`, `changed(..)`, `added(..)`, `crate = path`";

/// The options that are filters, and the filters that they are.
const FILTERS: [(&str, &str); 4] = [
    ("with", "With"),
    ("without", "Without"),
    ("changed", "Changed"),
    ("added", "Added"),
];

/// What the user chose.
pub(super) struct Options {
    pub(super) root: Root,
    /// Set if the function is called for each entity.
    pub(super) each: Option<Each>,
}

/// How the function is called for each entity.
pub(super) struct Each {
    /// Where it says that several threads share the entities, if it does.
    pub(super) parallel: Option<Span>,
    /// Which entities it is called for, beside those that have its items: filters and what they ask for.
    pub(super) filters: Vec<(&'static str, Type)>,
}

/// Reads the options.
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
        let named = FILTERS.iter().find(|(name, _)| meta.path.is_ident(name));
        let (_, name) = named.ok_or_else(|| meta.error(KNOWN))?;
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
            "filters belong to `#[system(for_each, ..)]`; in other systems they stand in the parameter: `Query<&A, With<B>>`",
        ));
    }
    if let (Some(_), Some(span)) = (one_by_one, parallel) {
        errors.add(syn::Error::new(
            span,
            "`for_each` calls the function for one entity after the other, `par_for_each` on several threads; choose one",
        ));
    }
    Options {
        root: Root::new(path.as_ref()),
        each: for_each.then_some(Each { parallel, filters }),
    }
}

fn types(meta: &ParseNestedMeta<'_>) -> Result<Punctuated<Type, Token![,]>> {
    let content;
    parenthesized!(content in meta.input);
    Punctuated::parse_terminated(&content)
}
