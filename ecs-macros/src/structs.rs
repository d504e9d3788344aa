//! What the derives for structs of parameters, of query data and of filters share.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::{
    Data, Fields, GenericArgument, GenericParam, Generics, Member, PathArguments, Type, Visibility,
};

use crate::derive::Derived;
use crate::lists::{any, listed};
use crate::paths::Words;
use crate::pretty;
use crate::regions;
use crate::system::{has_one_lifetime, is_world_parameter};

/// A field.
pub(crate) struct Field {
    pub(crate) member: Member,
    pub(crate) vis: Visibility,
    /// As written.
    pub(crate) ty: Type,
    /// What generated code calls the field or its value.
    pub(crate) binding: Ident,
}

impl Field {
    /// The field as people write it: `time: Res<'w, Time>`.
    pub(crate) fn text(&self) -> String {
        let ty = pretty::line(self.ty.to_token_stream());
        match &self.member {
            Member::Named(name) => format!("{name}: {ty}"),
            Member::Unnamed(index) => format!("{}: {ty}", index.index),
        }
    }

    /// Whether this is a parameter that is known by name, written without the lifetime that a field's type must have.
    pub(crate) fn lacks_lifetime(&self) -> bool {
        is_world_parameter(&self.ty) && !has_lifetime(self.ty.to_token_stream())
    }

