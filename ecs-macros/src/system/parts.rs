//! The three closures of a system: make the states, run once, collect what was put off.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};

use super::each;
use super::expand::Expansion;
use super::model::System;
use super::param::{Kind, Param, hidden, hidden_at};

/// The states of the parameters are nested pairs, `(((), s0), s1)`, that grow and shrink by statements: a `cfg` on a
/// parameter can be repeated on a statement, but not on a part of a tuple's pattern.
pub(super) fn parts(code: &Expansion<'_>) -> TokenStream {
    let (system, marker) = (code.system, &code.path);
    let private = system.root.private(Span::mixed_site());
    let state = hidden("state");
    let world = hidden("world");
    let queue = hidden("queue");
    let joint = hidden("joint");
    let params: Vec<Borrowed<'_>> = system
        .borrowed()
        .enumerate()
        .map(|(index, param)| Borrowed {
            system,
            param,
            state: hidden_at(&format!("s{index}"), param.span()),
        })
        .collect();

    let inits = params.iter().map(|p| {
        let (cfg, init) = (p.param.cfgs(), p.call("init", &quote!(#world)));
        quote!(#cfg let #state = (#state, #init);)
    });
    let unpack: Vec<TokenStream> = params
        .iter()
        .rev()
        .map(|p| {
            let (cfg, name) = (p.param.cfgs(), &p.state);
            quote!(#cfg let (#state, #name) = #state;)
        })
        .collect();
    let locks = params.iter().map(|p| {
        let (cfg, state, guard) = (p.param.cfgs(), &p.state, &p.param.binding);
        let lock = p.call("lock_beside", &quote!(#state, #world, #joint));
        let text = format!("{}: {}", p.param.label, p.param.type_text);
        let mutable = (!p.is_shared()).then(|| quote!(mut));
        quote!(#cfg let #mutable #guard = #private::named(#text, #lock)?;)
    });
    let flushes = params.iter().map(|p| {
        let (cfg, state) = (p.param.cfgs(), &p.state);
        let flush = p.call("flush", &quote!(#state, #queue));
        quote!(#cfg #flush;)
    });
    let mut borrowed = params.iter().filter(|p| p.param.kind != Kind::Items);
    let values = system.written().filter_map(|param| {
        let cfg = param.cfgs();
        let value = match param.kind {
            Kind::Argument => param.binding.to_token_stream(),
            Kind::Item => each::value(param, &private),
            _ => borrowed.next()?.value(),
        };
        Some(quote!(#cfg #value))
    });
    let function = &system.function.ident;
    let call = quote!(#marker::#function(#(#values),*));
    let body = match params.iter().find(|p| p.param.kind == Kind::Items) {
        Some(query) => each::run(system, &query.value(), &call),
        None => quote!(#private::Ok(#call)),
    };
    quote! {
        |#world| {
            let #state = ();
            #(#inits)*
            #state
        },
        move |#state, #world, #joint| {
            #(#unpack)*
            #(#locks)*
            #body
        },
        |#state, #queue| {
            #(#unpack)*
            #(#flushes)*
        },
    }
}

struct Borrowed<'a> {
    system: &'a System,
    param: &'a Param,
    state: Ident,
}

impl Borrowed<'_> {
    /// Whether several threads use it at once.
    fn is_shared(&self) -> bool {
        self.system.parallel.is_some() && self.param.kind != Kind::Items
    }

    /// What the function is called with.
    fn value(&self) -> TokenStream {
        let guard = &self.param.binding;
        if self.is_shared() {
            let get = self.param.item_of(self.system, "SharedParam", "get_shared");
            return self.applied(&get, &quote!(&#guard));
        }
        self.call("get", &quote!(&mut #guard))
    }

    /// `<Type as SystemParam>::function(arguments)`.
    fn call(&self, function: &str, arguments: &TokenStream) -> TokenStream {
        let function = self.param.item(self.system, function);
        self.applied(&function, arguments)
    }

    /// `function(arguments)`, parentheses at the type's place.
    fn applied(&self, function: &TokenStream, arguments: &TokenStream) -> TokenStream {
        let arguments = quote_spanned!(self.param.span()=> (#arguments));
        quote!(#function #arguments)
    }
}
