//! The code for a system.
//!
//! Few bodies, as each one costs compile time: the function that callers see, the function as written, the metadata,
//! and the three closures that make a run.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::{Attribute, ReturnType};

use super::model::{Kind, System};
use super::parts::{argument_name, cfgs, hidden, parts};
use super::{classify, docs, lifetimes};

/// The code for a correct system.
pub(super) fn expand(system: &System) -> TokenStream {
    let code = Expansion::new(system);
    let body = if system.is_exclusive() {
        code.exclusive_body()
    } else {
        code.shared_body()
    };
    let wrapper = code.wrapper(&body);
    let marker = code.marker_type();
    let inner = code.inner();
    let meta = code.meta();
    let call = code.call();
    let has_inner = code.has_inner();
    quote!(#wrapper #marker #inner #meta #call #has_inner)
}

/// Stands for a system with mistakes: can be called and scheduled, so that no one else errs.
pub(super) fn stub(system: &System) -> TokenStream {
    let code = Expansion::new(system);
    let private = &code.private;
    let broken = quote!(#private::broken());
    let wrapper = code.wrapper(&broken);
    let marker = code.marker_type();
    let (generics, ty, bounds) = (&code.generics, &code.ty, &code.bounds);
    let cfg = &code.cfg;
    let output = code.output_type();
    let has_arguments = system.arguments().next().is_some();
    let call = (!has_arguments).then(|| {
        quote! {
            #(#cfg)*
            #[doc(hidden)]
            impl #generics #private::Call<#output> for #ty #bounds {
                fn visit<V: #private::Visit<#output>>(_: V) -> V::Output { #broken }
            }
        }
    });
    quote! {
        #wrapper
        #marker
        #(#cfg)*
        #[doc(hidden)]
        impl #generics #private::System for #ty #bounds {
            const META: #private::SystemMeta = #private::SystemMeta::new("", &[]);
        }
        #call
    }
}

/// What the pieces of code need in common.
struct Expansion<'a> {
    system: &'a System,
    private: TokenStream,
    marker: Ident,
    /// `<T: Component>` of the hidden type's impls.
    generics: TokenStream,
    /// `__system_tick<T>`.
    ty: TokenStream,
    /// `__system_tick::<T>`, as a path to call through.
    path: TokenStream,
    bounds: TokenStream,
    cfg: Vec<&'a Attribute>,
}

