//! The type behind a world.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::parse::{Component, World};
use crate::paths::{Root, Words};
use crate::pretty;

/// A component and what it is called in generated code.
struct Place<'a> {
    component: &'a Component,
    index: usize,
    field: Ident,
}

pub(super) fn expand(world: &World, root: &Root) -> TokenStream {
    let site = Span::mixed_site();
    let private = root.private(site);
    let World {
        attrs, vis, name, ..
    } = world;
    let mut places: Vec<Place<'_>> = Vec::new();
    for component in &world.components {
        let index = places.len();
        places.push(Place {
            component,
            index,
            field: Ident::new(&format!("component_{index}"), site),
        });
    }
    let fields = places.iter().map(|place| {
        let (cfg, field, ty) = place.parts();
        quote_spanned!(site=> #cfg #field: #private::Pages<#ty>,)
    });
    let empty = places.iter().map(|place| {
        let (cfg, field, _) = place.parts();
        quote_spanned!(site=> #cfg #field: #private::Pages::new(),)
    });
    let debug = places.iter().map(|place| {
        let (cfg, field, ty) = place.parts();
        let label = pretty::line(ty.to_token_stream());
        quote_spanned!(site=> #cfg debug.field(#label, &self.#field);)
    });
    let new = format!("A `{name}` without entities.");
    let label = name.to_string();
    let implementation = implement(name, &private, &places);
    let accesses = places.iter().map(|place| place.access(name, root));
    quote_spanned! {site=>
        #(#attrs)*
        #vis struct #name {
            ids: #private::Ids,
            #(#fields)*
        }

        impl #name {
            #[doc = #new]
            #[must_use]
            #vis fn new() -> Self {
                <Self as #private::Default>::default()
            }
        }

        impl #private::Default for #name {
            fn default() -> Self {
                Self {
                    ids: #private::Default::default(),
                    #(#empty)*
                }
            }
        }

        impl #private::Debug for #name {
            fn fmt(&self, f: &mut #private::Formatter<'_>) -> #private::fmt::Result {
                let mut debug = f.debug_struct(#label);
                debug.field("ids", &self.ids);
                #(#debug)*
                debug.finish()
            }
        }

        #implementation
        #(#accesses)*
    }
}

impl Place<'_> {
    /// The `cfg`s, the field and the type.
    fn parts(&self) -> (TokenStream, &Ident, &syn::Type) {
        let cfg = &self.component.cfg;
        (quote!(#(#cfg)*), &self.field, &self.component.ty)
    }

    /// The way from the type to its field.
    ///
    /// All words of the head have the place of the type: the compiler shows there that a second way is one too many.
    fn access(&self, name: &Ident, root: &Root) -> TokenStream {
        let (cfg, field, ty) = self.parts();
        let index = self.index;
        let site = Span::mixed_site();
        let private = root.private(site);
        let place = site.located_at(ty.span());
        let trait_path = root.private(place);
        let mut name = name.clone();
        name.set_span(name.span().located_at(place));
        let head = quote_spanned!(place=> unsafe impl #trait_path::ComponentOf<#name> for #ty);
        quote_spanned! {site=>
            #cfg
            // SAFETY: each type has its own field, or the compiler rejects the second implementation.
            #head {
                const INDEX: #private::usize = #index;

                #[inline]
                fn pages(world: &#name) -> &#private::Pages<Self> {
                    &world.#field
                }

                #[inline]
                fn parts_mut(world: &mut #name) -> (&#private::Ids, &mut #private::Pages<Self>) {
                    (&world.ids, &mut world.#field)
                }
            }
        }
    }
}

fn implement(name: &Ident, private: &Words, places: &[Place<'_>]) -> TokenStream {
    let site = Span::mixed_site();
    // Locals are dropped last to first: backwards, so that components go in the order of the list.
    let gone = |what: &dyn Fn(&Ident) -> TokenStream| -> TokenStream {
        let mut all = TokenStream::new();
        for place in places.iter().rev() {
            let (cfg, field, _) = place.parts();
            let (gone, value) = (
                Ident::new(&format!("_gone_{}", place.index), site),
                what(field),
            );
            all.extend(quote_spanned!(site=> #cfg let #gone = #value;));
        }
        all
    };
    let vacated = gone(&|field| quote_spanned!(site=> self.#field.vacate(index)));
    let taken = gone(&|field| quote_spanned!(site=> #private::take(&mut self.#field)));
    quote_spanned! {site=>
        impl #private::StaticWorld for #name {
            #[inline]
            fn ids(&self) -> &#private::Ids {
                &self.ids
            }

            #[inline]
            fn ids_mut(&mut self) -> &mut #private::Ids {
                &mut self.ids
            }

            // What goes is dropped at the end of each function, when all books are in order.
            fn despawn(&mut self, entity: #private::Entity) -> #private::Result<(), #private::NoSuchEntity> {
                let index = self.ids.find(entity).ok_or(#private::NoSuchEntity { entity })?;
                #vacated
                self.ids.free(entity);
                #private::Ok(())
            }

            fn clear(&mut self) {
                #taken
                self.ids.free_all();
            }
        }
    }
}
