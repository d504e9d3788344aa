//! The function under `#[system]`, as written.
//!
//! Patterns and the body stay the tokens that they are, so that an unfinished body never hinders the signature.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;

use crate::errors::{Error, Result};
use crate::syntax::{self, Attribute, Generics, Type, Visibility, Words};

/// A function.
pub(super) struct Function {
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    /// `const`, `async`, `unsafe`, `extern "C"`.
    pub(super) qualifiers: Vec<TokenTree>,
    pub(super) fn_token: Words,
    pub(super) ident: Ident,
    /// With the where clause.
    pub(super) generics: Generics,
    pub(super) inputs: Vec<Input>,
    /// `None` for `()` left out.
    pub(super) output: Option<Output>,
    /// In braces.
    pub(super) body: Group,
}

/// `-> T`.
pub(super) struct Output {
    pub(super) arrow: Words,
    pub(super) ty: Type,
}

impl ToTokens for Output {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.arrow.to_tokens(tokens);
        self.ty.to_tokens(tokens);
    }
}

/// A parameter as written.
pub(super) struct Input {
    pub(super) attrs: Vec<Attribute>,
    pub(super) pattern: TokenStream,
    /// `None` for `self` without a type.
    pub(super) ty: Option<Type>,
}

impl Function {
    /// The `self` parameter, if there is one.
    pub(super) fn receiver(&self) -> Option<&TokenStream> {
        self.inputs
            .iter()
            .map(|input| &input.pattern)
            .find(|pattern| is_self(pattern))
    }

    /// What it returns; `None` for `()` left out.
    pub(super) fn returned(&self) -> Option<&Type> {
        self.output.as_ref().map(|output| &output.ty)
    }
}

fn is_self(pattern: &TokenStream) -> bool {
    pattern
        .clone()
        .into_iter()
        .any(|token| matches!(token, TokenTree::Ident(ident) if ident == "self"))
}

/// Reads a function.
///
/// # Errors
/// If `item` is something else.
pub(super) fn function(item: TokenStream) -> Result<Function> {
    syntax::Input::read(item, read)
}

fn read(input: &mut syntax::Input) -> Result<Function> {
    let attrs = Attribute::read_all(input)?;
    let vis = Visibility::read(input)?;
    let qualifiers = qualifiers(input)?;
    let fn_token = input.expect("fn")?;
    let ident = input.word()?;
    let mut generics = Generics::read(input)?;
    let inputs = inputs(&mut input.parentheses()?)?;
    let output = match input.eat("->") {
        Some(arrow) => Some(Output {
            arrow,
            ty: Type::read(input)?,
        }),
        None => None,
    };
    generics.read_clause(input)?;
    let body = match input.token()? {
        TokenTree::Group(body) => body,
        other => {
            return Err(Error::new(
                other.span(),
                "a system has a body: `#[system]` goes on a function, not on its declaration in a trait or `extern` block",
            ));
        }
    };
    Ok(Function {
        attrs,
        vis,
        qualifiers,
        fn_token,
        ident,
        generics,
        inputs,
        output,
        body,
    })
}

/// All before `fn`; an error if there is no `fn`.
fn qualifiers(input: &mut syntax::Input) -> Result<Vec<TokenTree>> {
    let start = input.place();
    let mut qualifiers = Vec::new();
    while !input.peek("fn") {
        match input.token()? {
            TokenTree::Ident(word) if is_qualifier(&word) => qualifiers.push(word.into()),
            TokenTree::Literal(abi) if !qualifiers.is_empty() => qualifiers.push(abi.into()),
            _ => {
                input.back(start);
                return Err(not_a_function(input));
            }
        }
    }
    Ok(qualifiers)
}

fn is_qualifier(word: &Ident) -> bool {
    ["const", "async", "unsafe", "extern", "safe"]
        .iter()
        .any(|known| word == known)
}

fn not_a_function(item: &mut syntax::Input) -> Error {
    let Ok(word) = item.word() else {
        return item.error("`#[system]` goes on a function");
    };
    let advice = match word.to_string().as_str() {
        "struct" | "enum" | "union" => {
            ". Data is declared with `#[derive(Component)]` or `#[derive(Resource)]`"
        }
        "impl" | "trait" => {
            ". In a block of systems, `#[systems]` goes on the `impl` and `#[system]` on its functions"
        }
        _ => "",
    };
    let article = match word.to_string().as_str() {
        "enum" | "impl" => "an",
        _ => "a",
    };
    Error::new(
        word.span(),
        format!("`#[system]` goes on a function, not on {article} `{word}`{advice}"),
    )
}

fn inputs(content: &mut syntax::Input) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    while !content.is_empty() {
        inputs.push(input(content)?);
        if !content.is_empty() {
            content.expect(",")?;
        }
    }
    Ok(inputs)
}

fn input(content: &mut syntax::Input) -> Result<Input> {
    let attrs = Attribute::read_all(content)?;
    let mut pattern = TokenStream::new();
    while !content.is_empty() && !content.peek(",") {
        if content.peek("::") {
            // One mark, of which the second half is not the `:` that ends the pattern.
            pattern.extend([content.token()?]);
        } else if content.peek(":") {
            content.expect(":")?;
            let ty = Some(Type::read(content)?);
            return Ok(Input { attrs, pattern, ty });
        }
        pattern.extend([content.token()?]);
    }
    if is_self(&pattern) {
        return Ok(Input {
            attrs,
            pattern,
            ty: None,
        });
    }
    Err(Error::spanned(
        pattern,
        "a parameter of a system is written `name: Type`",
    ))
}
