//! The macros with arbitrary input.

use proc_macro2::{TokenStream, TokenTree};
use syn_full::{DeriveInput, File, Item, parse2};

/// The name of a macro, a space, and its input. For attributes, the input is the options in brackets and then the item.
pub type Input = String;

/// The maximal nesting of brackets: the limit of the compiler is low, too, and the Rust parser recurses.
const MOST_DEPTH: usize = 40;

fn depth(tokens: &TokenStream) -> usize {
    let mut most = 0;
    let mut open = vec![(tokens.clone(), 1)];
    while let Some((tokens, depth)) = open.pop() {
        most = most.max(depth);
        for token in tokens {
            if let TokenTree::Group(group) = token {
                open.push((group.stream(), depth + 1));
            }
        }
    }
    most
}

/// Expands the macro. It must report mistakes in code: a panic would hide them. If the input is a whole item, the output
/// is one too.
///
/// # Panics
/// If the macro panics or the output is not valid.
pub fn run(text: Input) {
    let Some((name, input)) = text.split_once(' ') else {
        return;
    };
    let Ok(input) = input.parse::<TokenStream>() else {
        return;
    };
    if depth(&input) > MOST_DEPTH {
        return;
    }
    let (output, is_whole) = match name {
        "Bundle" => derived(crate::bundle::expand, input),
        "Component" => derived(crate::component::expand, input),
        "Event" => derived(crate::event::expand, input),
        "QueryData" => derived(crate::query_data::expand, input),
        "QueryFilter" => derived(crate::query_filter::expand, input),
        "Relation" => derived(crate::relation::expand, input),
        "Resource" => derived(crate::resource::expand, input),
        "SystemParam" => derived(crate::system_param::expand, input),
        "system" => attribute(crate::system::expand, input),
        "systems" => attribute(crate::system::expand_methods, input),
        "world" => (finish(crate::world::expand(input)), true),
        "schedule" => (finish(crate::schedule::expand(input)), false),
        "spawn" => (finish(crate::spawn::expand(input)), false),
        "inline_system" => (crate::inline_system::expand(input), false),
        _ => return,
    };
    let is_items = || parse2::<File>(output.clone()).is_ok();
    assert!(!is_whole || is_items(), "{output}");
}

/// Turns an error into code, like the `lib.rs` of the macros.
fn finish(expanded: syn::Result<TokenStream>) -> TokenStream {
    expanded.unwrap_or_else(syn::Error::into_compile_error)
}

/// Expands a derive, whose item the compiler has already parsed.
fn derived(
    expand: fn(TokenStream) -> syn::Result<TokenStream>,
    input: TokenStream,
) -> (TokenStream, bool) {
    let is_type = parse2::<DeriveInput>(input.clone()).is_ok();
    let output = if is_type {
        finish(expand(input))
    } else {
        input
    };
    (output, is_type)
}

/// Expands an attribute. Errors in the item are left in place, so that the compiler reports them.
fn attribute(
    expand: fn(TokenStream, TokenStream) -> TokenStream,
    input: TokenStream,
) -> (TokenStream, bool) {
    let mut tokens = input.into_iter();
    let options = match tokens.next() {
        Some(TokenTree::Group(options)) => options.stream(),
        _ => TokenStream::new(),
    };
    let item: TokenStream = tokens.collect();
    let is_item = parse2::<Item>(item.clone()).is_ok();
    (expand(options, item), is_item)
}
