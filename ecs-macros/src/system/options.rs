//! The options in `#[system(..)]`.

use crate::options::{is_near, list, skip};
use crate::paths;
use crate::prelude::*;

/// The options that are filters, and the types of these filters; and those that name everything that a system touches.
pub(crate) const FILTERS: [(&str, &str); 7] = [
    ("with", "With"),
    ("without", "Without"),
    ("changed", "Changed"),
    ("added", "Added"),
    ("mutated", "Mutated"),
    ("writes", "writes"),
    ("reads", "reads"),
];

#[derive(Clone)]
pub(super) struct Options {
    pub(super) root: Root,
    /// Data that the system says it writes or reads.
    pub(super) declared: Vec<(&'static str, Type)>,
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
    let (mut filters, mut declared) = (Filters::default(), Filters::default());
    let mut option = |meta: ParseNestedMeta<'_>, given: &mut Vec<String>, errors: &mut Errors| {
        let name = meta.path.to_token_stream().to_string();
        let way = match name.as_str() {
            "for_each" => Some(&mut one_by_one),
            "par_for_each" => Some(&mut parallel),
            "crate" => None,
            _ => match FILTERS.iter().find(|(filter, _)| *filter == name) {
                Some((all, name)) if all == name => return declared.parse(name, &meta, errors),
                Some((_, filter)) => return filters.parse(filter, &meta, errors),
                None => return unknown(&meta, errors),
            },
        };
        if given.contains(&name) {
            reject!(errors, &meta.path => "the option `{name}` is given twice\nhelp: remove one");
        }
        given.push(name.clone());
        let Some(way) = way else {
            return paths::parse_crate(&meta, &mut path).map(drop);
        };
        *way = way.or(Some(meta.path.span()));
        let value = skip(&meta)?;
        if !value.is_empty() {
            reject!(errors, value => "`{name}` takes no value\nhelp: write `{name}`");
        }
        Ok(())
    };
    for list in [common, options] {
        let mut given = Vec::new();
        let parser = syn::meta::parser(|meta| option(meta, &mut given, errors));
        let result = parser.parse2(list);
        errors.extend(result.err());
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
        declared: declared.all,
        for_each: for_each.then_some(ForEach {
            parallel,
            filters: filters.all,
        }),
    }
}

fn unknown(meta: &ParseNestedMeta<'_>, errors: &mut Errors) -> Result<()> {
    errors.offer("system", &meta.path);
    let name = meta.path.to_token_stream();
    let text = name.to_string();
    let way = ["for_each", "par_for_each"][usize::from(text.starts_with('p'))];
    let mut filters = FILTERS.iter();
    let help = match filters.find(|(option, ty)| *ty == text || is_near(option, &text)) {
        Some((option, _)) => format!("write `{option}(A, B)`"),
        None if is_near(way, &text) => format!("write `{way}`"),
        None => {
            let filters = FILTERS.map(|(option, _)| format!("`{option}(..)`, "));
            let filters = filters.concat();
            format!("valid options: `for_each`, `par_for_each`, {filters}`crate = path`")
        }
    };
    reject!(errors, &name => "unknown option `{name}`\nhelp: {help}");
    skip(meta).map(drop)
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
        let types = list(meta.input, Type::parse)?;
        if types.is_empty() {
            reject!(errors, &option =>
                "`{option}` without a component has no effect\nhelp: remove it, or name components: `{option}(A, B)`");
        }
        types.into_iter().for_each(|ty| self.add(name, ty, errors));
        Ok(())
    }

    fn add(&mut self, name: &'static str, ty: Type, errors: &mut Errors) {
        let text = pretty::line(&ty);
        let mut earlier = self.all.iter();
        let is_wrong = earlier.any(|(earlier, other)| {
            let (is_twice, is_same) = (*earlier == name, pretty::line(other) == text);
            if is_same && is_twice {
                reject!(errors, &ty => "`{text}` is in this list twice\nhelp: remove one");
            } else if is_same && (*earlier == "Without") != (name == "Without") {
                reject!(errors, &ty => "no entity is both with and without `{text}`\nhelp: remove one of the filters");
            } else {
                return false;
            }
            true
        });
        self.all.extend((!is_wrong).then_some((name, ty)));
    }
}
