//! Where generated code finds `ecs-core`.

use proc_macro2::{Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens as _;

use crate::errors::Result;
use crate::manifest;
use crate::syntax::{Input, Path, Setting, Words};

/// The path of `ecs-core` as the user's crate sees it.
#[derive(Clone)]
pub(crate) enum Root {
    /// Under this name among the dependencies.
    Dependency(String),
    /// Where the user said.
    Chosen(TokenStream),
}

impl Root {
    /// What the user said, or what the user's manifest calls the dependency.
    pub(crate) fn new(chosen: Option<Words>) -> Self {
        match chosen {
            Some(path) => Self::Chosen(path.to_token_stream()),
            None => Self::Dependency(manifest::dependency()),
        }
    }

    /// The module with everything that generated code uses. The tokens get `span`, where errors about them are shown.
    pub(crate) fn private(&self, span: Span) -> Words {
        let colon = |spacing| {
            let mut colon = Punct::new(':', spacing);
            colon.set_span(span);
            TokenTree::from(colon)
        };
        let colons = || [colon(Spacing::Joint), colon(Spacing::Alone)];
        let mut words = Vec::new();
        match self {
            Self::Dependency(root) => {
                words.extend(colons());
                words.push(Ident::new(root, span).into());
            }
            Self::Chosen(path) => words.extend(respan(path.clone(), span)),
        }
        words.extend(colons());
        words.push(Ident::new("__private", span).into());
        words.into()
    }
}

/// Moves tokens to `span` without changing what their names mean (`$crate` stays that crate).
fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            if let TokenTree::Group(group) = &token {
                token = Group::new(group.delimiter(), respan(group.stream(), span)).into();
            }
            token.set_span(span.resolved_at(token.span()));
            token
        })
        .collect()
}

/// Reads the option `crate = path` (or `crate = "path"`); `false` if `setting` is another option.
pub(crate) fn read_crate(setting: &mut Setting<'_>, into: &mut Option<Words>) -> Result<bool> {
    if !setting.is("crate") {
        return Ok(false);
    }
    let value = setting.value()?;
    *into = Some(if value.peek_literal() {
        let text = value.text()?;
        let place = text.literal().span();
        let words = text.value().parse().unwrap_or_default();
        let path = Input::read(words, Path::read)?.to_token_stream();
        Words::new(at(path, place))
    } else {
        Path::read(value)?
    });
    Ok(true)
}

/// The tokens at `place`.
fn at(tokens: TokenStream, place: Span) -> TokenStream {
    let tokens = tokens.into_iter().map(|mut token| {
        token.set_span(place);
        token
    });
    tokens.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn a_chosen_path_is_used_as_written() {
        let path = Words::new(quote!(engine::ecs));
        let private = Root::new(Some(path)).private(Span::call_site());
        assert_eq!(
            private.to_token_stream().to_string(),
            quote!(engine::ecs::__private).to_string()
        );
    }
}
