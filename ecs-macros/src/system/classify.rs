//! Which parameters the world supplies: decided by how their types are written, as a macro sees no more.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{GenericArgument, Path, PathArguments, Type, TypeReference};

use super::lifetimes;
use crate::lists::{any, listed};

/// The world parameters that are known by name.
const KNOWN: [&str; 14] = [
    "Comp",
    "CompMut",
    "Query",
    "Res",
    "ResMut",
    "NonSend",
    "NonSendMut",
    "Local",
    "Commands",
    "EventReader",
    "EventWriter",
    "Entities",
    "Removed",
    "ParamSet",
];

/// Whether the world supplies values of this type, as far as one can see.
pub(crate) fn is_world_parameter(ty: &Type) -> bool {
    match strip(ty) {
        Type::Path(path) => {
            head(&path.path).is_some_and(|name| KNOWN.iter().any(|known| name == known))
                || arguments(&path.path)
                    .into_iter()
                    .any(|argument| match argument {
                        GenericArgument::Lifetime(lifetime) => lifetime.ident != "static",
                        GenericArgument::Type(ty) => {
                            head(&path.path).is_some_and(|name| name == "Option")
                                && is_world_parameter(ty)
                        }
                        _ => false,
                    })
        }
        Type::Tuple(tuple) => tuple.elems.iter().any(is_world_parameter),
        Type::Reference(reference) => is_world(reference) || is_resources(reference),
        _ => false,
    }
}

/// Whether this is a known parameter of which the lifetime of a borrow is the only one: the data of a query and the
/// parameters of a set have lifetimes too.
pub(crate) fn has_one_lifetime(ty: &Type) -> bool {
    let name = type_name(ty).unwrap_or_default();
    name != "Query" && name != "ParamSet" && KNOWN.iter().any(|known| name == *known)
}

/// Whether a system that is called for each entity gets values of this type from the entity.
pub(super) fn is_item(ty: &Type) -> bool {
    match strip(ty) {
        Type::Reference(reference) => !is_world(reference) && !is_resources(reference),
        Type::Path(path) => head(&path.path).is_some_and(|name| {
            name == "Entity"
                || name == "Mut"
                || name == "Option"
                    && arguments(&path.path).into_iter().any(|argument| {
                        matches!(argument, GenericArgument::Type(ty) if matches!(strip(ty), Type::Reference(_)))
                    })
        }),
        _ => false,
    }
}

/// Items that are borrowed mutably.
#[derive(Clone, Copy)]
pub(super) enum Mutable {
    /// `&mut T`.
    Always,
    /// `Option<&mut T>`.
    Optional,
}

/// The component of an item `&T`, `&mut T`, an `Option` of these, or `Mut<T>`; and whether it must be tracked.
pub(super) fn component(ty: &Type) -> Option<(&Type, bool)> {
    let path = match strip(ty) {
        Type::Reference(reference) => return Some((&reference.elem, false)),
        Type::Path(path) => &path.path,
        _ => return None,
    };
    let argument = types(path).into_iter().next();
    match head(path)?.to_string().as_str() {
        "Option" => component(argument?),
        "Mut" => Some((argument?, true)),
        _ => None,
    }
}

/// How an item is borrowed mutably, if it is.
pub(super) fn mutable(ty: &Type) -> Option<Mutable> {
    let is_mutable = |ty: &Type| matches!(strip(ty), Type::Reference(r) if r.mutability.is_some());
    if is_mutable(ty) {
        return Some(Mutable::Always);
    }
    let Type::Path(path) = strip(ty) else {
        return None;
    };
    let optional = head(&path.path).is_some_and(|name| name == "Option")
        && types(&path.path).into_iter().any(is_mutable);
    optional.then_some(Mutable::Optional)
}

/// Whether this is `&World` or `&mut World`.
pub(super) fn is_world(reference: &TypeReference) -> bool {
    refers_to(reference, "World")
}

/// Whether this is `&ResourceMap`.
pub(super) fn is_resources(reference: &TypeReference) -> bool {
    refers_to(reference, "ResourceMap") && reference.mutability.is_none()
}

fn refers_to(reference: &TypeReference, name: &str) -> bool {
    matches!(strip(&reference.elem), Type::Path(path) if head(&path.path).is_some_and(|head| head == name))
}

/// The last word of a path: `Comp` of `ecs_core::Comp<Position>`.
pub(super) fn head(path: &Path) -> Option<&syn::Ident> {
    path.segments.last().map(|segment| &segment.ident)
}

/// The name of a type for messages, without its arguments.
pub(super) fn type_name(ty: &Type) -> Option<String> {
    match strip(ty) {
        Type::Path(path) => head(&path.path).map(ToString::to_string),
        _ => None,
    }
}

/// What the last word of a path is applied to.
fn arguments(path: &Path) -> Vec<&GenericArgument> {
    match path.segments.last().map(|segment| &segment.arguments) {
        Some(PathArguments::AngleBracketed(arguments)) => listed(&arguments.args),
        _ => Vec::new(),
    }
}

/// The types to which the last word of a path is applied.
pub(super) fn types(path: &Path) -> Vec<&Type> {
    let mut types = Vec::new();
    for argument in arguments(path) {
        if let GenericArgument::Type(ty) = argument {
            types.push(ty);
        }
    }
    types
}

/// Takes parentheses off, also the invisible ones around what a `macro_rules!` was given.
pub(super) fn strip(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => strip(&group.elem),
        Type::Paren(paren) => strip(&paren.elem),
        other => other,
    }
}

/// Whether `impl Trait` occurs in the type.
pub(super) fn has_impl(ty: &Type) -> bool {
    has_word(ty.to_token_stream(), "impl")
}

fn has_word(tokens: TokenStream, word: &str) -> bool {
    any(tokens, &mut |token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => has_word(group.stream(), word),
        _ => false,
    })
}

/// Whether a value of this type borrows from something that its author did not name.
pub(super) fn borrows_unnamed(ty: &Type) -> bool {
    matches!(strip(ty), Type::Reference(reference) if reference.lifetime.is_none())
        || lifetimes::mentions(ty, &|name| name == "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(ty: &str) -> bool {
        is_world_parameter(&syn::parse_str(ty).unwrap())
    }

    #[test]
    fn known_names_lifetimes_and_tuples_of_them_come_from_the_world() {
        for ty in [
            "Res<Time>",
            "ecs_core::CompMut<Position>",
            "Option<ResMut<Time>>",
            "Phys<'_>",
            "Phys<'w, T>",
            "(Comp<A>, usize)",
            "&World",
            "&mut ecs::World",
            "&ResourceMap",
            "((Local<u8>))",
        ] {
            assert!(is(ty), "{ty}");
        }
    }

    #[test]
    fn all_else_is_an_argument() {
        for ty in [
            "usize",
            "&str",
            "Option<usize>",
            "Cow<'static, str>",
            "(u8, f32)",
            "Vec<Res>",
        ] {
            assert!(!is(ty), "{ty}");
        }
    }
}
