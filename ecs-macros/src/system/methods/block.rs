//! The functions in an `impl` block.

use syn::parse::discouraged::Speculative as _;

use crate::attributes::cfg_attr;
use crate::prelude::*;
use crate::system::parse::{self, Function};
use crate::system::{is_system, report};
use crate::types::parameters;

pub(super) struct Block {
    /// The tokens before the braces.
    pub(super) head: TokenStream,
    /// The generics, with the where clause.
    pub(super) generics: Generics,
    pub(super) ty: Type,
    pub(super) content: Group,
}

/// Parses the `impl` block of a type.
pub(super) fn parse_block(input: ParseStream<'_>) -> Result<Block> {
    let fork = input.fork();
    fork.call(Attribute::parse_outer)?;
    demand!(fork.peek(Token![impl]), fork =>
        "expected an `impl` block after `#[systems]`\nhelp: write `#[system]` on a function");
    fork.parse::<Token![impl]>()?;
    let mut generics: Generics = fork.parse()?;
    let ty: Type = fork.parse()?;
    demand!(!fork.peek(Token![for]), fork =>
        "the functions of a trait cannot be systems, because the trait decides their signatures\nhelp: write an `impl` block of the type itself");
    generics.where_clause = fork.parse()?;
    let mut tokens = to_vec(input.parse::<TokenStream>()?);
    match tokens.pop() {
        Some(TokenTree::Group(content)) if content.delimiter() == Delimiter::Brace => Ok(Block {
            head: head(tokens, &generics),
            generics,
            ty,
            content,
        }),
        _ => Err(fork.error("expected the braces of the `impl` block")),
    }
}

/// Returns the head of a block, with the [parameters] of an `impl`.
fn head(written: Vec<TokenTree>, generics: &Generics) -> TokenStream {
    let mut head = TokenStream::new();
    for token in written {
        let lacks_generics = generics.params.is_empty() && is_word(&token, "impl");
        head.extend([token]);
        head.extend(lacks_generics.then(|| parameters(generics)));
    }
    head
}

/// Removes `#[system]` from the functions of an item that is not a block, so that they have no errors of their own.
pub(super) fn without_systems(item: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in item {
        match token {
            TokenTree::Group(own) if own.delimiter() == Delimiter::Brace => {
                let content = without_systems(own.stream());
                kept.push(group(Delimiter::Brace, own.span(), content).into());
            }
            TokenTree::Group(own) if is_system_in(&own, kept.last()) => drop(kept.pop()),
            other => kept.push(other),
        }
    }
    kept.into_iter().collect()
}

/// Returns whether these brackets, after that token, are those of `#[system]`.
fn is_system_in(brackets: &Group, before: Option<&TokenTree>) -> bool {
    brackets.delimiter() == Delimiter::Bracket
        && before.is_some_and(|before| is_mark(before, '#'))
        && syn::parse2(brackets.stream()).is_ok_and(|meta: Meta| is_system(meta.path()))
}

pub(super) enum BlockItem {
    /// A function with `#[system]`, and its options.
    System(Box<Function>, TokenStream),
    /// Tokens that stay as they are.
    Other(TokenStream),
}

/// Splits the content of a block into systems and the rest.
pub(super) fn split(content: ParseStream<'_>, errors: &mut Errors) -> Result<Vec<BlockItem>> {
    let mut items = Vec::new();
    while !content.is_empty() {
        if !starts_system(content) {
            items.push(BlockItem::Other(content.parse::<TokenTree>()?.into()));
            continue;
        }
        let ahead = content.fork();
        match parse::function(&ahead) {
            Ok(mut function) => {
                if let Some(absent) = take_condition(&mut function.attrs) {
                    items.push(BlockItem::Other(unless_system(content, &ahead, &absent)?));
                }
                content.advance_to(&ahead);
                let options = take_options(&mut function);
                items.push(BlockItem::System(Box::new(function), options));
            }
            Err(error) => {
                report(error, errors);
                items.push(BlockItem::Other(half_written(content)?));
            }
        }
    }
    Ok(items)
}

/// Returns whether attributes come next, and one of them is or may be `#[system]`.
fn starts_system(content: ParseStream<'_>) -> bool {
    let has_system = |mut attributes: Vec<Attribute>| {
        attributes.iter().any(|it| is_system(it.path()))
            || take_condition(&mut attributes).is_some()
    };
    content.peek(Token![#]) && (content.fork().call(Attribute::parse_outer)).is_ok_and(has_system)
}

/// Makes `#[cfg_attr(x, system)]` into `#[cfg(x)] #[system]`. Returns `#[cfg(not(x))]`, for the function that is not a system.
fn take_condition(attrs: &mut Vec<Attribute>) -> Option<TokenStream> {
    let (index, (when, given)) = attrs.iter().enumerate().find_map(|(index, attribute)| {
        let condition = cfg_attr(attribute)?;
        let mut given = condition.1.iter();
        (given.any(|meta| is_system(meta.path()))).then_some((index, condition))
    })?;
    let split = quote!(#[cfg(#when)] #(#[#given])*);
    let split = Attribute::parse_outer.parse2(split).ok()?;
    attrs.splice(index..=index, split);
    Some(quote!(#[cfg(not(#when))]))
}

/// Takes the original function before `end`, but under the condition `absent` and without the attribute that has it.
fn unless_system(
    content: ParseStream<'_>,
    end: ParseStream<'_>,
    absent: &TokenStream,
) -> Result<TokenStream> {
    let mut attributes = content.call(Attribute::parse_outer)?;
    attributes.retain(|attribute| take_condition(&mut vec![attribute.clone()]).is_none());
    let mut tokens = quote!(#absent #(#attributes)*);
    while content.cursor() != end.cursor() {
        tokens.extend([content.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

/// Takes a function that cannot be parsed, up to the end of its body or a `;`. If it has a body, returns it without
/// `#[system]`, so that editors understand it.
fn half_written(content: ParseStream<'_>) -> Result<TokenStream> {
    let mut attributes = content.call(Attribute::parse_outer)?;
    attributes.retain(|attribute| !is_system(attribute.path()));
    let mut tokens = quote!(#(#attributes)*);
    while !content.is_empty() && !content.peek(Token![;]) {
        let has_body = content.peek(token::Brace);
        tokens.extend([content.parse::<TokenTree>()?]);
        if has_body {
            return Ok(tokens);
        }
    }
    content.parse::<Option<Token![;]>>()?;
    Ok(TokenStream::new())
}

/// Removes `#[system]` from the function and returns its options.
fn take_options(function: &mut Function) -> TokenStream {
    let own = function.attrs.iter().position(|it| is_system(it.path()));
    match own.map(|index| function.attrs.remove(index).meta) {
        Some(Meta::List(list)) => list.tokens,
        _ => TokenStream::new(),
    }
}
