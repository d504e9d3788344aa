//! `world!`.

mod expand;
mod parse;

use crate::prelude::*;
use parse::ListedWorld;

/// Expands `[$crate] pub Game { Input, Velocity }`, once or several times.
pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut errors = Errors::default();
    let parser = |input: syn::parse::ParseStream<'_>| parse::worlds(input, &mut errors);
    let (root, mut worlds) = parser.parse2(input)?;
    for world in &mut worlds {
        reject_duplicates(world, &mut errors);
    }
    let worlds = worlds.iter().map(|world| expand::expand(world, &root));
    let errors = errors.into_tokens();
    Ok(quote!(#(#worlds)* #errors))
}

/// Removes types that are listed twice. If one is listed under another name, the compiler finds it by coherence.
fn reject_duplicates(world: &mut ListedWorld, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    let name = world.name.to_string();
    world.components.retain(|component| {
        let text = pretty::line(&component.ty);
        let is_new = !seen.contains(&text) || !component.cfg.is_empty();
        if !is_new {
            reject!(errors, &component.ty =>
                "`{text}` is listed twice in the world `{name}`\nhelp: remove one, or wrap it in a struct of its own");
        }
        seen.push(text);
        is_new
    });
}

#[cfg(test)]
mod tests {
    use crate::tokens::{check, code_of};

    #[test]
    fn each_component_of_each_world_gets_a_field_of_its_own() {
        let parts = "
            [$crate] pub Game { Input, StatusBar<Health>, }
                pub struct Game
                ComponentOf < Game > for Input
                ComponentOf < Game > for StatusBar < Health >
                ! compile_error
            [$crate] pub Game { A } pub(crate) Menu { A }
                ComponentOf < Game > for A
                ComponentOf < Menu > for A";
        check(code_of(super::expand), parts);
    }
}
