//! The hidden type of a system, and its impls.

use super::arguments::{CallArguments, VisitedTypes};
use super::body::{Caller, body};
use super::expansion::Expansion;
use super::param::{Param, ParamKind};
use super::{conflict, event, lints, probe};
use crate::attributes::is_any;
use crate::manifest;
use crate::parameters::access_to_events;
use crate::prelude::*;
use crate::types::{predicates, strip};

impl Expansion<'_> {
    /// Returns the declaration of the hidden type.
    pub(super) fn declaration(&self) -> TokenStream {
        let (private, attrs, name) = (&self.private, &self.attrs, &self.hidden_type);
        let vis = &self.system.function.vis;
        let generics = self.system.with_static_types(self.system.hidden_generics());
        // Lints about types that others can name concern no type in the macro's own span.
        let (hidden, located): (_, fn(TokenStream) -> TokenStream) = match vis {
            Visibility::Inherited => (None, |tokens| tokens),
            _ => (Some(quote!(#[doc(hidden)])), hide),
        };
        // The type only identifies the system: without values if it needs no field for its parameters.
        if generics.params.is_empty() {
            if hidden.is_none() {
                return quote!(#(#attrs)* #[non_exhaustive] enum #name {});
            }
            let (attrs, vis) = (attrs.iter().map(|it| hide(quote!(#it))), hide(quote!(#vis)));
            let name = Ident::new(&name.to_string(), frame_site());
            return frame!(#(#attrs)* #[doc(hidden)] #[non_exhaustive] #vis enum #name {});
        }
        let types = generics.type_params().map(|param| &param.ident);
        let field = located(quote!((#(#private::TypeMark<#types>),*)));
        let head = located(quote!(#(#attrs)* #hidden #vis struct #name));
        let (params, bounds) = (self.system.tokens_of(&generics), &generics.where_clause);
        quote!(#head #params #field #bounds ;)
    }

    /// Returns the original function of a system with errors. Nothing calls it, but editors understand its body, and an
    /// item that only the body uses counts as used. None if its signature alone does not compile.
    pub(super) fn uncalled_inner(&self) -> Option<TokenStream> {
        let plain = |param: &Param| param.ty.clone();
        self.system.keeps_body().then(|| self.inner_of(&plain))
    }

    /// Returns the original function.
    pub(super) fn inner(&self) -> TokenStream {
        let alias = self.alias();
        let function = self.inner_of(&|param| self.silenced(param, &param.ty));
        quote!(#alias #function)
    }

    /// Returns the function as a value; none if a lifetime has bounds, which the type of a function pointer cannot express.
    pub(super) fn has_inner(&self) -> Option<TokenStream> {
        let names = to_vec(self.system.function.generics.lifetimes());
        let is_bounded = names.iter().any(|lifetime| !lifetime.bounds.is_empty());
        let mentions_lifetimes = |bound: &TokenStream| self.mentions_lifetimes(bound);
        if is_bounded || !self.bounds_that(&mentions_lifetimes).is_empty() {
            return None;
        }
        let binder = (!names.is_empty()).then(|| quote!(for<#(#names),*>));
        let (system, private, ty) = (self.system, &self.private, &self.ty);
        // With the types of the caller, which the hidden type does not have.
        let generics = system.without_lifetimes();
        let (generics, bounds) = (system.tokens_of(&generics), &generics.where_clause);
        let types = system.written().map(|param| self.bounded(param, &param.ty));
        let (function, output) = (self.function(), &system.function.output);
        let pointer = quote!(#binder fn(#(#types),*) #output);
        Some(quote! {
            impl #generics #private::HasInner<#pointer> for #ty #bounds {
                const INNER: #pointer = #function;
            }
        })
    }

    /// Returns the original function in the form of a provided trait method: lints about signatures ignore these. `type_of`
    /// returns the type of a parameter.
    fn inner_of(&self, type_of: &dyn Fn(&Param) -> Type) -> TokenStream {
        const OF_WRAPPER: [&str; 4] = ["doc", "must_use", "deprecated", "cfg"];
        let function = &self.system.function;
        let attrs = function.attrs.iter().filter(|it| !is_any(it, &OF_WRAPPER));
        let types = to_vec(self.system.written().map(type_of));
        let params = self.system.written().zip(&types).map(|(param, ty)| {
            let (attrs, pattern) = (&param.attrs, &param.pattern);
            quote!(#(#attrs)* #pattern: #ty)
        });
        // Called per entity, perhaps from the crate that instantiates the system.
        let is_inline = function.attrs.iter().any(|a| a.path().is_ident("inline"));
        let inline = (self.system.for_each && !is_inline).then(|| quote!(#[inline]));
        let large = self.system.written().zip(&types);
        let large = large.filter(|(param, _)| !lints::is_small(&param.ty));
        let allowances = lints::allowances(types.len(), &to_vec(large.map(|(_, ty)| ty)));
        let (own, clause) = self.own_generics();
        // The error about `const` has been reported; a `const` function would cause more.
        let qualifiers = function.qualifiers.iter();
        let qualifiers = to_vec(qualifiers.filter(|word| !is_word(word, "const")));
        let (output, body) = (&function.output, &function.body);
        let (name, shared) = (self.inner_function(), &self.attrs);
        let parentheses = |params| group(Delimiter::Parenthesis, function.parentheses, params);
        let params = parentheses(quote!(#(#params),*));
        let function = quote! {
            #(#attrs)*
            #inline
            #allowances
            #(#qualifiers)* fn #name #own #params #output #clause #body
        };
        let (ty, of, bounds) = (&self.ty, self.inner_trait(), &self.bounds);
        let (of_name, mut generics) = (self.inner_name(), self.generics.clone());
        // Around the body, too: the compiler would suggest to declare its unknown types behind the signature.
        if let Some(close) = generics.0.last_mut() {
            close.set_span(after(body.span()));
        }
        let (declared, provided) = if self.system.for_each {
            // Items are references to components, which may be small: a lint of trait methods reports that.
            let anonymous = self.system.written().zip(&types).map(|(param, ty)| {
                let attrs = param.attrs.iter();
                let cfgs = attrs.filter(|a| is_any(a, &["cfg", "cfg_attr"]));
                quote!(#(#cfgs)* _: #ty)
            });
            let anonymous = parentheses(quote!(#(#anonymous),*));
            let declared = frame! {
                #allowances
                #(#qualifiers)* fn #name #own #anonymous #output #clause;
            };
            (declared, Some(function))
        } else {
            (function, None)
        };
        // Not in the frame: a function of a trait depends on the span of the trait.
        quote! {
            #(#shared)* trait #of_name #generics #bounds { #declared }
            #(#shared)* impl #generics #of for #ty #bounds { #provided }
        }
    }

    /// Returns the generics that the function has and the hidden type does not, and the bounds that mention them.
    fn own_generics(&self) -> (Option<TokenStream>, Option<TokenStream>) {
        let system = self.system;
        let generics = &system.function.generics;
        let lifetimes = generics.lifetimes().map(ToTokens::to_token_stream);
        let types = generics.type_params();
        let types = types.filter(|param| system.is_callers(param));
        let own = to_vec(lifetimes.chain(types.map(|param| param.ident.to_token_stream())));
        if own.is_empty() {
            return (None, None);
        }
        let all =
            self.bounds_that(&|it| self.mentions_lifetimes(it) || system.mentions_callers(it));
        let clause = (!all.is_empty()).then(|| quote!(where #(#all),*));
        (Some(quote!(<#(#own),*>)), clause)
    }

    pub(super) fn mentions_lifetimes(&self, tokens: &dyn ToTokens) -> bool {
        lifetimes::mentions(tokens, &|name| self.system.declares(name))
    }

    /// Returns the bounds of the function for which `wanted` holds.
    pub(super) fn bounds_that(&self, wanted: &dyn Fn(&TokenStream) -> bool) -> Vec<TokenStream> {
        let generics = &self.system.function.generics;
        let declared = generics.type_params().flat_map(|param| {
            let name = &param.ident;
            param.bounds.iter().map(move |bound| quote!(#name: #bound))
        });
        let predicates = predicates(generics).map(ToTokens::to_token_stream);
        to_vec(declared.chain(predicates).filter(wanted))
    }

    pub(super) fn meta(&self) -> TokenStream {
        let (private, ty) = (&self.private, &self.ty);
        let (generics, bounds) = (&self.generics, &self.bounds);
        let params = to_vec(self.system.borrowed());
        let meta = self.meta_of(&params);
        let check = self.check_of_instance();
        // The import moves when a line above it changes, so it is around the metadata, unless their check is there: its error
        // names the items around it.
        let has_events = |param: &&Param| access_to_events(&param.ty, private).is_some();
        let is_asking = self.system.for_each || params.iter().any(has_events);
        let import = (check.is_some() && is_asking).then(|| self.system.root.scope());
        let meta = match import {
            Some(import) => quote!({ #import #meta }),
            None => meta,
        };
        let attrs = self.attrs.iter().filter(|_| check.is_some());
        quote! {
            #(#attrs)*
            impl #generics #private::System for #ty #bounds { const META: #private::SystemMeta = #meta; #check }
        }
    }

    /// Returns the constants with the path of the system and, if it has any, its rules.
    ///
    /// The path is separate: the macros in it are expanded at a place that moves, and what moves is checked again.
    pub(super) fn constants(&self) -> TokenStream {
        let (private, shared, constant) = (&self.private, &self.attrs, self.name());
        let name = text(&format!("::{}", self.system.path()));
        let name = quote! {
            #(#shared)*
            const #constant: #private::SystemPath = #private::system_path!(#name);
        };
        let Some(mut rules) = self.rules() else {
            return name;
        };
        // Behind a name of the user's, the compiler would suggest to declare unknown types of the options.
        rules.set_span(frame_site());
        // The contract at the root of the crate hides the one of a crate without. Nothing else is in the scope of that import.
        let (none, declared) = (frame! { use #private::no_contract::*; }, self.declared());
        let root = manifest::may_have_contract().then(|| frame! { use crate::*; });
        quote! {
            #name
            #(#shared)*
            const #rules: #private::SystemRules = {
                #none
                #private::SystemRules::new({ #root &__CONTRACT_AT_THE_CRATE_ROOT }) #declared
            };
        }
    }

    /// Returns the call that adds the declared access of the system to its path.
    fn declared(&self) -> Option<TokenStream> {
        let (declared, private) = (&self.system.declared, &self.private);
        if declared.is_empty() {
            return None;
        }
        let [writes, reads] = ["writes", "reads"].map(|wanted| {
            let types = declared.iter().filter(|(name, _)| *name == wanted);
            let types = types.map(|(_, ty)| {
                let last = after(ends(ty).1);
                let private = self.system.root.private(before(ends(ty).0));
                let probe = quote_spanned!(last=> <#private::Probe<#ty>>);
                quote_spanned!(last=> #private::RuledData::new(#probe::COMPONENT, #probe::RESOURCE))
            });
            quote!(&[#(#types),*])
        });
        Some(quote!(.touching(&#private::DeclaredAccess::new(#writes, #reads))))
    }

    /// Returns the metadata of the system with these parameters.
    pub(super) fn meta_of(&self, params: &[&Param]) -> TokenStream {
        let (system, private, name) = (self.system, &self.private, self.name());
        let rules = self.rules();
        let new = hidden(if rules.is_some() { "with_rules" } else { "new" });
        let rules = to_vec(rules);
        let infos = to_vec(params.iter().map(|param| {
            let (label, text) = (text(&param.label), text(&param.type_text));
            if param.kind == ParamKind::Exclusive {
                let access = quote!(&#private::ParamAccess::World(#private::Kind::Write));
                return quote!(#private::ParamInfo::new(#label, #text, #access));
            }
            let mut of = system.item(param, "TYPE");
            if param.kind == ParamKind::Items {
                of = quote!(#private::of_row(#of));
            }
            let events = access_to_events(&param.ty, private);
            let of = match events.filter(|access| !system.mentions_generics(access)) {
                Some(access) => quote!(#private::of_events(#of, #access)),
                None => of,
            };
            if !conflict::may_write(param) || conflict::is_ruled(system, params, param) {
                return quote!(#private::ParamInfo { name: #label, ty: #text, of: #of });
            }
            // If it writes data of another module, the compiler shows the error at the type.
            let (first, last) = (before(param.ends.0), after(param.ends.1));
            let private = system.root.private(first);
            quote_spanned!(last=> #private::param_info(#name, #label, #text, #of))
        }));
        quote!(#private::SystemMeta::#new(#name, #(#rules,)* &[#(#infos),*]))
    }

    /// Returns the impl that lets code other than its caller run the system; none if the arguments depend on types that
    /// only a caller knows.
    pub(super) fn call(&self) -> Option<TokenStream> {
        let system = self.system;
        let private = &self.private;
        let types = self.visited_types()?;
        let (args, output) = (&types.args, &types.output);
        let arguments = CallArguments::new(system);
        if system.is_exclusive() {
            let world = local("world");
            let (values, function) = (arguments.values(), self.function());
            let run = quote!(#function(#(#values,)* #world));
            let run = arguments.returned(system, private, &run);
            let pattern = arguments.pattern(false);
            let casts = arguments.typed(Some(quote!(#private::same)));
            let constant = quote! {
                const EXCLUSIVE: #private::Option<#private::ExclusiveFn<#output, #args>> =
                    #private::Some(|#world, #pattern| { #casts #run });
            };
            return Some(self.visit(&types, &constant));
        }
        let (check, visitor) = (self.force_check(), local("visitor"));
        let body = body(self, Caller::Visitor(&visitor));
        let function = quote! {
            #[inline]
            fn visit<__E>(#visitor: &mut #private::SystemVisitor<Self, #args, #output, __E>)
            where
                #output: #private::RunOutput<__E>,
            {
                #check
                #body
            }
        };
        Some(self.visit(&types, &function))
    }

    /// Returns the impl by which an observer runs the system, if its one argument is an event.
    pub(super) fn observer(&self) -> Option<TokenStream> {
        let system = self.system;
        let param = system.event().filter(|_| !system.is_exclusive())?;
        let (private, ty) = (&self.private, &self.ty);
        let (generics, bounds) = (&self.generics, &self.bounds);
        let event = event::Event::new(system, &param.ty, private)?;
        let (ty_of_event, fitting, component) = (event.ty, event.fitting, event.check);
        let (output, name) = (self.output_type(), &param.binding);
        let run = local("run");
        let check = self.force_check();
        let body = body(self, Caller::Call(&run.to_token_stream()));
        let observe = quote! {
            type Event = #fitting;

            #[inline]
            fn observe(
                #name: #private::Option<<Self::Event as #private::Observed>::Of<'_>>,
                #run: #private::Observing<'_, Self>,
            ) -> #private::Option<#private::Result<#output, #private::LockError>> {
                #component
                #check
                #body
            }
        };
        let word_unsafe = word_unsafe();
        Some(quote! {
            // SAFETY: `META` and the list were generated from the same parameters, in the same order.
            #word_unsafe impl #generics #private::ObserverSystem<#ty_of_event, #output> for #ty #bounds { #observe }
        })
    }

    /// Returns the impl of `VisitSystem` with these items.
    fn visit(&self, types: &VisitedTypes, items: &TokenStream) -> TokenStream {
        let (private, ty, bounds) = (&self.private, &self.ty, &self.bounds);
        // Behind empty generics an editor completes no filters, and behind the macro's own words the compiler suggests none.
        let has_params = types.generics.clone().into_iter().nth(2).is_some();
        let is_shown = has_params || self.system.filters.is_empty();
        let generics = is_shown.then_some(&types.generics);
        let (args, output, words) = (&types.args, &types.output, frame!(unsafe impl));
        quote! {
            // SAFETY: `META` and the items were generated from the same parameters, in the same order.
            #words #generics #private::VisitSystem<#output, #args> for #ty #bounds { #items }
        }
    }

    /// Returns the checks of the arguments.
    pub(super) fn probes(&self) -> Option<TokenStream> {
        let (probes, markers) = probe::probes(self.system);
        let (private, ty, bounds) = (&self.private, &self.ty, &self.bounds);
        let argument = local("A");
        let first = self.system.arguments().next();
        let reference = match first.map(|param| strip(&param.ty)) {
            Some(Type::Reference(TypeReference { mutability, .. })) => Some(quote!(& #mutability)),
            _ => None,
        };
        let reports = markers.into_iter().map(|(marker, bound)| {
            let (marker, bound) = (hidden(marker), hidden(bound));
            let mut generics = self.system.hidden_generics();
            generics.params.push(syn::parse_quote!(#argument: #private::#bound));
            let (generics, _, _) = generics.split_for_impl();
            quote! {
                #[diagnostic::do_not_recommend]
                impl #generics #private::Reports<#reference #argument, #private::#marker> for #ty #bounds {}
            }
        });
        let check = self.system.check("PROBES", &probes);
        (!probes.is_empty()).then(|| quote!(#(#reports)* #check))
    }
}
