//! `#[derive(SystemParam)]`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, format_ident, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{GenericParam, Lifetime, LifetimeParam, Result, Type};

use crate::derive::Derived;
use crate::parameters::access_to_events;
use crate::pretty;
use crate::structs::{self, Field};
use crate::summary;
use crate::tokens::{TokenList, frame_site, to_vec};
use crate::types;

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut shared = false;
    let mut derived = Derived::parse(input, "system_param", "`shared`, ", &mut |meta, _| {
        let is_shared = meta.path.is_ident("shared");
        shared |= is_shared;
        Ok(is_shared)
    })?;
    let fields = structs::fields(&mut derived, "SystemParam");
    structs::reject_bare_parameters(&mut derived, &fields, &|ty| {
        format!("a system parameter that contains it: `Res<'w, {ty}>`, `Comp<'w, {ty}>`")
    });
    for field in &fields {
        reject_reference(&mut derived, &field.ty);
    }
    let implementation = if derived.errors.is_empty() && !structs::lack_lifetimes(&fields) {
        let shared = shared.then(|| share(&derived, &fields));
        let implementation = implement(&derived, &fields);
        quote!(#implementation #shared)
    } else {
        stub(&derived)
    };
    Ok(derived.finish(&implementation))
}

/// Reports a field that is a reference to data of the world.
fn reject_reference(derived: &mut Derived, ty: &Type) {
    let Some((reference, is_optional)) = types::reference(ty) else {
        return;
    };
    let of = pretty::line(reference.elem.to_token_stream());
    let (comp, res) = match reference.mutability {
        Some(_) => ("CompMut", "ResMut"),
        None => ("Comp", "Res"),
    };
    let (open, close) = if is_optional {
        ("Option<", ">")
    } else {
        ("", "")
    };
    derived.errors.push(
        ty,
        format!("a reference cannot be borrowed from the world\nhelp: write `{comp}<'w, {of}>` for the component of all entities or `{open}{res}<'w, {of}>{close}` for the resource"),
    );
}

