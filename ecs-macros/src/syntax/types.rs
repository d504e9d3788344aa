//! Types.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::ToTokens;

use super::{Input, Words};
use crate::errors::Result;

/// A type, as written.
#[derive(Clone)]
pub(crate) struct Type {
    pub(crate) shape: Shape,
    words: Words,
}

/// What one sees of a type.
#[derive(Clone)]
pub(crate) enum Shape {
    /// In parentheses, perhaps the invisible ones around what a `macro_rules!` was given.
    Inside(Box<Type>),
    Path(Path),
    Reference(Reference),
    Tuple(Vec<Type>),
    Pointer(Box<Type>),
    Slice(Box<Type>),
    Array(Box<Type>),
    /// `fn(A) -> B`.
    Function(Signature),
    /// `dyn Trait`.
    TraitObject,
    /// `_`.
    Infer,
    /// What nobody looks at.
    Other,
}

/// `&'a mut T`.
#[derive(Clone)]
pub(crate) struct Reference {
    pub(crate) has_lifetime: bool,
    pub(crate) is_mut: bool,
    pub(crate) of: Box<Type>,
}

/// `ecs_core::Comp<Position>`.
#[derive(Clone)]
pub(crate) struct Path {
    pub(crate) segments: Vec<Segment>,
}

/// A word of a path and what it is applied to.
#[derive(Clone)]
pub(crate) struct Segment {
    pub(crate) name: Ident,
    pub(crate) arguments: Arguments,
}

#[derive(Clone)]
pub(crate) enum Arguments {
    None,
    /// `<'a, T, N>`.
    Angles(Vec<Argument>),
    /// `(A) -> B`.
    Signature(Signature),
}

#[derive(Clone)]
pub(crate) enum Argument {
    /// Its name.
    Lifetime(Ident),
    Type(Type),
    /// A constant, or what an associated type is.
    Other,
}

/// `(A, B) -> C`.
#[derive(Clone)]
pub(crate) struct Signature {
    pub(crate) inputs: Vec<Type>,
    pub(crate) output: Option<Box<Type>>,
}

impl Path {
    pub(crate) fn last(&self) -> Option<&Segment> {
        self.segments.last()
    }

    /// The path's only word, if it is one.
    pub(crate) fn word(&self) -> Option<&Ident> {
        match self.segments.as_slice() {
            [only] if matches!(only.arguments, Arguments::None) => Some(&only.name),
            _ => None,
        }
    }

    /// What the last word of the path is applied to in angle brackets.
    pub(crate) fn arguments(&self) -> &[Argument] {
        match self.last().map(|last| &last.arguments) {
            Some(Arguments::Angles(arguments)) => arguments,
            _ => &[],
        }
    }
}

impl Type {
    /// Tokens of which nobody looks at the shape.
    pub(crate) fn opaque(tokens: TokenStream) -> Self {
        Self {
            shape: Shape::Other,
            words: Words::new(tokens),
        }
    }

    /// A type made of tokens.
    pub(crate) fn of_tokens(tokens: TokenStream) -> Self {
        Input::read(tokens.clone(), Self::read).unwrap_or_else(|_| Self::opaque(tokens))
    }

    /// Reads a type.
    pub(crate) fn read(input: &mut Input) -> Result<Self> {
        let place = input.place();
        let shape = shape(input)?;
        Ok(Self {
            shape,
            words: input.since(place),
        })
    }

    /// Reads types with commas between them, up to the end.
    pub(crate) fn read_list(input: &mut Input) -> Result<Vec<Self>> {
        let mut types = Vec::new();
        while !input.is_empty() {
            types.push(Self::read(input)?);
            if !input.is_empty() {
                input.expect(",")?;
            }
        }
        Ok(types)
    }

    /// The places of the first and the last token.
    pub(crate) fn ends(&self) -> (Span, Span) {
        self.words.ends()
    }

