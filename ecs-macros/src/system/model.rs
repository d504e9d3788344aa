//! A system: a function with its options.

use core::cell::OnceCell;
use std::vec;

use syn::{TypeParam, TypeParamBound};

use super::each::query;
use super::options::Options;
use super::param::{Context, Param, ParamKind};
use super::parse::Function;
use super::shape::{self, Wrong};
use crate::manifest;
use crate::prelude::*;
use crate::types::{has_impl, mentions_parameters};

pub(super) struct SystemModel {
    pub(super) function: Function,
    pub(super) root: Root,
    pub(super) params: Vec<Param>,
    /// `true` if the function is called for each entity.
    pub(super) for_each: bool,
    /// The span of `par_for_each`, if it is called on several threads.
    pub(super) parallel: Option<Span>,
    /// The filters besides the items: their names and components.
    pub(super) filters: Vec<(&'static str, Type)>,
    /// Data that it says it writes or reads, by the names of options.
    pub(super) declared: Vec<(&'static str, Type)>,
    /// The type that a method belongs to, for its path in messages.
    pub(super) owner: Option<String>,
    /// The places before and after all types of the function.
    around: OnceCell<(Span, Span)>,
}

impl SystemModel {
    pub(super) fn new(mut function: Function, options: Options) -> Self {
        let (root, for_each) = (options.root, options.for_each);
        let mut borrowed = false;
        let inputs = core::mem::take(&mut function.inputs).into_iter();
        let context = Context {
            root: &root,
            generics: &function.generics,
            for_each: for_each.is_some(),
        };
        let param = |(index, input)| Param::new(index, input, context, &mut borrowed);
        let mut params = to_vec(inputs.enumerate().filter_map(param));
        // First, so that a conflict with the items is reported at a parameter that the user can remove.
        let query = for_each.as_ref().and_then(|it| query(it, &params, context));
        params.splice(0..0, query);
        Self {
            function,
            params,
            for_each: for_each.is_some(),
            parallel: for_each.as_ref().and_then(|for_each| for_each.parallel),
            filters: for_each.map_or_else(Vec::new, |for_each| for_each.filters),
            root,
            declared: options.declared,
            owner: None,
            around: OnceCell::new(),
        }
    }

    /// Returns the parameters that the caller supplies.
    pub(super) fn arguments(&self) -> vec::IntoIter<&Param> {
        self.params(&|kind| kind == ParamKind::Argument)
    }

    /// Returns the parameters that each entity supplies.
    pub(super) fn items(&self) -> vec::IntoIter<&Param> {
        self.params(&|kind| kind == ParamKind::Item)
    }

    /// Returns the parameters of the function as written.
    pub(super) fn written(&self) -> vec::IntoIter<&Param> {
        self.params(&|kind| kind != ParamKind::Items)
    }

    /// Returns the parameters that the world supplies.
    pub(super) fn borrowed(&self) -> vec::IntoIter<&Param> {
        self.params(&|kind| ![ParamKind::Argument, ParamKind::Item].contains(&kind))
    }

    fn params(&self, of: &dyn Fn(ParamKind) -> bool) -> vec::IntoIter<&Param> {
        to_vec(self.params.iter().filter(|param| of(param.kind))).into_iter()
    }

    /// Returns whether the system needs exclusive access to the world.
    pub(super) fn is_exclusive(&self) -> bool {
        self.params.iter().any(|p| p.kind == ParamKind::Exclusive)
    }

    /// Returns whether rules say what the system may touch: its own, or perhaps a contract.
    pub(super) fn has_rules(&self) -> bool {
        !self.declared.is_empty() || manifest::may_have_contract()
    }

    pub(super) fn name(&self) -> String {
        self.function.ident.unraw().to_string()
    }

    /// Returns the name within its module: `movement`, or `Shop::restock` for a method.
    pub(super) fn path(&self) -> String {
        let name = self.name();
        match &self.owner {
            Some(owner) => format!("{owner}::{name}"),
            None => name,
        }
    }

    /// Returns the name of the hidden type.
    ///
    /// It depends on the types of the parameters as written: if two systems have the same name, only the name is an error,
    /// not everything generated for it.
    pub(super) fn hidden_type(&self) -> Ident {
        let (name, hash) = (camel_case(&self.name()), self.function.hash);
        format_ident!("__System{name}{hash:04X}", span = site())
    }

    /// Returns the `;` after a call, if the function returns `()`: a lint of the user's may ask for it.
    pub(super) fn end(&self) -> Option<TokenStream> {
        self.function.returns_unit().then(|| quote!(;))
    }

    /// Returns the name of the parameter that holds the caller's world.
    pub(super) fn world(&self) -> Ident {
        let is_taken = self.arguments().any(|param| param.binding == "world");
        hidden(if is_taken { "__world" } else { "world" })
    }

    /// Returns whether `name` is a lifetime parameter of the function.
    pub(super) fn declares(&self, name: &Ident) -> bool {
        lifetimes::declares(&self.function.generics, name)
    }

    /// Returns whether a generic parameter of the function occurs in `tokens`: a constant outside of it cannot name those.
    pub(super) fn mentions_generics(&self, tokens: &dyn ToTokens) -> bool {
        let generics = &self.function.generics;
        !generics.params.is_empty()
            && (lifetimes::mentions(tokens, &|name| self.declares(name))
                || mentions_parameters(generics, tokens.to_token_stream()))
    }

    /// Returns `<Type as SystemParam>::item`.
    ///
    /// In a system that is called for each entity, types are [checked](super::each::checks) elsewhere, items one by one:
    /// here no error is reported. Only the metadata report a type whose uses are [silent](Self::is_silenced).
    pub(super) fn item(&self, param: &Param, item: &str) -> TokenStream {
        let is_checked_there = matches!(param.kind, ParamKind::Items | ParamKind::Borrowed)
            && (item != "TYPE" || !self.is_silenced(param));
        if self.for_each && is_checked_there {
            let (ty, item) = (&param.supplied, hidden(item));
            let private = self.root.private(site());
            return quote!(<#private::Probe<#ty>>::#item);
        }
        let at = param.placed.ends();
        self.root.item_of(&param.placed, at, "SystemParam", item)
    }

    /// Returns `<Type as of>::item`.
    pub(super) fn item_of(&self, param: &Param, of: &str, item: &str) -> TokenStream {
        self.root.item_of(&param.supplied, param.ends, of, item)
    }

    /// Returns a static that makes checks. For a constant, rustc suggests to declare an unknown type as its parameter.
    pub(super) fn check(&self, name: &str, statements: &TokenStream) -> TokenStream {
        let name = local(name);
        quote!(static #name: () = { #statements };)
    }

    /// Returns whether a value of this type borrows from a parameter that only the world supplies, or has a lifetime
    /// without a name.
    pub(super) fn returns_borrow(&self, ty: &Type) -> bool {
        let is_of_world = |name: &Ident| {
            let mut params = self.params(&|kind| kind != ParamKind::Argument);
            params.any(|param| lifetimes::mentions(&param.ty, &|other| other == name))
        };
        let borrows = |name: &Ident| name == "_" || self.declares(name) && is_of_world(name);
        lifetimes::elides(ty.to_token_stream()) || lifetimes::mentions(ty, &borrows)
    }

    /// Returns whether the original function can stay although the system has errors: whether its signature compiles, and
    /// gives the types that the body expects.
    pub(super) fn keeps_body(&self) -> bool {
        let function = &self.function;
        // An `async` function has to name all lifetimes, and a returned borrow may need a name.
        let returns = |ty| !has_impl(ty) && !self.returns_borrow(ty);
        let mut qualifiers = function.qualifiers.iter();
        !qualifiers.any(|word| is_word(word, "async"))
            && function.returned().is_none_or(returns)
            && !self.written().any(|param| self.wrong(param).is_some())
    }

    /// Returns the error of a parameter whose written type does not compile.
    pub(super) fn wrong<'a>(&'a self, param: &'a Param) -> Option<Wrong<'a>> {
        shape::wrong(param, self.for_each).or_else(|| shape::unbounded(self, param))
    }

    /// Returns whether there are several systems: instances for the types or constants that the function is generic over.
    pub(super) fn is_generic(&self) -> bool {
        let generics = &self.function.generics;
        let mut types = generics.type_params();
        types.any(|param| !self.is_callers(param)) || generics.const_params().next().is_some()
    }

    /// Returns whether a type parameter of the function belongs to its arguments only. The system is the same for all
    /// these types, so they can borrow: for example, a closure that changes a local variable of the caller.
    pub(super) fn is_callers(&self, param: &TypeParam) -> bool {
        let mentions = |ty: &Type| mentions_any(ty, &[&param.ident]);
        let of_world = |param: &Param| param.kind != ParamKind::Argument && mentions(&param.ty);
        self.owner.is_none()
            && self.event().is_none()
            && self.arguments().any(|param| mentions(&param.ty))
            && !self.params.iter().any(of_world)
            && !self.filters.iter().any(|(_, ty)| mentions(ty))
    }

    /// Returns whether a type parameter that is the [caller's](Self::is_callers) occurs in `tokens`.
    pub(super) fn mentions_callers(&self, tokens: &dyn ToTokens) -> bool {
        let params = self.function.generics.type_params();
        let params = params.filter(|param| self.is_callers(param));
        mentions_any(tokens, &to_vec(params.map(|param| &param.ident)))
    }

    /// Returns the generics of the hidden type: the function's generics without lifetimes, without types of the caller,
    /// and without all bounds that mention them.
    pub(super) fn hidden_generics(&self) -> Generics {
        self.generics_without(&|name| self.declares(name), &|param| self.is_callers(param))
    }

    /// Returns the function's generics without lifetimes, and without all bounds that mention them.
    pub(super) fn without_lifetimes(&self) -> Generics {
        self.generics_without(&|name| self.declares(name), &|_| false)
    }

    /// Returns generics as tokens that surround all types of the function, and of the filters in its attribute: so the compiler
    /// does not suggest in one item and not in another to declare an unknown type, and shows it once.
    pub(super) fn tokens_of(&self, generics: &Generics) -> TokenList {
        let (function, params) = (&self.function, &generics.params);
        let (first, last) = *self.around.get_or_init(|| {
            let (own, middle) = (&function.generics, function.parentheses);
            let filter = self.filters.first().map(|(_, ty)| ends(ty).0);
            let first = filter.or(own.lt_token.map(|open| open.span));
            let clause = own.where_clause.as_ref().map(|clause| ends(clause).1);
            let last = clause.or(function.returned().map(|ty| ends(ty).1));
            let (first, last) = (first.unwrap_or(middle), last.unwrap_or(middle));
            (before(first), after(last))
        });
        let mut tokens = vec![mark('<', Spacing::Alone, first).into()];
        tokens.extend(params.to_token_stream());
        tokens.push(mark('>', Spacing::Alone, last).into());
        TokenList(tokens)
    }

    /// Returns the function's generics without the lifetimes and types that `dropped` accepts, and without all
    /// bounds that mention them.
    pub(super) fn generics_without(
        &self,
        dropped: &dyn Fn(&Ident) -> bool,
        dropped_type: &dyn Fn(&TypeParam) -> bool,
    ) -> Generics {
        let mut generics = self.function.generics.clone();
        generics.params.clear();
        let mut types = Vec::new();
        for param in &self.function.generics.params {
            match param {
                GenericParam::Lifetime(param) if dropped(&param.lifetime.ident) => {}
                GenericParam::Type(param) if dropped_type(param) => types.push(&param.ident),
                _ => generics.params.push(param.clone()),
            }
        }
        let is_dropped =
            |it: &dyn ToTokens| lifetimes::mentions(it, dropped) || mentions_any(it, &types);
        if let Some(clause) = &mut generics.where_clause {
            let all = core::mem::take(&mut clause.predicates).into_iter();
            (clause.predicates).extend(all.filter(|predicate| !is_dropped(predicate)));
        }
        for param in generics.type_params_mut() {
            let all = core::mem::take(&mut param.bounds).into_iter();
            param.bounds.extend(all.filter(|bound| !is_dropped(bound)));
        }
        generics
    }

    /// Makes the types that are not the [caller's](Self::is_callers) `'static`, like the system that they belong to.
    ///
    /// Only the declaration of the hidden type and its names have the bound; its impls get it from there. If an impl repeated
    /// the bound, rustc would suggest to put a missing bound of the user beside it, and so to write on the attribute.
    pub(super) fn with_static_types(&self, mut generics: Generics) -> Generics {
        let types = generics.type_params();
        let types = types.filter(|param| !self.is_callers(param));
        let mut names = to_vec(types.map(|param| param.ident.to_string()));
        let is_static = TypeParamBound::Lifetime(Lifetime::new("'static", site()));
        let mut bounded = Vec::new();
        let clause = generics.where_clause.iter_mut();
        for predicate in clause.flat_map(|clause| &mut clause.predicates) {
            if let WherePredicate::Type(predicate) = predicate {
                let name = predicate.bounded_ty.to_token_stream().to_string();
                if names.contains(&name) {
                    predicate.bounds.push(is_static.clone());
                    bounded.push(name);
                }
            }
        }
        // Put beside the other bounds of the parameter: a lint warns of bounds in two places.
        names.retain(|name| !bounded.contains(name));
        for param in generics.type_params_mut() {
            if names.contains(&param.ident.to_string()) {
                param.bounds.push(is_static.clone());
            }
        }
        generics
    }
}

fn mentions_any(tokens: &dyn ToTokens, wanted: &[&Ident]) -> bool {
    names(tokens, &|name| wanted.contains(&name))
}
