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
            let checks = checks(system, &params, &ParamSource::System(ty.clone()));
            return Some(quote!(#(#checks)*));
        }
        let params = to_vec(system.borrowed().filter(|param| !is_generic(system, param)));
        if params.is_empty() {
            return None;
        }
        let meta = local("META");
        let value = self.meta_of(&params);
        let source = ParamSource::Meta {
            meta: meta.to_token_stream(),
            checked: quote!(&[]),
        };
        let checks = checks(system, &params, &source);
        Some(quote!(const #meta: #private::SystemMeta = #value; #(#checks)*))
    }

    /// Returns the checks of the other parameters, for each instance of a generic system.
    pub(super) fn check_of_instance(&self) -> Option<TokenStream> {
        if !self.checks_instances() {
            return None;
        }
        let (system, private) = (self.system, &self.private);
        let params: Vec<&Param> = to_vec(system.borrowed());
        let checked = (0..params.len()).filter(|&index| !is_generic(system, params[index]));
        let checked = checked.map(number);
        let source = ParamSource::Meta {
            meta: quote!(<Self as #private::System>::META),
            checked: quote!(&[#(#checked),*]),
        };
        let import = system.root.scope();
        let checks = (0..params.len()).map(|index| {
            let check = check(&params, index, &source, system);
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

/// The source of the parameters of a check.
enum ParamSource {
    /// The system of this type, with all its parameters.
    System(TokenList),
    /// A constant. Pairs of parameters at `checked` are checked elsewhere.
    Meta {
        meta: TokenStream,
        checked: TokenStream,
    },
}

/// Returns a static for each of the parameters, whose initializer is the check.
fn checks(system: &SystemModel, params: &[&Param], source: &ParamSource) -> Vec<TokenStream> {
    let checks = (0..params.len()).filter(|&index| !is_apart(params, index));
    to_vec(checks.map(|index| {
        let check = check(params, index, source, system);
        system.check(&format!("CHECK_{index}"), &check)
    }))
}

/// Returns the check of one parameter against the earlier ones and itself.
fn check(
    params: &[&Param],
    index: usize,
    source: &ParamSource,
    system: &SystemModel,
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
    if let ParamSource::System(ty) = source
        && params[..=index].iter().all(|param| has_one_type(param))
    {
        let mut checks = TokenStream::new();
        for (first, one) in params[..index].iter().enumerate() {
            if let Some(same) = is_one_type(one) {
                let first = number(first);
                checks.extend(
                    quote_spanned!(last=> #private::refuse_same::<#ty>(#first, #at, #same);),
                );
            }
        }
        return checks;
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
    let (function, arguments) = match source {
        // Not as references, which would each be one more constant.
        ParamSource::System(ty) => ("refuse", quote!(::<#ty, _>(#at, [#(#same),*]))),
        ParamSource::Meta { meta, checked } => {
            let arguments = quote!((&#meta, #at, &[#(#same),*], #checked));
            ("refuse_conflict", arguments)
        }
    };
    let function = Ident::new(function, last);
    // From the first to the last token of the type: the compiler shows the failure there.
    let arguments = to_vec(arguments.into_iter().map(|mut token| {
        token.set_span(last);
        token
    }));
    quote_spanned!(last=> #private::#function #(#arguments)*;)
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
