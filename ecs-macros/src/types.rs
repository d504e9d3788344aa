//! Types as the user wrote them: a macro sees nothing else of them.

use syn::TypeTuple;

use crate::prelude::*;

/// Strips parentheses, including the invisible ones around a fragment of a `macro_rules!`.
pub(crate) fn strip(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => strip(&group.elem),
        Type::Paren(paren) => strip(&paren.elem),
        other => other,
    }
}

pub(crate) fn path(ty: &Type) -> Option<&Path> {
    match strip(ty) {
        Type::Path(path) => Some(&path.path),
        _ => None,
    }
}

/// Returns the last name of a path: `Comp` of `ecs_core::Comp<Position>`.
pub(crate) fn head(path: &Path) -> Option<&Ident> {
    path.segments.last().map(|segment| &segment.ident)
}

/// Returns the last name of a type that is a path, without its arguments.
pub(crate) fn name(ty: &Type) -> Option<String> {
    path(ty).and_then(head).map(ToString::to_string)
}

/// Returns whether this is the last name of a type that is a path.
pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    path(ty).and_then(head).is_some_and(|head| head == name)
}

/// Returns whether a path is the name of a type that is neither component, resource nor parameter.
pub(crate) fn is_primitive(path: &Path) -> bool {
    const NAMES: &str =
        "bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String Entity";
    let name = path.get_ident();
    name.is_some_and(|name| NAMES.split(' ').any(|known| name == known))
}

/// Returns the arguments of the last name of a path.
pub(crate) fn arguments(path: &Path) -> Vec<&GenericArgument> {
    match path.segments.last().map(|segment| &segment.arguments) {
        Some(PathArguments::AngleBracketed(arguments)) => to_vec(&arguments.args),
        _ => Vec::new(),
    }
}

/// Returns the lifetime that an argument is.
pub(crate) fn lifetime(argument: &GenericArgument) -> Option<&Lifetime> {
    match argument {
        GenericArgument::Lifetime(lifetime) => Some(lifetime),
        _ => None,
    }
}

/// Returns the types among the arguments of the last name of a path.
pub(crate) fn type_arguments(path: &Path) -> Vec<&Type> {
    let arguments = arguments(path).into_iter();
    to_vec(arguments.filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }))
}

/// Returns the types among the arguments of a type; none if it is not a path.
pub(crate) fn inside(ty: &Type) -> Vec<&Type> {
    path(ty).map(type_arguments).unwrap_or_default()
}

/// Returns the members of a tuple, or the type itself.
pub(crate) fn parts(ty: &Type) -> Vec<&Type> {
    match strip(ty) {
        Type::Tuple(tuple) => to_vec(&tuple.elems),
        other => vec![other],
    }
}

/// Returns the types among the arguments of a type, to change them.
pub(crate) fn inside_mut(ty: &mut Type) -> Vec<&mut Type> {
    let last = match ty {
        Type::Group(group) => return inside_mut(&mut group.elem),
        Type::Paren(paren) => return inside_mut(&mut paren.elem),
        Type::Path(path) => path.path.segments.last_mut(),
        _ => None,
    };
    let types = match last.map(|last| &mut last.arguments) {
        Some(PathArguments::AngleBracketed(list)) => to_vec(&mut list.args),
        _ => Vec::new(),
    };
    to_vec(types.into_iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }))
}

/// Returns the first type of a kind in a type: itself, an argument, a member of a tuple, or behind a reference.
pub(crate) fn find<'a>(ty: &'a Type, is: &dyn Fn(&Type) -> bool) -> Option<&'a Type> {
    match strip(ty) {
        found if is(found) => Some(found),
        Type::Reference(reference) => find(&reference.elem, is),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(|ty| find(ty, is)),
        ty => inside(ty).into_iter().find_map(|ty| find(ty, is)),
    }
}

/// Returns the `T` of `Option<T>`.
pub(crate) fn optional(ty: &Type) -> Option<&Type> {
    is_named(ty, "Option").then(|| inside(ty).into_iter().next())?
}

/// Returns the members of `Any<(..)>`.
pub(crate) fn any_of(ty: &Type) -> Option<&TypeTuple> {
    match strip(is_named(ty, "Any").then(|| inside(ty).into_iter().next())??) {
        Type::Tuple(members) => Some(members),
        _ => None,
    }
}

/// Returns the reference in `&T` or `Option<&T>`, and whether it is optional.
pub(crate) fn reference(ty: &Type) -> Option<(&TypeReference, bool)> {
    let of = optional(ty);
    match strip(of.unwrap_or(ty)) {
        Type::Reference(reference) => Some((reference, of.is_some())),
        _ => None,
    }
}

/// Returns the word of a reference that writes, before a space.
pub(crate) fn word_mut(reference: &TypeReference) -> &'static str {
    reference.mutability.map_or("", |_| "mut ")
}

