//! The options in `#[system(..)]`.

use proc_macro2::{Span, TokenStream};

use crate::errors::{Error, Errors};
use crate::paths::{self, Root};
use crate::syntax::{Input, Type, settings};

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
    let read = |input: &mut Input| {
        settings(input, &mut |setting| {
            if paths::read_crate(setting, &mut path)? {
                return Ok(());
            }
            let span = setting.name().ends().0;
            if setting.is("for_each") {
                one_by_one = Some(span);
                return Ok(());
            }
            if setting.is("par_for_each") {
                parallel = Some(span);
                return Ok(());
            }
            let named = FILTERS.iter().find(|(name, _)| setting.is(name));
            let (_, name) = named.ok_or_else(|| setting.error(KNOWN))?;
            filter = Some(span);
            for ty in Type::read_list(&mut setting.input.parentheses()?)? {
                filters.push((*name, ty));
            }
            Ok(())
        })
    };
    if let Err(error) = Input::read(options, read) {
        errors.add(error);
    }
    let for_each = one_by_one.or(parallel).is_some();
    if let (Some(span), false) = (filter, for_each) {
        errors.add(Error::new(
            span,
            "filters belong to `#[system(for_each, ..)]`; in other systems they stand in the parameter: `Query<&A, With<B>>`",
        ));
    }
    if let (Some(_), Some(span)) = (one_by_one, parallel) {
        errors.add(Error::new(
            span,
            "`for_each` calls the function for one entity after the other, `par_for_each` on several threads; choose one",
        ));
    }
    Options {
        root: Root::new(path),
        each: for_each.then_some(Each { parallel, filters }),
    }
}
