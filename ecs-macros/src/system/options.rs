//! The options in `#[system(..)]`.

use proc_macro2::{Span, TokenStream};
use syn::meta::ParseNestedMeta;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Result, Token, Type, parenthesized};

use crate::errors::Errors;
use crate::paths::{self, Root};

const KNOWN: &str = "unknown option of `#[system]`; known here: `for_each`, `with(..)`, `without(..)`, `crate = path`";

/// What the user chose.
pub(super) struct Options {
    pub(super) root: Root,
    /// Set if the function is called for each entity.
    pub(super) each: Option<Each>,
}

/// Which entities the function is called for, beside those that have its items.
#[derive(Default)]
pub(super) struct Each {
    pub(super) with: Vec<Type>,
    pub(super) without: Vec<Type>,
}

/// Reads the options.
pub(super) fn parse(options: TokenStream, errors: &mut Errors) -> Options {
    let (mut path, mut for_each, mut filter) = (None, false, None::<Span>);
    let mut each = Each::default();
    let parser = syn::meta::parser(|meta| {
        if paths::parse_crate(&meta, &mut path)? {
            return Ok(());
        }
        if meta.path.is_ident("for_each") {
            for_each = true;
            return Ok(());
        }
        let into = if meta.path.is_ident("with") {
            &mut each.with
        } else if meta.path.is_ident("without") {
            &mut each.without
        } else {
            return Err(meta.error(KNOWN));
        };
        filter = Some(meta.path.span());
        types(&meta, into)
    });
    if let Err(error) = parser.parse2(options) {
        errors.add(error);
    }
    if let (Some(span), false) = (filter, for_each) {
        errors.add(syn::Error::new(
            span,
            "filters belong to `#[system(for_each, ..)]`; in other systems they stand in the parameter: `Query<&A, With<B>>`",
        ));
    }
    Options {
        root: Root::new(path.as_ref()),
        each: for_each.then_some(each),
    }
}

fn types(meta: &ParseNestedMeta<'_>, into: &mut Vec<Type>) -> Result<()> {
    let content;
    parenthesized!(content in meta.input);
    into.extend(Punctuated::<Type, Token![,]>::parse_terminated(&content)?);
    Ok(())
}
