//! The common part of the derives for structs of parameters, query data and filters.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens as _, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{GenericParam, Generics, Member, Type, Visibility};

use crate::derive::Derived;
use crate::lifetimes;
use crate::parameters::{has_one_lifetime, is_world_parameter};
use crate::pretty;
use crate::tokens::{TokenList, any, ends, frame_site, import, to_vec};
use crate::types;
use crate::written;

/// A field.
pub(crate) struct Field {
    pub(crate) member: Member,
    pub(crate) vis: Visibility,
    /// The type as written.
    pub(crate) ty: Type,
    /// The name of the field, or of its value, in generated code.
    pub(crate) binding: Ident,
}

impl Field {
    /// Returns the field as text: `time: Res<'w, Time>`.
    pub(crate) fn text(&self) -> String {
        format!("{}: {}", self.label(), self.type_text())
    }

    /// Returns the name of the field as text, or its index.
    fn label(&self) -> String {
        self.member.to_token_stream().to_string()
    }

    fn type_text(&self) -> String {
        pretty::line(self.ty.to_token_stream())
    }

    fn lacks_lifetime(&self) -> bool {
        if let Some((reference, _)) = types::reference(&self.ty) {
            return reference.lifetime.is_none();
        }
        let mut is_quote =
            |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '\'');
        is_world_parameter(&self.ty) && !any(self.ty.to_token_stream(), &mut is_quote)
    }

    /// Returns whether the field is there to mention a generic parameter.
    pub(crate) fn is_phantom(&self) -> bool {
        types::name(&self.ty).is_some_and(|name| name == "PhantomData")
    }

    /// Returns `<Type as Trait>::item(arguments)`, with parentheses at the type's span too.
    pub(crate) fn call(
        &self,
        derived: &Derived,
        of: &str,
        item: &str,
        arguments: &TokenStream,
    ) -> TokenStream {
        self.call_in("static", derived, of, item, arguments)
    }

    /// Returns `<Type as Trait>::item(arguments)` with the struct's lifetimes as `'lifetime`, in which the result may
    /// be invariant.
    ///
    /// They are `'static` where that makes no difference: then the compiler's message about a wrong field is shorter.
    pub(crate) fn call_in(
        &self,
        lifetime: &str,
        derived: &Derived,
        of: &str,
        item: &str,
        arguments: &TokenStream,
    ) -> TokenStream {
        let lifetime = if has_one_lifetime(&self.ty) {
            "static"
        } else {
            lifetime
        };
        let ty = lifetimes::replace(&self.ty, &derived.input.generics, lifetime);
        let function = derived.root.item_of(&ty, ends(&ty), of, item);
        let arguments = quote_spanned!(self.binding.span()=> (#arguments));
        quote!(#function #arguments)
    }

    /// Returns a value of the field's type with the struct's lifetimes as `'lifetime`, for a struct expression. Unless
    /// the type of the field is wrong, `value` is of that type.
    pub(crate) fn fitted(
        &self,
        lifetime: &str,
        derived: &Derived,
        value: &TokenStream,
    ) -> TokenStream {
        let ty = lifetimes::replace(&self.ty, &derived.input.generics, lifetime);
        let private = derived.root.private(frame_site());
        frame!(#private::Fit::<#ty, _>::new(#value).fit())
    }

    /// Returns `&mut variable.f0`, at the type's span.
    pub(crate) fn borrow_mut(&self, variable: &str) -> TokenStream {
        self.borrowed(variable, quote!(&mut))
    }

    /// Returns `&variable.f0`, at the type's span.
    pub(crate) fn borrow(&self, variable: &str) -> TokenStream {
        self.borrowed(variable, quote!(&))
    }

    fn borrowed(&self, variable: &str, operator: TokenStream) -> TokenStream {
        let binding = &self.binding;
        let variable = Ident::new(variable, frame_site());
        let first = ends(&self.ty).0;
        let operator = operator.into_iter().map(|mut token| {
            token.set_span(first);
            token
        });
        quote_spanned!(binding.span()=> #(#operator)* #variable.#binding)
    }

    /// Returns the type with the struct's lifetimes as `'static`.
    pub(crate) fn erased(&self, derived: &Derived) -> TokenStream {
        lifetimes::replace(&self.ty, &derived.input.generics, "static")
    }

    /// Returns `<Type as Trait>::item` with the struct's lifetimes as `'static`.
    pub(crate) fn item(&self, derived: &Derived, of: &str, item: &str) -> TokenStream {
        let ty = self.erased(derived);
        derived.root.item_of(&ty, ends(&ty), of, item)
    }
}

/// Returns the fields of a struct that derives `of`. Reports an error and returns none for an enum or a union.
pub(crate) fn fields(derived: &mut Derived, of: &str) -> Vec<Field> {
    let fields = derived.fields(of, "use a struct");
    let mut list = Vec::new();
    for (member, field) in fields.members().zip(&fields) {
        let last = ends(&field.ty).1;
        list.push(Field {
            member,
            vis: field.vis.clone(),
            ty: field.ty.clone(),
            binding: Ident::new(&format!("f{}", list.len()), last),
        });
    }
    list
}

/// Returns whether a field is a reference, or a parameter that is known by name, without the lifetime that its type must
/// have.
///
/// The compiler reports it, and would do so again for each impl that repeats the type.
pub(crate) fn lack_lifetimes(fields: &[Field]) -> bool {
    fields.iter().any(Field::lacks_lifetime)
}

/// Rejects fields whose type is a generic parameter: their value is of another type than the field.
pub(crate) fn reject_bare_parameters(
    derived: &mut Derived,
    fields: &[Field],
    fix: &dyn Fn(&str) -> String,
) {
    for field in fields {
        let ty = field.ty.to_token_stream().to_string();
        let mut params = derived.input.generics.type_params();
        if params.any(|param| param.ident == ty) {
            derived.errors.push(
                &field.ty,
                format!(
                    "a field cannot have the generic type `{ty}`, whose values are borrowed under another type\nhelp: write {}",
                    fix(&ty)
                ),
            );
        }
    }
}

/// Returns the struct's generics without lifetimes, for hidden types and impls that are `'static`: all lifetimes in
/// bounds are `'static`.
///
/// Requires the trait `of` for its fields.
pub(crate) fn without_lifetimes(derived: &Derived, fields: &[Field], of: &str) -> Generics {
    let all = &derived.input.generics;
    let mut generics = all.clone();
    generics.params.clear();
    for param in &all.params {
        if !matches!(param, GenericParam::Lifetime(_)) {
            generics.params.push(param.clone());
        }
    }
    let mut generics = types::map_generics(generics, &|tokens| {
        lifetimes::replace(tokens, all, "static")
    });
    require(&mut generics, derived, fields, of);
    generics
}

/// Adds `T: 'static` for each type parameter: systems keep derived types.
fn require_static(generics: &mut Generics) {
    let names = to_vec(generics.type_params().map(|param| param.ident.clone()));
    if !names.is_empty() {
        let predicates = &mut generics.make_where_clause().predicates;
        for name in names {
            predicates.push(syn::parse_quote_spanned!(frame_site()=> #name: 'static));
        }
    }
}

/// Requires the trait `of` for each field, in a where clause.
///
/// It holds for every correct struct, and then has no effect. Where it does not, the compiler reports it once per
/// field, at the field, and assumes it in the rest of the code. Fields with generic parameters are left out: a where
/// clause about those would hide what is known of them.
pub(crate) fn require<'a>(
    generics: &mut Generics,
    derived: &Derived,
    fields: impl IntoIterator<Item = &'a Field>,
    of: &str,
) {
    for field in fields {
        if field.is_phantom() || derived.mentions_parameters(field.ty.to_token_stream()) {
            continue;
        }
        let span = frame_site().located_at(field.binding.span());
        // A reference is query data if its target is a component: an error about that is the clearer one.
        let (ty, of) = match types::reference(&field.ty) {
            Some((reference, _)) if of == "QueryData" => (&*reference.elem, "Component"),
            _ => (&field.ty, of),
        };
        let ty = lifetimes::replace(ty, &derived.input.generics, "static");
        let (private, of) = (derived.root.private(span), Ident::new(of, span));
        let predicate = syn::parse2(quote_spanned!(span=> #ty: #private::#of));
        if let Ok(predicate) = predicate {
            generics.make_where_clause().predicates.push(predicate);
        }
    }
}

/// Returns the statements of a constant that fails at the first field that conflicts with an earlier one, or with itself.
/// `access` returns the access of a field, `is_query` says whether they are the items of one query.
pub(crate) fn refuse_conflicts(
    derived: &Derived,
    fields: &[&Field],
    is_query: bool,
    access: &dyn Fn(&Field) -> TokenStream,
) -> TokenStream {
    let private = derived.root.private(frame_site());
    if fields.is_empty() {
        return TokenStream::new();
    }
    let generics = &derived.input.generics;
    let is_generic = generics.params.len() > generics.lifetimes().count();
    let all = Ident::new("fields", frame_site());
    let name = derived.input.ident.unraw().to_string();
    let infos = fields.iter().map(|field| {
        let (label, text, access) = (field.label(), field.type_text(), access(field));
        quote!(#private::ParamInfo::new(#label, #text, #access))
    });
    let checks = fields.iter().enumerate().map(|(index, field)| {
        let (first, last) = ends(&field.ty);
        let private = derived.root.private(first);
        let all = Ident::new("fields", last.resolved_at(frame_site()));
        let same = (0..=index).filter_map(|earlier| {
            let pair = (&fields[earlier].ty, &field.ty);
            let are_one = written::are_one(pair, is_query, &private, last)?;
            Some(quote_spanned!(last=> (#earlier, #are_one)))
        });
        let same = to_vec(same.filter(|_| !is_generic));
        quote_spanned!(last=> #private::refuse_field_conflict(#name, #is_query, &#all, #index, &[#(#same),*]);)
    });
    frame!(use #private::Distinct as _; let #all = [#(#infos),*]; #(#checks)*)
}

/// Returns a constant that evaluates the accesses of the parameter `ty`, which refuse conflicts, where that is possible
/// without knowing the uses of the struct. No error if it is not a parameter, which is reported elsewhere.
pub(crate) fn force_access(derived: &Derived, ty: &TokenStream) -> Option<TokenStream> {
    let generics = &derived.input.generics;
    if generics.params.len() > generics.lifetimes().count() {
        return None;
    }
    let private = derived.root.private(frame_site());
    let import = import(&derived.root, "Unknown", frame_site());
    Some(quote! {
        const _: () = {
            #import
            let _ = <#private::Probe<#ty>>::TYPE;
        };
    })
}

/// Returns the struct with its own parameters, and the lifetimes among them as `'lifetime`.
pub(crate) fn applied(derived: &Derived, name: &Ident, lifetime: &str) -> TokenStream {
    let (_, arguments, _) = derived.input.generics.split_for_impl();
    let arguments = lifetimes::replace(&arguments, &derived.input.generics, lifetime);
    quote!(#name #arguments)
}

/// Returns the struct `name` with its own parameters, the lifetimes among them hidden from lints: an impl names each
/// once.
pub(crate) fn hidden(derived: &Derived, name: &Ident) -> TokenStream {
    let all = &derived.input.generics;
    let (_, arguments, _) = all.split_for_impl();
    lifetimes::hide(quote!(#name #arguments), all)
}

/// Returns the generics, the struct and the where clause of an impl for the struct, hidden from lints.
///
/// Requires the trait `of` for its fields.
pub(crate) fn header(
    derived: &Derived,
    fields: &[Field],
    of: &str,
) -> (TokenStream, TokenStream, TokenStream) {
    let all = &derived.input.generics;
    let mut bounded = all.clone();
    require_static(&mut bounded);
    require(&mut bounded, derived, fields, of);
    let (params, _, bounds) = bounded.split_for_impl();
    (
        lifetimes::hide(&params, all),
        hidden(derived, &derived.input.ident),
        lifetimes::hide(bounds, all),
    )
}

/// Returns a trait that names the types of fields by their position.
///
/// A macro cannot protect the names in a user's type from a type parameter of the function in which it repeats them. So
/// generated functions with type parameters name the types of fields by this trait. It is declared beside its use, as a
/// field may have a private type.
pub(crate) fn field_type(private: &TokenList) -> TokenStream {
    frame! {
        trait __FieldType<const INDEX: #private::usize> {
            type Type;
        }
    }
}
