//! The options in `#[system(..)]`.

use crate::paths::{self, Root};
use crate::prelude::*;

/// The options that are filters, and the types of these filters.
const FILTERS: [(&str, &str); 5] = [
    ("with", "With"),
    ("without", "Without"),
    ("changed", "Changed"),
    ("added", "Added"),
    ("mutated", "Mutated"),
];

#[derive(Clone)]
pub(super) struct Options {
    pub(super) root: Root,
    /// Set if the function is called for each entity.
    pub(super) for_each: Option<ForEach>,
}

/// The loop of a system that is called for each entity.
#[derive(Clone)]
pub(super) struct ForEach {
    /// The span of `par_for_each`, if several threads share the entities.
    pub(super) parallel: Option<Span>,
    /// The filters besides the items: their names and components.
    pub(super) filters: Vec<(&'static str, Type)>,
}

/// Parses the options, for a method after the `common` ones of its block.
pub(super) fn parse(common: TokenStream, options: TokenStream, errors: &mut Errors) -> Options {
    let mut path = None;
    let (mut one_by_one, mut parallel) = (None::<Span>, None::<Span>);
    let mut filters = Filters::default();
    let mut option = |meta: ParseNestedMeta<'_>, given: &mut Vec<String>, errors: &mut Errors| {
        let span = meta.path.span();
        if meta.path.is_ident("crate") {
            once(&meta, given, errors);
            paths::parse_crate(&meta, &mut path)?;
            return Ok(());
        }
        let way = if meta.path.is_ident("for_each") {
            &mut one_by_one
        } else if meta.path.is_ident("par_for_each") {
            &mut parallel
        } else if let Some((_, name)) = FILTERS.iter().find(|(name, _)| meta.path.is_ident(name)) {
            return filters.parse(name, &meta, errors);
        } else {
            return unknown(&meta, errors);
        };
        once(&meta, given, errors);
        *way = way.or(Some(span));
        let value = skip(&meta)?;
        if !value.is_empty() {
            let name = meta.path.to_token_stream();
            reject!(errors, value => "`{name}` takes no value\nhelp: write `{name}`");
        }
        Ok(())
    };
    for list in [common, options] {
        let mut given = Vec::new();
        let parser = syn::meta::parser(|meta| option(meta, &mut given, errors));
        if let Err(error) = parser.parse2(list) {
            errors.add(error);
        }
    }
    let for_each = one_by_one.or(parallel).is_some();
    if let (Some(span), false) = (filters.last, for_each) {
        errors.add(wrong!(at span =>
            "filters can only be used with `for_each`\nhelp: write `#[system(for_each, ..)]`, or filter in the parameter: `Query<&A, With<B>>`"));
    }
    if let (Some(_), Some(span)) = (one_by_one, parallel) {
        errors.add(wrong!(at span =>
            "`for_each` and `par_for_each` cannot be combined\nhelp: remove `par_for_each` to call the function on one thread, or `for_each` to call it on several"));
    }
    Options {
        root: Root::new(path.as_ref()),
        for_each: for_each.then_some(ForEach {
            parallel,
            filters: filters.all,
        }),
    }
}

/// Reports an option that is already among those `given` in the same list.
fn once(meta: &ParseNestedMeta<'_>, given: &mut Vec<String>, errors: &mut Errors) {
    let name = meta.path.to_token_stream().to_string();
    if given.contains(&name) {
        reject!(errors, &meta.path => "the option `{name}` is given twice\nhelp: remove one");
    }
    given.push(name);
}

fn unknown(meta: &ParseNestedMeta<'_>, errors: &mut Errors) -> Result<()> {
    errors.offer("system", &meta.path);
    let name = meta.path.to_token_stream();
    let filter = FILTERS.iter().find(|(_, ty)| meta.path.is_ident(ty));
    if let Some((option, _)) = filter {
        let message = format!("unknown option `{name}`\nhelp: write `{option}(A, B)`");
        errors.push(&name, message);
        return skip(meta).map(drop);
    }
    let filters = FILTERS
        .map(|(option, _)| format!("`{option}(..)`"))
        .join(", ");
    reject!(errors, &name =>
        "unknown option `{name}`\nhelp: valid options: `for_each`, `par_for_each`, {filters}, `crate = path`");
    skip(meta).map(drop)
}

/// Skips and returns the value of an option, so that the options after it are parsed too.
fn skip(meta: &ParseNestedMeta<'_>) -> Result<TokenStream> {
    let mut value = TokenStream::new();
    while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
        value.extend([meta.input.parse::<TokenTree>()?]);
    }
    Ok(value)
}

/// The filters parsed so far.
#[derive(Default)]
struct Filters {
    all: Vec<(&'static str, Type)>,
    /// The span of the last option that is a filter.
    last: Option<Span>,
}

impl Filters {
    /// Parses the components of the filter `name`.
    fn parse(
        &mut self,
        name: &'static str,
        meta: &ParseNestedMeta<'_>,
        errors: &mut Errors,
    ) -> Result<()> {
        self.last = Some(meta.path.span());
        let option = meta.path.to_token_stream();
        if !meta.input.peek(token::Paren) {
            reject!(errors, &option => "expected the components of `{option}`\nhelp: write `{option}(A, B)`");
            return skip(meta).map(drop);
        }
        let content;
        parenthesized!(content in meta.input);
        let types = Punctuated::<Type, Token![,]>::parse_terminated(&content)?;
        if types.is_empty() {
            reject!(errors, &option =>
                "`{option}` without a component has no effect\nhelp: remove it, or name components: `{option}(A, B)`");
        }
        for ty in types {
            self.add(name, ty, errors);
        }
        Ok(())
    }

    fn add(&mut self, name: &'static str, ty: Type, errors: &mut Errors) {
        let text = pretty::line(&ty);
        for (earlier, other) in &self.all {
            if pretty::line(other) != text {
                continue;
            }
            if *earlier == name {
                let message = format!("`{text}` is in this filter twice\nhelp: remove one");
                errors.push(&ty, message);
                return;
            }
            if (*earlier == "Without") != (name == "Without") {
                let message = format!(
                    "no entity is both with and without `{text}`\nhelp: remove one of the filters"
                );
                errors.push(&ty, message);
                return;
            }
        }
        self.all.push((name, ty));
    }
}

#[cfg(test)]
mod tests {
    use super::FILTERS;

    #[test]
    fn editors_complete_and_the_documentation_names_the_options() {
        let offers = include_str!("../../../ecs-core/src/private.rs");
        let (_, offers) = offers.split_once("pub mod system {").unwrap();
        let (offers, _) = offers.split_once("\n    }\n").unwrap();
        let options = FILTERS.iter().map(|(option, _)| *option);
        for name in options.chain(["for_each", "par_for_each"]) {
            assert!(offers.contains(&format!("pub struct {name};")), "{name}");
            let forms = [format!("`{name}(..)`"), format!("#[system({name}")];
            let docs = include_str!("../lib.rs");
            assert!(forms.iter().any(|form| docs.contains(form)), "{name}");
            let guide = include_str!("../../../ecs-core/src/guide/options.md");
            assert!(guide.contains(&format!("\n| `{name}")), "{name}");
        }
        assert_eq!(offers.matches("pub struct ").count(), FILTERS.len() + 2);
    }
}
