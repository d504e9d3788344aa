//! Parameters written in the style of other libraries: queries with data and filters in each other's place, filters
//! without a query, and a world by value.

use proc_macro2::{Ident, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, Path, Type};

use super::model::SystemModel;
use super::param::{Param, ParamKind};
use super::query::{text as query_text, tuple};
use super::{event, item};
use crate::bounds;
use crate::errors::Errors;
use crate::parameters::{Borrows, DataDomain, Parameter};
use crate::pretty::line as text;
use crate::tokens::{any, to_vec};
use crate::types::{
    arguments, head, mutable_reference, name, optional, path, reference, strip, type_arguments,
};

/// The filters of one component.
const OF_COMPONENTS: [&str; 5] = ["With", "Without", "Changed", "Added", "Mutated"];

/// Returns the error in the shape of the parameter, if it has one: its uses in the function would be further errors.
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
        return wrong_at(ty, message);
    }
    if param.kind == ParamKind::Item {
        return item::members(ty).into_iter().find_map(of_option);
    }
    let path = path(ty)?;
    let arguments = type_arguments(path);
    if let Some(known) = Parameter::known(path) {
        return miscounted(known, path, ty).or_else(|| {
            let query = known.is_query().then(|| query(&arguments));
            query.flatten()
        });
    }
    let label = &param.label;
    if let Some(right) = other_name(&head(path)?.to_string(), &arguments) {
        let name = head(path)?;
        let message = format!("a system has no parameter `{name}`\nhelp: write `{label}: {right}`");
        return wrong_at(name, message);
    }
    if arguments.is_empty() && event::is_lifecycle(&head(path)?.to_string()) {
        let name = text(ty);
        let message =
            format!("`{name}` takes a component\nhelp: write one, for example `{name}<Health>`");
        return wrong_at(ty, message);
    }
    if is_filter(ty) {
        let text = text(ty);
        let help = if for_each {
            "put it into the attribute, for example `#[system(for_each, with(A))]`".to_owned()
        } else {
            format!("put it into a query: `Query<&A, {text}>`")
        };
        let message = format!("a filter is not a parameter of its own\nhelp: {help}");
        return wrong_at(ty, message);
    }
    let is_trigger = head(path)? == "Trigger" && arguments.len() > 1;
    if (is_trigger || head(path)? == "On")
        && let [event, component @ ..] = arguments.as_slice()
    {
        let event = text(event);
        let lifecycle = format!("On{}", event.trim_start_matches("On"));
        let right = match component {
            [of, ..] if event::is_lifecycle(&lifecycle) => format!("{lifecycle}<{}>", text(of)),
            _ => format!("Trigger<{event}>"),
        };
        let problem = if is_trigger {
            "a `Trigger` has one event"
        } else {
            "an observer has no parameter `On`"
        };
        let message = format!("{problem}\nhelp: write `{label}: {right}`");
        return wrong_at(head(path)?, message);
    }
    if head(path)? == "World" && arguments.is_empty() {
        let message = format!(
            "a system cannot own the world\nhelp: write `{label}: &World` or `{label}: &mut World`, or mark it `#[arg]` if the caller supplies it"
        );
        return wrong_at(ty, message);
    }
    None
}

/// Returns the parameter for a name that other libraries have for it, or for a resource of this one.
fn other_name(name: &str, arguments: &[&Type]) -> Option<String> {
    let right = match name {
        "ReadStorage" | "View" => "Comp",
        "WriteStorage" | "ViewMut" => "CompMut",
        "ReadExpect" | "UniqueView" => "Res",
        "WriteExpect" | "UniqueViewMut" => "ResMut",
        "MessageReader" | "Events" => "EventReader",
        "MessageWriter" => "EventWriter",
        "RemovedComponents" => "Removed",
        "Populated" => "Query",
        "OnSet" | "OnChange" => "OnInsert",
        "EntitiesView" => "Entities",
        "EntitiesViewMut" | "ParallelCommands" => "Commands",
        "AllStoragesViewMut" => "&mut World",
        _ => return None,
    };
    let takes_none = ["Entities", "Commands", "&mut World"].contains(&right);
    let of = to_vec(arguments.iter().map(text)).join(", ");
    match (takes_none, arguments.is_empty()) {
        (true, true) => Some(right.to_owned()),
        (false, false) => Some(format!("{right}<{of}>")),
        _ => None,
    }
}

