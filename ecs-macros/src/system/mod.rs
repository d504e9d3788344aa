//! `#[system]` and `#[systems]`.

mod arguments;
mod body;
mod certain;
mod check;
mod conflict;
mod docs;
mod each;
mod event;
mod expand;
mod expansion;
mod impls;
pub(crate) mod item;
mod lints;
mod methods;
mod model;
pub(crate) mod options;
mod param;
mod parse;
pub(crate) mod place;
mod probe;
pub(crate) mod shape;
mod silent;
mod supply;
mod undeclared;
mod wrapper;

pub(crate) use docs::access;
pub(crate) use methods::expand as expand_methods;

use crate::prelude::*;
use crate::types::head;
use expansion::Expansion;
use model::SystemModel;
use parse::Function;

/// Expands `#[system]` with `options` on `item`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = options::parse(TokenStream::new(), options, &mut errors);
    if let Some(error) = options.root.reject_unknown() {
        let error = error.into_compile_error();
        return quote!(#item #error);
    }
    let mut function = match parse::function.parse2(item.clone()) {
        Ok(function) => function,
        // The item stays, so that this is the only error about it.
        Err(error) => {
            report(error, &mut errors);
            let errors = errors.into_tokens();
            // As if the right attribute were there, so that its methods are systems.
            let item = methods::expanded(item);
            return quote!(#item #errors);
        }
    };
    refuse_twice(&mut function, &mut errors);
    let receiver = function.receiver().map(ToTokens::to_token_stream);
    if let Some(word) = receiver.or_else(|| function.self_type()) {
        reject!(errors, word =>
            "a method is a system only in a `#[systems]` block\nhelp: write `#[systems]` on its `impl`");
        let system = SystemModel::new(function, options);
        let (before, stub) = expand::stub(&system, errors);
        return quote!(#before #stub);
    }
    undeclared::declare(&mut function, None, &mut errors);
    let mut code = TokenStream::new();
    let combinations = parse::combinations(&function);
    let is_one = combinations.len() == 1;
    for function in combinations {
        let system = SystemModel::new(function, options.clone());
        let mut own = errors.clone();
        check::check(&system, &mut own);
        check::reject_borrow(&system, &mut own);
        if own.is_empty() {
            code.extend([expand::expand(&system, is_one)]);
        } else {
            let (before, stub) = expand::stub(&system, own);
            let rest = Expansion::new(&system);
            let hidden_type = rest.declaration();
            let inner = is_one.then(|| rest.uncalled_inner());
            code.extend([quote!(#before #stub #hidden_type #inner)]);
        }
    }
    if !is_one {
        // Once, with the `cfg`s, so that editors find the body in code that exists.
        code.extend(Expansion::new(&SystemModel::new(function, options)).uncalled_inner());
    }
    code
}

/// Reports that an item is not a function.
///
/// If its syntax is wrong, the compiler parsed it first and has reported that; a warning remains for syntax that the
/// compiler accepts.
fn report(error: syn::Error, errors: &mut Errors) {
    let message = error.to_string();
    if message.contains("system") {
        return errors.add(error);
    }
    let note = format!("`#[system]` cannot read the function, and leaves it as it is: {message}");
    let name = Ident::new("SYNTAX", error.span());
    errors.attach(quote! {
        const _: () = {
            #[deprecated(note = #note)]
            const SYNTAX: () = ();
            #name
        };
    });
}

/// Reports and removes further `#[system]`s, because each would expand the code of the first.
fn refuse_twice(function: &mut Function, errors: &mut Errors) {
    for further in function.attrs.extract_if(.., |it| is_system(it.path())) {
        reject!(errors, further =>
            "the function is already a system\nhelp: write `#[system]` once, with all options");
    }
}

/// Returns whether this is the path of `#[system]`, perhaps in a module.
fn is_system(path: &Path) -> bool {
    head(path).is_some_and(|head| head == "system")
}

#[cfg(test)]
mod tests;
