//! Where generated code finds `ecs-core`.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::meta::ParseNestedMeta;
use syn::{LitStr, Path, Result};

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
    pub(crate) fn private(&self, span: Span) -> TokenStream {
        let name = Ident::new("__private", span);
        match self {
            Self::Dependency(root) => {
                let root = Ident::new(root, span);
                quote_spanned!(span=> ::#root::#name)
            }
            Self::Chosen(path) => {
                let path = respan(path.clone(), span);
                quote_spanned!(span=> #path::#name)
            }
        }
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
            private.to_string(),
            quote!(engine::ecs::__private).to_string()
        );
    }
}
