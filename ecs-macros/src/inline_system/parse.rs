//! What is written in `system!`.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::ParseStream;
use syn::{Result, Token, Type, token};

use crate::lists::listed;
use crate::paths::Root;

/// `world, move |pattern: Type, ..| -> Type { body }`.
pub(super) struct Inline {
    pub(super) root: Root,
    pub(super) world: TokenStream,
    pub(super) moves: Option<Token![move]>,
    /// The place of the first `|`.
    pub(super) bar: Span,
    pub(super) inputs: Vec<Input>,
    pub(super) output: Option<Type>,
    pub(super) body: TokenStream,
}

/// A parameter as written.
pub(super) struct Input {
    pub(super) pattern: TokenStream,
    pub(super) ty: Option<Type>,
}

const FORM: &str = "`system!(world, |entity, velocity: &mut Velocity, input: &Input| { .. })`";

pub(super) fn inline(input: ParseStream<'_>) -> Result<Inline> {
    let root = crate::root::parse(input)?;
    let world = world(input)?;
    let moves = input.parse()?;
    let bar = input.span();
    let inputs = inputs(input)?;
    let output = if input.parse::<Option<Token![->]>>()?.is_some() {
        Some(input.parse()?)
    } else {
        None
    };
    if output.is_some() && !input.peek(token::Brace) {
        return Err(input.error("after a return type the body is a block: `-> Velocity { .. }`"));
    }
    let body = body(input)?;
    Ok(Inline {
        root,
        world,
        moves,
        bar,
        inputs,
        output,
        body,
    })
}

/// All before the comma that the closure follows.
fn world(input: ParseStream<'_>) -> Result<TokenStream> {
    let start = input.span();
    let mut world = TokenStream::new();
    loop {
        if input.is_empty() {
            return Err(syn::Error::new(
                start,
                format!("a world and a closure are needed: {FORM}"),
            ));
        }
        if input.peek(Token![,])
            && (input.peek2(Token![|]) || input.peek2(Token![||]) || input.peek2(Token![move]))
        {
            let comma: Token![,] = input.parse()?;
            if world.is_empty() {
                return Err(syn::Error::new(comma.span, format!("which world? {FORM}")));
            }
            return Ok(world);
        }
        world.extend([input.parse::<TokenTree>()?]);
    }
}

fn inputs(input: ParseStream<'_>) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    if input.parse::<Option<Token![||]>>()?.is_some() {
        return Ok(inputs);
    }
    input.parse::<Token![|]>()?;
    while !input.peek(Token![|]) {
        inputs.push(parameter(input)?);
        if !input.peek(Token![|]) {
            input.parse::<Token![,]>()?;
        }
    }
    input.parse::<Token![|]>()?;
    Ok(inputs)
}

fn parameter(input: ParseStream<'_>) -> Result<Input> {
    let mut pattern = TokenStream::new();
    while !input.peek(Token![,]) && !input.peek(Token![|]) {
        if input.is_empty() {
            return Err(input.error(format!("the parameters end with `|`: {FORM}")));
        }
        if input.peek(Token![::]) {
            // One mark, of which the second half is not the `:` that ends the pattern.
            pattern.extend([input.parse::<TokenTree>()?]);
        } else if input.peek(Token![:]) {
            input.parse::<Token![:]>()?;
            let ty = Some(input.parse()?);
            return Ok(Input { pattern, ty });
        }
        pattern.extend([input.parse::<TokenTree>()?]);
    }
    if pattern.is_empty() {
        return Err(input.error("a parameter is written `name: &Type`"));
    }
    Ok(Input { pattern, ty: None })
}

/// The rest, without a comma at its end.
fn body(input: ParseStream<'_>) -> Result<TokenStream> {
    if input.is_empty() {
        return Err(input.error(format!("the closure has a body: {FORM}")));
    }
    let mut body = listed(input.parse::<TokenStream>()?);
    if matches!(body.last(), Some(TokenTree::Punct(mark)) if mark.as_char() == ',') {
        body.pop();
    }
    Ok(body.into_iter().collect())
}
