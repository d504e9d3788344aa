//! The event of an observer: its first parameter, recognized by its name.

use super::model::SystemModel;
use super::param::{Param, ParamKind};
use crate::prelude::*;
use crate::types::{inside, name, strip};

/// The lifecycle events of components.
const LIFECYCLE: [&str; 5] = ["OnAdd", "OnInsert", "OnReplace", "OnRemove", "OnDespawn"];

/// Returns the name of an event's type, and its type argument: `Trigger` and `Hit`.
fn parts(ty: &Type) -> Option<(String, &Type)> {
    let name = name(ty)?;
    let [of] = *inside(ty) else {
        return None;
    };
    (name == "Trigger" || name == "TriggerMut" || is_lifecycle(&name)).then_some((name, of))
}

pub(super) fn is_lifecycle(name: &str) -> bool {
    LIFECYCLE.contains(&name)
}

/// Returns whether observers are called with this type, judging by its tokens.
pub(super) fn is_event(ty: &Type) -> bool {
    parts(ty).is_some()
}

/// Returns the observed type, for the documentation: the type of a custom event, or a lifecycle event itself.
pub(super) fn observed(ty: &Type) -> Option<&Type> {
    let (name, of) = parts(ty)?;
    Some(if is_lifecycle(&name) { strip(ty) } else { of })
}

/// The types that represent an event in generated code, without names for lifetimes.
pub(super) struct Event {
    pub(super) ty: TokenStream,
    /// The type for the function, which no error in the event's component prevents from being an event.
    pub(super) fitting: TokenStream,
    /// A statement that shows this error.
    pub(super) check: Option<TokenStream>,
}

impl Event {
    pub(super) fn new(system: &SystemModel, ty: &Type, private: &TokenList) -> Option<Self> {
        let (name, of) = parts(ty)?;
        let ty = match is_lifecycle(&name) {
            true => strip(ty).to_token_stream(),
            false if name == "Trigger" => quote!(#private::Triggered<#of>),
            false => quote!(#private::TriggeredMut<#of>),
        };
        let (mut fitting, mut check) = (ty.clone(), None);
        if is_lifecycle(&name) && !system.mentions_generics(of) {
            let component = (system.root).item_of(of, ends(of), "place::Component", "Type");
            let is = quote!({ #private::Probe::<#of>::IS_COMPONENT });
            fitting = quote!(#private::Fitting<#ty, #private::Unobserved<#ty>, #is>);
            check = Some(quote!(let _: #private::PhantomData<#component>;));
        }
        Some(Self { ty, fitting, check })
    }
}

/// Returns the event behind a reference: `Trigger<Hit>` of `&Trigger<Hit>`.
pub(super) fn by_reference(ty: &Type) -> Option<&Type> {
    match strip(ty) {
        Type::Reference(reference) if is_event(&reference.elem) => Some(&reference.elem),
        _ => None,
    }
}

/// Reports events that no observer receives.
pub(super) fn check(system: &SystemModel, errors: &mut Errors) {
    let written: Vec<&Param> = to_vec(system.written());
    let mut before: Option<&Param> = None;
    let all = written.iter().enumerate();
    for (index, param) in all.filter(|(_, param)| param.is_event()) {
        let of = parts(&param.ty).map(|(_, of)| of);
        let is_lifecycle = |of: &&Type| parts(of).is_some_and(|(name, _)| is_lifecycle(&name));
        if let Some(of) = of.filter(is_lifecycle).map(pretty::line) {
            reject!(errors, &param.ty =>
                "nothing triggers `{of}`, which is a lifecycle event\nhelp: write `{}: {of}`", param.label);
        } else if let Some(first) = before {
            reject!(errors, &param.ty =>
                "an observer has one event, and this one has `{}`\nhelp: write a second system", first.label);
        } else if index > 0 {
            reject!(errors, &param.ty =>
                "the event of an observer is its first parameter\nhelp: write `{}` before `{}`, or mark it `#[arg]` if it is not called as an observer", param.label, written[0].label);
        }
        before = before.or(Some(param));
    }
}

impl Param {
    pub(super) fn is_event(&self) -> bool {
        self.kind == ParamKind::Argument && self.deciding.is_empty() && is_event(&self.ty)
    }
}

impl SystemModel {
    /// Returns the event, if the function can be an observer because the caller supplies nothing else.
    pub(super) fn event(&self) -> Option<&Param> {
        let mut arguments = self.arguments();
        (arguments.next()).filter(|only| only.is_event() && arguments.next().is_none())
    }
}
