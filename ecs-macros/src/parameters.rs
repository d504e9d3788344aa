//! Parameters that the world supplies, recognized by the way their types are written: a macro sees nothing else.

use crate::prelude::*;
use crate::types::{arguments, head, inside, is_named, lifetime};
use crate::types::{optional, path, strip, type_arguments};

/// A system parameter that is recognized by its name.
pub(crate) struct Parameter {
    /// The name, with an example of its type argument if it takes one.
    pub(crate) written: &'static str,
    pub(crate) borrows: Borrows,
    /// The documentation of its access; its type arguments follow the text.
    pub(crate) access: &'static str,
}

const fn parameter(written: &'static str, borrows: Borrows, access: &'static str) -> Parameter {
    Parameter {
        written,
        borrows,
        access,
    }
}

/// The data that a parameter borrows.
#[derive(Clone, Copy)]
pub(crate) enum Borrows {
    /// All data of the type argument, to read.
    Read(DataDomain),
    /// All data of the type argument, to write.
    Write(DataDomain),
    /// The data of its type arguments, which can have lifetimes of their own.
    Arguments,
    Nothing,
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DataDomain {
    Component,
    Resource,
    NonSend,
}

use Borrows::{Arguments, Nothing, Other, Read, Write};
use DataDomain::{Component, NonSend, Resource};

/// The parameters that are recognized by name.
///
/// This table alone decides which parameters the world supplies, which pairs are checked for conflicts, and how a
/// system documents its access.
static PARAMETERS: [Parameter; 15] = [
    parameter("Comp<Body>", Read(Component), "reads the component"),
    parameter("CompMut<Body>", Write(Component), "writes the component"),
    parameter("Res<Time>", Read(Resource), "reads the resource"),
    parameter("ResMut<Time>", Write(Resource), "writes the resource"),
    parameter("NonSend<Window>", Read(NonSend), "reads the resource"),
    parameter("NonSendMut<Window>", Write(NonSend), "writes the resource"),
    parameter("EventReader<Hit>", Read(Resource), "reads the events"),
    parameter("EventWriter<Hit>", Write(Resource), "writes the events"),
    parameter("Removed<Body>", Other, "reads the removals of"),
    parameter("Query<&Body>", Arguments, "visits entities"),
    parameter("Single<&Body>", Arguments, "visits the one entity"),
    parameter(PARAM_SET, Arguments, "borrows one at a time"),
    parameter("Local<u32>", Nothing, "keeps from run to run"),
    parameter("Commands", Nothing, "issues commands"),
    parameter("Entities", Nothing, "reads which entities are alive"),
];

/// The parameters of the module `index`, recognized only with the feature: a program without it may use the names.
static INDEXES: [Parameter; 5] = [
    parameter("Index", Read(Component), BY_VALUE),
    parameter("OrderedIndex", Read(Component), BY_VALUE),
    parameter("UniqueIndex", Read(Component), BY_VALUE),
    parameter("SpatialGrid", Read(Component), BY_PLACE),
    parameter("Indexed", Read(Component), "finds entities by"),
];

const PARAM_SET: &str = "ParamSet<(CompMut<A>, Comp<A>)>";
const BY_VALUE: &str = "finds entities by the value of";
const BY_PLACE: &str = "finds entities by the place of";

impl Parameter {
    /// Returns the parameter of this name.
    pub(crate) fn known(path: &Path) -> Option<&'static Self> {
        let (head, indexes) = (head(path)?.to_string(), INDEXES.iter());
        let indexes = indexes.filter(|_| cfg!(feature = "index"));
        let mut known = PARAMETERS.iter().chain(indexes);
        let is_end = |rest: &str| !rest.starts_with(char::is_alphabetic);
        known.find(|known| known.written.strip_prefix(&*head).is_some_and(is_end))
    }

