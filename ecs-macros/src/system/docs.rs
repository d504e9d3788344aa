//! The section "Access" in the documentation of a system.

use super::model::SystemModel;
use super::param::{Param, ParamKind};
use super::{event, item};
use crate::parameters::{Borrows, Parameter};
use crate::prelude::*;
use crate::types::{inside, is_named, name, optional, parts, strip};

/// The filters of a query, and their condition on an entity.
const FILTERS: [(&str, &str); 6] = [
    ("With", "with"),
    ("Without", "without"),
    ("Changed", "with a changed"),
    ("Added", "with a new"),
    ("Mutated", "with a mutated"),
    ("Not", "not"),
];

/// Returns the signature as the user wrote it and the access of each world parameter, in attributes.
///
/// `generic` is a type with all generic parameters of the system, because no documentation can link to those.
pub(super) fn section(system: &SystemModel, generic: &TokenList) -> TokenStream {
    let function = &system.function;
    let generics = pretty::line(&function.generics);
    let output = pretty::line(&function.output);
    let params = |p: &Param| format!("{}: {}", pretty::line(&p.pattern), p.type_text);
    let params = to_vec(system.written().map(params)).join(", ");
    let name = system.name();
    let mut section = format!("\n# Access\n```text\nfn {name}{generics}({params}){output}\n```\n");
    let lines = Lines { generic };
    let mut add = |line: String| section.push_str(&format!("* {line}\n"));
    if let Some(Param { label, ty, .. }) = system.event()
        && let Some(observed) = event::observed(ty)
    {
        let event = lines.link(observed);
        add(format!("`{label}` is the event that it observes: {event}"));
    }
    for param in system.written().filter(|p| p.kind != ParamKind::Argument) {
        let (label, access, docs) = (&param.label, lines.of_param(param), &param.docs);
        let colon = if docs.is_empty() { "" } else { ":" };
        add(format!("`{label}` {access}{colon}{docs}"));
    }
    let filters = system.filters.iter();
    let filters = to_vec(filters.map(|(name, ty)| lines.filter_of(name, ty)));
    if !filters.is_empty() {
        add(format!("visits entities {}", filters.join(", ")));
    }
    // The types may be private: rustdoc then shows them without a link.
    let is_public = !matches!(function.vis, Visibility::Inherited);
    let private = is_public.then(|| quote!(#[allow(rustdoc::private_intra_doc_links)]));
    let section = text(&section);
    quote!(#[doc = #section] #private)
}

/// Returns the access of a parameter of this type; handles derived parameters, too.
pub(crate) fn access(ty: &Type, generic: &TokenList) -> String {
    Lines { generic }.borrowed(ty)
}

/// The texts of accesses.
struct Lines<'a> {
    generic: &'a TokenList,
}

impl Lines<'_> {
    fn of_param(&self, param: &Param) -> String {
        match param.kind {
            ParamKind::World => "borrows the whole world".to_owned(),
            ParamKind::Resources => "borrows all resources".to_owned(),
            ParamKind::Exclusive => "borrows the whole world exclusively".to_owned(),
            ParamKind::Item => self.item(&param.ty),
            ParamKind::Borrowed | ParamKind::Argument | ParamKind::Items => match &param.ty {
                // The `self` of a method: its type is not the user's.
                Type::Verbatim(_) => match syn::parse_str(&param.type_text) {
                    Ok(ty) => self.borrowed(&ty),
                    Err(_) => format!("borrows `{}`", param.type_text),
                },
                ty => self.borrowed(ty),
            },
        }
    }

    fn item(&self, ty: &Type) -> String {
        match item::access(ty) {
            Some((component, writes)) => {
                let (accesses, component) = (accesses(writes), self.link(component));
                let suffix = optional(ty).map_or("", |_| " that has one");
                format!("{accesses} the component {component} of each entity{suffix}")
            }
            None if is_named(ty, "Entity") => "is each entity's id".to_owned(),
            None => format!("fetches {} of each entity", self.link(ty)),
        }
    }

    /// Describes a parameter by its name; for a user's type, the documentation of the type lists the borrowed data.
    fn borrowed(&self, ty: &Type) -> String {
        if let Type::Tuple(tuple) = strip(ty) {
            return to_vec(tuple.elems.iter().map(|ty| self.borrowed(ty))).join(", ");
        }
        if let Some(of) = optional(ty) {
            return format!("{} if there is one", self.borrowed(of));
        }
        let Some(known) = Parameter::of(ty) else {
            return format!("borrows the data that {} lists", self.link(ty));
        };
        let access = known.access;
        match (&*inside(ty), known.borrows) {
            ([params], Borrows::Arguments) if is_named(ty, "ParamSet") => {
                format!("{access}: {}", self.borrowed(params))
            }
            ([data, filters @ ..], Borrows::Arguments) => self.query(access, data, filters),
            ([ty, ..], _) => format!("{access} {}", self.link(ty)),
            ([], _) => access.to_owned(),
        }
    }

    fn query(&self, access: &str, data: &Type, filters: &[&Type]) -> String {
        let mut parts = Vec::new();
        for ty in item::members(data) {
            if let Some((component, writes)) = item::access(ty) {
                let suffix = optional(ty).map_or("", |_| " if there is one");
                let (accesses, component) = (accesses(writes), self.link(component));
                parts.push(format!("{accesses} {component}{suffix}"));
            } else if !is_named(ty, "Entity") {
                parts.push(format!("fetches {}", self.link(ty)));
            }
        }
        let filters = filters.iter().flat_map(|filter| item::members(filter));
        parts.extend(filters.map(|filter| self.filter(filter)));
        let parts = parts.join(", ");
        let colon = if parts.is_empty() { "" } else { ": " };
        format!("{access}{colon}{parts}")
    }

    /// Describes a filter, including one nested in another: `with A or without B`.
    fn filter(&self, ty: &Type) -> String {
        let all = |ty, word| to_vec(parts(ty).into_iter().map(|ty| self.filter(ty))).join(word);
        match (name(ty).unwrap_or_default().as_str(), &*inside(ty)) {
            _ if matches!(strip(ty), Type::Tuple(_)) => all(ty, " and "),
            ("Or", [alternatives]) => all(alternatives, " or "),
            ("Not", [of]) => format!("not {}", self.filter(of)),
            (name, [component]) => self.filter_of(name, component),
            _ => format!("for which {} holds", self.link(ty)),
        }
    }

    fn filter_of(&self, name: &str, component: &Type) -> String {
        let component = self.link(component);
        match FILTERS.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => format!("{text} {component}"),
            None => format!("for which `{name}` of {component} holds"),
        }
    }

    /// Returns the type as code, with a link to its documentation if its tokens are a path to it.
    fn link(&self, ty: &Type) -> String {
        let plain = || format!("`{}`", pretty::line(ty));
        self.linked(ty).unwrap_or_else(plain)
    }

    /// Returns a link without a target: if rustdoc finds no target, for example for a private type, the text stays.
    fn linked(&self, ty: &Type) -> Option<String> {
        let mut names = match strip(ty) {
            Type::Path(ty) if ty.qself.is_none() => ty.path.clone(),
            _ => return None,
        };
        let last = &mut names.segments.last_mut()?;
        let arguments = core::mem::take(&mut last.arguments);
        // Functions and values can share the name of a type; they are written in lower case and upper case.
        let is_type = last.ident.to_string().starts_with(char::is_uppercase);
        let first = names.segments.first()?.ident.to_string();
        let is_generic = self.generic.0.iter().any(|token| is_word(token, &first));
        let text = match names.get_ident() {
            Some(name) => name.to_string(),
            None => pretty::line(names),
        };
        // Paths with arguments in between, raw names and `$crate` are not links.
        let is_plain = (text.chars()).all(|c| c.is_alphanumeric() || c == '_' || c == ':');
        (is_type && is_plain && !is_generic).then(|| match arguments {
            PathArguments::None => format!("[`{text}`]"),
            arguments => format!("[`{text}`]`{}`", pretty::line(arguments)),
        })
    }
}

fn accesses(writes: bool) -> &'static str {
    if writes { "writes" } else { "reads" }
}

#[cfg(test)]
mod tests;