impl<'a> Expansion<'a> {
    fn new(system: &'a System) -> Self {
        let marker = system.marker();
        let all = system.generics_without(&|name| system.declares(name));
        let (generics, arguments, bounds) = all.split_for_impl();
        let turbofish = arguments.as_turbofish();
        Self {
            private: system.root.private(Span::mixed_site()),
            generics: quote!(#generics),
            ty: quote!(#marker #arguments),
            path: quote!(#marker #turbofish),
            bounds: quote!(#bounds),
            cfg: attributes(system, &["cfg"]),
            marker,
            system,
        }
    }

    /// The function that callers see, under the name of the user's.
    fn wrapper(&self, body: &TokenStream) -> TokenStream {
        let system = self.system;
        let function = &system.function;
        let (private, ty) = (&self.private, &self.ty);
        let world = hidden("world");
        let handle = if system.is_exclusive() {
            quote!(#world: &mut impl #private::WorldForMut<#ty>)
        } else {
            quote!(#world: &impl #private::WorldFor<#ty>)
        };
        let arguments: Vec<TokenStream> = system
            .params
            .iter()
            .enumerate()
            .filter(|(_, param)| param.kind == Kind::Argument)
            .map(|(index, param)| {
                let (cfg, ty, name) = (cfgs(param), &param.ty, argument_name(param, index));
                quote!(#cfg #name: #ty)
            })
            .collect();
        let output = self.output();
        // Lifetimes that only world parameters have are not the caller's.
        let visible = quote!(#(#arguments),* #output);
        let generics = system.generics_without(&|name| {
            system.declares(name) && !lifetimes::mentions(&visible, &|other| other == name)
        });
        let (params, _, bounds) = generics.split_for_impl();
        let attrs = attributes(
            system,
            &[
                "doc",
                "must_use",
                "deprecated",
                "cfg",
                "allow",
                "warn",
                "deny",
                "forbid",
            ],
        );
        let docs = docs::section(system);
        let (vis, name) = (&function.vis, &function.ident);
        // Braces at the user's place: then lints about the function itself are shown as usual.
        let body = quote_spanned!(function.body.span()=> { #body });
        quote! {
            #(#attrs)*
            #[doc = #docs]
            #[inline]
            #[track_caller]
            #vis fn #name #params (#(#arguments,)* #handle) #output #bounds #body
        }
    }

    fn shared_body(&self) -> TokenStream {
        let (system, private, ty) = (self.system, &self.private, &self.ty);
        let world = hidden("world");
        let world = quote!(#private::WorldFor::<#ty>::world(#world));
        if system.arguments().next().is_none() {
            return quote!(#private::direct::<#ty, _>(#world));
        }
        let parts = parts(system, &self.path);
        quote!(#private::direct_with::<#ty, _, _, _, _, _>(#world, #parts))
    }

    fn exclusive_body(&self) -> TokenStream {
        let (private, ty, path) = (&self.private, &self.ty, &self.path);
        let world = hidden("world");
        let function = &self.system.function.ident;
        let values = self.system.params.iter().enumerate().map(|(index, param)| {
            if param.kind == Kind::Argument {
                let (cfg, name) = (cfgs(param), argument_name(param, index));
                quote!(#cfg #name)
            } else {
                quote!(#private::WorldForMut::<#ty>::world_mut(#world))
            }
        });
        quote!(#path::#function(#(#values),*))
    }

    fn marker_type(&self) -> TokenStream {
        let (private, marker, cfg) = (&self.private, &self.marker, &self.cfg);
        let vis = hide(self.system.function.vis.to_token_stream());
        let generics = self
            .system
            .generics_without(&|name| self.system.declares(name));
        let types = generics.type_params().map(|param| &param.ident);
        let (params, _, bounds) = generics.split_for_impl();
        quote! {
            #(#cfg)*
            #[doc(hidden)]
            #vis struct #marker #params (#private::PhantomData<(#(fn() -> *const #types,)*)>) #bounds;
        }
    }

    /// The function as written, where only generated code finds it.
    fn inner(&self) -> TokenStream {
        let function = &self.system.function;
        let (generics, ty, bounds, cfg) = (&self.generics, &self.ty, &self.bounds, &self.cfg);
        let attrs = function.attrs.iter().filter(|attribute| {
            !["doc", "must_use", "deprecated", "cfg"]
                .iter()
                .any(|name| attribute.path().is_ident(name))
        });
        let params = self.system.params.iter().map(|param| {
            let (attrs, cfg) = (&param.attrs, &param.cfg);
            let (pattern, ty) = (&param.pattern, &param.ty);
            quote!(#(#cfg)* #(#attrs)* #pattern: #ty)
        });
        let (lifetimes, clause) = self.lifetimes();
        let (name, output, body) = (&function.ident, &function.output, &function.body);
        quote! {
            #(#cfg)*
            #[doc(hidden)]
            impl #generics #ty #bounds {
                #(#attrs)*
                #[allow(clippy::too_many_arguments, clippy::needless_pass_by_value, clippy::missing_const_for_fn)]
                fn #name #lifetimes (#(#params),*) #output #clause #body
            }
        }
    }

    /// The lifetime parameters of the function, and the bounds that mention them.
    fn lifetimes(&self) -> (Option<TokenStream>, Option<TokenStream>) {
        let generics = &self.system.function.generics;
        let lifetimes: Vec<_> = generics.lifetimes().collect();
        if lifetimes.is_empty() {
            return (None, None);
        }
        let named = |name: &Ident| self.system.declares(name);
        let of_types = generics.type_params().flat_map(|param| {
            let name = &param.ident;
            param
                .bounds
                .iter()
                .filter(|bound| lifetimes::mentions(bound, &named))
                .map(move |bound| quote!(#name: #bound))
        });
        let written = generics.where_clause.iter().flat_map(|clause| {
            clause
                .predicates
                .iter()
                .filter(|predicate| lifetimes::mentions(predicate, &named))
                .map(|predicate| predicate.to_token_stream())
        });
        let all: Vec<TokenStream> = of_types.chain(written).collect();
        let clause = (!all.is_empty()).then(|| quote!(where #(#all),*));
        (Some(quote!(<#(#lifetimes),*>)), clause)
    }

    fn meta(&self) -> TokenStream {
        let system = self.system;
        let (private, generics, ty, bounds) =
            (&self.private, &self.generics, &self.ty, &self.bounds);
        let cfg = &self.cfg;
        let name = format!("::{}", system.name());
        let params = system.borrowed().map(|param| {
            let (cfg, label, text) = (cfgs(param), param.label(), param.type_text());
            if param.kind == Kind::Exclusive {
                return quote! {
                    #cfg #private::ParamInfo::new(#label, #text, &#private::Tree::World(#private::Kind::Write))
                };
            }
            let param = param.as_param(system);
            quote! {
                #cfg #private::ParamInfo::new(#label, #text, #param::ACCESS).remembering(#param::REMEMBERS)
            }
        });
        quote! {
            #(#cfg)*
            #[doc(hidden)]
            impl #generics #private::System for #ty #bounds {
                const META: #private::SystemMeta = #private::SystemMeta::new(
                    #private::concat!(#private::module_path!(), #name),
                    &[#(#params),*],
                );
            }
        }
    }

    /// How others than a caller run the system, if they can.
    fn call(&self) -> Option<TokenStream> {
        let system = self.system;
        if system.arguments().next().is_some() {
            return None;
        }
        let (private, generics, ty, bounds) =
            (&self.private, &self.generics, &self.ty, &self.bounds);
        let (cfg, path) = (&self.cfg, &self.path);
        let output = self.output_type();
        let visitor = hidden("visitor");
        let parts = if system.is_exclusive() {
            let function = &system.function.ident;
            quote!(exclusive(#path::#function))
        } else {
            let parts = parts(system, path);
            quote!(shared(#parts))
        };
        Some(quote! {
            #(#cfg)*
            #[doc(hidden)]
            impl #generics #private::Call<#output> for #ty #bounds {
                #[inline]
                fn visit<V: #private::Visit<#output>>(#visitor: V) -> V::Output {
                    #visitor.#parts
                }
            }
        })
    }

    /// The function as a value; left out where a bound on a lifetime has no place in a function pointer's type.
    fn has_inner(&self) -> Option<TokenStream> {
        let system = self.system;
        let (lifetimes, clause) = self.lifetimes();
        let bounded = system
            .function
            .generics
            .lifetimes()
            .any(|l| !l.bounds.is_empty());
        if bounded || clause.is_some() {
            return None;
        }
        let (private, generics, ty, bounds) =
            (&self.private, &self.generics, &self.ty, &self.bounds);
        let (cfg, path) = (&self.cfg, &self.path);
        let params = system.params.iter().map(|param| {
            let (cfg, ty) = (cfgs(param), &param.ty);
            quote!(#cfg #ty)
        });
        let binder = lifetimes.map(|lifetimes| quote!(for #lifetimes));
        let (name, output) = (&system.function.ident, &system.function.output);
        let pointer = quote!(#binder fn(#(#params),*) #output);
        Some(quote! {
            #(#cfg)*
            #[doc(hidden)]
            impl #generics #private::HasInner<#pointer> for #ty #bounds {
                const INNER: #pointer = #path::#name;
            }
        })
    }

    /// The return type as written; left out where a mistake in it was reported.
    fn output(&self) -> Option<&ReturnType> {
        let function = &self.system.function;
        match function.returned() {
            Some(ty) if classify::has_impl(ty) || classify::borrows_unnamed(ty) => None,
            _ => Some(&function.output),
        }
    }

    fn output_type(&self) -> TokenStream {
        match self.output() {
            Some(ReturnType::Type(_, ty)) => ty.to_token_stream(),
            _ => quote!(()),
        }
    }
}

/// The function's attributes with these names.
fn attributes<'a>(system: &'a System, names: &[&str]) -> Vec<&'a Attribute> {
    let attrs = system.function.attrs.iter();
    attrs
        .filter(|attribute| names.iter().any(|name| attribute.path().is_ident(name)))
        .collect()
}

/// Moves tokens to where lints take them for the macro's.
fn hide(tokens: TokenStream) -> TokenStream {
    let site = Span::mixed_site();
    tokens
        .into_iter()
        .map(|mut token| {
            if let TokenTree::Group(group) = &token {
                token = proc_macro2::Group::new(group.delimiter(), hide(group.stream())).into();
            }
            token.set_span(site);
            token
        })
        .collect()
}