    /// Returns the parameter that has the name of this type.
    pub(crate) fn of(ty: &Type) -> Option<&'static Self> {
        path(ty).and_then(Self::known)
    }

    pub(crate) fn name(&self) -> &'static str {
        self.written.split('<').next().unwrap_or_default()
    }

    /// Returns whether a path is one of these with the arguments that it needs: without them it may be a component of
    /// this name.
    pub(crate) fn is_applied(path: &Path) -> bool {
        let takes_none = |known: &Self| ["Commands", "Entities"].contains(&known.name());
        let has_arguments = !type_arguments(path).is_empty();
        Self::known(path).is_some_and(|known| has_arguments || takes_none(known))
    }

    /// Returns whether this is a `Query`, or a `Single`, which has the same arguments.
    pub(crate) fn is_query(&self) -> bool {
        ["Query", "Single"].contains(&self.name())
    }

    /// Returns whether the data are the events of the type argument, not a value of that type.
    pub(crate) fn is_of_events(&self) -> bool {
        ["EventReader", "EventWriter"].contains(&self.name())
    }
}

impl Borrows {
    /// Returns the domain of the data, if it is all data of the type argument.
    pub(crate) fn domain(self) -> Option<DataDomain> {
        match self {
            Read(domain) | Write(domain) => Some(domain),
            Arguments | Nothing | Other => None,
        }
    }

    /// Returns whether this and another parameter conflict if their type arguments are the same.
    pub(crate) fn conflicts_with(self, other: Self) -> bool {
        let writes = matches!((self, other), (Write(_), _) | (_, Write(_)));
        writes && self.domain().is_some() && self.domain() == other.domain()
    }
}

/// Returns the access of a parameter whose events may be data. The parameter's type cannot tell, so a constant needs the
/// trait `NoData`; it is none for other events.
pub(crate) fn access_to_events(ty: &Type, private: &dyn ToTokens) -> Option<TokenStream> {
    let known = Parameter::of(ty).filter(|known| known.is_of_events())?;
    let event = inside(ty).into_iter().next()?;
    Some(match known.borrows {
        Read(_) => quote!(#private::EventsOf::<#event>::READ),
        _ => quote!(#private::EventsOf::<#event>::WRITE),
    })
}

/// Returns the lifetime in a parameter that is known by name.
pub(crate) fn lifetime_of(ty: &Type) -> Option<&Lifetime> {
    let arguments = Parameter::of(ty).and(path(ty)).map(arguments)?;
    arguments.first().copied().and_then(lifetime)
}

/// Returns whether the world supplies values of this type, judging by its tokens.
pub(crate) fn is_world_parameter(ty: &Type) -> bool {
    match strip(ty) {
        Type::Path(_) if optional(ty).is_some_and(is_world_parameter) => true,
        Type::Path(path) => {
            let mut lifetimes = arguments(&path.path).into_iter().filter_map(lifetime);
            Parameter::of(ty).is_some() || lifetimes.any(|lifetime| lifetime.ident != "static")
        }
        Type::Tuple(tuple) => tuple.elems.iter().any(is_world_parameter),
        Type::Reference(reference) => is_world(reference) || is_resources(reference),
        _ => false,
    }
}

/// Returns the parameters that borrow a component and a resource as the reference does.
pub(crate) fn borrowing(reference: &TypeReference) -> (&'static str, &'static str) {
    match reference.mutability {
        Some(_) => ("CompMut", "ResMut"),
        None => ("Comp", "Res"),
    }
}

/// Returns whether this is `&World` or `&mut World`.
pub(crate) fn is_world(reference: &TypeReference) -> bool {
    is_named(&reference.elem, "World")
}

/// Returns whether this is `&ResourceMap`.
pub(crate) fn is_resources(reference: &TypeReference) -> bool {
    is_named(&reference.elem, "ResourceMap") && reference.mutability.is_none()
}

#[cfg(test)]
#[path = "parameters_tests.rs"]
mod tests;
