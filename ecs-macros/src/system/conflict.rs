//! Conflicts between the parameters of a system: constants that fail at the span of the parameter.
//!
//! A function of `ecs-core` makes the comparison itself and reads the system's metadata. Pairs of types are compared in
//! addition: the compiler knows whether types are equal that have no exact constant identity.

use super::expansion::Expansion;
use super::model::SystemModel;
use super::param::{Param, ParamKind};
use crate::parameters::{Borrows, Parameter};
use crate::prelude::*;
use crate::types::{optional, path};
use crate::written::Compared;

impl Expansion<'_> {
    /// Returns a constant per parameter that can be checked before the system is instantiated.
    pub(super) fn conflicts(&self) -> Option<TokenStream> {
        let (system, private, ty) = (self.system, &self.private, &self.ty);
        if system.is_exclusive() {
            return None;
        }
        if !self.system.is_generic() {
            let params: Vec<&Param> = to_vec(system.borrowed());
            let checks = checks(system, &params, &quote!(<#ty as #private::System>::META));
            return Some(quote!(#(#checks)*));
        }
        let params = to_vec(system.borrowed().filter(|param| !is_generic(system, param)));
        if params.is_empty() {
            return None;
        }
        let meta = local("META");
        let value = self.meta_of(&params);
        let checks = checks(system, &params, &meta.to_token_stream());
        Some(quote!(static #meta: #private::SystemMeta = #value; #(#checks)*))
    }

    /// Returns the checks of the other parameters, for each instance of a generic system.
    pub(super) fn check_of_instance(&self) -> Option<TokenStream> {
        if !self.checks_instances() {
            return None;
        }
        let (system, private) = (self.system, &self.private);
        let params: Vec<&Param> = to_vec(system.borrowed());
        let settled = (0..params.len()).filter(|&index| !is_generic(system, params[index]));
        let settled = to_vec(settled.map(number));
        let meta = quote!(<Self as #private::System>::META);
        let import = system.root.scope();
        let checks = (0..params.len()).map(|index| {
            let check = check(system, &params, index, &meta, &settled);
            quote!({ #check })
        });
        Some(quote!(const CHECK: () = { #import #(#checks)* };))
    }

    /// Returns a statement by which an instance of a generic system fails to compile if its check fails.
    pub(super) fn force_check(&self) -> Option<TokenStream> {
        let (private, ty) = (&self.private, &self.ty);
        // The compiler mentions the span of the use too.
        let span = self.system.function.ident.span();
        let value = quote_spanned!(span=> <#ty as #private::System>::CHECK);
        self.checks_instances().then(|| quote!(let () = #value;))
    }

    pub(super) fn checks_instances(&self) -> bool {
        let mut params = self.system.borrowed();
        !self.system.is_exclusive()
            && self.system.is_generic()
            && params.any(|param| is_generic(self.system, param))
    }
}

fn is_generic(system: &SystemModel, param: &Param) -> bool {
    system.mentions_generics(&param.supplied)
}

/// Returns a static for each of the parameters, whose initializer is the check.
fn checks(system: &SystemModel, params: &[&Param], meta: &TokenStream) -> Vec<TokenStream> {
    let is_checked =
        |&index: &usize| !is_apart(params, index) || is_ruled(system, params, params[index]);
    let checks = (0..params.len()).filter(is_checked);
    to_vec(checks.map(|index| {
        let check = check(system, params, index, meta, &[]);
        system.check(&format!("CHECK_{index}"), &check)
    }))
}

/// Returns the check of one parameter against the earlier ones, itself and rules, which reads the constant `meta`. Pairs of
/// parameters at `settled` are checked elsewhere.
fn check(
    system: &SystemModel,
    params: &[&Param],
    index: usize,
    meta: &TokenStream,
    settled: &[Literal],
) -> TokenStream {
    // Behind the type, so that no editor takes the names for the user's.
    let (first, last) = params[index].ends;
    let (first, last) = (before(first), after(last));
    let private = system.root.private(first);
    let number = |index| {
        let mut number = number(index);
        number.set_span(last);
        number
    };
    let (two, at) = (params[index], number(index));
    let is_one_type = |one: &Param| {
        let both = one.borrows.zip(two.borrows);
        let may_conflict = both.is_some_and(|(one, two)| one.conflicts_with(two));
        may_conflict.then(|| {
            let (one, two) = (&one.supplied, &two.supplied);
            quote_spanned!(last=> <#private::Pair<#one, #two>>::SAME)
        })
    };
    let rules = is_ruled(system, params, two)
        .then(|| quote_spanned!(last=> #private::refuse_access(#meta, #at);));
    let is_simple = |param: &&Param| has_one_type(param) && !is_generic(system, param);
    if settled.is_empty() && params[..=index].iter().all(is_simple) {
        let pairs = params[..index].iter().enumerate();
        let pairs = pairs.filter_map(|(first, one)| {
            let (first, same) = (number(first), is_one_type(one)?);
            Some(quote_spanned!(last=> #private::refuse_same(#meta, #first, #at, #same);))
        });
        return quote!(#rules #(#pairs)*);
    }
    // Query data that is generic has no list yet.
    let listed = to_vec(params[..=index].iter().map(|param| {
        let kind = match param.kind {
            ParamKind::Item => "QueryData",
            _ => "SystemParam",
        };
        let supplied = param.supplied.to_token_stream();
        (!is_generic(system, param)).then(|| Compared::of(&param.ty, kind, supplied, &private))
    }));
    let same = to_vec((0..=index).filter_map(|earlier| {
        let is_one_type = is_one_type(params[earlier]).filter(|_| earlier < index);
        let share = || (listed[earlier].as_ref()?).share(listed[index].as_ref()?, &private, last);
        let only_data = is_one_type.map(|same| quote_spanned!(last=> (#same, false)));
        let (at, share) = (number(earlier), only_data.or_else(share)?);
        Some(quote_spanned!(last=> (#at, #share)))
    }));
    let arguments = quote!((#meta, #at, [#(#same),*], [#(#settled),*]));
    // From the first to the last token of the type: the compiler shows the failure there.
    let arguments = to_vec(arguments.into_iter().map(|mut token| {
        token.set_span(last);
        token
    }));
    quote_spanned!(last=> #rules #private::refuse #(#arguments)*;)
}

/// Returns whether a parameter is all data of one type, which the compiler can compare with the types of others: whether the
/// engine implements `SingleType` for it.
fn has_one_type(param: &Param) -> bool {
    const NAMES: [&str; 4] = ["Comp", "CompMut", "Res", "ResMut"];
    let known = Parameter::of(optional(&param.ty).unwrap_or(&param.ty));
    known.is_some_and(|known| known.is_of_events() || NAMES.contains(&known.name()))
}

/// Returns whether a parameter has no parts, so that it can only conflict with an earlier one, and the tokens show that it
/// does not.
fn is_apart(params: &[&Param], index: usize) -> bool {
    let single = |param: &Param| param.borrows.filter(|data| data.domain().is_some());
    single(params[index]).is_some_and(|own| {
        let mut others = params[..index].iter().map(|other| single(other));
        others.all(|other| other.is_some_and(|other| !own.conflicts_with(other)))
    })
}

/// Returns whether the check of a parameter decides whether it may touch its data. The metadata, which are one constant and so
/// report one error, decide about the only such parameter of a system without rules.
pub(super) fn is_ruled(system: &SystemModel, params: &[&Param], param: &Param) -> bool {
    let may_break_rules = |param: &Param| may_write(param) || !system.declared.is_empty();
    let all = params.iter().filter(|param| may_break_rules(param));
    may_break_rules(param) && (system.has_rules() || all.count() > 1)
}

/// Returns whether a parameter may write data that belongs to modules, judging by its tokens.
pub(super) fn may_write(param: &Param) -> bool {
    let ty = &param.ty;
    match param.borrows {
        Some(Borrows::Read(_)) => false,
        // A tuple of parameters has no name.
        Some(Borrows::Other) => path(ty).is_none() || names(ty, &|name| name == "Commands"),
        _ => true,
    }
}
