//! The type of a closed world.

use super::parse::{ListedComponent, ListedWorld};
use crate::prelude::*;

struct FieldOf<'a> {
    component: &'a ListedComponent,
    index: usize,
    field: Ident,
}

pub(super) fn expand(world: &ListedWorld, root: &Root) -> TokenStream {
    let private = root.private(frame_site());
    let ListedWorld {
        attrs, vis, name, ..
    } = world;
    let components = world.components.iter().enumerate();
    let list = to_vec(components.map(|(index, component)| FieldOf {
        component,
        index,
        field: Ident::new(&format!("component_{index}"), frame_site()),
    }));
    let parts = || list.iter().map(FieldOf::parts);
    let fields = parts().map(|(cfg, field, ty)| frame!(#cfg #field: #private::Pages<#ty>,));
    let debug = parts().map(|(cfg, field, ty)| {
        let label = pretty::line(ty);
        frame!(#cfg debug.field(#label, &self.#field);)
    });
    let (label, new) = (name.to_string(), format!("A `{name}` without entities."));
    let implementation = implement(name, &private, &list);
    // Generics surround the types: the compiler suggests nothing for an unknown one, and shows it once.
    let end = parts()
        .next_back()
        .map_or(name.span(), |(.., ty)| ends(ty).1);
    let open = mark('<', Spacing::Alone, before(name.span()));
    let generics = quote_spanned!(after(end)=> #open >);
    let access = |field: &FieldOf<'_>| field.access(name, &generics, &private);
    let accesses = list.iter().map(access);
    frame! {
        #(#attrs)*
        #[derive(#private::Default)]
        #vis struct #name #generics {
            ids: #private::Ids,
            #(#fields)*
        }

        impl #name {
            #[doc = #new]
            #[must_use]
            #vis fn new() -> Self { <Self as #private::Default>::default() }
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

impl FieldOf<'_> {
    /// Returns the `cfg`s, the field and the type.
    fn parts(&self) -> (TokenStream, &Ident, &syn::Type) {
        let cfg = &self.component.cfg;
        (quote!(#(#cfg)*), &self.field, &self.component.ty)
    }

    /// Returns the impl that maps the type to its field.
    ///
    /// Its head begins and ends at the type, because the compiler reports a second impl for the same type there. Names
    /// have the span of the macro: editors explain each name at the place of the type.
    fn access(&self, name: &Ident, generics: &TokenStream, private: &TokenList) -> TokenStream {
        let ((cfg, field, ty), index) = (self.parts(), self.index);
        let start = before(frame_site().located_at(ty.span()));
        let open = quote_spanned!(start=> unsafe impl #generics);
        let head = frame!(#open #private::ComponentOf<#name> for #ty);
        frame! {
            #cfg
            // SAFETY: each type has its own field and number (clauses 1 and 2), because the compiler rejects a second
            // impl for a type.
            #head {
                const INDEX: #private::usize = #index;

                #[inline]
                fn pages(world: &#name) -> &#private::Pages<Self> { &world.#field }

                #[inline]
                fn parts_mut(world: &mut #name) -> (&#private::Ids, &mut #private::Pages<Self>) {
                    (&world.ids, &mut world.#field)
                }
            }
        }
    }
}

/// Implements the structural changes that touch all fields.
fn implement(name: &Ident, private: &TokenList, list: &[FieldOf<'_>]) -> TokenStream {
    // Locals are dropped last to first: in reverse, so that components are dropped in the order of the list.
    let removed = |value_of: &dyn Fn(&Ident) -> TokenStream| -> TokenStream {
        let removed = list.iter().rev().map(|entry| {
            let ((cfg, field, _), index) = (entry.parts(), entry.index);
            let removed = Ident::new(&format!("_removed_{index}"), frame_site());
            let value = value_of(field);
            frame!(#cfg let #removed = #value;)
        });
        removed.collect()
    };
    let vacated = removed(&|field| frame!(self.#field.vacate(index)));
    let taken = removed(&|field| frame!(#private::take(&mut self.#field)));
    frame! {
        impl #private::StaticWorld for #name {
            #[inline]
            fn ids(&self) -> &#private::Ids { &self.ids }

            #[inline]
            fn ids_mut(&mut self) -> &mut #private::Ids { &mut self.ids }

            // The removed values are dropped at the end of each function, when the world is consistent.
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
