//! Checks of the parameters that look like ordinary arguments.
//!
//! A macro sees only the tokens of a type: an alias of a parameter type looks like an argument. So a constant, which
//! fails at the type's span, lets the compiler check it.

use super::item;
use super::model::SystemModel;
use super::param::{Param, ParamKind};
use crate::lifetimes;
use crate::parameters::{Borrows, DataDomain, Parameter, borrowing};
use crate::prelude::*;
use crate::types::{inside, is_named, is_primitive, mutable_reference, path, strip};

/// A statement of a constant that fails at the span of a type if the type breaks a requirement.
struct ArgumentProbe<'a> {
    ty: &'a Type,
    /// The constant that asks.
    question: &'static str,
    marker: Marker,
    message: String,
}

/// The type that shows the library that the error is reported, and the trait of types with the error.
type Marker = (&'static str, &'static str);

/// The question about a component, or a reference to one, and its marker and trait.
const COMPONENT: (&str, Marker) = ("IS_COMPONENT", ("IsComponent", "Component"));
/// The same about a parameter.
const PARAM: (&str, Marker) = ("IS_PARAM", ("IsParam", "SystemParam"));

/// Returns statements about each ordinary argument that might be something else, and each component that may not be
/// written; and the markers of the statements about the first argument.
///
/// If several fail, the first is reported: the mistake is often the same.
pub(super) fn probes(system: &SystemModel) -> (TokenStream, Vec<Marker>) {
    let (mut probes, mut markers) = (TokenStream::new(), Vec::new());
    for (index, param) in system.arguments().enumerate() {
        if system.for_each && is_moved(system, &param.ty) {
            let private = system.root.private(site());
            let ty = lifetimes::replace(&param.ty, &system.function.generics, "_");
            probes.extend(quote!(let _ = #private::argument::<#ty>;));
        }
        for probe in arguments(system, param) {
            let code = probe.code(system, param);
            markers.extend(code.iter().filter(|_| index == 0).map(|_| probe.marker));
            probes.extend(code);
        }
    }
    for param in system.written() {
        for ty in written_ends(param) {
            let probe = ArgumentProbe {
                ty,
                question: "IS_END",
                marker: ("", ""),
                message: "cannot be written, because the world keeps both ends of a relation consistent; help: read it, and change it by `relate` and `unrelate` of `Commands` or the world, or insert another `Target`".to_owned(),
            };
            probes.extend(probe.code(system, param));
        }
    }
    (probes, markers)
}

/// Returns the questions about an ordinary argument.
fn arguments<'a>(system: &SystemModel, param: &'a Param) -> Vec<ArgumentProbe<'a>> {
    debug_assert!(param.kind == ParamKind::Argument, "others are certain");
    if !param.deciding.is_empty() || param.is_event() {
        return Vec::new();
    }
    let (ty, label) = (strip(&param.ty), &param.label);
    let (of, questions) = if let Type::Reference(reference) = ty {
        let (view, _) = borrowing(reference);
        let word = if reference.mutability.is_some() {
            "mut "
        } else {
            ""
        };
        let of = pretty::line(&reference.elem);
        let component = format!(
            "is a reference to a component; help: write `{view}<{of}>` for the component of all entities, or `#[system(for_each)]` to be called for each"
        );
        let param =
            format!("is a reference to a system parameter; help: write `{word}{label}: {of}`");
        (
            &*reference.elem,
            vec![(COMPONENT, component), (PARAM, param)],
        )
    } else {
        let of = pretty::line(ty);
        let lifetime = match inside(ty).is_empty() {
            true => format!("write `{of}<'_>` if the type has a lifetime, or "),
            false => String::new(),
        };
        let param = format!(
            "is a system parameter; help: {lifetime}mark it `#[param]` to borrow it from the world"
        );
        let component = format!(
            "is a component; help: write `{label}: &mut {of}` or `{label}: &{of}` for the entity's own"
        );
        let mut questions = vec![(PARAM, param), (COMPONENT, component)];
        questions.truncate(if system.for_each { 2 } else { 1 });
        (ty, questions)
    };
    let probe = |((question, marker), message)| ArgumentProbe {
        ty: strip(of),
        question,
        marker,
        message: format!("{message}, or mark it `#[arg]` if the caller supplies it"),
    };
    to_vec(questions.into_iter().map(probe))
}

/// Returns whether a caller may pass a value that the first call moves away.
pub(super) fn is_moved(system: &SystemModel, ty: &Type) -> bool {
    let is_copy = path(ty).is_none_or(|path| is_primitive(path) && !path.is_ident("String"));
    !is_copy && !system.mentions_generics(ty.to_token_stream())
}

/// Returns the types that a parameter writes and that are named like an end of a relation.
fn written_ends(param: &Param) -> Vec<&Type> {
    let types = inside(&param.ty);
    let items = match Parameter::of(&param.ty).map(|known| known.borrows) {
        Some(Borrows::Write(DataDomain::Component)) => {
            return to_vec(types.into_iter().filter(is_end));
        }
        Some(Borrows::Arguments) => types.first().copied(),
        None if param.kind == ParamKind::Item => Some(&param.ty),
        _ => None,
    };
    let members = items.into_iter().flat_map(item::members);
    let written = members.filter_map(|ty| Some(&*mutable_reference(ty)?.0.elem));
    to_vec(written.filter(is_end))
}

/// Returns whether a type has the name of an end of a relation.
fn is_end(ty: &&Type) -> bool {
    ["Target", "Targets", "Sources"]
        .iter()
        .any(|name| is_named(ty, name))
}

impl ArgumentProbe<'_> {
    fn code(&self, system: &SystemModel, param: &Param) -> Option<TokenStream> {
        let path = match self.ty {
            Type::Path(path) if !is_primitive(&path.path) => path,
            _ => return None,
        };
        if system.mentions_generics(path.to_token_stream()) {
            return None;
        }
        // From the first token of the type to the last one: the error is shown there.
        let (first, span) = (before(param.ends.0), after(param.ends.1));
        let (function, probe) = (system.root.private(first), system.root.private(span));
        let question = Ident::new(self.question, span);
        let message = format!("`{}` {}", param.text(), self.message);
        let call =
            quote_spanned!(span=> #function::wrong_if(<#probe::Probe<#path>>::#question, #message));
        Some(quote!(#call;))
    }
}