    /// The place of the first token.
    pub(crate) fn span(&self) -> Span {
        self.ends().0
    }

    /// Takes parentheses off.
    pub(crate) fn strip(&self) -> &Self {
        match &self.shape {
            Shape::Inside(inner) => inner.strip(),
            _ => self,
        }
    }

    /// The reference that this is, perhaps in parentheses.
    pub(crate) fn reference(&self) -> Option<&Reference> {
        match &self.strip().shape {
            Shape::Reference(reference) => Some(reference),
            _ => None,
        }
    }

    /// The path that this is, perhaps in parentheses.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.strip().shape {
            Shape::Path(path) => Some(path),
            _ => None,
        }
    }
}

impl ToTokens for Type {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.words.to_tokens(tokens);
    }
}

fn shape(input: &mut Input) -> Result<Shape> {
    if input.peek_group(Delimiter::None) {
        return given(input);
    }
    if input.peek_group(Delimiter::Parenthesis) {
        return in_parentheses(&mut input.parentheses()?);
    }
    if input.peek_group(Delimiter::Bracket) {
        return in_brackets(&input.group(Delimiter::Bracket)?);
    }
    if input.eat("&").is_some() {
        let has_lifetime = input.peek_lifetime();
        if has_lifetime {
            input.lifetime()?;
        }
        return Ok(Shape::Reference(Reference {
            has_lifetime,
            is_mut: input.eat("mut").is_some(),
            of: Box::new(Type::read(input)?),
        }));
    }
    if input.eat("*").is_some() {
        if input.eat("const").is_none() {
            input.expect("mut")?;
        }
        return Ok(Shape::Pointer(Box::new(Type::read(input)?)));
    }
    if input.eat("_").is_some() {
        return Ok(Shape::Infer);
    }
    if input.eat("!").is_some() {
        return Ok(Shape::Other);
    }
    if input.eat("impl").is_some() {
        bounds(input);
        return Ok(Shape::Other);
    }
    if input.eat("dyn").is_some() {
        bounds(input);
        return Ok(Shape::TraitObject);
    }
    if input.eat("for").is_some() {
        angles(input)?;
    }
    if ["unsafe", "extern", "fn"]
        .iter()
        .any(|word| input.peek(word))
    {
        return function(input);
    }
    let is_qualified = input.peek("<");
    if is_qualified {
        angles(input)?;
    }
    if !(is_qualified || input.peek_word() || input.peek("::")) {
        return Err(input.error("expected a type"));
    }
    let path = path(input)?;
    if input.eat("!").is_some() {
        // A macro.
        input.token()?;
        return Ok(Shape::Other);
    }
    Ok(Shape::Path(path))
}

/// What a `macro_rules!` was given, perhaps with more after it: `$t`, `$t::Item`, `$path<u8>`.
fn given(input: &mut Input) -> Result<Shape> {
    let group = input.group(Delimiter::None)?;
    let inner = Input::read(group.stream(), Type::read)?;
    if input.peek("::") {
        return Ok(Shape::Path(path(input)?));
    }
    match inner.shape {
        Shape::Path(mut path) if input.peek("<") => {
            if let Some(last) = path.segments.last_mut() {
                last.arguments = Arguments::Angles(angles(input)?);
            }
            Ok(Shape::Path(path))
        }
        _ => Ok(Shape::Inside(Box::new(inner))),
    }
}

fn in_parentheses(input: &mut Input) -> Result<Shape> {
    let mut types = Vec::new();
    while !input.is_empty() {
        types.push(Type::read(input)?);
        if input.is_empty() && types.len() == 1 {
            return Ok(Shape::Inside(Box::new(types.remove(0))));
        }
        if !input.is_empty() {
            input.expect(",")?;
        }
    }
    Ok(Shape::Tuple(types))
}

