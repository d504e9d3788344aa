//! Parameters written in the style of other libraries: queries with data and filters in each other's place, filters
//! without a query, and a world by value.

use super::each::{text as query_text, tuple};
use super::model::SystemModel;
use super::param::{Param, ParamKind};
use super::{event, item};
use crate::bounds;
use crate::parameters::{Borrows, DataDomain, Parameter};
use crate::prelude::*;
use crate::pretty::line as text;
use crate::types::{self, arguments, find, head, inside, is_named, mutable_reference, name};
use crate::types::{optional, parts, path, reference, strip, type_arguments, word_mut};

/// The filters of one component.
const OF_COMPONENTS: [&str; 5] = ["With", "Without", "Changed", "Added", "Mutated"];

/// Makes an error in the shape of a parameter: `refuse!(at => "the problem\nhelp: the fix")`, with arguments as in `format!`.
macro_rules! refuse {
    ($at:expr => $($message:tt)+) => { Some(Wrong { at: $at, message: format!($($message)+) }) };
}

/// Returns the error in the shape of the parameter, if it has one: its uses in the function would be further errors.
pub(super) fn wrong(param: &Param, for_each: bool) -> Option<Wrong<'_>> {
    let mut deciding = param.deciding.iter();
    if deciding.any(|attribute| attribute.path().is_ident("arg")) {
        return None;
    }
    let (ty, label) = (strip(&param.ty), &param.label);
    if let Some(event) = event::by_reference(ty) {
        let event = text(event);
        return refuse!(ty => "an observer takes its event by value\nhelp: write `{label}: {event}`");
    }
    if param.kind == ParamKind::Item {
        let wrong = item::members(ty).into_iter().find_map(of_option);
        return wrong.or_else(|| one_of_any(ty));
    }
    let (path, arguments) = (path(ty)?, inside(ty));
    if Parameter::known(path).is_some() {
        return known(ty);
    }
    let name = head(path)?;
    if let Some(right) = other_name(&name.to_string(), &arguments) {
        return refuse!(name => "a system has no parameter `{name}`\nhelp: write `{label}: {right}`");
    }
    if event::is_lifecycle(&name.to_string()) {
        let each = to_vec(arguments.iter().map(|of| format!("`{name}<{}>`", text(of))));
        let help = match each.len() {
            0 => format!("a component\nhelp: write one, for example `{name}<Health>`"),
            1 => return None,
            _ => format!(
                "one component\nhelp: write an observer for each, {}",
                each.join(" and ")
            ),
        };
        return refuse!(ty => "`{name}` takes {help}");
    }
    if is_filter(ty) {
        let help = if for_each {
            "put it into the attribute, for example `#[system(for_each, with(A))]`".to_owned()
        } else {
            format!("put it into a query: `Query<&A, {}>`", text(ty))
        };
        return refuse!(ty => "a filter is not a parameter of its own\nhelp: {help}");
    }
    let problem = match (name.to_string().as_str(), arguments.len()) {
        ("Trigger" | "TriggerMut", 2..) => "a `Trigger` has one event",
        ("On", 1..) => "an observer has no parameter `On`",
        ("World", 0) => {
            return refuse!(ty =>
                "a system cannot own the world\nhelp: write `{label}: &World` or `{label}: &mut World`, or mark it `#[arg]` if the caller supplies it");
        }
        _ => return None,
    };
    let event = text(arguments[0]);
    let lifecycle = format!("On{}", event.trim_start_matches("On"));
    let right = match arguments.get(1) {
        Some(of) if event::is_lifecycle(&lifecycle) => format!("{lifecycle}<{}>", text(of)),
        _ => format!("Trigger<{event}>"),
    };
    refuse!(name => "{problem}\nhelp: write `{label}: {right}`")
}

/// Returns whether the field of a struct is a parameter with a wrong number of arguments, which the compiler reports.
pub(crate) fn is_miscounted(ty: &Type) -> bool {
    let path = path(optional(ty).unwrap_or(ty));
    let known = path.and_then(|path| Some((path, Parameter::known(path)?)));
    known.is_some_and(|(path, known)| {
        let lifetimes = arguments(path).into_iter().filter_map(types::lifetime);
        let types = type_arguments(path).len();
        let most = 1 + usize::from(known.is_query());
        lifetimes.count() > 1 || known.written.contains('<') && !(1..=most).contains(&types)
    })
}

/// Returns the error in the arguments of a parameter that is known by name.
pub(crate) fn known(ty: &Type) -> Option<Wrong<'_>> {
    let known = Parameter::of(ty)?;
    let query = || known.is_query().then(|| query(&inside(ty))).flatten();
    (one_of_any(ty).or_else(|| miscounted(known, path(ty)?, ty))).or_else(query)
}

