//! `#[component(toggle)]`.

use proc_macro2::{Ident, TokenStream};
use syn::{Expr, Type};

use crate::data::DataOptions;
use crate::derive::Derived;
use crate::require::Requirement;
use crate::tokens::{import, site, text, to_vec};

/// Adds the toggle to what a component requires, and its removal to the hooks. Returns the impl of the component's trait.
pub(crate) fn expand(
    derived: &Derived,
    data: Option<&TokenStream>,
    required: &mut Vec<Requirement>,
    hooks: &mut Vec<(Ident, Expr)>,
) -> TokenStream {
    let private = derived.root.private(site());
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
        None => hooks.push((Ident::new("on_remove", site()), Expr::Verbatim(removed))),
    }
    let data = data.map(|data| quote!(const DATA: &'static [#private::DataType] = #data;));
    let slot = derived.slot("slot", &quote!(toggle::ToggleIdSlot));
    let (generics, ty, bounds) = derived.header();
    quote! {
        impl #generics #private::toggle::ToggleComponent for #ty #bounds {
            #data
            #slot
        }
    }
}

/// Returns the descriptions of the toggles of a component that is data.
pub(crate) fn data(derived: &Derived, data: &DataOptions) -> Option<TokenStream> {
    let private = derived.root.private(site());
    let named = data.named(&derived.input);
    let described = to_vec(named.iter().map(|(ty, name)| {
        let toggle = quote!(#private::toggle::Toggle<#ty>);
        let name = text(&format!("{}.toggle", name.value()));
        let cloned = data.is_cloned().then(|| {
            let not_copy = import(&derived.root, "NotCopy", site());
            quote!(.cloned().copied({ #not_copy #private::CopyProbe::<#toggle>::COPY }))
        });
        let coded = data.is_coded().then(|| {
            quote!(.coded({
                const SAVED: &#private::Saved = &#private::Saved::of::<#toggle>();
                SAVED
            }))
        });
        quote!(#private::DataTypeOf::<#toggle>::new(#name, 1).component() #cloned.printed() #coded .erased())
    }));
    (!described.is_empty()).then(|| {
        quote!({
            const DATA: &[#private::DataType] = &[#(#described),*];
            DATA
        })
    })
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
        let user = code.find("(Self :: left) (__world . reborrow () , __entity)");
        let own = code.find("toggle :: removed :: < Self > (__world , __entity)");
        assert!(user.is_some() && user < own, "{code}");
    }
}