fn in_brackets(group: &Group) -> Result<Shape> {
    let mut input = Input::inside(group);
    let of = Box::new(Type::read(&mut input)?);
    if input.is_empty() {
        return Ok(Shape::Slice(of));
    }
    input.expect(";")?;
    Ok(Shape::Array(of))
}

/// Reads the bounds of a type.
fn bounds(input: &mut Input) {
    input.until(&[",", ">", "=", ";", ":", "|", "where"]);
}

/// `unsafe extern "C" fn(name: A, B) -> C`.
fn function(input: &mut Input) -> Result<Shape> {
    while input.eat("fn").is_none() {
        input.token()?;
    }
    Ok(Shape::Function(signature(input)?))
}

fn signature(input: &mut Input) -> Result<Signature> {
    let mut list = input.parentheses()?;
    let mut inputs = Vec::new();
    while !list.is_empty() {
        let named = list.peek_second(":") && !list.peek_second("::");
        if named {
            list.word()?;
            list.expect(":")?;
        }
        if list.eat(".").is_some() {
            // `...`, which is no type.
            list.rest();
            break;
        }
        inputs.push(Type::read(&mut list)?);
        if !list.is_empty() {
            list.expect(",")?;
        }
    }
    let output = match input.eat("->") {
        Some(_) => Some(Box::new(Type::read(input)?)),
        None => None,
    };
    Ok(Signature { inputs, output })
}

impl Path {
    /// Reads a path, and gives its tokens.
    pub(crate) fn read(input: &mut Input) -> Result<Words> {
        let place = input.place();
        path(input)?;
        Ok(input.since(place))
    }
}

fn path(input: &mut Input) -> Result<Path> {
    input.eat("::");
    let mut segments = Vec::new();
    loop {
        let name = input.word()?;
        let turbofish = input.place();
        if input.eat("::").is_some() && !input.peek("<") {
            input.back(turbofish);
        }
        let arguments = if input.peek("<") {
            Arguments::Angles(angles(input)?)
        } else {
            called(input)
        };
        segments.push(Segment { name, arguments });
        if input.eat("::").is_none() {
            return Ok(Path { segments });
        }
    }
}

/// `(A) -> B`, if that follows; what else may stand in parentheses behind a type is for the caller to read.
fn called(input: &mut Input) -> Arguments {
    let place = input.place();
    if input.peek_group(Delimiter::Parenthesis) {
        if let Ok(signature) = signature(input) {
            return Arguments::Signature(signature);
        }
        input.back(place);
    }
    Arguments::None
}

/// `<'a, T, N>`, also `<T as Trait>`.
pub(super) fn angles(input: &mut Input) -> Result<Vec<Argument>> {
    input.expect("<")?;
    let mut arguments = Vec::new();
    while !input.peek(">") {
        arguments.push(argument(input)?);
        if !input.peek(">") {
            input.expect(",")?;
        }
    }
    input.expect(">")?;
    Ok(arguments)
}

fn argument(input: &mut Input) -> Result<Argument> {
    if input.peek_lifetime() {
        let name = input.lifetime()?;
        // The bounds in `for<'a: 'b>`.
        input.until(&[",", ">"]);
        return Ok(Argument::Lifetime(name));
    }
    let is_value = input.peek_literal() || input.peek("-") || input.peek_group(Delimiter::Brace);
    if is_value {
        while !(input.is_empty() || input.peek(",") || input.peek(">")) {
            input.token()?;
        }
        return Ok(Argument::Other);
    }
    let ty = Type::read(input)?;
    let is_plain = input.peek(",") || input.peek(">");
    if is_plain {
        return Ok(Argument::Type(ty));
    }
    // `Item = A`, `Item: Bound`, `T as Trait`.
    while !(input.is_empty() || input.peek(",") || input.peek(">")) {
        if input.peek_group(Delimiter::Brace) {
            input.token()?;
        }
        input.until(&[",", ">"]);
    }
    Ok(Argument::Other)
}
