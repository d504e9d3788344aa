//! `#[derive(Bundle)]`.

use crate::prelude::*;
use crate::structs::{self, FieldModel, Struct, StructKind};

const KIND: StructKind = StructKind {
    of: "Bundle",
    attribute: "bundle",
    probe: "IS_BUNDLE",
    otherwise: None,
    help: "use a struct, or make it one component: `#[derive(Component)]`",
    options: &[],
};

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut model = Struct::parse(input, &KIND)?;
    model.derived.reject_lifetimes("bundle");
    model.finish_checks();
    require_bundles(&mut model);
    let mut code = implement(&model);
    if !model.is_broken {
        code.extend(reject_drop(&model));
        code.extend(reject_duplicates(&model));
    }
    Ok(model.derived.finish_in_scope(&code))
}

/// Requires of a generic struct that its generic fields are bundles.
fn require_bundles(model: &mut Struct) {
    model.bounded = model.derived.input.generics.clone();
    model.bounded.where_clause = model.derived.where_send_sync();
    let private = model.private();
    for FieldModel { ty, .. } in &model.fields {
        if model.derived.mentions_parameters(ty.to_token_stream()) {
            structs::require(&mut model.bounded, &frame!(#ty: #private::Bundle));
        }
    }
}

/// Implements the trait through the tuple of the fields.
fn implement(model: &Struct) -> TokenStream {
    let private = model.private();
    let (generics, own, bounds) = model.header();
    let types = model.fields.iter().map(|field| model.fitting(field));
    let declared = model.list(&nested_tuple(&to_vec(types)), build(model));
    let components = (model.fields.iter()).map(|field| model.checked(field, "COMPONENTS"));
    let members = to_vec(model.fields.iter().map(|field| &field.member));
    let borrows = model.fields.iter().map(|FieldModel { member, ty, .. }| {
        let (span, mut member) = (site().located_at(ends(ty).0), member.clone());
        if let Member::Named(name) = &mut member {
            name.set_span(name.span().located_at(span));
        }
        quote_spanned!(span=> &mut self.#member)
    });
    let list = quote!(<<Self as __Fields>::List as #private::Bundle>);
    let word_unsafe = word_unsafe();
    quote! {
        #declared

        // SAFETY: each function visits all fields, in their written order; the types of the fields uphold the contract.
        // The struct has no `Drop`, so it owns nothing else. The fields are aligned, because `take_effects` compiles.
        #word_unsafe impl #generics #private::Bundle for #own #bounds {
            const MAY_REQUIRE: #private::bool = #list::MAY_REQUIRE;
            const HAS_EFFECTS: #private::bool = #list::HAS_EFFECTS;
            const IS_VARIABLE: #private::bool = #list::IS_VARIABLE;
            const COMPONENTS: &'static #private::Components = &#private::Components::All(&[#(#components),*]);

            #[inline]
            fn types<__Visitor: #private::TypeVisitor>(__visitor: &mut __Visitor) { #list::types(__visitor); }

            #[inline]
            #word_unsafe fn fields<__Visitor: #private::FieldVisitor>(__this: *mut Self, __visitor: &mut __Visitor) {
                let _ = (__this, &mut *__visitor);
                #(
                    // SAFETY: by the caller's contract `this` points to a bundle, so this is one of its fields; each is
                    // visited once, in the order of `types`.
                    #word_unsafe { #private::BundlePart(&raw mut (*__this).#members).fields(__visitor) };
                )*
            }

            // Fails to compile if a field of a packed struct may be unaligned, whichever attribute packs it: `fields`
            // passes pointers to the fields as aligned ones.
            #[inline]
            fn take_effects<__Visitor: #private::EffectVisitor>(&mut self, __visitor: &mut __Visitor) {
                let _ = (&mut *self, &mut *__visitor);
                #(#private::BundlePart(#borrows).take_effects(__visitor);)*
            }

            #[inline]
            #word_unsafe fn read<__Source: #private::FieldSource>(__source: &mut __Source) -> Self {
                // SAFETY: by the caller's contract the source has the values of the whole bundle, whose types match the
                // tuple's in order.
                <Self as __Fields>::build(#word_unsafe { #list::read(__source) })
            }
        }
    }
}

/// Returns the function that makes the struct from the tuple: its declaration, and its implementation.
fn build(model: &Struct) -> (TokenStream, TokenStream) {
    let private = model.private();
    let bindings = model.fields.iter().map(|field| &field.binding);
    let pattern = nested_tuple(&to_vec(bindings.map(ToTokens::to_token_stream)));
    let value =
        |field: &FieldModel| model.fitted(&field.ty.to_token_stream(), "fit", &field.binding);
    let value = match model.is_broken {
        true => quote!(#private::broken()),
        false => {
            let values = to_vec(model.fields.iter().map(value));
            model.made(&model.derived.input.ident, &values)
        }
    };
    let declared = quote! { fn build(__list: Self::List) -> Self; };
    let implemented = quote! {
        #[inline]
        fn build(__list: Self::List) -> Self {
            let #pattern = __list;
            #value
        }
    };
    (declared, implemented)
}

/// Returns constants that fail at a field whose component is also in an earlier field. A generic bundle is checked at its uses.
fn reject_duplicates(model: &Struct) -> Option<TokenStream> {
    let is_plain = |field: &FieldModel| matches!(field.ty, Type::Path(_));
    // The first field can only repeat a component within itself, if it is a tuple.
    let fields = &model.fields;
    let first = usize::from(fields.first().is_some_and(is_plain));
    if fields.len() <= first || !model.derived.input.generics.params.is_empty() {
        return None;
    }
    let (private, name) = (model.private(), &model.derived.input.ident);
    let checks = (first..fields.len()).map(|index| {
        let (first, last) = ends(&fields[index].ty);
        let index = number(index);
        let function = model.derived.root.private(first);
        let arguments = quote_spanned!(last=> (FIELDS, #index));
        quote!(#function::refuse_field #arguments;)
    });
    Some(quote! {
        const _: () = {
            const FIELDS: &[&#private::Components] = match <#name as #private::Bundle>::COMPONENTS {
                #private::Components::All(__fields) => __fields,
                _ => &[],
            };
            #(#checks)*
        };
    })
}

/// Returns code that fails to compile if the struct implements `Drop`, because its fields are moved out. A generic struct
/// gets overlapping impls, any other a constant with a better message.
fn reject_drop(model: &Struct) -> TokenStream {
    let input = &model.derived.input;
    let private = model.private();
    let name = &input.ident;
    if input.generics.params.is_empty() {
        let message = text(&format!(
            "the bundle `{name}` implements `Drop`, but its fields are moved out of it\nhelp: remove `impl Drop for {name}`, and implement `Drop` for a component in it"
        ));
        let function = model.derived.root.private(name.span());
        let arguments =
            quote_spanned!(name.span()=> (#private::Probe::<#name>::HAS_DROP, #message));
        return quote!(const _: () = { #function::wrong_if #arguments; };);
    }
    let check = Ident::new("BundlesMustNotImplementDrop", frame_site());
    let (generics, arguments, where_clause) = input.generics.split_for_impl();
    frame! {
        const _: () = {
            trait #check {}
            impl<T: #private::Drop + ?#private::Sized> #check for T {}
            impl #generics #check for #name #arguments #where_clause {}
        };
    }
}

#[cfg(test)]
#[path = "bundle_tests.rs"]
mod tests;
