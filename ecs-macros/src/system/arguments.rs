//! The ordinary arguments of a system that code other than its caller runs.
//!
//! A type in an impl has all its lifetimes, but the type of a parameter may leave them out. So the impl is for any types,
//! and the values are converted to the function's types: `same` checks at run time that they are the same.

use super::expansion::Expansion;
use super::model::SystemModel;
use crate::prelude::*;

/// Returns the only name, or a tuple of all names.
fn tuple(names: &[Ident]) -> TokenStream {
    match names {
        [one] => quote!(#one),
        _ => quote!((#(#names),*)),
    }
}

/// The types in the impl of `VisitSystem`.
pub(super) struct VisitedTypes {
    /// The generics of the hidden type; if the system has arguments, also their types and the result's.
    pub(super) generics: TokenStream,
    pub(super) output: TokenStream,
    /// The arguments as one type: the argument itself if there is only one.
    pub(super) args: TokenStream,
}

/// The ordinary arguments of a call.
pub(super) struct CallArguments {
    /// The user's names, which only the function that callers see has: others inside of it would shadow them.
    names: Vec<Ident>,
    passed: Vec<Ident>,
    /// The names in the types of the function.
    typed: Vec<Ident>,
    /// The types of the arguments, without the names of lifetimes.
    types: Vec<TokenStream>,
}

impl Expansion<'_> {
    /// Returns the types in the impl of `VisitSystem`; none if the arguments depend on types that only a caller knows.
    pub(super) fn visited_types(&self) -> Option<VisitedTypes> {
        let system = self.system;
        let count = system.arguments().count();
        if count == 0 {
            return Some(VisitedTypes {
                generics: self.generics.to_token_stream(),
                output: self.output_type(),
                args: quote!(()),
            });
        }
        let mut types = system.function.generics.type_params();
        // Only observers have events.
        if types.any(|param| system.is_callers(param)) || system.event().is_some() {
            return None;
        }
        let names: Vec<Ident> = to_vec((0..count).map(|n| local(&format!("A{n}"))));
        let output = local("Out");
        let mut generics = system.hidden_generics();
        for name in names.iter().chain([&output]) {
            generics.params.push(parse_quote!(#name: 'static));
        }
        Some(VisitedTypes {
            generics: system.tokens_of(&generics).to_token_stream(),
            output: quote!(#output),
            args: tuple(&names),
        })
    }
}

impl CallArguments {
    pub(super) fn new(system: &SystemModel) -> Self {
        let generics = &system.function.generics;
        let types = system.arguments();
        let names = to_vec(system.arguments().map(|param| param.binding.clone()));
        let indices = 0..names.len();
        let numbered = |of: char| to_vec(indices.clone().map(|n| local(&format!("{of}{n}"))));
        Self {
            passed: numbered('a'),
            typed: numbered('b'),
            names,
            types: to_vec(types.map(|param| lifetimes::replace(&param.ty, generics, "_"))),
        }
    }

    /// Returns the arguments in one value: the argument itself if there is only one.
    pub(super) fn tuple(&self) -> TokenStream {
        tuple(&self.names)
    }

    /// Returns the pattern of such a value; for a visitor, with the [types of the impl](VisitedTypes).
    pub(super) fn pattern(&self, is_visited: bool) -> TokenStream {
        let types = (0..self.passed.len()).map(|n| local(&format!("A{n}")));
        let types = is_visited
            .then(|| tuple(&to_vec(types)))
            .map(|of| quote!(: #of));
        let pattern = tuple(&self.passed);
        quote!(#pattern #types)
    }

    /// Returns the names in the types of the function, in order.
    pub(super) fn values(&self) -> &[Ident] {
        &self.typed
    }

    /// Returns statements that name the types; `same` converts values of other types.
    ///
    /// With the type, an argument that threads cannot share is the same error as in the direct call, and shown once.
    pub(super) fn typed(&self, same: Option<TokenStream>) -> TokenStream {
        let (typed, types) = (&self.typed, &self.types);
        let values = self.passed.iter().map(|value| match &same {
            Some(same) => quote!(#same(#value)),
            None => quote!(#value),
        });
        quote!(#(let #typed: #types = #values;)*)
    }

    /// Returns the result of a call in the type that the visitor expects.
    pub(super) fn returned(
        &self,
        system: &SystemModel,
        private: &TokenList,
        call: &TokenStream,
    ) -> TokenStream {
        let (end, out) = (system.end().filter(|_| !system.for_each), local("Out"));
        if self.names.is_empty() {
            quote!(#call #end)
        } else if system.function.returns_never() && !system.for_each {
            call.clone()
        } else if system.function.returns_unit() {
            quote!(#call #end #private::same::<_, #out>(()))
        } else if !system.for_each {
            quote!(#private::same::<_, #out>(#call))
        } else {
            quote!(#private::same::<_, #out>({ #call }))
        }
    }
}
