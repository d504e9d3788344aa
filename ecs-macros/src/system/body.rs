//! The body of a system: the list of its parameters, and a closure that calls the function.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote_spanned};

use super::arguments::VisitedArguments;
use super::each;
use super::expansion::Expansion;
use super::model::SystemModel;
use super::param::{Param, ParamKind};
use super::probe::is_moved;
use crate::lifetimes;
use crate::tokens::{hidden, to_vec};

/// The longest list that is a tuple.
const TUPLE: usize = 8;

/// The code that runs the function.
#[derive(Clone, Copy)]
pub(super) enum Caller<'a> {
    /// The function that callers see; the generated closure captures the ordinary arguments.
    Direct,
    /// An observer; the generated closure captures the event.
    Observer,
    /// Other code, which passes the ordinary arguments.
    Visitor(&'a VisitedArguments),
}

/// Returns a call that passes the function to the list of its parameters, with `first` before the function.
///
/// Most lists are tuples, which compile fastest. With more parameters than a tuple can have, the list is made of pairs.
pub(super) fn body(code: &Expansion<'_>, caller: Caller<'_>, first: &TokenStream) -> TokenStream {
    let system = code.system;
    let private = &code.private;
    let params: Vec<&Param> = to_vec(system.borrowed());
    let is_tuple = params.len() <= TUPLE;
    let types = params.iter().map(|param| &param.supplied);
    let items = params.iter().find(|param| param.kind == ParamKind::Items);
    // The function itself compiles faster than a closure that calls it.
    if is_tuple
        && items.is_none()
        && system.arguments().next().is_none()
        && system.function.generics.lifetimes().next().is_none()
        && !system.function.returns_never()
    {
        let function = code.function();
        return quote!(<#private::DirectParams<(#(#types,)*)>>::plain(#first, #function););
    }
    let bindings = params.iter().map(|param| &param.binding);
    let (grown, pattern) = if is_tuple {
        let pattern = quote!((#(#bindings,)*));
        (quote!(#private::list::<(#(#types,)*)>()), pattern)
    } else {
        let pairs = bindings.fold(quote!(()), |list, binding| quote!((#list, #binding)));
        (quote!(#private::list::<()>() #(.and::<#types>())*), pairs)
    };
    let call = code.function_call();
    let (how, run) = match items {
        Some(items) => ("each", each::run(system, &value(system, items), &call)),
        None => ("once", call),
    };
    let end = system.end().filter(|_| items.is_none());
    let (how, arguments) = match caller {
        Caller::Direct => (format!("direct_{how}"), None),
        Caller::Observer => (format!("observed_{how}"), None),
        Caller::Visitor(arguments) if arguments.is_empty() => (how.to_owned(), None),
        Caller::Visitor(arguments) => (format!("{how}_with"), Some(arguments)),
    };
    let how = hidden(&how);
    let checks = items.map(|_| each::checks(system));
    let function = match arguments {
        None => quote!(move |#pattern| { #run #end }),
        Some(arguments) => {
            let (args, casts) = (&arguments.pattern, arguments.casts(private));
            let run = arguments.returned(system, private, &run);
            quote!(move |#args, #pattern| { #casts #run })
        }
    };
    let end = match caller {
        // Returns nothing itself.
        Caller::Visitor(_) => Some(quote!(;)),
        Caller::Direct => system.end(),
        Caller::Observer => None,
    };
    quote! {
        #checks
        #grown.#how(#first, #function) #end
    }
}

impl Expansion<'_> {
    /// Returns the call of the function as written.
    fn function_call(&self) -> TokenStream {
        let system = self.system;
        let values = system.written().map(|param| match param.kind {
            ParamKind::Item => each::value(param, &self.private),
            ParamKind::Argument if system.for_each && is_moved(system, &param.ty) => {
                let (private, name) = (&self.private, &param.binding);
                let ty = lifetimes::replace(&param.ty, &system.function.generics, "_");
                quote!(<#private::Probe<#ty>>::copied(&#name))
            }
            ParamKind::Argument => param.binding.to_token_stream(),
            _ if system.for_each => value(system, param),
            _ => param.binding.to_token_stream(),
        });
        let function = self.function();
        quote!(#function(#(#values),*))
    }
}

/// Returns the value of a world parameter for one of several calls.
fn value(system: &SystemModel, param: &Param) -> TokenStream {
    let guard = &param.binding;
    let last = param.span();
    if param.kind != ParamKind::Items && system.parallel.is_some() {
        let get = system.item_of(param, "SharedParam", "get_shared");
        let arguments = quote_spanned!(last=> (&*#guard));
        return quote!(#get #arguments);
    }
    let get = system.item(param, "get");
    let arguments = quote_spanned!(last=> (&mut *#guard));
    quote!(#get #arguments)
}