    /// Whether the field only mentions a generic parameter.
    pub(crate) fn is_phantom(&self) -> bool {
        matches!(&self.ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "PhantomData"))
    }

    /// `<Type as Trait>::item(arguments)`, with parentheses at the type's place too.
    pub(crate) fn call(
        &self,
        derived: &Derived,
        of: &str,
        item: &str,
        arguments: &TokenStream,
    ) -> TokenStream {
        let function = self.item(derived, of, item);
        let arguments = quote_spanned!(self.binding.span()=> (#arguments));
        quote!(#function #arguments)
    }

    /// As [`call`](Self::call), with the struct's lifetimes as `'region` where what is returned may be invariant in them.
    ///
    /// Elsewhere it may be `'static`, with which the compiler says less about a wrong field.
    pub(crate) fn call_in(
        &self,
        region: &str,
        derived: &Derived,
        of: &str,
        item: &str,
        arguments: &TokenStream,
    ) -> TokenStream {
        if has_one_lifetime(&self.ty) {
            return self.call(derived, of, item, arguments);
        }
        let function = self.item_in(region, derived, of, item);
        let arguments = quote_spanned!(self.binding.span()=> (#arguments));
        quote!(#function #arguments)
    }

    /// `&mut variable.f0`, at the type's place.
    pub(crate) fn of(&self, variable: &str) -> TokenStream {
        self.borrowed(variable, quote!(&mut))
    }

    /// `&variable.f0`, at the type's place.
    pub(crate) fn shared(&self, variable: &str) -> TokenStream {
        self.borrowed(variable, quote!(&))
    }

    fn borrowed(&self, variable: &str, how: TokenStream) -> TokenStream {
        let binding = &self.binding;
        let variable = Ident::new(variable, Span::mixed_site());
        let first = ends(&self.ty.to_token_stream()).0;
        let open = how.into_iter().map(|mut token| {
            token.set_span(first);
            token
        });
        quote_spanned!(binding.span()=> #(#open)* #variable.#binding)
    }

    /// The type without the struct's lifetimes.
    pub(crate) fn erased(&self, derived: &Derived) -> TokenStream {
        regions::replace(&self.ty, &derived.input.generics, "static")
    }

    /// `<Type as Trait>::item` with the struct's lifetimes as `'static`.
    ///
    /// All words carry the place of the type, so that the compiler shows what is wrong with it there, and only once.
    pub(crate) fn item(&self, derived: &Derived, of: &str, item: &str) -> TokenStream {
        self.item_in("static", derived, of, item)
    }

    fn item_in(&self, region: &str, derived: &Derived, of: &str, item: &str) -> TokenStream {
        let ty = regions::replace(&self.ty, &derived.input.generics, region);
        let (first, last) = ends(&ty);
        let private = derived.root.private(last);
        let (of, item) = (Ident::new(of, last), Ident::new(item, last));
        let open = quote_spanned!(first=> <);
        let close = quote_spanned!(last=> as #private::#of>::#item);
        quote!(#open #ty #close)
    }
}

fn has_lifetime(tokens: TokenStream) -> bool {
    any(tokens, &mut |token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '\'',
        TokenTree::Group(group) => has_lifetime(group.stream()),
        _ => false,
    })
}

/// The places of the first and the last token.
pub(crate) fn ends(tokens: &TokenStream) -> (Span, Span) {
    Words::new(tokens.clone()).ends()
}

/// The fields of the struct; none, and a mistake reported, if it is something else.
pub(crate) fn fields(derived: &mut Derived, what: &str) -> Vec<Field> {
    let none = Fields::Unit;
    let fields = match &derived.input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            let message = format!(
                "{what} is a struct; an enum would have to choose its variant before the world is asked"
            );
            derived.errors.push(data.enum_token, message);
            &none
        }
        Data::Union(data) => {
            let message =
                format!("{what} is a struct; the fields of a union could not be had together");
            derived.errors.push(data.union_token, message);
            &none
        }
    };
    let mut list = Vec::new();
    for (member, field) in fields.members().zip(fields) {
        let place = ends(&field.ty.to_token_stream()).1;
        list.push(Field {
            member,
            vis: field.vis.clone(),
            ty: field.ty.clone(),
            binding: Ident::new(&format!("f{}", list.len()), place),
        });
    }
    list
}

/// A field cannot be a generic parameter itself: its value is of another type than the field then.
pub(crate) fn refuse_bare_parameters(derived: &mut Derived, fields: &[Field], advice: &str) {
    for field in fields {
        let ty = field.ty.to_token_stream().to_string();
        if derived
            .input
            .generics
            .type_params()
            .any(|param| param.ident == ty)
        {
            derived.errors.push(
                &field.ty,
                format!("a field cannot be the generic parameter `{ty}` itself, whose values are borrowed under another type; {advice}"),
            );
        }
    }
}

/// The struct's generics without lifetimes, for hidden types and impls that live as long as they like: all lifetimes
/// in bounds are `'static`.
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
    let mut generics =
        regions::changed(generics, &|tokens| regions::replace(tokens, all, "static"));
    require(&mut generics, derived, fields, of);
    generics
}

/// Adds `T: 'static` for each type parameter: what is derived is kept by systems.
fn require_static(generics: &mut Generics) {
    let names = listed(generics.type_params().map(|param| param.ident.clone()));
    if !names.is_empty() {
        let predicates = &mut generics.make_where_clause().predicates;
        for name in names {
            predicates.push(syn::parse_quote_spanned!(Span::mixed_site()=> #name: 'static));
        }
    }
}

/// Says of each field that it has the trait, in a where clause.
///
/// True of every correct struct, and so without effect. Where it is false, the compiler says so once per field, at the
/// field, and takes it for true in the rest of the code. Fields with generic parameters are left out: what is said of
/// those in a where clause hides what is known of them.
pub(crate) fn require(generics: &mut Generics, derived: &Derived, fields: &[Field], of: &str) {
    for field in fields {
        if field.is_phantom() || derived.mentions_parameters(field.ty.to_token_stream()) {
            continue;
        }
        let place = Span::mixed_site().located_at(field.binding.span());
        // A reference is query data if what it refers to is a component: that says it better.
        let (ty, of) = match referred(&field.ty) {
            Some(component) if of == "QueryData" => (component, "Component"),
            _ => (&field.ty, of),
        };
        let ty = regions::replace(ty, &derived.input.generics, "static");
        let (private, of) = (derived.root.private(place), Ident::new(of, place));
        let predicate = syn::parse2(quote_spanned!(place=> #ty: #private::#of));
        if let Ok(predicate) = predicate {
            generics.make_where_clause().predicates.push(predicate);
        }
    }
}

/// The `T` of `&T`, `&mut T`, and `Option` of these.
fn referred(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Group(group) => referred(&group.elem),
        Type::Paren(paren) => referred(&paren.elem),
        Type::Reference(reference) => Some(&reference.elem),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            match &last.arguments {
                PathArguments::AngleBracketed(list) if last.ident == "Option" => {
                    list.args.iter().find_map(|argument| match argument {
                        GenericArgument::Type(ty) => referred(ty),
                        _ => None,
                    })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The struct applied to its own parameters, with the lifetimes as `'region`.
pub(crate) fn applied(derived: &Derived, name: &Ident, region: &str) -> TokenStream {
    let (_, arguments, _) = derived.input.generics.split_for_impl();
    let arguments = regions::replace(&arguments, &derived.input.generics, region);
    quote!(#name #arguments)
}

/// The generics, the struct and the where clause of an impl for the struct, which lints take for the macro's: a lifetime
/// is named there once.
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
    let (_, arguments, _) = all.split_for_impl();
    let name = &derived.input.ident;
    (
        regions::hide(&params, all),
        regions::hide(quote!(#name #arguments), all),
        regions::hide(bounds, all),
    )
}
