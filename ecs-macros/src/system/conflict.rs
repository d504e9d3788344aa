//! Conflicts between the parameters of a system: constants that fail at the place of the parameter.
//!
//! The comparison itself is a function of `ecs-core`, which reads the system's metadata. Added to that are questions about
//! pairs of types, as the compiler knows also those equal that have no exact constant identity.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::Type;

use super::classify;
use super::expand::Expansion;
use super::model::System;
use super::param::{Param, hidden};
use super::probe::mentions_generics;
use crate::lists::{changed, listed};
use crate::paths::Words;

impl Expansion<'_> {
    /// A constant per parameter that can be checked before anything is instantiated.
    pub(super) fn conflicts(&self) -> Option<TokenStream> {
        let (system, private, ty, everywhere) =
            (self.system, &self.private, &self.ty, &self.everywhere);
        if system.is_exclusive() {
            return None;
        }
        if !self.is_generic() {
            let params: Vec<&Param> = listed(system.borrowed());
            let checks = checks(system, &params, &Of::System(ty.clone()));
            let everywhere = quote!(#(#everywhere)*);
            return Some(quote!(#(#everywhere #checks)*));
        }
        let params: Vec<&Param> =
            listed(system.borrowed().filter(|param| !is_generic(system, param)));
        if params.is_empty() {
            return None;
        }
        let meta = hidden("META");
        let value = self.meta_of(&params);
        let of = Of::Meta {
            meta: meta.to_token_stream(),
            settled: quote!(&[]),
        };
        let checks = checks(system, &params, &of);
        Some(quote! {
            #(#everywhere)*
            const _: () = {
                const #meta: #private::SystemMeta = #value;
                #(#checks)*
            };
        })
    }

    /// The rest of the checks, for each instance of a generic system.
    pub(super) fn check_of_instance(&self) -> Option<TokenStream> {
        if !self.checks_instances() {
            return None;
        }
        let (system, private) = (self.system, &self.private);
        let params: Vec<&Param> = listed(system.borrowed());
        let settled = params.iter().enumerate().filter_map(|(index, param)| {
            let (cfg, at) = (param.cfgs(), position(&params, index));
            (!is_generic(system, param)).then(|| quote!(#cfg #at))
        });
        let of = Of::Meta {
            meta: quote!(<Self as #private::System>::META),
            settled: quote!(&[#(#settled),*]),
        };
        let checks = (0..params.len()).map(|index| {
            let (cfg, check) = (params[index].cfgs(), check(system, &params, index, &of));
            quote!(#cfg { #check })
        });
        Some(quote!(const CHECK: () = { #(#checks)* };))
    }

    /// Makes an instance of a generic system fail if its check does.
    pub(super) fn force_check(&self) -> Option<TokenStream> {
        let (private, ty) = (&self.private, &self.ty);
        // The compiler mentions the place of use too.
        let place = self.system.function.ident.span();
        let value = quote_spanned!(place=> <#ty as #private::System>::CHECK);
        self.checks_instances().then(|| quote!(let () = #value;))
    }

    fn checks_instances(&self) -> bool {
        let mut params = self.system.borrowed();
        !self.system.is_exclusive()
            && self.is_generic()
            && params.any(|param| is_generic(self.system, param))
    }

    fn is_generic(&self) -> bool {
        let generics = &self.system.function.generics;
        generics.type_params().next().is_some() || generics.const_params().next().is_some()
    }
}

fn is_generic(system: &System, param: &Param) -> bool {
    mentions_generics(system, param.supplied(system).to_token_stream())
}

/// Where a check finds the parameters.
enum Of {
    /// With the system of this type, all of them.
    System(Words),
    /// In a constant; pairs of those at `settled` are looked at elsewhere.
    Meta {
        meta: TokenStream,
        settled: TokenStream,
    },
}

/// A constant for each of the parameters.
fn checks(system: &System, params: &[&Param], of: &Of) -> Vec<TokenStream> {
    // The first one has only itself to conflict with, for which it must have parts.
    let first = params.first().map_or(0, |param| {
        usize::from(matches!(view(&param.ty), View::Of { .. }))
    });
    let checks = (first..params.len()).map(|index| {
        let check = check(system, params, index, of);
        let cfg = params[index].cfgs();
        quote!(#cfg const _: () = { #check };)
    });
    listed(checks)
}

/// The check of one parameter against the earlier ones and itself.
fn check(system: &System, params: &[&Param], index: usize, of: &Of) -> TokenStream {
    let (first, last) = params[index].ends();
    let hidden = system.root.private(Span::mixed_site());
    let private = system.root.private(first);
    let same: Vec<TokenStream> = listed(
        (0..index)
            .filter(|&earlier| may_be_same(&params[earlier].ty, &params[index].ty))
            .map(|earlier| {
                let (one, two) = (
                    params[earlier].supplied(system),
                    params[index].supplied(system),
                );
                let (cfg, at) = (params[earlier].cfgs(), position(params, earlier));
                quote_spanned!(last=> #cfg (#at, <#private::Pair<#one, #two>>::SAME))
            }),
    );
    let import = (!same.is_empty()).then(|| quote!(use #hidden::Different as _;));
    let at = position(params, index);
    let (function, arguments) = match of {
        // No references, each of which would be one more constant.
        Of::System(ty) => ("refuse", quote!(::<#ty, _>(#at, [#(#same),*]))),
        Of::Meta { meta, settled } => (
            "refuse_conflict",
            quote!((&#meta, #at, &[#(#same),*], #settled)),
        ),
    };
    let function = Ident::new(function, last);
    // From the first to the last word of the type: there the compiler shows the failure.
    let arguments = changed(arguments, &mut |mut token| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), group.stream()).into();
        }
        token.set_span(last);
        token
    });
    quote_spanned!(last=> #import #private::#function #arguments;)
}

/// The position of a parameter among those that are configured in.
fn position(params: &[&Param], index: usize) -> TokenStream {
    let earlier = &params[..index];
    let certain = earlier.iter().filter(|param| param.cfg.is_empty()).count();
    if certain == index {
        return quote!(#index);
    }
    let n = hidden("n");
    let cfgs = earlier.iter().filter(|param| !param.cfg.is_empty());
    let cfgs = cfgs.map(|param| param.cfgs());
    quote!({ let #n = #certain; #(#cfgs let #n = #n + 1;)* #n })
}

/// Whether it is worth asking if two parameters are data of the same type, by how they are written.
fn may_be_same(first: &Type, second: &Type) -> bool {
    match (view(first), view(second)) {
        (View::None, _) | (_, View::None) => false,
        (View::Unknown, _) | (_, View::Unknown) => true,
        (
            View::Of { domain, writes },
            View::Of {
                domain: d,
                writes: w,
            },
        ) => domain == d && (writes || w),
    }
}

/// What a parameter that is all data of one type is.
enum View {
    /// No such parameter.
    None,
    /// Perhaps an alias of one.
    Unknown,
    Of {
        domain: &'static str,
        writes: bool,
    },
}

fn view(ty: &Type) -> View {
    let Type::Path(path) = classify::strip(ty) else {
        return View::None;
    };
    let Some(head) = classify::head(&path.path) else {
        return View::None;
    };
    let of = |domain, writes| View::Of { domain, writes };
    match head.to_string().as_str() {
        "Comp" => of("component", false),
        "CompMut" => of("component", true),
        "Res" | "EventReader" => of("resource", false),
        "ResMut" | "EventWriter" => of("resource", true),
        "NonSend" => of("non-send resource", false),
        "NonSendMut" => of("non-send resource", true),
        "Option" => match classify::types(&path.path).first() {
            Some(ty) => view(ty),
            None => View::None,
        },
        "Query" | "Local" | "Commands" | "Entities" | "ParamSet" => View::None,
        _ => View::Unknown,
    }
}
