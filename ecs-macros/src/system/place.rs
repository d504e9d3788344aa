//! The types that a parameter names, each in its place: an error in one points at it and names a type that fits.

use super::param::Context;
use crate::prelude::*;
use crate::types::{head, inside_mut, mentions_parameters, name, type_arguments};

/// A place of a type.
#[derive(Clone, Copy)]
enum Place {
    /// A parameter, whose own type is checked elsewhere.
    Param,
    /// The data of a query, or a part of them.
    Data,
    /// The same, of data that are only read.
    Reading,
    /// The filter of a query, or a part of it.
    Filter,
    /// A filter that is negated, or a part of it.
    Negated,
    /// One of the other traits of the module `place` in the library.
    Of(&'static str),
    /// Nothing is asked of the type.
    Any,
}

use Place::{Any, Data, Filter, Negated, Of, Param, Reading};

const COMPONENT: Place = Of("Component");
const TRACKED: Place = Of("Tracked");

impl Place {
    /// Returns the places of the type arguments of `name` in this place; `None` if the type is asked for as a whole.
    fn arguments(self, name: &Ident) -> Option<&'static [Self]> {
        Some(match (self, name.to_string().as_str()) {
            (Param, "Comp" | "CompMut") | (Filter | Negated, "With" | "Without") => &[COMPONENT],
            (Param, "Removed" | "Index" | "OrderedIndex" | "SpatialGrid" | "Indexed")
            | (Filter | Negated, "Added" | "Changed" | "Mutated")
            | (Data, "Mut") => &[TRACKED],
            (Param, "Res" | "ResMut") => &[Of("Resource")],
            (Param, "Local") => &[Of("Local")],
            (Param, "Query" | "Single") => &[Data, Filter],
            (Param, "ParamSet" | "Option") => &[Param],
            (Param, _) => &[],
            (Data, "Option" | "Any") => &[Data],
            (Reading, "Option" | "Any") => &[Reading],
            (Data | Reading, "Up") => &[Of("ToOneTarget"), Reading],
            (Data | Reading, "Entity") => &[],
            (Filter, "TurnedOn" | "TurnedOff") => &[Of("Toggle")],
            (Filter, "Or") => &[Filter],
            (Filter | Negated, "Not") | (Negated, "Or") => &[Negated],
            (Filter | Negated, "Related") => &[Any, Filter],
            _ => return None,
        })
    }
}

/// Returns the tokens of a type with each type that it names written as the `Type` of its place, which is the same type.
///
/// If it names only one, the ends of `tokens` move to the ends of that, so that an error about all points at it, unless a loop
/// asks for it.
pub(super) fn placed(ty: &mut Type, tokens: &TokenList, context: Context<'_>) -> TokenList {
    let Context { root, generics, .. } = context;
    let mut named = Vec::new();
    walk(ty, Param, &mut |ty, _| named.push(ends(ty)));
    // The prelude lacks indexes: an unknown one is one error if it stays where it is.
    let indexes = ["Index", "OrderedIndex", "SpatialGrid", "Indexed"];
    let is_index = |head: &TokenTree| indexes.iter().any(|name| is_word(head, name));
    let stays = context.for_each || tokens.0.first().is_some_and(is_index);
    if let ([(first, last)], false) = (named.as_slice(), stays) {
        let mut moved = tokens.clone();
        move_to(moved.0.last_mut(), after(*last));
        move_to(moved.0.first_mut(), before(*first));
        return moved;
    }
    let marked = marked(ty.clone(), "SystemParam", root, generics);
    TokenList::new(lifetimes::replace(marked, generics, "_"))
}

/// Returns a type with the trait `of`; each type that it names is written as the `Type` of its place.
pub(crate) fn marked(mut ty: Type, of: &str, root: &Root, generics: &Generics) -> Type {
    let place = match of {
        "QueryData" => Data,
        "QueryFilter" => Filter,
        _ => Param,
    };
    walk(&mut ty, place, &mut |ty, of| {
        if !mentions_parameters(generics, ty.to_token_stream()) {
            *ty = Type::Verbatim(root.item_of(ty, ends(ty), &format!("place::{of}"), "Type"));
        }
    });
    ty
}

fn move_to(token: Option<&mut TokenTree>, span: Span) {
    if let Some(token) = token {
        token.set_span(span.resolved_at(token.span()));
    }
}

/// Returns whether this is an `Option` of something that is never missing: the whole type is wrong.
fn is_never_missing(path: &Path) -> bool {
    let of = type_arguments(path).first().and_then(|of| name(of));
    let may_be = ["Res", "ResMut", "NonSend", "NonSendMut", "Single"];
    head(path).is_some_and(|head| head == "Option")
        && of.is_none_or(|of| !may_be.contains(&of.as_str()))
}

/// Passes each type that `ty` names in this place to `each`, with the trait of its place.
fn walk(ty: &mut Type, place: Place, each: &mut dyn FnMut(&mut Type, &str)) {
    match (&mut *ty, place) {
        (_, Any) => return,
        (Type::Group(inner), _) => return walk(&mut inner.elem, place, each),
        (Type::Paren(inner), _) => return walk(&mut inner.elem, place, each),
        (Type::Tuple(tuple), Param | Data | Reading | Filter | Negated) => {
            return tuple.elems.iter_mut().for_each(|ty| walk(ty, place, each));
        }
        (Type::Reference(reference), Data | Reading)
            if matches!(place, Data) || reference.mutability.is_none() =>
        {
            return walk(&mut reference.elem, COMPONENT, each);
        }
        (Type::Path(path), _) => {
            if matches!(place, Param) && is_never_missing(&path.path) {
                return;
            }
            let places = head(&path.path).and_then(|name| place.arguments(name));
            if let Some(places) = places {
                let placed = inside_mut(ty).into_iter().zip(places);
                return placed.for_each(|(ty, place)| walk(ty, *place, each));
            }
        }
        _ => {}
    }
    let of = match place {
        Data => "Data",
        Reading => "ReadOnlyData",
        Filter => "Filter",
        Negated => "NegatableFilter",
        Of(name) => name,
        Param | Any => return,
    };
    each(ty, of);
}
