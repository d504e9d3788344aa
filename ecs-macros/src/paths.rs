//! Where generated code finds `ecs-core`.

use proc_macro2::{Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::meta::ParseNestedMeta;
use syn::{LitStr, Path, Result};

use crate::lists::{changed, listed};
use crate::manifest;

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
    pub(crate) fn new(chosen: Option<&Path>) -> Self {
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
        Words(words)
    }
}

/// Tokens that are written many times.
///
/// A stream is kept by the compiler, which must be asked to put it into another one; single tokens are only handed over
/// with the rest.
#[derive(Clone)]
pub(crate) struct Words(Vec<TokenTree>);

impl Words {
    pub(crate) fn new(tokens: TokenStream) -> Self {
        Self(listed(tokens))
    }

    /// The places of the first and the last token.
    pub(crate) fn ends(&self) -> (Span, Span) {
        let first = self.0.first().map_or_else(Span::call_site, TokenTree::span);
        (first, self.0.last().map_or(first, TokenTree::span))
    }
}

impl ToTokens for Words {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.0.iter().cloned());
    }
}

/// Moves tokens to `span` without changing what their names mean (`$crate` stays that crate).
fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    changed(tokens, &mut |mut token| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), respan(group.stream(), span)).into();
        }
        token.set_span(span.resolved_at(token.span()));
        token
    })
}

/// Reads the option `crate = path` (or `crate = "path"`); `false` if `meta` is another option.
pub(crate) fn parse_crate(meta: &ParseNestedMeta<'_>, into: &mut Option<Path>) -> Result<bool> {
    if !meta.path.is_ident("crate") {
        return Ok(false);
    }
    let value = meta.value()?;
    *into = Some(if value.peek(LitStr) {
        value.parse::<LitStr>()?.parse()?
    } else {
        value.parse()?
    });
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn a_chosen_path_is_used_as_written() {
        let path: Path = syn::parse_quote!(engine::ecs);
        let private = Root::new(Some(&path)).private(Span::call_site());
        assert_eq!(
            private.to_token_stream().to_string(),
            quote!(engine::ecs::__private).to_string()
        );
    }
}
