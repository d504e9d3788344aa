//! Lifetimes that a system uses and does not declare.
//!
//! The types of a system occur several times in its code, and the compiler would report each of them, with the suggestion
//! to declare the lifetime where the attribute is.

use proc_macro2::{Ident, Punct, Spacing, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{GenericParam, Generics, Lifetime, LifetimeParam};

use super::parse::Function;
use crate::errors::Errors;
use crate::lifetimes::declares;

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
    let mut used = Used::default();
    used.collect(tokens);
    for name in used.names {
        let text = name.to_string();
        let is_known = declares(&function.generics, &name)
            || block.is_some_and(|block| declares(block, &name))
            || used.bound.contains(&text)
            || ["static", "_"].contains(&text.as_str());
        if is_known {
            continue;
        }
        let mut mark = Punct::new('\'', Spacing::Joint);
        mark.set_span(name.span());
        let function_name = &function.ident;
        errors.push(
            quote!(#mark #name),
            format!(
                "use of undeclared lifetime name `'{text}`\nhelp: declare it: `fn {function_name}<'{text}>(..)`"
            ),
        );
        let lifetime = Lifetime {
            apostrophe: name.span(),
            ident: name,
        };
        let param = GenericParam::Lifetime(LifetimeParam::new(lifetime));
        function.generics.params.insert(0, param);
    }
}

/// The lifetimes in some tokens.
#[derive(Default)]
struct Used {
    /// All of them, in order.
    names: Vec<Ident>,
    /// Those that a `for<..>` declares.
    bound: Vec<String>,
}

impl Used {
    fn collect(&mut self, tokens: TokenStream) {
        let mut after_quote = false;
        let mut binder = Binder::Outside;
        for token in tokens {
            binder = binder.next(&token);
            match &token {
                TokenTree::Ident(name) if after_quote => {
                    if matches!(binder, Binder::Inside) {
                        self.bound.push(name.to_string());
                    }
                    self.names.push(name.clone());
                }
                TokenTree::Group(group) => self.collect(group.stream()),
                _ => {}
            }
            after_quote = is_mark(&token, '\'');
        }
    }
}

/// A position relative to the list in `for<'a, 'b>`.
enum Binder {
    Outside,
    /// After `for`.
    Ahead,
    Inside,
}

impl Binder {
    fn next(self, token: &TokenTree) -> Self {
        match (self, token) {
            (Self::Outside, TokenTree::Ident(word)) if word == "for" => Self::Ahead,
            (Self::Ahead, token) if is_mark(token, '<') => Self::Inside,
            (Self::Inside, token) if !is_mark(token, '>') => Self::Inside,
            _ => Self::Outside,
        }
    }
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}
