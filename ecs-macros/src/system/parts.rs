//! The three closures of a system: make the states, run once, collect what was put off.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::model::{Kind, Param, System};

/// The states of the parameters are nested pairs, `(((), s0), s1)`, that grow and shrink by statements: a `cfg` on a
/// parameter can be repeated on a statement, but not on a part of a tuple's pattern.
pub(super) fn parts(system: &System, marker: &TokenStream) -> TokenStream {
    let private = system.root.private(Span::mixed_site());
    let state = hidden("state");
    let world = hidden("world");
    let queue = hidden("queue");
    let params: Vec<Borrowed<'_>> = system
        .borrowed()
        .enumerate()
        .map(|(index, param)| Borrowed::new(system, param, index))
        .collect();

    let inits = params.iter().map(|p| {
        let (cfg, ty) = (p.cfg(), &p.ty);
        quote!(#cfg let #state = (#state, #ty::init(#world));)
    });
    let unpack: Vec<TokenStream> = params
        .iter()
        .rev()
        .map(|p| {
            let (cfg, name) = (p.cfg(), &p.state);
            quote!(#cfg let (#state, #name) = #state;)
        })
        .collect();
    let locks = params.iter().map(|p| {
        let (cfg, ty, state, guard) = (p.cfg(), &p.ty, &p.state, &p.guard);
        let text = format!("{}: {}", p.param.label(), p.param.type_text());
        quote!(#cfg let mut #guard = #private::named(#text, #ty::lock(#state, #world))?;)
    });
    let flushes = params.iter().map(|p| {
        let (cfg, ty, state) = (p.cfg(), &p.ty, &p.state);
        quote!(#cfg #ty::flush(#state, #queue);)
    });
    let mut borrowed = params.iter();
    let values = system
        .params
        .iter()
        .enumerate()
        .filter_map(|(index, param)| {
            if param.kind == Kind::Argument {
                let (cfg, name) = (cfgs(param), argument_name(param, index));
                return Some(quote!(#cfg #name));
            }
            let p = borrowed.next()?;
            let (cfg, ty, guard) = (p.cfg(), &p.ty, &p.guard);
            Some(quote!(#cfg #ty::get(&mut #guard)))
        });
    let function = &system.function.ident;
    quote! {
        |#world| {
            let #state = ();
            #(#inits)*
            #state
        },
        move |#state, #world| {
            #(#unpack)*
            #(#locks)*
            #private::Ok(#marker::#function(#(#values),*))
        },
        |#state, #queue| {
            #(#unpack)*
            #(#flushes)*
        },
    }
}

struct Borrowed<'a> {
    param: &'a Param,
    /// `<Type as SystemParam>`.
    ty: TokenStream,
    state: Ident,
    guard: Ident,
}

impl<'a> Borrowed<'a> {
    fn new(system: &System, param: &'a Param, index: usize) -> Self {
        // At the type's place, as errors about the values are errors about the type.
        let span = Span::mixed_site().located_at(param.span());
        Self {
            param,
            ty: param.as_param(system),
            state: format_ident!("s{index}", span = span),
            guard: format_ident!("g{index}", span = span),
        }
    }

    fn cfg(&self) -> TokenStream {
        cfgs(self.param)
    }
}

/// The `cfg`s of a parameter.
pub(super) fn cfgs(param: &Param) -> TokenStream {
    let cfg = &param.cfg;
    quote!(#(#cfg)*)
}

/// The name of an ordinary argument in the generated function.
pub(super) fn argument_name(param: &Param, index: usize) -> Ident {
    match &param.name {
        Some(name) => name.clone(),
        None => format_ident!("arg{index}", span = Span::mixed_site()),
    }
}

/// A name that no name of the user can meet.
pub(super) fn hidden(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
