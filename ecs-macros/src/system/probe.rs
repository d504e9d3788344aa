//! Checks of the parameters that look like ordinary arguments.
//!
//! A macro sees only the tokens of a type: an alias of a parameter type looks like an argument. So a constant, which
//! fails at the type's span, lets the compiler check it.

use super::item;
use super::model::SystemModel;
use super::param::{Param, ParamKind};
use crate::parameters::{Borrows, DataDomain, Parameter, borrowing};
use crate::prelude::*;
use crate::types::{inside, is_named, is_primitive, mutable_reference, path, strip, word_mut};

/// The type that shows the library that the error is reported, and the trait of types with the error.
type Marker = (&'static str, &'static str);

/// A constant that asks about a type, with its marker.
type Question = (&'static str, Marker);

/// The question about a component, or a reference to one.
const COMPONENT: Question = ("IS_COMPONENT", ("IsComponent", "Component"));
/// The same about a parameter.
const PARAM: Question = ("IS_PARAM", ("IsParam", "SystemParam"));

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
        let (of, questions) = arguments(system, param);
        for ((question, marker), message) in questions {
            let message = format!("{message}, or mark it `#[arg]` if the caller supplies it");
            let code = code(system, param, of, question, &message);
            markers.extend(code.iter().filter(|_| index == 0).map(|_| marker));
            probes.extend(code);
        }
    }
    for param in system.written() {
        let ends = written_ends(param).into_iter();
        probes.extend(ends.filter_map(|ty| code(system, param, ty, "IS_END", END)));
    }
    (probes, markers)
}

const END: &str = "cannot be written, because the world keeps both ends of a relation consistent; help: read it, and change it by `relate` and `unrelate` of `Commands` or the world, or insert another `Target`";

/// Returns the questions about an ordinary argument with the messages, and their type.
fn arguments<'a>(system: &SystemModel, param: &'a Param) -> (&'a Type, Vec<(Question, String)>) {
    debug_assert!(param.kind == ParamKind::Argument, "others are certain");
    let (ty, label) = (strip(&param.ty), &param.label);
    if !param.deciding.is_empty() || param.is_event() {
        return (ty, Vec::new());
    }
    if let Type::Reference(reference) = ty {
        let (view, _) = borrowing(reference);
        let (word, of) = (word_mut(reference), pretty::line(&reference.elem));
        let component = format!(
            "is a reference to a component; help: write `{view}<{of}>` for the component of all entities, or `#[system(for_each)]` to be called for each"
        );
        let param =
            format!("is a reference to a system parameter; help: write `{word}{label}: {of}`");
        let questions = vec![(COMPONENT, component), (PARAM, param)];
        (&*reference.elem, questions)
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
    }
}

/// Returns whether a caller may pass a value that the first call moves away.
pub(super) fn is_moved(system: &SystemModel, ty: &Type) -> bool {
    let is_copy = path(ty).is_none_or(|path| is_primitive(path) && !path.is_ident("String"));
    !is_copy && !system.mentions_generics(ty)
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
    let mut names = ["Target", "Targets", "Sources"].iter();
    names.any(|name| is_named(ty, name))
}

/// Returns a statement of a constant that fails at the span of a type if the type breaks a requirement.
fn code(
    system: &SystemModel,
    param: &Param,
    ty: &Type,
    question: &str,
    message: &str,
) -> Option<TokenStream> {
    let path = match strip(ty) {
        Type::Path(path) if !is_primitive(&path.path) => path,
        _ => return None,
    };
    if system.mentions_generics(path) {
        return None;
    }
    // From the first token of the type to the last one: the error is shown there.
    let (first, span) = (before(param.ends.0), after(param.ends.1));
    let (function, probe) = (system.root.private(first), system.root.private(span));
    let question = Ident::new(question, span);
    let message = format!("`{}` {message}", param.text());
    let is = quote_spanned!(span=> <#probe::Probe<#path>>::#question);
    let call = quote_spanned!(span=> #function::wrong_if(#is, #message));
    Some(quote!(#call;))
}
