//! What is written in `system!`.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens as _;

use crate::errors::{Error, Result};
use crate::paths::Root;
use crate::syntax::{self, Type, Words};

/// `world, move |pattern: Type, ..| -> Type { body }`.
pub(super) struct Inline {
    pub(super) root: Root,
    pub(super) world: TokenStream,
    pub(super) moves: Option<Words>,
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

pub(super) fn inline(input: &mut syntax::Input) -> Result<Inline> {
    let root = crate::root::read(input)?;
    let world = world(input)?;
    let moves = input.eat("move");
    let bar = input.span();
    let inputs = inputs(input)?;
    let output = if input.eat("->").is_some() {
        Some(Type::read(input)?)
    } else {
        None
    };
    if output.is_some() && !input.peek_group(Delimiter::Brace) {
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
fn world(input: &mut syntax::Input) -> Result<TokenStream> {
    let start = input.span();
    let mut world = TokenStream::new();
    loop {
        if input.is_empty() {
            return Err(Error::new(
                start,
                format!("a world and a closure are needed: {FORM}"),
            ));
        }
        if input.peek(",")
            && (input.peek_second("|") || input.peek_second("||") || input.peek_second("move"))
        {
            let comma = input.expect(",")?;
            if world.is_empty() {
                return Err(Error::spanned(comma, format!("which world? {FORM}")));
            }
            return Ok(world);
        }
        world.extend([input.token()?]);
    }
}

fn inputs(input: &mut syntax::Input) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    if input.eat("||").is_some() {
        return Ok(inputs);
    }
    input.expect("|")?;
    while !input.peek("|") {
        inputs.push(parameter(input)?);
        if !input.peek("|") {
            input.expect(",")?;
        }
    }
    input.expect("|")?;
    Ok(inputs)
}

fn parameter(input: &mut syntax::Input) -> Result<Input> {
    let mut pattern = TokenStream::new();
    while !input.peek(",") && !input.peek("|") {
        if input.is_empty() {
            return Err(input.error(format!("the parameters end with `|`: {FORM}")));
        }
        if input.peek("::") {
            // One mark, of which the second half is not the `:` that ends the pattern.
            pattern.extend([input.token()?]);
        } else if input.peek(":") {
            input.expect(":")?;
            let ty = Some(Type::read(input)?);
            return Ok(Input { pattern, ty });
        }
        pattern.extend([input.token()?]);
    }
    if pattern.is_empty() {
        return Err(input.error("a parameter is written `name: &Type`"));
    }
    Ok(Input { pattern, ty: None })
}

/// The rest, without a comma at its end.
fn body(input: &mut syntax::Input) -> Result<TokenStream> {
    if input.is_empty() {
        return Err(input.error(format!("the closure has a body: {FORM}")));
    }
    let mut body: Vec<TokenTree> = input.rest().to_token_stream().into_iter().collect();
    if matches!(body.last(), Some(TokenTree::Punct(mark)) if mark.as_char() == ',') {
        body.pop();
    }
    Ok(body.into_iter().collect())
}