/// Finds an `Any` whose argument is certainly no tuple.
pub(crate) fn one_of_any(ty: &Type) -> Option<Wrong<'_>> {
    let is_one = |of: &[&Type]| of.len() > 1 || of.iter().any(|of| is_data(of));
    let types = inside(find(ty, &|ty| is_named(ty, "Any") && is_one(&inside(ty)))?);
    let all = tuple(to_vec(types.iter().map(text)));
    let Some(second) = types.get(1).copied() else {
        return refuse!(types[0] =>
            "an `Any` has a tuple of data\nhelp: write another member, for example `Any<({all}, &Armor)>`, or `Option<{all}>` for one that an entity may lack");
    };
    refuse!(second => "an `Any` has one tuple of data\nhelp: write `Any<{all}>`")
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
    let of = |ty| {
        let components = item::members(ty).into_iter().filter_map(item::component);
        to_vec(components.map(|(component, _)| component))
    };
    let (known, types) = (Parameter::of(&param.ty), inside(&param.ty));
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
    let (function, generics) = (&system.function.ident, &system.function.generics);
    let is_unbounded = |ty: &&Type| {
        let mut params = generics.type_params();
        params.any(|param| {
            !bounds::implies_more(&param.bounds, bound)
                && path(ty).is_some_and(|path| path.is_ident(&param.ident))
                && !names(&generics.where_clause, &|name| *name == param.ident)
        })
    };
    let at = types.into_iter().find(is_unbounded)?;
    let ty = text(at);
    refuse!(at => "`{ty}` has no bound `{bound}`\nhelp: write `fn {function}<{ty}: {bound}>`")
}

/// An error in the shape of a parameter.
pub(crate) struct Wrong<'a> {
    at: &'a dyn ToTokens,
    message: String,
}

impl Wrong<'_> {
    pub(crate) fn report(self, errors: &mut Errors) {
        errors.push(self.at, self.message);
    }
}

/// Finds a wrong number of arguments of a parameter, which the compiler would report at each place that repeats the type.
fn miscounted<'a>(known: &Parameter, path: &'a Path, ty: &'a Type) -> Option<Wrong<'a>> {
    let (name, types) = (known.name(), type_arguments(path));
    let all = || to_vec(types.iter().map(text)).join(", ");
    let mut lifetimes = arguments(path).into_iter().filter_map(types::lifetime);
    if let Some(second) = lifetimes.nth(1) {
        let right = format!("{name}<{}>", all()).replace("<>", "");
        return refuse!(second => "`{name}` has one lifetime\nhelp: write `{right}`");
    }
    if let ("SpatialGrid", 1, 1) = (name, types.len(), arguments(path).len()) {
        let all = all();
        return refuse!(ty =>
            "a `{name}` has a component and the number of its dimensions\nhelp: write `{name}<{all}, 2>` or `{name}<{all}, 3>`");
    }
    if known.written == name && !(name.ends_with("Index") && types.len() > 1) {
        return None;
    }
    let Some(first) = types.first().copied() else {
        let example = known.written;
        return refuse!(ty => "`{name}` takes a type\nhelp: write one, for example `{example}`");
    };
    let writes = matches!(known.borrows, Borrows::Write(_));
    match (known.borrows.domain(), strip(first)) {
        // A `&'static str` can be an event or a resource.
        (Some(DataDomain::Component | DataDomain::Resource), Type::Reference(reference))
            if reference.lifetime.is_none() =>
        {
            let right = text(&reference.elem);
            let may_write = ["Comp", "Res", "NonSend"].contains(&name);
            let word = reference.mutability.filter(|_| may_write);
            let word = word.map_or("", |_| "Mut");
            return refuse!(first =>
                "`{name}` takes a type, not a reference\nhelp: write `{name}{word}<{right}>`");
        }
        (Some(DataDomain::Component), Type::Tuple(several)) => {
            let each = |open: &str, close: &str| {
                let all = several.elems.iter();
                to_vec(all.map(|ty| format!("{open}{}{close}", text(ty))))
            };
            let views = each(&format!("{name}<"), ">").join("`, `");
            let data = tuple(each(if writes { "&mut " } else { "&" }, ""));
            return refuse!(first =>
                "`{name}` takes one component\nhelp: write a parameter for each, `{views}`, or `Query<{data}>`");
        }
        _ => {}
    }
    let second = types.get(1).copied()?;
    let help = match name {
        _ if known.is_query() => return None,
        "ParamSet" | "Local" => format!("a tuple: `{name}<({})>`", all()),
        _ => {
            let (one, other) = (text(first), text(second));
            format!("a parameter for each: `{name}<{one}>` and `{name}<{other}>`")
        }
    };
    refuse!(second => "`{name}` takes one type\nhelp: write {help}")
}