/// Returns the impl, and the types of state and guard.
///
/// These are structs with private fields instead of tuples, so that a `pub` parameter may have fields of private types.
/// All tokens come from the macro and none from the user, so that the user's `forbid(unsafe_code)` does not apply.
fn implement(derived: &Derived, fields: &[Field]) -> TokenStream {
    let private = derived.root.private(frame_site());
    let name = &derived.input.ident;
    let (state, guard) = (
        format_ident!("__{}State", name.unraw(), span = frame_site()),
        format_ident!("__{}Guard", name.unraw(), span = frame_site()),
    );
    let generics = structs::without_lifetimes(derived, fields, "SystemParam");
    let (params, arguments, bounds) = generics.split_for_impl();
    let types = generics.type_params().map(|param| &param.ident);
    // For parameters that no field uses. The other fields are projections, which are invariant.
    let of = quote!(of: #private::PhantomData<(#(fn() -> *const #types,)*)>);

    let mut guard_generics = generics.clone();
    guard_generics.params.insert(
        0,
        GenericParam::Lifetime(LifetimeParam::new(Lifetime::new("'__w", frame_site()))),
    );
    let (guard_params, guard_arguments, _) = guard_generics.split_for_impl();

    let borrowed: Vec<&Field> = to_vec(fields.iter().filter(|f| !f.is_phantom()));
    let bindings = to_vec(borrowed.iter().map(|field| &field.binding));
    let items = |item: &'static str| {
        let item = |field: &&Field| field.item(derived, "SystemParam", item);
        to_vec(borrowed.iter().map(item))
    };
    let states = items("State");
    let guards = borrowed.iter().map(|field| {
        let guard = field.item(derived, "SystemParam", "Guard");
        quote_spanned!(field.binding.span()=> #guard<'__w>)
    });
    let remembers = items("REMEMBERS");
    let access = borrowed.iter().map(|field| {
        let access = field.item(derived, "SystemParam", "ACCESS");
        let events = access_to_events(&field.ty, &private);
        match events.filter(|events| !derived.mentions_parameters(events.clone())) {
            Some(events) => frame!({
                use #private::NoData as _;
                #private::access_or(#access, #events)
            }),
            None => access,
        }
    });
    let conflicts = structs::refuse_conflicts(derived, &borrowed, false, &|field| {
        field.item(derived, "SystemParam", "ACCESS")
    });
    let force_access = structs::force_access(derived, &structs::applied(derived, name, "static"));
    let has_readers = items("HAS_READERS");
    let world = Ident::new("world", frame_site());
    let into = Ident::new("into", frame_site());
    let calls = |item: &'static str, arguments: &dyn Fn(&Field) -> TokenStream| {
        let call = |field: &&Field| field.call(derived, "SystemParam", item, &arguments(field));
        to_vec(borrowed.iter().map(call))
    };
    let inits = calls("init", &|_| quote!(#world));
    let flushes = calls("flush", &|field| {
        let state = field.borrow_mut("state");
        quote!(#state, #into)
    });
    let skips = calls("skip", &|field| {
        let state = field.borrow_mut("state");
        quote!(#state, #world)
    });
    let remember = Ident::new("remember", frame_site());
    let remembered = calls("remembered", &|field| {
        let state = field.borrow_mut("state");
        quote!(#state, #remember)
    });
    let held = Ident::new("held", frame_site());
    let named = |locks: Vec<TokenStream>| {
        let named = borrowed.iter().zip(locks).map(|(field, lock)| {
            let (text, span) = (field.text(), field.binding.span());
            let private = derived.root.private(span);
            quote_spanned!(span=> #private::in_field(#text, #lock)?)
        });
        to_vec(named)
    };
    let locks = named(calls("lock", &|field| {
        let state = field.borrow_mut("state");
        quote!(#state, #world, #held)
    }));
    let values = fields.iter().map(|field| {
        let member = &field.member;
        let value = if field.is_phantom() {
            frame!(#private::PhantomData)
        } else {
            // The guard is the same for all lifetimes; the item has that of the run.
            let guard = field.borrow_mut("guard");
            let value = field.call_in("__g", derived, "SystemParam", "get", &guard);
            field.fitted("__g", derived, &value)
        };
        frame!(#member: #value,)
    });

    let (impl_generics, own, where_clause) = structs::header(derived, fields, "SystemParam");
    let item = structs::applied(derived, name, "__g");
    let generic = TokenList::new(derived.input.generics.to_token_stream());
    let summary = summary::of_parameter(fields, &generic);
    frame! {
        const _: () = {
            #[doc(hidden)]
            pub struct #state #params #bounds { #(#bindings: #states,)* #of }
            #[doc(hidden)]
            pub struct #guard #guard_params #bounds {
                #(#bindings: #guards,)*
                world: #private::PhantomData<&'__w ()>,
                #of
            }

            // SAFETY: all its fields are `Send`, by `SystemParam::State`. Declared here, as the compiler would look
            // into fields whose types were reported as no parameters.
            unsafe impl #params #private::Send for #state #arguments #bounds {}

            // The types may be private: then rustdoc shows them without a link.
            #[allow(rustdoc::private_intra_doc_links)]
            #[doc = #summary]
            // SAFETY: accesses what its fields access, and `ACCESS` lists all of them.
            unsafe impl #impl_generics #private::SystemParam for #own #where_clause {
                type State = #state #arguments;
                type Guard<'__w> = #guard #guard_arguments;
                type Item<'__g> = #item;

                const ACCESS: &'static #private::ParamAccess = {
                    #conflicts
                    &#private::ParamAccess::All(&[#(#access),*])
                };
                const REMEMBERS: #private::bool = false #(|| #remembers)*;
                const HAS_READERS: #private::bool = false #(|| #has_readers)*;

                fn init(world: &#private::World) -> Self::State {
                    let _ = world;
                    #state { #(#bindings: #inits,)* of: #private::PhantomData }
                }

                #[inline]
                fn lock<'__w>(
                    state: &'__w mut Self::State,
                    world: &'__w #private::World,
                    held: &'__w #private::HeldBorrows<'__w>,
                ) -> #private::Result<Self::Guard<'__w>, #private::ParamError> {
                    let _ = (&mut *state, world, held);
                    #private::Ok(#guard {
                        #(#bindings: #locks,)*
                        world: #private::PhantomData,
                        of: #private::PhantomData,
                    })
                }

                #[inline]
                fn get<'__g>(guard: &'__g mut Self::Guard<'_>) -> Self::Item<'__g> {
                    use #private::Unfit as _;
                    let _ = &mut *guard;
                    #name { #(#values)* }
                }

                fn flush(state: &mut Self::State, into: &mut #private::CommandQueue) {
                    let _ = (&mut *state, &mut *into);
                    #(#flushes;)*
                }

                fn skip(state: &mut Self::State, world: &#private::World) {
                    let _ = (&mut *state, world);
                    #(#skips;)*
                }

                fn remembered(state: &mut Self::State, remember: &mut #private::Remember<'_>) {
                    let _ = (&mut *state, &mut *remember);
                    #(#remembered;)*
                }
            }

            #force_access
        };
    }
}

/// Returns the impl that lets threads use the parameter at the same time.
fn share(derived: &Derived, fields: &[Field]) -> TokenStream {
    let private = derived.root.private(frame_site());
    let name = &derived.input.ident;
    let values = fields.iter().map(|field| {
        let member = &field.member;
        let value = if field.is_phantom() {
            frame!(#private::PhantomData)
        } else {
            let guard = field.borrow("guard");
            let value = field.call_in("__g", derived, "SharedParam", "get_shared", &guard);
            field.fitted("__g", derived, &value)
        };
        frame!(#member: #value,)
    });
    let (impl_generics, own, where_clause) = structs::header(derived, fields, "SharedParam");
    frame! {
        impl #impl_generics #private::SharedParam for #own #where_clause {
            #[inline]
            fn get_shared<'__g>(guard: &'__g Self::Guard<'_>) -> Self::Item<'__g> {
                use #private::Unfit as _;
                let _ = guard;
                #name { #(#values)* }
            }
        }
    }
}

/// Implements the trait for a parameter with errors, so that its uses are no further errors.
fn stub(derived: &Derived) -> TokenStream {
    let private = derived.root.private(frame_site());
    let name = &derived.input.ident;
    let (generics, own, where_clause) = structs::header(derived, &[], "");
    let item = structs::applied(derived, name, "__g");
    frame! {
        // SAFETY: never run, as an error is reported with it.
        unsafe impl #generics #private::SystemParam for #own #where_clause {
            type State = ();
            type Guard<'__w> = ();
            type Item<'__g> = #item;
            const ACCESS: &'static #private::ParamAccess = &#private::ParamAccess::Nothing;
            fn init(_: &#private::World) {}
            fn lock<'__w>(
                _: &'__w mut (),
                _: &'__w #private::World,
                _: &'__w #private::HeldBorrows<'__w>,
            ) -> #private::Result<(), #private::ParamError> {
                #private::Ok(())
            }
            fn get<'__g>(_: &'__g mut ()) -> Self::Item<'__g> { #private::broken() }
        }
    }
}

#[cfg(test)]
mod tests;