/// Returns the error of a generic parameter of the function that lacks the bound that a parameter needs; the missing
/// bound would be an error in the body too.
pub(super) fn unbounded<'a>(system: &'a SystemModel, param: &'a Param) -> Option<Wrong<'a>> {
    let items = |ty| item::members(ty).into_iter().filter_map(item::component);
    let of = |ty| to_vec(items(ty).map(|(component, _)| component));
    let known = path(&param.ty).and_then(Parameter::known);
    let types = path(&param.ty).map(type_arguments).unwrap_or_default();
    let (bound, types) = match known.map(|known| known.borrows) {
        None if param.kind == ParamKind::Item => ("Component", of(&param.ty)),
        Some(Borrows::Arguments) => ("Component", of(types.first()?)),
        Some(Borrows::Read(domain) | Borrows::Write(domain)) => match domain {
            DataDomain::Component => ("Component", types),
            DataDomain::Resource if !known?.is_of_events() => ("Resource", types),
            _ => return None,
        },
        _ => return None,
    };
    let (function, generics) = (&system.function, &system.function.generics);
    let is_unbounded = |ty: &&Type| {
        let mut params = generics.type_params();
        params.any(|param| {
            let clause = generics.where_clause.to_token_stream();
            let is_it =
                |token: &TokenTree| matches!(token, TokenTree::Ident(name) if *name == param.ident);
            !bounds::implies_more(&param.bounds, bound)
                && path(ty).is_some_and(|path| path.is_ident(&param.ident))
                && !any(clause, &mut { is_it })
        })
    };
    let at = types.into_iter().find(is_unbounded)?;
    let (ty, name) = (text(at), &function.ident);
    let message = format!("`{ty}` has no bound `{bound}`\nhelp: write `fn {name}<{ty}: {bound}>`");
    wrong_at(at, message)
}

/// An error in the shape of a parameter.
pub(super) struct Wrong<'a> {
    at: &'a dyn ToTokens,
    message: String,
}

/// Finds a wrong number of arguments of a parameter, which the compiler would report at each place that repeats the
/// type.
fn miscounted<'a>(known: &Parameter, path: &'a Path, ty: &'a Type) -> Option<Wrong<'a>> {
    let (name, types) = (known.name(), type_arguments(path));
    let all = to_vec(types.iter().map(text)).join(", ");
    let lifetimes = arguments(path).into_iter();
    let is_lifetime =
        |argument: &&GenericArgument| matches!(argument, GenericArgument::Lifetime(_));
    if let Some(second) = lifetimes.filter(is_lifetime).nth(1) {
        let message =
            format!("`{name}` has one lifetime\nhelp: leave the lifetimes out: `{name}<{all}>`");
        return wrong_at(second, message);
    }
    if known.written == name {
        return None;
    }
    // A `&'static str` can be an event or a resource.
    if let (Some(DataDomain::Component | DataDomain::Resource), Some(Type::Reference(reference))) =
        (known.borrows.domain(), types.first().map(|ty| strip(ty)))
        && reference.lifetime.is_none()
    {
        let right = text(&reference.elem);
        let reads = ["Comp", "Res", "NonSend"].contains(&name);
        let writes = reads && reference.mutability.is_some();
        let word = if writes { "Mut" } else { "" };
        let message =
            format!("`{name}` takes a type, not a reference\nhelp: write `{name}{word}<{right}>`");
        return wrong_at(types[0], message);
    }
    if let (Some(DataDomain::Component), Some(Type::Tuple(several))) =
        (known.borrows.domain(), types.first().map(|ty| strip(ty)))
    {
        let each = |open: &str, close: &str| {
            to_vec(
                several
                    .elems
                    .iter()
                    .map(|ty| format!("{open}{}{close}", text(ty))),
            )
        };
        let mark = if matches!(known.borrows, Borrows::Write(_)) {
            "&mut "
        } else {
            "&"
        };
        let views = each(&format!("{name}<"), ">").join("`, `");
        let message = format!(
            "`{name}` takes one component\nhelp: write a parameter for each, `{views}`, or `Query<{}>`",
            tuple(each(mark, ""))
        );
        return wrong_at(types[0], message);
    }
    let Some(second) = types.get(usize::from(!types.is_empty())).copied() else {
        let example = known.written;
        let message = format!("`{name}` takes a type\nhelp: write one, for example `{example}`");
        return types.is_empty().then_some(Wrong { at: ty, message });
    };
    let help = match name {
        _ if known.is_query() => return None,
        "ParamSet" | "Local" => format!("a tuple: `{name}<({all})>`"),
        _ => format!(
            "a parameter for each: `{name}<{}>` and `{name}<{}>`",
            text(types[0]),
            text(second)
        ),
    };
    let message = format!("`{name}` takes one type\nhelp: write {help}");
    wrong_at(second, message)
}

