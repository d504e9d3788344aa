//! `#[derive(Relation)]`.

use proc_macro2::TokenStream;
use syn::{Path, Result};

use crate::data::{self, DataOptions};
use crate::derive::{self, Derived};
use crate::tokens::site;

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut many: Option<Path> = None;
    let mut tree: Option<Path> = None;
    let mut sources: Option<bool> = None;
    let mut data = DataOptions::default();
    let own = "`many`, `tree`, `sources = \"detach\"`, `sources = \"despawn\"`, ";
    let known = format!("{own}{}", data::KNOWN);
    let mut derived = Derived::parse(input, "relation", &known, &mut |meta, errors| {
        for (name, option) in [("many", &mut many), ("tree", &mut tree)] {
            if meta.path.is_ident(name) {
                *option = Some(meta.path.clone());
                return Ok(true);
            }
        }
        if !meta.path.is_ident("sources") {
            return data.parse(meta, errors);
        }
        let value = derive::text(
            meta,
            "write `sources = \"detach\"` or `sources = \"despawn\"`",
        )?;
        let despawned = match value.value().as_str() {
            "detach" => false,
            "despawn" => true,
            other => {
                errors.push(
                    &value,
                    format!("unknown value `{other}` of `sources`\nhelp: when a target is despawned, `\"detach\"` keeps its sources (the default) and `\"despawn\"` despawns them too"),
                );
                return Ok(true);
            }
        };
        sources = Some(despawned);
        Ok(true)
    })?;
    derived.reject_lifetimes("relation");
    if let (Some(_), Some(tree)) = (&many, &tree) {
        derived.errors.push(
            tree,
            "a relation with many targets cannot be a tree\nhelp: remove `many` or `tree`",
        );
    }

    let data = data.expand("relation", &mut derived);

    let private = derived.root.private(site());
    let (generics, ty, bounds) = derived.header();
    let (kind, component) = match many {
        Some(_) => (quote!(ToMany), quote!(Targets)),
        None => (quote!(ToOne), quote!(Target)),
    };
    let constant = |is_set: bool, name: TokenStream| {
        is_set.then(|| quote!(const #name: #private::bool = true;))
    };
    let tree = constant(tree.is_some() && many.is_none(), quote!(TREE));
    let despawns = constant(sources == Some(true), quote!(DESPAWNS_SOURCES));
    let data = data.map(|data| quote!(const DATA: &'static [#private::DataType] = #data;));
    let (import, identity) = derived.identity_of();
    let slots = derived.slot("slots", &quote!(relation::RelationIdSlots));
    let implementation = quote! {
        impl #generics #private::relation::Relation for #ty #bounds {
            type Outgoing = #private::relation::#component<Self>;
            #tree
            #despawns
            #data
            const RELATION: #private::ConstTypeIdOf<Self> = { #import #identity };
            #slots
        }
        impl #generics #private::relation::#kind for #ty #bounds {}
    };
    Ok(derived.finish(&implementation))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(input: TokenStream) -> String {
        expand(input).unwrap().to_string()
    }

    #[test]
    fn a_plain_relation_has_one_target_and_detaches() {
        let code = expanded(quote!(
            struct Follows;
        ));
        assert!(code.contains("relation :: Target < Self >"), "{code}");
        assert!(code.contains("relation :: ToOne for Follows"), "{code}");
        assert!(
            !code.contains("TREE") && !code.contains("DESPAWNS"),
            "{code}"
        );
    }

    #[test]
    fn options_become_constants() {
        let code = expanded(quote! {
            #[relation(tree, sources = "despawn")]
            struct ChildOf;
        });
        for name in ["TREE", "DESPAWNS_SOURCES"] {
            let constant = format!("const {name} : :: ecs_core :: __private :: bool = true");
            assert!(code.contains(&constant), "{code}");
        }
        let code = expanded(quote! {
            #[relation(many, sources = "detach")]
            struct Likes<T>(T);
        });
        assert!(code.contains("relation :: Targets < Self >"), "{code}");
        assert!(code.contains("relation :: ToMany for Likes"), "{code}");
        assert!(
            !code.contains("SLOT") && !code.contains("DESPAWNS"),
            "{code}"
        );
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let code = expanded(quote! {
            #[relation(many, tree)]
            #[relation(sources = "drop")]
            #[relation(targets)]
            struct Likes<'a>(&'a str);
        });
        assert_eq!(code.matches("compile_error").count(), 4, "{code}");
        for part in [
            "cannot be a tree",
            "unknown value `drop`",
            "unknown option `targets`",
            "lifetime `'a`",
        ] {
            assert!(code.contains(part), "{part}: {code}");
        }
    }
}
