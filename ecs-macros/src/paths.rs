//! The path of `ecs-core` in generated code.

use syn::Error;

use crate::manifest;
use crate::prelude::*;

/// The path of `ecs-core` as the user's crate sees it.
#[derive(Clone)]
pub(crate) enum Root {
    /// The name of the dependency, or the path in the manifest.
    Dependency(String),
    /// The crate reaches `ecs-core` in an unknown way.
    Unknown,
    /// The user gave this path.
    Given(TokenStream),
}

impl Root {
    /// Uses the given path, or the name of the dependency in the user's manifest.
    pub(crate) fn new(given: Option<&Path>) -> Self {
        match given {
            Some(path) => Self::Given(path.to_token_stream()),
            None => manifest::dependency().map_or(Self::Unknown, Self::Dependency),
        }
    }

    /// Returns the error for an item in a crate that reaches `ecs-core` in an unknown way.
    pub(crate) fn reject_unknown(&self) -> Option<Error> {
        matches!(self, Self::Unknown).then(|| {
            wrong!(at Span::call_site() =>
                "`ecs-core` is not a dependency of this crate, which reaches it through another one\nhelp: write `extern crate engine as ecs_core;` at the root of the crate; or name the path once, in its `Cargo.toml`: `[package.metadata.ecs-core]` and `crate = \"engine::ecs\"`; or for this item: `crate = engine::ecs`")
        })
    }

    /// Parses `[$crate]`, which the `macro_rules!` around each function-like macro puts before the user's input: the
    /// only path that is correct under every name and through every re-export.
    pub(crate) fn parse(input: ParseStream<'_>) -> Result<Self> {
        let path;
        bracketed!(path in input);
        Ok(Self::Given(path.parse::<TokenStream>()?))
    }

    /// Returns the path of the module with everything that generated code uses. Its tokens have `span`, so errors about
    /// them are shown there.
    pub(crate) fn private(&self, span: Span) -> TokenList {
        let (mut path, names) = match self {
            Self::Dependency(root) => (Vec::new(), to_vec(root.split("::"))),
            // Never compiled, because an error is reported.
            Self::Unknown => (Vec::new(), Vec::new()),
            Self::Given(root) => (to_vec(located_at(root.clone(), span)), Vec::new()),
        };
        for name in names.into_iter().chain(["__private"]) {
            for spacing in [Spacing::Joint, Spacing::Alone] {
                path.push(mark(':', spacing, span).into());
            }
            path.push(Ident::new(name, span).into());
        }
        TokenList(path)
    }

    /// Returns the import of all traits with the answers about types that lack something: one item, where each name would be
    /// one more. A constant is used with it, so no lint reports it and it needs no span that moves with each edit above.
    fn import(&self) -> (TokenStream, Ident) {
        let private = self.private(site());
        (quote!(use #private::prelude::*;), hidden("__END"))
    }

    /// Returns that import for the start of a body.
    pub(crate) fn scope(&self) -> TokenStream {
        let (import, end) = self.import();
        quote!(#import let () = #end;)
    }

    /// Puts items into a block with that import.
    pub(crate) fn in_scope(&self, items: &TokenStream) -> TokenStream {
        let (import, end) = self.import();
        quote!(const _: () = { #import #items #end };)
    }

    /// Returns `<Type as Trait>::item` for a trait of `ecs-core`, perhaps in a module, and a type between these spans.
    ///
    /// The tokens begin and end where the type does, so that an error in it is shown there, and only once. They have no width,
    /// so that an editor finds the type alone at its place.
    pub(crate) fn item_of(
        &self,
        ty: &dyn ToTokens,
        (first, last): (Span, Span),
        of: &str,
        item: &str,
    ) -> TokenStream {
        let (first, last) = (before(first), after(last));
        let (private, item) = (self.private(last), Ident::new(item, last));
        let of = of.split("::").map(|name| Ident::new(name, last));
        let open = mark('<', Spacing::Alone, first);
        quote_spanned!(last=> #open #ty as #private #(::#of)*>::#item)
    }
}

/// Parses the option `crate = path` (or `crate = "path"`). Returns `false` if `meta` is another option.
pub(crate) fn parse_crate(meta: &ParseNestedMeta<'_>, into: &mut Option<Path>) -> Result<bool> {
    if !meta.path.is_ident("crate") {
        return Ok(false);
    }
    let value = meta.value()?;
    *into = Some(match value.peek(LitStr) {
        true => value.parse::<LitStr>()?.parse()?,
        false => value.parse()?,
    });
    Ok(true)
}

#[cfg(test)]
#[path = "paths_tests.rs"]
mod tests;
