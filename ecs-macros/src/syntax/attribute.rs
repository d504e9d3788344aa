//! Attributes, and the settings in them.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::ToTokens;

use super::{Input, Words};
use crate::errors::{Error, Result};

/// `#[path(..)]`.
#[derive(Clone)]
pub(crate) struct Attribute {
    words: Words,
    path: Words,
    /// What follows the path.
    rest: TokenStream,
}

impl Attribute {
    /// Reads the attributes that come next.
    pub(crate) fn read_all(input: &mut Input) -> Result<Vec<Self>> {
        let mut attributes = Vec::new();
        while input.peek("#") {
            let place = input.place();
            input.expect("#")?;
            let mut inside = Input::inside(&input.group(Delimiter::Bracket)?);
            attributes.push(Self {
                words: input.since(place),
                path: path(&mut inside)?,
                rest: inside.rest().to_token_stream(),
            });
        }
        Ok(attributes)
    }

    /// Whether the path is this one word.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.path.is(name)
    }

    /// Whether the path is one of these words.
    pub(crate) fn is_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is(name))
    }

    pub(super) fn words(&self) -> &Words {
        &self.words
    }

    pub(crate) fn path(&self) -> &Words {
        &self.path
    }

    /// What is in the parentheses, if there are any.
    pub(crate) fn list(&self) -> Option<Group> {
        Input::read(self.rest.clone(), |rest| rest.group(Delimiter::Parenthesis)).ok()
    }

    /// Reads the settings in the parentheses.
    pub(crate) fn settings(
        &self,
        each: &mut dyn FnMut(&mut Setting<'_>) -> Result<()>,
    ) -> Result<()> {
        match self.list() {
            Some(list) => settings(&mut Input::inside(&list), each),
            None => Err(Error::spanned(
                &self.path,
                format!(
                    "expected attribute arguments in parentheses: `#[{}(...)]`",
                    self.path.to_token_stream()
                ),
            )),
        }
    }
}

impl ToTokens for Attribute {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.words.to_tokens(tokens);
    }
}

/// A name in a list like `storage = "sparse", track`, with the input behind it.
pub(crate) struct Setting<'a> {
    name: Words,
    pub(crate) input: &'a mut Input,
}

/// Reads a list of settings; `each` reads what follows the name of one.
pub(crate) fn settings(
    input: &mut Input,
    each: &mut dyn FnMut(&mut Setting<'_>) -> Result<()>,
) -> Result<()> {
    while !input.is_empty() {
        let name = path(input)?;
        each(&mut Setting { name, input })?;
        if !input.is_empty() {
            input.expect(",")?;
        }
    }
    Ok(())
}

impl Setting<'_> {
    /// Whether the name is this word.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.is(name)
    }

    pub(crate) fn name(&self) -> &Words {
        &self.name
    }

    /// The input behind the `=`.
    pub(crate) fn value(&mut self) -> Result<&mut Input> {
        self.input.expect("=")?;
        Ok(self.input)
    }

    /// A mistake in all that was read of the setting.
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        Error::between(self.name.ends().0, self.input.last_span(), message)
    }
}

/// Reads a path of words, also of keywords.
fn path(input: &mut Input) -> Result<Words> {
    let place = input.place();
    input.eat("::");
    if !input.peek_word() {
        return Err(input.error("expected the name of a setting"));
    }
    input.word()?;
    while input.eat("::").is_some() {
        input.word()?;
    }
    Ok(input.since(place))
}