/// Returns the error of data of a relation's targets.
fn up(path: &Path) -> Option<Wrong<'_>> {
    let types = type_arguments(path);
    let [first, data] = types[..] else {
        let data = types.first().filter(|ty| reference(ty).is_some());
        let data = data.map_or("&Position".to_owned(), text);
        return refuse!(path =>
            "`Up` takes a relation to one target and the data of that target\nhelp: write both, for example `Up<ChildOf, {data}>`");
    };
    if reference(first).is_some() && reference(data).is_none() {
        let (relation, of) = (text(data), text(first));
        return refuse!(first =>
            "the relation of an `Up` comes first\nhelp: write `Up<{relation}, {of}>`");
    }
    item::members(data).into_iter().find_map(|at| {
        let of = text(&mutable_reference(at)?.0.elem);
        refuse!(at => "`Up` only reads\nhelp: write `&{of}`; `Query::for_each_cascade` changes parents and children, `Query::split` one entity and the rest")
    })
}

/// Returns the error of a reference to an `Option`.
pub(super) fn of_option(ty: &Type) -> Option<Wrong<'_>> {
    let (reference, _) = reference(ty)?;
    let of = text(optional(&reference.elem)?);
    let word = word_mut(reference);
    refuse!(ty => "an `Option` is not behind the reference\nhelp: write `Option<&{word}{of}>`")
}

/// Returns the error of query data that is written like a parameter, or has the name that another library uses.
fn data(ty: &Type) -> Option<Wrong<'_>> {
    let Some(path) = path(ty) else {
        return of_option(ty);
    };
    let name = head(path)?;
    let help = match (name.to_string().as_str(), inside(ty).first().map(text)) {
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
    refuse!(name => "a query has no `{name}`\nhelp: {help}")
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
            match is_filter {
                true => filters.push(text(part)),
                false => fetched.push(text(part)),
            }
        }
    }
    let Some(at) = wrong.or(arguments.get(2).copied()) else {
        let mut filters = arguments.iter();
        let wrong = filters.find_map(|argument| filter(argument));
        return wrong.or_else(|| excluded(arguments));
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
    refuse!(at => "a query has its data and, after them, one filter\nhelp: write `{right}`{other}")
}

/// Finds the filter of a query that excludes nothing, because its data lack the component.
fn excluded<'a>(arguments: &[&'a Type]) -> Option<Wrong<'a>> {
    let [data, filters] = arguments else {
        return None;
    };
    parts(filters).into_iter().find_map(|at| {
        let of = text(inside(at).first().filter(|_| is_named(at, "Without"))?);
        let wrong = refuse!(at =>
            "no entity without `{of}` has a value for the query\nhelp: remove the filter, or the component from the data");
        wrong.filter(|_| item::requires(data, &of))
    })
}

/// Finds the first filter whose arguments have to be a tuple and are not, or the other way round.
fn filter(ty: &Type) -> Option<Wrong<'_>> {
    parts(ty).into_iter().find_map(|part| {
        let (name, arguments) = (name(part)?, inside(part));
        // The surplus argument.
        let at = *arguments.get(1).or(arguments.first())?;
        let all: Vec<&Type> = match arguments.as_slice() {
            [_] if name == "Or" || name == "Not" => return filter(at),
            [one] => parts(one),
            several => several.to_vec(),
        };
        if name == "Or" {
            let right = tuple(to_vec(all.iter().map(text)));
            return refuse!(at => "an `Or` has one tuple of filters\nhelp: write `Or<{right}>`");
        }
        if !OF_COMPONENTS.contains(&name.as_str()) {
            return None;
        }
        if let (Some((reference, _)), 1) = (reference(at), arguments.len()) {
            let of = text(&reference.elem);
            return refuse!(at =>
                "a `{name}` has a component, not a reference\nhelp: write `{name}<{of}>`");
        }
        let each = all.iter().map(|of| format!("{name}<{}>", text(of)));
        let right = tuple(to_vec(each));
        let wrong = refuse!(at => "a `{name}` has one component\nhelp: write `{right}`");
        wrong.filter(|_| all.len() > 1)
    })
}

/// Returns whether a type is a filter of this library.
fn is_filter(ty: &Type) -> bool {
    let mut names = OF_COMPONENTS.iter().chain(&["Or", "Not"]);
    inside(ty).len() == 1 && names.any(|name| is_named(ty, name))
}

/// Returns whether a type is certainly data.
fn is_data(ty: &Type) -> bool {
    let mut names = ["Entity", "Option", "Mut"].iter();
    matches!(strip(ty), Type::Reference(_)) || names.any(|name| is_named(ty, name))
}
