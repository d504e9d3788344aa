//! Lifetimes in tokens.

use crate::prelude::*;
use crate::types::predicates;

/// Returns whether `name` is a lifetime parameter of `generics`.
pub(crate) fn declares(generics: &Generics, name: &Ident) -> bool {
    let mut lifetimes = generics.lifetimes();
    lifetimes.any(|declared| declared.lifetime.ident == *name)
}

/// Returns whether a parameter of `generics` is bound to be `'static`, where it is declared or in the `where` clause.
pub(crate) fn is_static(generics: &Generics, param: &LifetimeParam) -> bool {
    let is_static = |bound: &Lifetime| bound.ident == "static";
    let has = |bounds: &Punctuated<Lifetime, Token![+]>| bounds.iter().any(is_static);
    has(&param.bounds)
        || predicates(generics).any(|predicate| {
            matches!(predicate, WherePredicate::Lifetime(bound)
                if bound.lifetime == param.lifetime && has(&bound.bounds))
        })
}

/// Replaces each lifetime that `generics` declares by `'to`; `'static` and the lifetimes of a `for<..>` stay.
pub(crate) fn replace(tokens: impl ToTokens, generics: &Generics, to: &str) -> TokenStream {
    let renamed = |name: &Ident| Ident::new(to, name.span());
    map(tokens.to_token_stream(), generics, &renamed)
}

/// Gives each lifetime that `generics` declares a span that lints attribute to the macro.
pub(crate) fn hide(tokens: impl ToTokens, generics: &Generics) -> TokenStream {
    map(tokens.to_token_stream(), generics, &|name| {
        // Not made from its text: that fails for a raw name (`'r#w`).
        let mut name = name.clone();
        name.set_span(frame_site());
        name
    })
}

/// Returns whether a lifetime for which `wanted` holds occurs in `tokens`.
pub(crate) fn mentions(tokens: &(impl ToTokens + ?Sized), wanted: &dyn Fn(&Ident) -> bool) -> bool {
    Used::of(tokens.to_token_stream()).names.iter().any(wanted)
}

/// Returns whether a reference in the type has no name for its lifetime. References between the parentheses of a function
/// type need none.
pub(crate) fn elides(ty: TokenStream) -> bool {
    let (mut after_reference, mut after_word) = (false, false);
    for token in ty {
        if after_reference && !is_quote(&token) {
            return true;
        }
        if let TokenTree::Group(group) = &token
            && !after_word
            && elides(group.stream())
        {
            return true;
        }
        after_reference = is_mark(&token, '&');
        after_word = matches!(token, TokenTree::Ident(_));
    }
    false
}

fn map(tokens: TokenStream, generics: &Generics, to: &dyn Fn(&Ident) -> Ident) -> TokenStream {
    if generics.lifetimes().next().is_none() {
        return tokens;
    }
    let mut mapped: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let token = match (token, mapped.last_mut()) {
            (TokenTree::Ident(name), Some(quote))
                if is_quote(quote) && declares(generics, &name) =>
            {
                let name = to(&name);
                quote.set_span(name.span());
                name.into()
            }
            (TokenTree::Group(own), _) => {
                let content = map(own.stream(), generics, to);
                group(own.delimiter(), own.span(), content).into()
            }
            (other, _) => other,
        };
        mapped.push(token);
    }
    mapped.into_iter().collect()
}

/// Returns the lifetimes that are used but declared neither by `generics` nor by a `for<..>`, each once.
pub(crate) fn undeclared(tokens: TokenStream, generics: &[&Generics]) -> Vec<Ident> {
    let Used { names, bound } = Used::of(tokens);
    let mut unknown: Vec<Ident> = Vec::new();
    for name in names {
        let is_known = generics.iter().any(|generics| declares(generics, &name))
            || bound.contains(&name)
            || name == "static"
            || name == "_"
            || unknown.contains(&name);
        unknown.extend((!is_known).then_some(name));
    }
    unknown
}

#[derive(Default)]
struct Used {
    /// All lifetimes, in order.
    names: Vec<Ident>,
    /// The lifetimes that a `for<..>` declares.
    bound: Vec<Ident>,
}

impl Used {
    fn of(tokens: TokenStream) -> Self {
        let mut used = Self::default();
        used.collect(tokens);
        used
    }

    fn collect(&mut self, tokens: TokenStream) {
        let (mut after_quote, mut after_for, mut in_binder) = (false, false, false);
        for token in tokens {
            in_binder = (in_binder && !is_mark(&token, '>')) || (after_for && is_mark(&token, '<'));
            after_for = is_word(&token, "for");
            match &token {
                TokenTree::Ident(name) if after_quote => {
                    self.bound.extend(in_binder.then(|| name.clone()));
                    self.names.push(name.clone());
                }
                TokenTree::Group(group) => self.collect(group.stream()),
                _ => {}
            }
            after_quote = is_quote(&token);
        }
    }
}

fn is_quote(token: &TokenTree) -> bool {
    is_mark(token, '\'')
}

#[cfg(test)]
#[path = "lifetimes_tests.rs"]
mod tests;