fn wrong_at(at: &dyn ToTokens, message: String) -> Option<Wrong<'_>> {
    Some(Wrong { at, message })
}

impl Wrong<'_> {
    pub(super) fn report(self, errors: &mut Errors) {
        errors.push(self.at, self.message);
    }
}

/// Returns the error of data of a relation's targets.
fn up(path: &Path) -> Option<Wrong<'_>> {
    let types = type_arguments(path);
    if let [data, relation] = types[..]
        && reference(data).is_some()
        && reference(relation).is_none()
    {
        let (relation, of) = (text(relation), text(data));
        let message =
            format!("the relation of an `Up` comes first\nhelp: write `Up<{relation}, {of}>`");
        return wrong_at(data, message);
    }
    let [_, data] = types[..] else {
        let data = match types.first() {
            Some(ty) if reference(ty).is_some() => text(ty),
            _ => "&Position".to_owned(),
        };
        let message = format!(
            "`Up` takes a relation to one target and the data of that target\nhelp: write both, for example `Up<ChildOf, {data}>`"
        );
        return wrong_at(path, message);
    };
    item::members(data).into_iter().find_map(|at| {
        let (reference, _) = mutable_reference(at)?;
        let of = text(&reference.elem);
        let message = format!("`Up` only reads\nhelp: write `&{of}`; `Query::for_each_cascade` changes parents and children, `Query::split` one entity and the rest");
        wrong_at(at, message)
    })
}

/// Returns the error of a reference to an `Option`.
pub(super) fn of_option(ty: &Type) -> Option<Wrong<'_>> {
    let (reference, _) = reference(ty)?;
    let of = text(optional(&reference.elem)?);
    let word = if reference.mutability.is_some() {
        "mut "
    } else {
        ""
    };
    let message =
        format!("an `Option` is not behind the reference\nhelp: write `Option<&{word}{of}>`");
    wrong_at(ty, message)
}

/// Returns the error of query data that is written like a parameter, or has the name that another library uses.
fn data(ty: &Type) -> Option<Wrong<'_>> {
    let Some(path) = path(ty) else {
        return of_option(ty);
    };
    let name = head(path)?.to_string();
    let of = type_arguments(path).first().map(text);
    let help = match (name.as_str(), of) {
        ("Comp", Some(of)) => format!("write `&{of}`"),
        ("CompMut", Some(of)) => format!("write `&mut {of}`"),
        ("AnyOf", Some(of)) => format!("write `Any<{of}>`"),
        ("Has", Some(of)) => format!("write `Option<&{of}>`, and ask `is_some()`"),
        ("Up", _) => return up(path),
        _ => {
            Parameter::known(path)?;
            format!("take `{}` as a parameter of its own", text(ty))
        }
    };
    let message = format!("a query has no `{name}`\nhelp: {help}");
    wrong_at(head(path)?, message)
}

