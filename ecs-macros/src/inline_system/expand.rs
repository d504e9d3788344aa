//! The code of a `system!`.

use super::model::{InlineParam, ParamFetch, is_reference};
use super::parse::InlineSystem;
use super::pattern;
use crate::prelude::*;
use crate::types::{parts, strip};

/// Returns the code of a system without errors: one loop, or one that reads and one that writes the returned values.
pub(super) fn expand(system: &InlineSystem, params: &[InlineParam]) -> TokenStream {
    let InlineSystem { moves, body, .. } = system;
    let (mut patterns, mut first) = (Vec::new(), TokenStream::new());
    for param in params {
        let (pattern, before) = pattern::given(param, system);
        patterns.push(pattern);
        first.extend(before);
    }
    let patterns = nested_tuple(&patterns);
    // A place expression is repeated as it is, so that the closure of a system that returns new values can also read the world.
    let (given, is_repeated) = (&system.world, is_place(&system.world));
    let world = match is_repeated {
        true => quote!((#given)),
        false => quote!(__world),
    };
    // Without the body's braces, which would be nested in braces.
    let statements = match &*to_vec(body.clone()) {
        [TokenTree::Group(block)] if block.delimiter() == Delimiter::Brace => block.stream(),
        _ => body.clone(),
    };
    let (lookups, items) = (lookups(params, system, &world), items(params, system));
    let steps = if let Some(output) = &system.output {
        let (list, values) = returned(output, params);
        let values_of = hidden_at("values_of", system.bar);
        quote! {
            let __values = #world.#values_of(
                __items.iterate(#items).renew(#moves |#patterns| -> #output { #first #statements })
            );
            #world.renew(#list, __values, |#values| #list);
        }
    } else {
        // If the body returns a value, its end is an error.
        let end = match body.clone().into_iter().last() {
            Some(TokenTree::Group(group)) => group.span_close(),
            last => last.map_or(system.bar, |last| last.span()),
        };
        let (for_each_of, each) = (hidden_at("for_each_of", system.bar), hidden_at("each", end));
        let body = match first.is_empty() {
            true => body.clone(),
            false => quote!({ #first #statements }),
        };
        quote!(#world.#for_each_of(__items.iterate(#items).#each(#moves |#patterns| #body));)
    };
    let work = match is_repeated {
        true => quote!(#lookups #steps),
        false => quote!(match &mut (#given) { __world => { #lookups #steps } }),
    };
    let no_aliases = no_aliases(system, params);
    let imports = ["ClosedSystems", "OpenSystems"].map(|name| import(&system.root, name, site()));
    quote!({ #(#imports)* #no_aliases #work })
}

/// Returns the lookup of each component in the world, at the span of its type: the compiler reports errors about it there.
fn lookups(params: &[InlineParam], system: &InlineSystem, world: &TokenStream) -> TokenStream {
    let system_items = hidden_at("system_items", system.bar);
    let lookups = params.iter().filter_map(|param| {
        let (item, ty) = (&param.item, param.component()?);
        let found = hidden_at("found", ends(ty).1);
        Some(quote!(let #item = __items.of::<#ty>().#found();))
    });
    let imports = ["NoComponent", "NotListed"].map(|name| import(&system.root, name, site()));
    quote!(#(#imports)* let __items = #world.#system_items(); #(#lookups)*)
}

/// Returns the items to fetch from the world.
fn items(params: &[InlineParam], system: &InlineSystem) -> TokenStream {
    let private = system.root.private(site());
    let item = |param: &InlineParam| {
        let how = match &param.fetch {
            ParamFetch::Id | ParamFetch::Unknown => {
                return quote!(#private::PhantomData::<#private::Entity>);
            }
            ParamFetch::Old(_) => "read",
            ParamFetch::Borrowed { ty, mutably, .. } => match (is_reference(ty), mutably) {
                (true, false) => "read",
                (true, true) => "write",
                (false, false) => "maybe_read",
                (false, true) => "maybe_write",
            },
        };
        let (item, how) = (&param.item, hidden(how));
        quote!(#item.#how())
    };
    nested_tuple(&to_vec(params.iter().map(item)))
}

/// Returns the list of the lookups whose components are replaced, and the pattern of the returned values.
fn returned(output: &Type, params: &[InlineParam]) -> (TokenStream, TokenStream) {
    let returned = to_vec(parts(output).into_iter().filter_map(|new| {
        let old = params.iter().find(|param| param.is_old(new));
        old.map(|old| &old.item)
    }));
    let values = match strip(output) {
        Type::Tuple(_) => quote!((#(#returned,)*)),
        _ => quote!(#(#returned)*),
    };
    let last_first = returned.iter().rev();
    let list = last_first.fold(quote!(()), |rest, first| quote!((#first, #rest)));
    (list, values)
}

/// Returns whether evaluating the tokens twice has the same effect: `world`, `self.game.world`, `*world`, `worlds[0]`.
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

/// Returns code that does not compile if a component is borrowed mutably and again under another name, or returned
/// twice: it contains two impls of one trait for one type.
///
/// An impl cannot name a type that may be a generic parameter of the function around it. Such a type is checked when
/// the function is used, like every other.
fn no_aliases(system: &InlineSystem, params: &[InlineParam]) -> Option<TokenStream> {
    let exclusive = |param: &InlineParam| match (&system.output, &param.fetch) {
        (None, ParamFetch::Borrowed { mutably, .. }) => Some(*mutably),
        (Some(_), ParamFetch::Old(_)) => Some(true),
        _ => None,
    };
    let borrows = (params.iter()).filter_map(|param| Some((param.component()?, exclusive(param)?)));
    let borrows: Vec<(&Type, bool)> = to_vec(borrows.filter(|(ty, _)| !may_be_generic(ty)));
    if borrows.len() < 2 || !borrows.iter().any(|(_, exclusive)| *exclusive) {
        return None;
    }
    let name = Ident::new("BorrowedMutablyOnlyOnce", frame_site());
    let private = system.root.private(frame_site());
    let impls = borrows.iter().enumerate().map(|(reader, (ty, exclusive))| {
        let span = frame_site().located_at(ty.span());
        let name = Ident::new("BorrowedMutablyOnlyOnce", span);
        if *exclusive {
            quote_spanned!(span=> impl<const READER: #private::usize> #name<READER> for #ty {})
        } else {
            quote_spanned!(span=> impl #name<#reader> for #ty {})
        }
    });
    Some(frame!(trait #name<const READER: #private::usize> {} #(#impls)*))
}

/// Returns whether a name in the type is one letter, perhaps with a number (`T`, `C1`), or `Self`.
fn may_be_generic(ty: &Type) -> bool {
    names(ty, &|name| {
        let name = name.to_string();
        let mut letters = name.chars();
        name == "Self"
            || letters.next().is_some_and(char::is_uppercase)
                && letters.all(|letter| letter.is_ascii_digit())
    })
}
