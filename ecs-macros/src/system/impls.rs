//! The hidden type of a system, and its impls.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt as _;

use super::arguments::VisitedTypes;
use super::body::{Caller, body};
use super::expansion::Expansion;
use super::param::{Param, ParamKind};
use super::{event, lints, probe};
use crate::attributes::is_any;
use crate::lifetimes;
use crate::parameters::access_to_events;
use crate::tokens::{hidden, hide, to_vec};

impl Expansion<'_> {
    /// Returns the declaration of the hidden type.
    pub(super) fn declaration(&self) -> TokenStream {
        let (private, hidden_type, attrs) = (&self.private, &self.hidden_type, &self.attrs);
        let vis = hide(self.system.function.vis.to_token_stream());
        let system = self.system;
        let generics = system.with_static_types(system.hidden_generics());
        let mut types = generics.type_params().map(|param| &param.ident).peekable();
        // Uninhabited: the type only identifies the system.
        let field = match types.peek() {
            None => quote!(()),
            Some(_) => quote!(#private::PhantomData<(#(fn() -> *const #types,)*)>),
        };
        let (params, _, bounds) = generics.split_for_impl();
        quote! {
            #(#attrs)*
            #[doc(hidden)]
            #vis struct #hidden_type #params (#field) #bounds;
        }
    }

    /// Returns the function as written, as an associated function of the hidden type.
    pub(super) fn inner(&self) -> TokenStream {
        self.inner_as(&self.system.function.ident)
    }

    /// Returns the function as written, for a system with errors: nothing calls it, but editors understand its body, and
    /// what only the body uses is used. None if its signature alone does not compile.
    pub(super) fn uncalled_inner(&self) -> Option<TokenStream> {
        let system = self.system;
        // A lint warns of unused functions, but not of those with an underscore.
        let name = &system.function.ident;
        let name = format_ident!("_{}", name.unraw(), span = name.span());
        system.keeps_body().then(|| self.inner_as(&name))
    }

    fn inner_as(&self, name: &Ident) -> TokenStream {
        let function = &self.system.function;
        let (generics, ty, bounds, shared) = (&self.generics, &self.ty, &self.bounds, &self.attrs);
        let attrs = function.attrs.iter();
        let attrs =
            attrs.filter(|attribute| !is_any(attribute, &["doc", "must_use", "deprecated", "cfg"]));
        let params = self.system.written().map(|param| {
            let (attrs, cfg) = (&param.attrs, &param.cfg);
            let (pattern, ty) = (&param.pattern, &param.ty);
            quote!(#(#cfg)* #(#attrs)* #pattern: #ty)
        });
        // Called per entity, perhaps from the crate that instantiates the system.
        let is_inline = function.attrs.iter().any(|a| a.path().is_ident("inline"));
        let inline = (self.system.for_each && !is_inline).then(|| quote!(#[inline]));
        let types = to_vec(self.system.written().map(|param| &param.ty));
        let allowances = lints::allowances(types.len(), &types);
        let (own, clause) = self.own_generics();
        // The error about `const` was reported; in a `const` function there would be more.
        let qualifiers = function.qualifiers.iter();
        let qualifiers = qualifiers.filter(|word| word.to_string() != "const");
        let (output, body) = (&function.output, &function.body);
        quote! {
            #(#shared)*
            impl #generics #ty #bounds {
                #(#attrs)*
                #inline
                #allowances
                #(#qualifiers)* fn #name #own (#(#params),*) #output #clause #body
            }
        }
    }

    /// Returns the generics that the function has and the hidden type has not, and the bounds that mention them.
    fn own_generics(&self) -> (Option<TokenStream>, Option<TokenStream>) {
        let system = self.system;
        let generics = &system.function.generics;
        let lifetimes = generics.lifetimes().map(ToTokens::to_token_stream);
        let mut own: Vec<TokenStream> = to_vec(lifetimes);
        let types = generics.type_params();
        let types = types.filter(|param| system.is_callers(param));
        own.extend(types.map(|param| param.ident.to_token_stream()));
        if own.is_empty() {
            return (None, None);
        }
        let all = self
            .bounds_that(&|bound| self.mentions_lifetimes(bound) || system.mentions_callers(bound));
        let clause = (!all.is_empty()).then(|| quote!(where #(#all),*));
        (Some(quote!(<#(#own),*>)), clause)
    }

    pub(super) fn mentions_lifetimes(&self, tokens: &dyn ToTokens) -> bool {
        lifetimes::mentions(tokens, &|name| self.system.declares(name))
    }

    /// Returns the bounds of the function for which `wanted` holds.
    pub(super) fn bounds_that(&self, wanted: &dyn Fn(&TokenStream) -> bool) -> Vec<TokenStream> {
        let generics = &self.system.function.generics;
        let mut all: Vec<TokenStream> = Vec::new();
        for param in generics.type_params() {
            let name = &param.ident;
            let bounds = param.bounds.iter().map(|bound| quote!(#name: #bound));
            all.extend(bounds.filter(wanted));
        }
        if let Some(clause) = &generics.where_clause {
            let predicates = clause.predicates.iter().map(ToTokens::to_token_stream);
            all.extend(predicates.filter(wanted));
        }
        all
    }

    pub(super) fn meta(&self) -> TokenStream {
        let (private, generics, ty, bounds) =
            (&self.private, &self.generics, &self.ty, &self.bounds);
        let shared = &self.attrs;
        let params: Vec<&Param> = to_vec(self.system.borrowed());
        let meta = self.meta_of(&params);
        let check = self.check_of_instance();
        quote! {
            #(#shared)*
            impl #generics #private::System for #ty #bounds {
                const META: #private::SystemMeta = #meta;
                #check
            }
        }
    }

    /// Returns the metadata of the system with these parameters.
    pub(super) fn meta_of(&self, params: &[&Param]) -> TokenStream {
        let (system, private) = (self.system, &self.private);
        let name = format!("::{}", system.path());
        let params = params.iter().map(|param| {
            let (cfg, label, text) = (param.cfgs(), &param.label, &param.type_text);
            if param.kind == ParamKind::Exclusive {
                return quote! {
                    #cfg #private::ParamInfo::new(#label, #text, &#private::ParamAccess::World(#private::Kind::Write))
                };
            }
            let of = system.item(param, "TYPE");
            let events = access_to_events(&param.ty, private);
            let of = match events.filter(|access| !system.mentions_generics(access.clone())) {
                Some(access) => quote!({
                    use #private::NoData as _;
                    #private::of_events(#of, #access)
                }),
                None => of,
            };
            quote!(#cfg #private::ParamInfo { name: #label, ty: #text, of: #of })
        });
        let meta = quote! {
            #private::SystemMeta::new(
                #private::concat!(#private::module_path!(), #name),
                &[#(#params),*],
            )
        };
        if system.for_each {
            quote!({ use #private::Unknown as _; #meta })
        } else {
            meta
        }
    }

    /// Returns the impl by which other code than its caller runs the system; none if the arguments depend on a `cfg` or on
    /// types that only a caller knows.
    pub(super) fn call(&self) -> Option<TokenStream> {
        let system = self.system;
        let private = &self.private;
        let types = self.visited_types()?;
        let (args, output) = (&types.args, &types.output);
        let arguments = types.arguments(system);
        if system.is_exclusive() {
            let world = hidden("world");
            let (values, function) = (arguments.values(), self.function());
            let run = arguments.returned(private, &quote!(#function(#values #world)));
            let (pattern, casts) = (&arguments.pattern, arguments.casts(private));
            return Some(self.visit(
                &types,
                &quote! {
                    const EXCLUSIVE: #private::Option<#private::ExclusiveFn<#output, #args>> =
                        #private::Some(|#world, #pattern| { #casts #run });
                },
            ));
        }
        let visitor = hidden("visitor");
        let body = body(
            self,
            Caller::Visitor(&arguments),
            &visitor.to_token_stream(),
        );
        let check = self.force_check();
        Some(self.visit(
            &types,
            &quote! {
                #[inline]
                fn visit(#visitor: &mut #private::Visit<impl #private::SystemVisitor<#output, #args>, #output, #args>) {
                    #check
                    #body
                }
            },
        ))
    }

    /// Returns the impl of `VisitSystem` without items, for a system with an error.
    pub(super) fn broken_visit(&self) -> Option<TokenStream> {
        let types = self.visited_types()?;
        Some(self.visit(&types, &TokenStream::new()))
    }

    /// Returns the impl by which an observer runs the system with this body, if its one argument is an event.
    pub(super) fn observer(&self, body: &TokenStream) -> Option<TokenStream> {
        let system = self.system;
        let param = system.event().filter(|_| !system.is_exclusive())?;
        let (private, generics, ty, bounds) =
            (&self.private, &self.generics, &self.ty, &self.bounds);
        let event = event::stands_for(&param.ty, &private.to_token_stream())?;
        let (shared, output, name) = (&self.attrs, self.output_type(), &param.binding);
        let run = hidden("run");
        Some(quote! {
            #(#shared)*
            // SAFETY: `META` and the list were generated from the same parameters, in the same order. A system with an
            // error never runs.
            unsafe impl #generics #private::ObserverSystem<#event, #output> for #ty #bounds {
                fn observe(
                    #name: <#event as #private::Observed>::Of<'_>,
                    #run: #private::Observing<'_, Self>,
                ) -> #private::Result<#output, #private::LockError> {
                    #body
                }
            }
        })
    }

    /// Returns the body of the system as an observer.
    pub(super) fn observer_body(&self) -> TokenStream {
        if self.system.event().is_none() {
            return TokenStream::new();
        }
        let check = self.force_check();
        let body = body(self, Caller::Observer, &hidden("run").to_token_stream());
        quote!(#check #body)
    }

    /// Returns the impl of `VisitSystem` with these items.
    fn visit(&self, types: &VisitedTypes, items: &TokenStream) -> TokenStream {
        let (private, ty, bounds) = (&self.private, &self.ty, &self.bounds);
        let (shared, generics) = (&self.attrs, &types.generics);
        let (args, output) = (&types.args, &types.output);
        quote! {
            #(#shared)*
            // SAFETY: `META` and the items were generated from the same parameters, in the same order. Without items,
            // the system has an error, and never runs.
            unsafe impl #generics #private::VisitSystem<#output, #args> for #ty #bounds { #items }
        }
    }

    /// Returns the checks of the arguments.
    pub(super) fn probes(&self) -> Option<TokenStream> {
        let (probes, shared) = (probe::probes(self.system), &self.attrs);
        (!probes.is_empty()).then(|| quote!(#(#shared)* const _: () = { #probes };))
    }
}
