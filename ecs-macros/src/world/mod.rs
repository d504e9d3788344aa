//! `world!`.

mod expand;
mod parse;

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::Result;
use syn::parse::Parser as _;

use crate::errors::Errors;
use crate::pretty;
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
        let text = pretty::line(component.ty.to_token_stream());
        let is_new = !seen.contains(&text) || !component.cfg.is_empty();
        if is_new {
            seen.push(text);
        } else {
            errors.push(
                &component.ty,
                format!("`{text}` is listed twice in the world `{name}`\nhelp: remove one, or wrap it in a struct of its own"),
            );
        }
        is_new
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{has, has_no};

    fn expanded(tokens: TokenStream) -> String {
        expand(quote!([$crate] #tokens)).unwrap().to_string()
    }

    #[test]
    fn each_component_gets_a_field_of_its_own() {
        let code = expanded(quote!(pub Game { Input, StatusBar<Health>, }));
        has(&code, "pub struct Game");
        has(&code, "ComponentOf < Game > for Input");
        has(&code, "ComponentOf < Game > for StatusBar < Health >");
        has_no(&code, "compile_error");
    }

    #[test]
    fn several_worlds_can_be_declared_at_once() {
        let code = expanded(quote!(pub Game { A } pub(crate) Menu { A }));
        has(&code, "ComponentOf < Game > for A");
        has(&code, "ComponentOf < Menu > for A");
    }
}
