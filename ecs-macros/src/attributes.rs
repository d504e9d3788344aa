//! Attributes of the user that generated code repeats.

use crate::prelude::*;

/// The attributes that set lint levels.
pub(crate) const LEVELS: [&str; 4] = ["allow", "warn", "deny", "forbid"];

/// Returns whether the attribute has one of these names.
pub(crate) fn is_any(attribute: &Attribute, names: &[&str]) -> bool {
    names.iter().any(|name| attribute.path().is_ident(name))
}

/// Returns the text of a documentation attribute.
pub(crate) fn doc(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => {
            let text: LitStr = syn::parse2(doc.value.to_token_stream()).ok()?;
            Some(text.value())
        }
        _ => None,
    }
}

/// Returns the condition for an item with these attributes to exist; `None` if it always does.
pub(crate) fn condition(attrs: &[Attribute]) -> Option<TokenStream> {
    match &*to_vec(attrs.iter().flat_map(predicates)) {
        [] => None,
        [one] => Some(one.clone()),
        all => Some(quote!(all(#(#all),*))),
    }
}

/// Returns the predicates of a `#[cfg(..)]`, including one inside a `#[cfg_attr(..)]`.
pub(crate) fn predicates(attribute: &Attribute) -> Vec<TokenStream> {
    let predicate = |meta: &Meta| match meta {
        Meta::List(list) if list.path.is_ident("cfg") => Some(list.tokens.clone()),
        _ => None,
    };
    let Some((when, given)) = cfg_attr(attribute) else {
        return to_vec(predicate(&attribute.meta));
    };
    let cfgs = given.iter().filter_map(predicate);
    to_vec(cfgs.map(|predicate| quote!(any(not(#when), #predicate))))
}

/// Returns the combinations of conditions that hold: their texts, and the `#[cfg]`s of code for it. In the first one all hold.
pub(crate) fn combinations(conditions: &[TokenStream]) -> Vec<(Vec<String>, Vec<Attribute>)> {
    let (mut all, mut texts) = (vec![(Vec::new(), Vec::new())], Vec::new());
    for condition in conditions {
        let text = condition.to_string();
        if texts.contains(&text) {
            continue;
        }
        let further = all.into_iter().flat_map(|(mut holding, mut cfgs)| {
            let mut without = (holding.clone(), cfgs.clone());
            without.1.push(parse_quote!(#[cfg(not(#condition))]));
            cfgs.push(parse_quote!(#[cfg(#condition)]));
            holding.push(text.clone());
            [(holding, cfgs), without]
        });
        all = to_vec(further);
        texts.push(text);
    }
    all
}

/// Returns the condition of a `#[cfg_attr(..)]`, and the attributes in it.
pub(crate) fn cfg_attr(attribute: &Attribute) -> Option<(Meta, Vec<Meta>)> {
    let attribute = Some(attribute).filter(|attribute| attribute.path().is_ident("cfg_attr"))?;
    let parts = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let mut parts = parts.ok()?.into_iter();
    Some((parts.next()?, to_vec(parts)))
}

/// Returns the `#[cfg(..)]`s among the attributes.
pub(crate) fn cfgs(attrs: &[Attribute]) -> TokenStream {
    let cfgs = attrs.iter().filter(|it| it.path().is_ident("cfg"));
    quote!(#(#cfgs)*)
}

/// Turns `expect` into `allow`.
///
/// A function under `#[system]` becomes several pieces of code, and at most one of them meets the expectation.
pub(crate) fn allow_expected(attrs: &mut [Attribute]) {
    for attribute in attrs {
        match &mut attribute.meta {
            Meta::List(list) if list.path.is_ident("expect") => list.path = hidden("allow").into(),
            _ => {}
        }
    }
}

/// Returns the lint levels for the code that a derive generates for a type with these attributes.
pub(crate) fn levels_of_derive(attrs: &[Attribute]) -> TokenStream {
    let mut attrs = attrs.to_vec();
    allow_expected(&mut attrs);
    let levels = attrs.iter().filter(|attribute| is_any(attribute, &LEVELS));
    // The generated impls name the type, but that does not count as the user using it.
    let is_deprecated = attrs.iter().any(|a| a.path().is_ident("deprecated"));
    let deprecated = is_deprecated.then(|| quote!(#[allow(deprecated)]));
    quote!(#(#levels)* #deprecated)
}

#[cfg(test)]
#[path = "attributes_tests.rs"]
mod tests;
