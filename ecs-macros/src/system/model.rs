//! What `#[system]` understands of a function.

use std::vec;

use proc_macro2::{Ident, Span};
use quote::{ToTokens as _, format_ident};
use syn::ext::IdentExt as _;
use syn::{GenericParam, Generics, Lifetime, Type, TypeParamBound, WherePredicate};

use super::options::Options;
use super::param::{Kind, Param};
use super::parse::Function;
use super::{classify, each, lifetimes};
use crate::lists::listed;
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
        let mut params = Vec::new();
        for (index, input) in inputs.into_iter().enumerate() {
            params.extend(Param::new(index, input, each.is_some(), &mut borrowed));
        }
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
    pub(super) fn arguments(&self) -> vec::IntoIter<&Param> {
        self.params(&|kind| kind == Kind::Argument)
    }

    /// The parameters of the function as written.
    pub(super) fn written(&self) -> vec::IntoIter<&Param> {
        self.params(&|kind| kind != Kind::Items)
    }

    /// The parameters that the world supplies.
    pub(super) fn borrowed(&self) -> vec::IntoIter<&Param> {
        self.params(&|kind| ![Kind::Argument, Kind::Item].contains(&kind))
    }

    fn params(&self, of: &dyn Fn(Kind) -> bool) -> vec::IntoIter<&Param> {
        let mut params = Vec::new();
        for param in &self.params {
            if of(param.kind) {
                params.push(param);
            }
        }
        params.into_iter()
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

    /// Whether a value of this type borrows from what only the world supplies, or from something without a name.
    pub(super) fn returns_borrow(&self, ty: &Type) -> bool {
        let of = |params: vec::IntoIter<&Param>, name: &Ident| {
            let mut params = params;
            params.any(|param| lifetimes::mentions(&param.ty, &|other| other == name))
        };
        let is_worlds = |kind| kind != Kind::Argument;
        classify::borrows_unnamed(ty)
            || lifetimes::mentions(ty, &|name| {
                self.declares(name) && of(self.params(&is_worlds), name)
            })
    }

    /// The function's generics without the lifetimes for which `dropped` holds and all bounds that mention them. Types
    /// must be `'static`, as the system that they belong to is.
    pub(super) fn generics_without(&self, dropped: &dyn Fn(&Ident) -> bool) -> Generics {
        let mut generics = self.function.generics.clone();
        generics.params.clear();
        for param in &self.function.generics.params {
            if !matches!(param, GenericParam::Lifetime(l) if dropped(&l.lifetime.ident)) {
                generics.params.push(param.clone());
            }
        }
        let names = listed(generics.type_params().map(|p| p.ident.to_string()));
        let mut bounded = Vec::new();
        if let Some(clause) = &mut generics.where_clause {
            for mut predicate in core::mem::take(&mut clause.predicates) {
                if lifetimes::mentions(&predicate, dropped) {
                    continue;
                }
                if let WherePredicate::Type(predicate) = &mut predicate {
                    let name = predicate.bounded_ty.to_token_stream().to_string();
                    if names.contains(&name) {
                        predicate.bounds.push(is_static());
                        bounded.push(name);
                    }
                }
                clause.predicates.push(predicate);
            }
        }
        for param in generics.type_params_mut() {
            for bound in core::mem::take(&mut param.bounds) {
                if !lifetimes::mentions(&bound, dropped) {
                    param.bounds.push(bound);
                }
            }
            // Where the parameter has its bounds already: lints dislike bounds in two places.
            if !bounded.contains(&param.ident.to_string()) {
                param.bounds.push(is_static());
            }
        }
        generics
    }
}

fn is_static() -> TypeParamBound {
    TypeParamBound::Lifetime(Lifetime::new("'static", Span::mixed_site()))
}
