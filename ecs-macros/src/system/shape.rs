//! Parameters that are written as other libraries have them: queries with data and filters in each other's place, filters
//! without a query, and a world by value.

use proc_macro2::Ident;
use quote::ToTokens as _;
use syn::Type;

use super::event;
use super::param::Param;
use crate::errors::Errors;
use crate::parameters::Parameter;
use crate::pretty;
use crate::tokens::to_vec;
use crate::types::{head, name, path, strip, type_arguments};

/// The filters of one component.
const OF_COMPONENTS: [&str; 5] = ["With", "Without", "Changed", "Added", "Mutated"];

/// Returns the error in the shape of the parameter, if there is one: what the function does with it would be further
/// errors.
pub(super) fn wrong(param: &Param, for_each: bool) -> Option<Wrong<'_>> {
    if param
        .deciding
        .iter()
        .any(|attribute| attribute.path().is_ident("arg"))
    {
        return None;
    }
    let ty = strip(&param.ty);
    if let Some(event) = event::by_reference(ty) {
        let message = format!(
            "an observer takes its event by value\nhelp: write `{}: {}`",
            param.label,
            text(event)
        );
        return Some(Wrong { at: ty, message });
    }
    let path = path(ty)?;
    if Parameter::known(path).is_some_and(Parameter::is_query) {
        return query(&type_arguments(path));
    }
    let arguments = type_arguments(path);
    if head(path)? == "ParamSet" && arguments.len() > 1 {
        let all: Vec<String> = to_vec(arguments.iter().map(|argument| text(argument)));
        let message = format!(
            "a `ParamSet` has one tuple of parameters\nhelp: write `ParamSet<({})>`",
            all.join(", ")
        );
        let at = arguments[1];
        return Some(Wrong { at, message });
    }
    let label = &param.label;
    if is_filter(ty) {
        let text = text(ty);
        let help = if for_each {
            "put it into the attribute, for example `#[system(for_each, with(A))]`".to_owned()
        } else {
            format!("put it into a query: `Query<&A, {text}>`")
        };
        let message = format!("a filter is not a parameter of its own\nhelp: {help}");
        return Some(Wrong { at: ty, message });
    }
    if head(path)? == "World" && arguments.is_empty() {
        let message = format!(
            "a system cannot own the world\nhelp: write `{label}: &World` or `{label}: &mut World`, or mark it `#[arg]` if the caller supplies it"
        );
        return Some(Wrong { at: ty, message });
    }
    None
}

/// An error in the shape of a parameter.
pub(super) struct Wrong<'a> {
    at: &'a Type,
    message: String,
}

impl Wrong<'_> {
    pub(super) fn report(self, errors: &mut Errors) {
        errors.push(self.at, self.message);
    }
}

/// Finds the first argument of a query, or part of one, that is in a wrong place.
fn query<'a>(arguments: &[&'a Type]) -> Option<Wrong<'a>> {
    let (mut data, mut filters, mut wrong) = (Vec::new(), Vec::new(), None);
    for (index, argument) in arguments.iter().enumerate() {
        for part in parts(argument) {
            let is_filter = is_filter(part) || (index > 0 && !is_data(part));
            if is_filter == (index == 0) {
                wrong = wrong.or(Some(part));
            }
            let list = if is_filter { &mut filters } else { &mut data };
            list.push(text(part));
        }
    }
    let Some(at) = wrong.or(arguments.get(2).copied()) else {
        return arguments.iter().find_map(|argument| filter(argument));
    };
    if data.is_empty() {
        data.push("Entity".to_owned());
    }
    let data = tuple(data);
    let right = if filters.is_empty() {
        format!("Query<{data}>")
    } else {
        format!("Query<{data}, {}>", tuple(filters))
    };
    let message =
        format!("a query has its data and, after them, one filter\nhelp: write `{right}`");
    Some(Wrong { at, message })
}

/// Finds the first filter whose arguments are no tuple and have to be, or the other way round.
fn filter(ty: &Type) -> Option<Wrong<'_>> {
    parts(ty).into_iter().find_map(|part| {
        let path = path(part)?;
        let name = head(path)?.to_string();
        let arguments = type_arguments(path);
        // What is too much.
        let at = *arguments.get(1).or(arguments.first())?;
        let all: Vec<&Type> = match arguments.as_slice() {
            [one] => parts(one),
            several => several.to_vec(),
        };
        if arguments.len() == 1 && (name == "Or" || name == "Not") {
            return filter(at);
        }
        if name == "Or" {
            let right = tuple(to_vec(all.iter().map(|argument| text(argument))));
            return Some(Wrong {
                at,
                message: format!("an `Or` has one tuple of filters\nhelp: write `Or<{right}>`"),
            });
        }
        let is_of_several = OF_COMPONENTS.contains(&name.as_str()) && all.len() > 1;
        let each = all
            .iter()
            .map(|argument| format!("{name}<{}>", text(argument)));
        is_of_several.then(|| Wrong {
            at,
            message: format!(
                "a `{name}` has one component\nhelp: write `{}`",
                tuple(to_vec(each))
            ),
        })
    })
}

/// Returns the members of a tuple, or the type itself.
fn parts(ty: &Type) -> Vec<&Type> {
    match strip(ty) {
        Type::Tuple(tuple) => to_vec(&tuple.elems),
        other => vec![other],
    }
}

fn tuple(parts: Vec<String>) -> String {
    match parts.as_slice() {
        [one] => one.clone(),
        all => format!("({})", all.join(", ")),
    }
}

/// Returns whether a type is a filter of this library.
fn is_filter(ty: &Type) -> bool {
    path(ty).is_some_and(|path| {
        let is_known = |head: &Ident| {
            OF_COMPONENTS.iter().any(|name| head == name) || head == "Or" || head == "Not"
        };
        type_arguments(path).len() == 1 && head(path).is_some_and(is_known)
    })
}

/// Returns whether a type is certainly data.
fn is_data(ty: &Type) -> bool {
    matches!(strip(ty), Type::Reference(_))
        || name(ty).is_some_and(|name| ["Entity", "Option", "Mut"].contains(&name.as_str()))
}

fn text(ty: &Type) -> String {
    pretty::line(ty.to_token_stream())
}
