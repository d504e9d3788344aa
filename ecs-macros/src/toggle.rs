//! `#[component(toggle)]`.

use proc_macro2::{Ident, Span, TokenStream};
use syn::{Expr, Type};

use crate::data::Described;
use crate::derive::Derived;
use crate::require::Requirement;

/// Adds the toggle to what a component requires, and its removal to the hooks.
pub(crate) fn add(
    derived: &Derived,
    required: &mut Vec<Requirement>,
    hooks: &mut Vec<(Ident, Expr)>,
) {
    let private = derived.root.private(Span::mixed_site());
    required.push(Requirement {
        component: Type::Verbatim(quote!(#private::toggle::Toggle<Self>)),
        value: None,
    });
    let removed = quote!(#private::toggle::removed::<Self>);
    match hooks.iter_mut().find(|(kind, _)| kind == "on_remove") {
        Some((_, hook)) => {
            *hook = Expr::Verbatim(quote!(|mut world, entity| {
                (#hook)(world.reborrow(), entity);
                #removed(world, entity);
            }));
        }
        None => hooks.push((
            Ident::new("on_remove", Span::mixed_site()),
            Expr::Verbatim(removed),
        )),
    }
}

/// Returns the impl of the component's trait.
pub(crate) fn implement(derived: &Derived, data: Option<&Described>) -> TokenStream {
    let private = derived.root.private(Span::mixed_site());
    let data = data.map(|data| data.constant(data.expand_toggles(derived), &private));
    let slot = derived.slot("slot", &quote!(toggle::Slot));
    let (generics, ty, bounds) = derived.header();
    quote! {
        impl #generics #private::toggle::ToggleComponent for #ty #bounds {
            #data
            #slot
        }
    }
}

#[cfg(test)]
mod tests {

    #[test]
    fn a_hook_of_the_user_is_called_before_the_toggle_is_removed() {
        let code = crate::component::expand(quote! {
            #[component(toggle, on_remove = Self::left)]
            struct Shield;
        });
        let code = code.unwrap().to_string();
        let user = code.find("(Self :: left) (world . reborrow () , entity)");
        let own = code.find("toggle :: removed :: < Self > (world , entity)");
        assert!(user.is_some() && user < own, "{code}");
    }
}
