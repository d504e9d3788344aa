//! Lifetimes that a system uses but does not declare.
//!
//! The types of a system occur several times in its code. The compiler would report each occurrence, with the suggestion
//! to declare the lifetime at the attribute.

use super::parse::Function;
use crate::lifetimes::undeclared;
use crate::prelude::*;

/// Reports each lifetime that neither the function nor the `block` around it declares, and declares it, so that the code
/// of the system has no further errors about it.
pub(super) fn declare(function: &mut Function, block: Option<&Generics>, errors: &mut Errors) {
    let mut tokens = TokenStream::new();
    for input in &function.inputs {
        input.ty.to_tokens(&mut tokens);
        if input.ty.is_none() {
            tokens.extend(input.pattern.clone());
        }
    }
    function.output.to_tokens(&mut tokens);
    function.generics.params.to_tokens(&mut tokens);
    function.generics.where_clause.to_tokens(&mut tokens);
    let generics = to_vec(core::iter::once(&function.generics).chain(block));
    for name in undeclared(tokens, &generics) {
        let text = name.to_string();
        let mut mark = Punct::new('\'', Spacing::Joint);
        mark.set_span(name.span());
        let function_name = &function.ident;
        reject!(errors, quote!(#mark #name) =>
            "use of undeclared lifetime name `'{text}`\nhelp: declare it: `fn {function_name}<'{text}>(..)`");
        let lifetime = Lifetime {
            apostrophe: name.span(),
            ident: name,
        };
        let param = GenericParam::Lifetime(LifetimeParam::new(lifetime));
        function.generics.params.insert(0, param);
    }
}
