//! What a derive stands on.

use proc_macro2::{Delimiter, Ident, Literal, Span, TokenStream};
use quote::ToTokens;

use super::{Attribute, Generics, Input, Type, Words};
use crate::errors::Result;

/// A struct, an enum or a union.
pub(crate) struct Item {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) body: Body,
}

/// What is in it.
pub(crate) enum Body {
    Struct(Vec<Field>),
    /// The word `enum`.
    Enum(Words),
    /// The word `union`.
    Union(Words),
}

/// A field of a struct.
pub(crate) struct Field {
    pub(crate) visibility: Visibility,
    pub(crate) member: Member,
    pub(crate) ty: Type,
}

/// How a field is named.
#[derive(Clone)]
pub(crate) enum Member {
    Named(Ident),
    /// The field's number, at the place of its type.
    Unnamed(usize, Span),
}

/// `pub`, `pub(crate)`, or nothing.
#[derive(Clone, Default)]
pub(crate) struct Visibility(Words);

impl Item {
    pub(crate) fn read(input: &mut Input) -> Result<Self> {
        let attributes = Attribute::read_all(input)?;
        let visibility = Visibility::read(input)?;
        let kinds = ["struct", "enum", "union"];
        let Some((kind, word)) = kinds
            .iter()
            .find_map(|kind| Some((*kind, input.eat(kind)?)))
        else {
            return Err(input.error("expected one of: `struct`, `enum`, `union`"));
        };
        let name = input.name()?;
        let mut generics = Generics::read(input)?;
        let body = match kind {
            "enum" => Body::Enum(word),
            "union" => Body::Union(word),
            _ => Body::Struct(fields(input, &mut generics)?),
        };
        generics.read_clause(input)?;
        input.rest();
        Ok(Self {
            attributes,
            visibility,
            name,
            generics,
            body,
        })
    }
}

/// Reads the fields of a struct, and the where clause before their braces.
fn fields(input: &mut Input, generics: &mut Generics) -> Result<Vec<Field>> {
    let mut fields = Vec::new();
    if input.peek_group(Delimiter::Parenthesis) {
        let mut list = input.parentheses()?;
        while !list.is_empty() {
            Attribute::read_all(&mut list)?;
            let visibility = Visibility::read(&mut list)?;
            let ty = Type::read(&mut list)?;
            fields.push(Field {
                visibility,
                member: Member::Unnamed(fields.len(), ty.span()),
                ty,
            });
            comma(&mut list)?;
        }
        return Ok(fields);
    }
    generics.read_clause(input)?;
    if input.peek_group(Delimiter::Brace) {
        let mut list = Input::inside(&input.group(Delimiter::Brace)?);
        while !list.is_empty() {
            Attribute::read_all(&mut list)?;
            let visibility = Visibility::read(&mut list)?;
            let member = Member::Named(list.name()?);
            list.expect(":")?;
            fields.push(Field {
                visibility,
                member,
                ty: Type::read(&mut list)?,
            });
            comma(&mut list)?;
        }
    }
    Ok(fields)
}

fn comma(list: &mut Input) -> Result<()> {
    if !list.is_empty() {
        list.expect(",")?;
    }
    Ok(())
}

impl Visibility {
    pub(crate) fn read(input: &mut Input) -> Result<Self> {
        let place = input.place();
        if input.peek_group(Delimiter::None) {
            // What a `macro_rules!` was given, perhaps as nothing.
            if input.group(Delimiter::None)?.stream().is_empty() {
                return Ok(Self::default());
            }
            input.back(place);
        }
        if input.eat("pub").is_some() && input.peek_group(Delimiter::Parenthesis) {
            // The parentheses of a tuple's field may be those of its type.
            let public = input.place();
            let mut inside = input.parentheses()?;
            let is_alone = ["crate", "self", "super"]
                .iter()
                .any(|word| inside.eat(word).is_some());
            if !(inside.peek("in") || is_alone && inside.is_empty()) {
                input.back(public);
            }
        }
        Ok(Self(input.since(place)))
    }

    /// A visibility made of tokens.
    pub(crate) fn of_tokens(tokens: TokenStream) -> Self {
        Self(Words::new(tokens))
    }
}

impl ToTokens for Visibility {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

impl ToTokens for Member {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Named(name) => name.to_tokens(tokens),
            Self::Unnamed(number, place) => {
                let mut number = Literal::usize_unsuffixed(*number);
                number.set_span(*place);
                number.to_tokens(tokens);
            }
        }
    }
}
