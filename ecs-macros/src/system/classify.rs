//! Which parameters the world supplies: decided by how their types are written, as a macro sees no more.

use quote::ToTokens as _;

use super::lifetimes;
use crate::syntax::{Argument, Path, Reference, Shape, Type};

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
    match &ty.strip().shape {
        Shape::Path(path) => {
            let is_world = |argument: &Argument| match argument {
                Argument::Lifetime(name) => name != "static",
                Argument::Type(ty) => is(path, "Option") && is_world_parameter(ty),
                Argument::Other => false,
            };
            KNOWN.iter().any(|known| is(path, known)) || path.arguments().iter().any(is_world)
        }
        Shape::Tuple(types) => types.iter().any(is_world_parameter),
        Shape::Reference(reference) => is_world(reference) || is_resources(reference),
        _ => false,
    }
}

/// Whether a system that is called for each entity gets values of this type from the entity.
pub(super) fn is_item(ty: &Type) -> bool {
    match &ty.strip().shape {
        Shape::Reference(reference) => !is_world(reference) && !is_resources(reference),
        Shape::Path(path) => {
            let is_reference = |argument: &Argument| matches!(argument, Argument::Type(ty) if ty.reference().is_some());
            is(path, "Entity")
                || is(path, "Mut")
                || is(path, "Option") && path.arguments().iter().any(is_reference)
        }
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
    let path = match &ty.strip().shape {
        Shape::Reference(reference) => return Some((&reference.of, false)),
        Shape::Path(path) => path,
        _ => return None,
    };
    let argument = types(path).next();
    match head(path)?.as_str() {
        "Option" => component(argument?),
        "Mut" => Some((argument?, true)),
        _ => None,
    }
}

/// How an item is borrowed mutably, if it is.
pub(super) fn mutable(ty: &Type) -> Option<Mutable> {
    let is_mutable = |ty: &Type| ty.reference().is_some_and(|reference| reference.is_mut);
    if is_mutable(ty) {
        return Some(Mutable::Always);
    }
    let path = ty.path()?;
    let optional = is(path, "Option") && types(path).any(is_mutable);
    optional.then_some(Mutable::Optional)
}

/// Whether this is `&World` or `&mut World`.
pub(super) fn is_world(reference: &Reference) -> bool {
    refers_to(reference, "World")
}

/// Whether this is `&ResourceMap`.
pub(super) fn is_resources(reference: &Reference) -> bool {
    refers_to(reference, "ResourceMap") && !reference.is_mut
}

fn refers_to(reference: &Reference, name: &str) -> bool {
    reference.of.path().is_some_and(|path| is(path, name))
}

/// The last word of a path: `Comp` of `ecs_core::Comp<Position>`.
pub(super) fn head(path: &Path) -> Option<String> {
    path.last().map(|last| last.name.to_string())
}

/// Whether this is the last word of the path.
fn is(path: &Path, name: &str) -> bool {
    path.last().is_some_and(|last| last.name == name)
}

/// The name of a type for messages, without its arguments.
pub(super) fn type_name(ty: &Type) -> Option<String> {
    head(ty.path()?)
}

/// The types to which the last word of a path is applied.
pub(super) fn types(path: &Path) -> impl Iterator<Item = &Type> {
    path.arguments()
        .iter()
        .filter_map(|argument| match argument {
            Argument::Type(ty) => Some(ty),
            _ => None,
        })
}

/// Whether `impl Trait` occurs in the type.
pub(super) fn has_impl(ty: &Type) -> bool {
    has_word(ty.to_token_stream(), "impl")
}

fn has_word(tokens: proc_macro2::TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => ident == word,
        proc_macro2::TokenTree::Group(group) => has_word(group.stream(), word),
        _ => false,
    })
}

/// Whether a value of this type borrows from something that its author did not name.
pub(super) fn borrows_unnamed(ty: &Type) -> bool {
    ty.reference()
        .is_some_and(|reference| !reference.has_lifetime)
        || lifetimes::mentions(ty, &|name| name == "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(ty: &str) -> bool {
        is_world_parameter(&Type::of_tokens(ty.parse().unwrap()))
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
