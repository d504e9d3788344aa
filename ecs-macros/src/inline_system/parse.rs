//! The input of `system!`.

use crate::prelude::*;
use crate::types::typed_pattern;

/// `world, move |pattern: Type, ..| -> Type { body }`.
pub(super) struct InlineSystem {
    pub(super) root: Root,
    pub(super) world: TokenStream,
    pub(super) moves: Option<Token![move]>,
    /// The span of the first `|`.
    pub(super) bar: Span,
    pub(super) inputs: Vec<WrittenParam>,
    pub(super) output: Option<Type>,
    pub(super) body: TokenStream,
}

/// A parameter as written.
pub(super) struct WrittenParam {
    pub(super) pattern: TokenStream,
    pub(super) ty: Option<Type>,
}

const EXAMPLE: &str =
    "write `system!(world, |entity, velocity: &mut Velocity, input: &Input| { .. })`";

pub(super) fn inline(input: ParseStream<'_>) -> Result<InlineSystem> {
    let root = Root::parse(input)?;
    let world = world(input)?;
    let moves = input.parse()?;
    let bar = input.span();
    let inputs = inputs(input)?;
    let has_output = input.parse::<Option<Token![->]>>()?.is_some();
    let output = has_output.then(|| input.parse()).transpose()?;
    demand!(!has_output || input.peek(token::Brace), input =>
        "expected a block after the return type\nhelp: write `-> Velocity {{ .. }}`");
    Ok(InlineSystem {
        root,
        world,
        moves,
        bar,
        inputs,
        output,
        body: body(input)?,
    })
}

/// Parses the tokens before the comma that the closure follows.
fn world(input: ParseStream<'_>) -> Result<TokenStream> {
    let start = input.span();
    let mut world = TokenStream::new();
    loop {
        if input.is_empty() {
            fail!(at start => "expected a world and a closure\nhelp: {EXAMPLE}");
        }
        if input.peek(Token![,])
            && (input.peek2(Token![|]) || input.peek2(Token![||]) || input.peek2(Token![move]))
        {
            let comma: Token![,] = input.parse()?;
            if world.is_empty() {
                fail!(at comma.span => "expected a world before `,`\nhelp: {EXAMPLE}");
            }
            return Ok(world);
        }
        world.extend([input.parse::<TokenTree>()?]);
    }
}

fn inputs(input: ParseStream<'_>) -> Result<Vec<WrittenParam>> {
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

fn parameter(input: ParseStream<'_>) -> Result<WrittenParam> {
    let is_end = |input: ParseStream<'_>| input.peek(Token![,]) || input.peek(Token![|]);
    let (pattern, ty) = typed_pattern(input, is_end)?;
    demand!(ty.is_some() || !input.is_empty(), input =>
        "expected `|` after the parameters\nhelp: {EXAMPLE}");
    let pattern = pattern.into_token_stream();
    demand!(ty.is_some() || !pattern.is_empty(), input => "expected `name: &Type`");
    Ok(WrittenParam { pattern, ty })
}

/// Parses the rest, without a comma at its end.
///
/// Braces around it have a span that lints attribute to the macro: they are nested in other braces if a parameter needs
/// a conversion first.
fn body(input: ParseStream<'_>) -> Result<TokenStream> {
    demand!(!input.is_empty(), input => "expected the body of the closure\nhelp: {EXAMPLE}");
    let mut body = to_vec(input.parse::<TokenStream>()?);
    body.pop_if(|last| is_mark(last, ','));
    if let [TokenTree::Group(group)] = body.as_mut_slice() {
        group.set_span(site().located_at(group.span()));
    }
    Ok(body.into_iter().collect())
}
