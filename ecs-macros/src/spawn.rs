//! `spawn!` and `add_entity!`.

use crate::prelude::*;

/// Expands `[$crate] world; component, ..`.
pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    spawn.parse2(input)
}

fn spawn(input: ParseStream<'_>) -> Result<TokenStream> {
    let root = Root::parse(input)?;
    let whole = input.span();
    let mut world = TokenStream::new();
    let mut comma = None;
    let end = loop {
        if input.is_empty() {
            fail!(at comma.unwrap_or(whole) =>
                "expected `;` between the world and the components\nhelp: write `spawn!(world; Position::default(), Velocity::default())`");
        }
        let token: TokenTree = input.parse()?;
        if is_mark(&token, ';') {
            break token.span();
        }
        if comma.is_none() && is_mark(&token, ',') {
            comma = Some(token.span());
        }
        world.extend([token]);
    };
    if world.is_empty() {
        fail!(at whole => "expected a world before `;`\nhelp: write `spawn!(world; ..)`");
    }
    let mut components: TokenStream = input.parse()?;
    let last = components.clone().into_iter().last();
    if last.is_some_and(|token| !is_mark(&token, ',')) {
        components.extend(quote!(,));
    }
    // Called by the method's name, which a `World` has as well. Its span is in the user's code: the compiler looks
    // among the expressions around it for the component that the world lacks.
    let spawn = Ident::new("spawn", end);
    let first = components.clone().into_iter().next();
    let at = first.map_or(end, |token| token.span());
    let bundle = group(Delimiter::Parenthesis, at, components);
    let import = import(&root, "StaticWorld", site());
    Ok(quote!({ #import (#world).#spawn(#bundle) }))
}

#[cfg(test)]
mod tests {
    use crate::tokens::{check, code_of};

    #[test]
    fn components_become_a_tuple() {
        let parts = "
            [$crate] world; a, f::<B, C>()
                (world) . spawn ((a , f ::< B , C > () ,))
            [$crate] world; a, f::<B, C>(),
                (world) . spawn ((a , f ::< B , C > () ,))
            [$crate] self.world;
                (self . world) . spawn (())";
        check(code_of(super::expand), parts);
    }
}
