//! What `#[system]` understands of a function.

use proc_macro2::{Ident, Span};
use quote::{ToTokens as _, format_ident};
use syn::ext::IdentExt as _;
use syn::{Generics, Type, TypeParamBound, WherePredicate};

use super::options::Options;
use super::param::{Kind, Param};
use super::parse::Function;
use super::{each, lifetimes};
use crate::paths::Root;

/// A system.
pub(super) struct System {
    pub(super) function: Function,
    pub(super) root: Root,
    pub(super) params: Vec<Param>,
    /// Whether the function is called for each entity.
    pub(super) for_each: bool,
    /// Where it says that it is so on several threads, if it is.
    pub(super) parallel: Option<Span>,
    /// For which entities it is called, beside those that have its items: filters and what they ask for.
    pub(super) filters: Vec<(&'static str, Type)>,
    /// The type to which a method belongs, for its path in messages.
    pub(super) owner: Option<String>,
}

impl System {
    pub(super) fn new(mut function: Function, options: Options) -> Self {
        let Options { root, each } = options;
        let mut borrowed = false;
        let inputs = core::mem::take(&mut function.inputs);
        let mut params: Vec<Param> = inputs
            .into_iter()
            .enumerate()
            .filter_map(|(index, input)| Param::new(index, input, each.is_some(), &mut borrowed))
            .collect();
        if let Some(each) = &each
            && let Some(query) = each::query(each, &params, &root)
        {
            // First: what conflicts with the items is a parameter that the user can leave out.
            params.insert(0, query);
        }
        Self {
            function,
            root,
            params,
            for_each: each.is_some(),
            parallel: each.as_ref().and_then(|each| each.parallel),
            filters: each.map_or_else(Vec::new, |each| each.filters),
            owner: None,
        }
    }

    /// The parameters that the caller supplies.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|p| p.kind == Kind::Argument)
    }

    /// The parameters of the function as written.
    pub(super) fn written(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|p| p.kind != Kind::Items)
    }

    /// The parameters that the world supplies.
    pub(super) fn borrowed(&self) -> impl Iterator<Item = &Param> {
        let others = [Kind::Argument, Kind::Item];
        self.params
            .iter()
            .filter(move |p| !others.contains(&p.kind))
    }

    /// Whether the system needs the world alone.
    pub(super) fn is_exclusive(&self) -> bool {
        self.params.iter().any(|p| p.kind == Kind::Exclusive)
    }

    /// The function's name as text.
    pub(super) fn name(&self) -> String {
        self.function.ident.unraw().to_string()
    }

    /// The name within its module: `movement`, or `Shop::restock` for a method.
    pub(super) fn path(&self) -> String {
        let name = self.name();
        match &self.owner {
            Some(owner) => format!("{owner}::{name}"),
            None => name,
        }
    }

    /// The name of the hidden type.
    pub(super) fn marker(&self) -> Ident {
        format_ident!("__system_{}", self.name(), span = Span::mixed_site())
    }

    /// Whether `name` is a lifetime parameter of the function.
    pub(super) fn declares(&self, name: &Ident) -> bool {
        let mut declared = self.function.generics.lifetimes();
        declared.any(|lifetime| lifetime.lifetime.ident == *name)
    }

    /// The function's generics without the lifetimes for which `dropped` holds and all bounds that mention them. Types
    /// must be `'static`, as the system that they belong to is.
    pub(super) fn generics_without(&self, dropped: &dyn Fn(&Ident) -> bool) -> Generics {
        let mut generics = self.function.generics.clone();
        generics.params = generics
            .params
            .into_iter()
            .filter(|param| {
                !matches!(param, syn::GenericParam::Lifetime(l) if dropped(&l.lifetime.ident))
            })
            .collect();
        let names: Vec<String> = generics
            .type_params()
            .map(|p| p.ident.to_string())
            .collect();
        let mut bounded = Vec::new();
        if let Some(clause) = &mut generics.where_clause {
            clause.predicates = core::mem::take(&mut clause.predicates)
                .into_iter()
                .filter(|predicate| !lifetimes::mentions(predicate, dropped))
                .collect();
            for predicate in &mut clause.predicates {
                let WherePredicate::Type(predicate) = predicate else {
                    continue;
                };
                let name = predicate.bounded_ty.to_token_stream().to_string();
                if names.contains(&name) {
                    predicate.bounds.push(is_static());
                    bounded.push(name);
                }
            }
        }
        for param in generics.type_params_mut() {
            param.bounds = core::mem::take(&mut param.bounds)
                .into_iter()
                .filter(|bound| !lifetimes::mentions(bound, dropped))
                .collect();
            // Where the parameter has its bounds already: lints dislike bounds in two places.
            if !bounded.contains(&param.ident.to_string()) {
                param.bounds.push(is_static());
            }
        }
        generics
    }
}

fn is_static() -> TypeParamBound {
    syn::parse_quote_spanned!(Span::mixed_site()=> 'static)
}