/// Finds the first argument of a query, or part of one, that is in a wrong place.
fn query<'a>(arguments: &[&'a Type]) -> Option<Wrong<'a>> {
    let mut members = arguments.iter().flat_map(|ty| item::members(ty));
    if let Some(wrong) = members.find_map(data) {
        return Some(wrong);
    }
    let (mut fetched, mut filters, mut wrong) = (Vec::new(), Vec::new(), None);
    for (index, argument) in arguments.iter().enumerate() {
        for part in parts(argument) {
            let is_filter = is_filter(part) || (index > 0 && !is_data(part));
            if is_filter == (index == 0) {
                wrong = wrong.or(Some(part));
            }
            let list = if is_filter {
                &mut filters
            } else {
                &mut fetched
            };
            list.push(text(part));
        }
    }
    let Some(at) = wrong.or(arguments.get(2).copied()) else {
        let mut filters = arguments.iter();
        return filters
            .find_map(|argument| filter(argument))
            .or_else(|| excluded(arguments));
    };
    if fetched.is_empty() {
        fetched.push("Entity".to_owned());
    }
    let right = query_text(fetched, filters);
    let other = match strip(at) {
        Type::Reference(reference) if arguments.len() > 1 => {
            format!(", or `With<{}>` for a filter", text(&reference.elem))
        }
        _ => String::new(),
    };
    let message =
        format!("a query has its data and, after them, one filter\nhelp: write `{right}`{other}");
    wrong_at(at, message)
}

/// Finds the filter of a query that excludes nothing, because its data lack the component.
fn excluded<'a>(arguments: &[&'a Type]) -> Option<Wrong<'a>> {
    let [data, filters] = arguments else {
        return None;
    };
    let is_fetched = |of: &str| {
        item::members(data).into_iter().any(|ty| {
            let fetched = item::component(ty).filter(|_| optional(ty).is_none());
            fetched.is_some_and(|(component, _)| text(component) == of)
        })
    };
    parts(filters).into_iter().find_map(|at| {
        let path = path(at).filter(|path| head(path).is_some_and(|head| head == "Without"))?;
        let of = text(type_arguments(path).first()?);
        let message = format!("no entity without `{of}` has a value for the query\nhelp: remove the filter, or the component from the data");
        is_fetched(&of).then_some(Wrong { at, message })
    })
}

/// Finds the first filter whose arguments have to be a tuple and are not, or the other way round.
fn filter(ty: &Type) -> Option<Wrong<'_>> {
    parts(ty).into_iter().find_map(|part| {
        let path = path(part)?;
        let name = head(path)?.to_string();
        let arguments = type_arguments(path);
        // The surplus argument.
        let at = *arguments.get(1).or(arguments.first())?;
        let all: Vec<&Type> = match arguments.as_slice() {
            [one] => parts(one),
            several => several.to_vec(),
        };
        if arguments.len() == 1 && (name == "Or" || name == "Not") {
            return filter(at);
        }
        if name == "Or" {
            let right = tuple(to_vec(all.iter().map(text)));
            return Some(Wrong {
                at,
                message: format!("an `Or` has one tuple of filters\nhelp: write `Or<{right}>`"),
            });
        }
        let is_of_component = OF_COMPONENTS.contains(&name.as_str());
        if let (true, Some((reference, _))) =
            (is_of_component && arguments.len() == 1, reference(at))
        {
            let of = text(&reference.elem);
            let message =
                format!("a `{name}` has a component, not a reference\nhelp: write `{name}<{of}>`");
            return wrong_at(at, message);
        }
        let is_of_several = is_of_component && all.len() > 1;
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