/// Returns the reference in `&mut T` or `Option<&mut T>`, and whether it is optional.
pub(crate) fn mutable_reference(ty: &Type) -> Option<(&TypeReference, bool)> {
    reference(ty).filter(|(reference, _)| reference.mutability.is_some())
}

/// Returns the value of a field or parameter of this type, made from the item that a query fetches for it; `None` if the
/// value is the item itself.
///
/// The item of `&mut T` is not a reference if the component is tracked.
pub(crate) fn from_item(
    item: &TokenStream,
    ty: &Type,
    private: &dyn ToTokens,
) -> Option<TokenStream> {
    match strip(ty) {
        Type::Reference(reference) if reference.mutability.is_some() => {
            Some(quote!(#private::into_mut(#item)))
        }
        Type::Tuple(tuple) => from_members(item, tuple, &|item, ty| from_item(item, ty, private)),
        _ => match (optional(ty), any_of(ty)) {
            (Some(inside), _) => from_option(item, inside, private),
            (None, Some(members)) => {
                let from = |item: &_, ty: &_| from_option(item, ty, private);
                let options = from_members(&quote!(#item.0), members, &from)?;
                Some(quote!(#private::Any(#options)))
            }
            (None, None) => None,
        },
    }
}

/// Returns a tuple of these types, made from the tuple of their items by `from`.
fn from_members(
    items: &TokenStream,
    types: &TypeTuple,
    from: &dyn Fn(&TokenStream, &Type) -> Option<TokenStream>,
) -> Option<TokenStream> {
    let mut differs = false;
    let members = to_vec(types.elems.iter().enumerate().map(|(index, ty)| {
        let index = located(Literal::usize_unsuffixed(index));
        let member = quote!(#items.#index);
        let value = from(&member, ty);
        differs |= value.is_some();
        value.unwrap_or(member)
    }));
    differs.then(|| quote!((#(#members,)*)))
}

/// Returns an `Option` of this type, made from the item of `Option<ty>`.
fn from_option(item: &TokenStream, ty: &Type, private: &dyn ToTokens) -> Option<TokenStream> {
    if mutable_reference(ty).is_some_and(|(_, is_optional)| !is_optional) {
        return Some(quote!(#private::Option::map(#item, #private::into_mut)));
    }
    let value = local("value").to_token_stream();
    let inside = from_item(&value, ty, private)?;
    Some(quote!(#private::Option::map(#item, |#value| #inside)))
}

/// Parses `pattern: Type`, or a pattern alone up to a token that `is_end` accepts.
pub(crate) fn typed_pattern(
    input: ParseStream<'_>,
    is_end: fn(ParseStream<'_>) -> bool,
) -> Result<(TokenList, Option<Type>)> {
    let mut pattern = TokenList(Vec::new());
    while !input.is_empty() && !is_end(input) {
        if input.peek(Token![::]) {
            // Two tokens, so that the second is not taken for the `:` that ends the pattern.
            pattern.0.push(input.parse()?);
        } else if input.peek(Token![:]) {
            input.parse::<Token![:]>()?;
            return Ok((pattern, Some(input.parse()?)));
        }
        pattern.0.push(input.parse()?);
    }
    Ok((pattern, None))
}

/// Returns whether `impl Trait` occurs in the type.
pub(crate) fn has_impl(ty: &Type) -> bool {
    names(ty, &|word| word == "impl")
}

/// Returns whether a type or const parameter of `generics` occurs in `tokens`.
pub(crate) fn mentions_parameters(generics: &Generics, tokens: TokenStream) -> bool {
    let is_parameter = |name: &Ident| {
        generics.type_params().any(|param| param.ident == *name)
            || generics.const_params().any(|param| param.ident == *name)
    };
    !generics.params.is_empty() && names(&tokens, &is_parameter)
}

/// Returns the generics for an `impl`. The compiler suggests to add an unknown type of a field to them, which is a second
/// error, unless they are the macro's.
pub(crate) fn parameters(generics: &Generics) -> TokenStream {
    match generics.params.is_empty() {
        true => frame!(<>),
        false => generics.split_for_impl().0.to_token_stream(),
    }
}

pub(crate) fn predicates(generics: &Generics) -> impl Iterator<Item = &WherePredicate> {
    let clause = generics.where_clause.iter();
    clause.flat_map(|clause| &clause.predicates)
}

pub(crate) fn map_generics(
    mut generics: Generics,
    change: &dyn Fn(TokenStream) -> TokenStream,
) -> Generics {
    let clause = generics.where_clause.take();
    if let Ok(Generics { params, .. }) = syn::parse2(change(generics.to_token_stream())) {
        generics.params = params;
    }
    let clause = clause.map(|clause| change(clause.to_token_stream()));
    generics.where_clause = clause.and_then(|clause| syn::parse2(clause).ok());
    generics
}
