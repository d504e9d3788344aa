//! `#[component(toggle)]`.

use crate::data::Described;
use crate::derive::Derived;
use crate::prelude::*;
use crate::require::Requirement;

/// Adds the toggle to the requirements of a component, and its removal to the hooks.
pub(crate) fn add(
    derived: &Derived,
    required: &mut Vec<Requirement>,
    hooks: &mut Vec<(Ident, Expr)>,
) {
    let private = derived.private();
    required.push(Requirement {
        component: Type::Verbatim(quote!(#private::toggle::Toggle<Self>)),
        value: None,
    });
    let removed = quote!(#private::toggle::removed::<Self>);
    match hooks.iter_mut().find(|(kind, _)| kind == "on_remove") {
        Some((_, hook)) => {
            *hook = Expr::Verbatim(quote!(|mut __world, __entity| {
                (#hook)(__world.reborrow(), __entity);
                #removed(__world, __entity);
            }));
        }
        None => hooks.push((hidden("on_remove_toggle"), Expr::Verbatim(removed))),
    }
}

/// Returns the impl of the component's trait.
pub(crate) fn implement(derived: &Derived, data: Option<&Described>) -> TokenStream {
    let data = data.map(|data| data.constant(data.expand_toggles(derived), &derived.private()));
    let slot = derived.slot("slot", "toggle::ToggleIdSlot");
    derived.implement("toggle::ToggleComponent", &quote!(#data #slot))
}

#[cfg(test)]
#[path = "toggle_tests.rs"]
mod tests;
