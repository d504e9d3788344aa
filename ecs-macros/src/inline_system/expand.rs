//! The code of a `system!`.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned as _;

use super::model::{Kind, Param, is_reference, members, text};
use super::parse::Inline;
use super::pattern;
use crate::lists::listed;
use crate::system::ends;

/// The code of a system without mistakes.
pub(super) fn expand(system: &Inline, params: &[Param]) -> TokenStream {
    let site = Span::mixed_site();
    let private = system.root.private(site);
    let once = once(system, params);
    let work = match &system.output {
        None => changing(system, params),
        Some(output) => returning(system, output, params),
    };
    quote_spanned! {site=>
        {
            use #private::{ClosedSystems as _, OpenSystems as _};
            #once
            #work
        }
    }
}

/// One walk.
fn changing(system: &Inline, params: &[Param]) -> TokenStream {
    let site = Span::mixed_site();
    let Inline { moves, body, .. } = system;
    let (patterns, first) = all_given(params, system);
    let body = if first.is_empty() {
        body.clone()
    } else {
        quote_spanned!(site=> { #first #body })
    };
    with_world(system, |world| {
        let lookups = lookups(params, system, &world);
        let items = items(params, system);
        let for_each_of = hidden_at("for_each_of", system.bar);
        quote_spanned! {site=>
            #lookups
            #world.#for_each_of(items.iterate(#items).each(#moves |#patterns| #body));
        }
    })
}

/// One walk that reads, and one that writes what it gave.
fn returning(system: &Inline, output: &Type, params: &[Param]) -> TokenStream {
    let site = Span::mixed_site();
    let Inline { moves, body, .. } = system;
    let (patterns, first) = all_given(params, system);
    // Without its braces, which would be braces in braces.
    let mut statements = TokenStream::new();
    for token in body.clone() {
        statements.extend(match token {
            TokenTree::Group(body) => body.stream(),
            other => other.into(),
        });
    }
    with_world(system, |world| {
        let lookups = lookups(params, system, &world);
        let items = items(params, system);
        let (returned, values, list) = returned(output, params);
        let values_of = hidden_at("values_of", system.bar);
        quote_spanned! {site=>
            #lookups
            let values = #world.#values_of(
                items.iterate(#items).renew(#moves |#patterns| -> #output { #first #statements })
            );
            #world.renew(#returned, values, |#values| #list);
        }
    })
}

/// What the closure calls its one parameter, and what it does first.
fn all_given(params: &[Param], system: &Inline) -> (TokenStream, TokenStream) {
    let (mut patterns, mut first) = (Vec::new(), TokenStream::new());
    for param in params {
        let (pattern, before) = pattern::given(param, system);
        patterns.push(pattern);
        first.extend(before);
    }
    (nested(patterns), first)
}

/// The steps for the world, which is an expression that can be repeated.
///
/// Where the user wrote a place it is that, so that the closure of a system that returns new values can look at the
/// world as well.
fn with_world(system: &Inline, steps: impl FnOnce(TokenStream) -> TokenStream) -> TokenStream {
    let site = Span::mixed_site();
    let world = &system.world;
    if is_place(world) {
        steps(quote_spanned!(site=> (#world)))
    } else {
        let steps = steps(quote_spanned!(site=> world));
        quote_spanned!(site=> match &mut (#world) { world => { #steps } })
    }
}

/// The lookup of each component in the world, at its own place: there the compiler shows what is wrong with it.
fn lookups(params: &[Param], system: &Inline, world: &TokenStream) -> TokenStream {
    let site = Span::mixed_site();
    let private = system.root.private(site);
    let system_items = hidden_at("system_items", system.bar);
    let lookups = params.iter().filter_map(|param| {
        let (item, ty) = (&param.item, param.component()?);
        let found = hidden_at("found", ends(&ty.to_token_stream()).1);
        Some(quote_spanned!(site=> let #item = items.of::<#ty>().#found();))
    });
    quote_spanned! {site=>
        use #private::{NoComponent as _, NotListed as _};
        let items = #world.#system_items();
        #(#lookups)*
    }
}

/// What the world is to fetch.
fn items(params: &[Param], system: &Inline) -> TokenStream {
    let site = Span::mixed_site();
    let private = system.root.private(site);
    let item = |param: &Param| {
        let item = &param.item;
        match &param.kind {
            Kind::Id | Kind::Unknown => {
                quote_spanned!(site=> #private::PhantomData::<#private::Entity>)
            }
            Kind::Old { .. } => quote_spanned!(site=> #item.read()),
            Kind::Borrowed { ty, mutably, .. } => {
                let how = match (is_reference(ty), mutably) {
                    (true, false) => "read",
                    (true, true) => "write",
                    (false, false) => "maybe_read",
                    (false, true) => "maybe_write",
                };
                let how = Ident::new(how, site);
                quote_spanned!(site=> #item.#how())
            }
        }
    };
    nested(listed(params.iter().map(item)))
}

/// What is to be replaced by what is returned, as a list of what was found; what is returned, taken apart; and the list of it.
fn returned(output: &Type, params: &[Param]) -> (TokenStream, TokenStream, TokenStream) {
    let returned = members(output).into_iter().filter_map(|new| {
        let mut params = params.iter();
        let old =
            params.find(|param| matches!(&param.kind, Kind::Old { ty } if text(ty) == text(new)));
        old.map(|old| &old.item)
    });
    let returned: Vec<&Ident> = listed(returned);
    let values = if is_tuple(output) {
        quote!((#(#returned,)*))
    } else {
        quote!(#(#returned)*)
    };
    let list = returned
        .iter()
        .rev()
        .fold(quote!(()), |rest, first| quote!((#first, #rest)));
    (list.clone(), values, list)
}

/// A method of ours; errors about its arguments are shown at `place`.
fn hidden_at(name: &str, place: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(place))
}

/// A tuple, or tuples in a tuple where there are more than tuples can have.
fn nested(mut members: Vec<TokenStream>) -> TokenStream {
    const MOST: usize = 16;
    while members.len() > MOST {
        let groups = members.chunks(MOST);
        members = listed(groups.map(|chunk| quote!((#(#chunk,)*))));
    }
    quote!((#(#members,)*))
}

/// Whether naming the tokens twice is the same as once: `world`, `self.game.world`, `*world`, `worlds[0]`.
fn is_place(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().all(|token| match token {
        TokenTree::Ident(word) => word != "mut",
        TokenTree::Literal(_) => true,
        TokenTree::Punct(mark) => matches!(mark.as_char(), '.' | '*' | ':'),
        TokenTree::Group(group) => {
            matches!(group.delimiter(), Delimiter::Bracket | Delimiter::None)
                && is_place(&group.stream())
        }
    })
}

fn is_tuple(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => is_tuple(&group.elem),
        Type::Paren(paren) => is_tuple(&paren.elem),
        Type::Tuple(_) => true,
        _ => false,
    }
}

/// Code that does not compile if a component is borrowed mutably and a second time under another name, or returned
/// twice: two impls of one trait for one type.
///
/// A type that may be a generic parameter of the function around cannot be named in an impl; it is checked where the
/// function is used, as everything is.
fn once(system: &Inline, params: &[Param]) -> Option<TokenStream> {
    let exclusive = |param: &Param| match (&system.output, &param.kind) {
        (None, Kind::Borrowed { mutably, .. }) => Some(*mutably),
        (Some(_), Kind::Old { .. }) => Some(true),
        _ => None,
    };
    let borrows: Vec<(&Type, bool)> = listed(
        params
            .iter()
            .filter_map(|param| Some((param.component()?, exclusive(param)?)))
            .filter(|(ty, _)| !may_be_generic(ty.to_token_stream())),
    );
    if borrows.len() < 2 || !borrows.iter().any(|(_, exclusive)| *exclusive) {
        return None;
    }
    let site = Span::mixed_site();
    let name = Ident::new("BorrowedMutablyOnlyOnce", site);
    let private = system.root.private(site);
    let impls = borrows.iter().enumerate().map(|(reader, (ty, exclusive))| {
        let place = site.located_at(ty.span());
        let name = Ident::new("BorrowedMutablyOnlyOnce", place);
        if *exclusive {
            quote_spanned!(place=> impl<const READER: #private::usize> #name<READER> for #ty {})
        } else {
            quote_spanned!(place=> impl #name<#reader> for #ty {})
        }
    });
    Some(quote_spanned! {site=>
        trait #name<const READER: #private::usize> {}
        #(#impls)*
    })
}

/// Whether a word is one letter, perhaps with a number: `T`, `C1`; or `Self`.
fn may_be_generic(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => {
            let word = word.to_string();
            let mut letters = word.chars();
            word == "Self"
                || letters.next().is_some_and(char::is_uppercase)
                    && letters.all(|letter| letter.is_ascii_digit())
        }
        TokenTree::Group(group) => may_be_generic(group.stream()),
        _ => false,
    })
}
