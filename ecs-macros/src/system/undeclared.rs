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
    if function.inputs.iter().all(|input| input.ty.is_some()) && !function.may_contain("'") {
        return;
    }
    let inputs = function.inputs.iter().map(|input| match &input.ty {
        Some(ty) => ty.to_token_stream(),
        None => input.pattern.to_token_stream(),
    });
    let (output, own) = (&function.output, &function.generics);
    let (params, clause) = (&own.params, &own.where_clause);
    let tokens = quote!(#(#inputs)* #output #params #clause);
    let generics = to_vec(core::iter::once(own).chain(block));
    for name in undeclared(tokens, &generics) {
        let (of, apostrophe, ident) = (&function.ident, name.span(), name);
        let lifetime = Lifetime { apostrophe, ident };
        reject!(errors, &lifetime =>
            "use of undeclared lifetime name `{lifetime}`\nhelp: declare it: `fn {of}<{lifetime}>(..)`");
        let param = GenericParam::Lifetime(LifetimeParam::new(lifetime));
        function.generics.params.insert(0, param);
    }
}
