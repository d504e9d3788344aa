//! `world!`.

mod expand;
mod parse;

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::parse::Parser as _;

use crate::errors::Errors;
use crate::pretty;
use parse::World;

/// Expands `[$crate] pub Game { Input, Velocity }`, once or several times.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let parser = |input: syn::parse::ParseStream<'_>| parse::worlds(input, &mut errors);
    let (root, mut worlds) = match parser.parse2(input) {
        Ok(parsed) => parsed,
        Err(error) => return error.to_compile_error(),
    };
    for world in &mut worlds {
        refuse_repetitions(world, &mut errors);
    }
    let worlds = worlds.iter().map(|world| expand::expand(world, &root));
    let errors = errors.into_tokens();
    quote!(#(#worlds)* #errors)
}

/// A type that is written twice; one that is called differently the second time is found by coherence.
fn refuse_repetitions(world: &mut World, errors: &mut Errors) {
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
                format!("`{text}` is already a component of the world `{name}`; an entity has at most one of a type, so wrap the second in a struct of its own"),
            );
        }
        is_new
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(tokens: TokenStream) -> String {
        expand(quote!([$crate] #tokens)).to_string()
    }

    #[test]
    fn each_component_gets_a_place_of_its_own() {
        let code = expanded(quote!(pub Game { Input, StatusBar<Health>, }));
        assert!(code.contains("pub struct Game"), "{code}");
        assert!(code.contains("ComponentOf < Game > for Input"), "{code}");
        assert!(
            code.contains("ComponentOf < Game > for StatusBar < Health >"),
            "{code}"
        );
        assert!(!code.contains("compile_error"), "{code}");
    }

    #[test]
    fn every_repetition_is_reported_and_left_out() {
        let code = expanded(quote!(Game { A, B, A, B, A }));
        assert_eq!(code.matches("compile_error").count(), 3, "{code}");
        assert_eq!(
            code.matches("ComponentOf < Game > for A").count(),
            1,
            "{code}"
        );
    }

    #[test]
    fn several_worlds_can_be_declared_at_once() {
        let code = expanded(quote!(pub Game { A } pub(crate) Menu { A }));
        assert!(code.contains("ComponentOf < Game > for A"), "{code}");
        assert!(code.contains("ComponentOf < Menu > for A"), "{code}");
    }
}
