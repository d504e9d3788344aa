//! The body of a system: the list of its parameters, and a closure that calls the function.

use super::arguments::CallArguments;
use super::each;
use super::expansion::Expansion;
use super::model::SystemModel;
use super::param::{Param, ParamKind};
use super::probe::is_moved;
use crate::prelude::*;

/// The longest list that is a tuple.
const TUPLE: usize = 8;

/// The code that runs the function.
#[derive(Clone, Copy)]
pub(super) enum Caller<'a> {
    /// An expression with the method `call`, which takes the ordinary arguments as well. They have the types of the function.
    Call(&'a TokenStream),
    /// A visitor. It passes ordinary arguments of any types.
    Visitor(&'a Ident),
}

/// Returns code that passes the function, with the list of its parameters, to its caller.
///
/// Most lists are tuples, which compile fastest. With more parameters than a tuple can have, the list is made of pairs.
pub(super) fn body(code: &Expansion<'_>, caller: Caller<'_>) -> TokenStream {
    let (system, private) = (code.system, &code.private);
    let params: Vec<&Param> = to_vec(system.borrowed());
    let is_tuple = params.len() <= TUPLE;
    let types = (params.iter()).map(|param| code.bounded(param, &param.supplied));
    let items = params.iter().find(|param| param.kind == ParamKind::Items);
    let arguments = CallArguments::new(system);
    // The function itself compiles faster than a closure that calls it.
    if let Caller::Visitor(visitor) = caller
        && is_tuple
        && items.is_none()
        && system.arguments().next().is_none()
        && system.function.generics.lifetimes().next().is_none()
        && !system.function.returns_never()
    {
        let function = code.function();
        return quote!(<#private::DirectParams<(#(#types,)*)>>::plain(#visitor, #function););
    }
    let bindings = params.iter().map(|param| &param.binding);
    let (grown, pattern) = if is_tuple {
        let pattern = quote!((#(#bindings,)*));
        (quote!(#private::list::<(#(#types,)*)>()), pattern)
    } else {
        let pairs = bindings.fold(quote!(()), |list, binding| quote!((#list, #binding)));
        (quote!(#private::list::<()>() #(.and::<#types>())*), pairs)
    };
    let call = code.function_call(&arguments);
    let (how, run) = match items {
        Some(items) => ("each", each::run(system, &value(system, items), &call)),
        None => ("once", call),
    };
    let how = hidden(how);
    let args = arguments.pattern(matches!(caller, Caller::Visitor(_)));
    let checks = items.map(|_| each::checks(system));
    match caller {
        Caller::Visitor(visitor) => {
            let casts = arguments.typed(Some(quote!(#private::same)));
            let run = arguments.returned(system, private, &run);
            let function = quote!(move |#args, #pattern| { #casts #run });
            quote!(#checks #visitor.visit(#grown.#how(#function));)
        }
        Caller::Call(receiver) => {
            let (typed, values) = (arguments.typed(None), arguments.tuple());
            let end = system.end().filter(|_| items.is_none());
            let function = quote!(move |#args, #pattern| { #typed #run #end });
            // Of a wrong list, the compiler does not know the result.
            let of = system.function.returns_unit().then(|| quote!(::<(), _, _>));
            quote!(#checks #receiver.call #of(#grown.#how(#function), #values))
        }
    }
}

impl Expansion<'_> {
    /// Returns the call of the function as written.
    fn function_call(&self, arguments: &CallArguments) -> TokenStream {
        let system = self.system;
        let mut arguments = arguments.values().iter();
        let mut argument = || arguments.next().to_token_stream();
        let values = system.written().map(|param| match param.kind {
            ParamKind::Item => each::value(param, &self.private),
            ParamKind::Argument if system.for_each && is_moved(system, &param.ty) => {
                let (private, name) = (&self.private, argument());
                let ty = lifetimes::replace(&param.ty, &system.function.generics, "_");
                quote!(<#private::Probe<#ty>>::copied(&#name))
            }
            ParamKind::Argument => argument(),
            _ if system.for_each => value(system, param),
            _ => param.binding.to_token_stream(),
        });
        let function = self.function();
        quote!(#function(#(#values),*))
    }
}

/// Returns the value of a world parameter for one of several calls.
fn value(system: &SystemModel, param: &Param) -> TokenStream {
    let (guard, last) = (&param.binding, param.span());
    let (get, word) = match system.parallel.filter(|_| param.kind != ParamKind::Items) {
        Some(_) => (system.item_of(param, "SharedParam", "get_shared"), None),
        None => (system.item(param, "get"), Some(Ident::new("mut", last))),
    };
    let arguments = quote_spanned!(last=> (& #word *#guard));
    quote!(#get #arguments)
}
