//! `#[derive(Relation)]`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{LitStr, Path};

use crate::derive::Derived;

const KNOWN: &str =
    "`many`, `tree`, `sources = \"detach\"`, `sources = \"despawn\"`, `crate = path`";

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut many: Option<Path> = None;
    let mut tree: Option<Path> = None;
    let mut sources: Option<bool> = None;
    let derived = Derived::parse(input, "relation", KNOWN, &mut |meta, errors| {
        for (name, place) in [("many", &mut many), ("tree", &mut tree)] {
            if meta.path.is_ident(name) {
                *place = Some(meta.path.clone());
                return Ok(true);
            }
        }
        if !meta.path.is_ident("sources") {
            return Ok(false);
        }
        let value: LitStr = meta.value()?.parse()?;
        let despawned = match value.value().as_str() {
            "detach" => false,
            "despawn" => true,
            other => {
                errors.push(
                    &value,
                    format!("unknown fate \"{other}\" of the sources of a target that is despawned; write \"detach\" (they stay, the default) or \"despawn\" (they go with it)"),
                );
                return Ok(true);
            }
        };
        if sources.replace(despawned).is_some() {
            errors.push(&value, "`sources` twice; take one out");
        }
        Ok(true)
    });
    let mut derived = match derived {
        Ok(derived) => derived,
        Err(error) => return error,
    };
    derived.refuse_lifetimes("relation");
    if let (Some(_), Some(tree)) = (&many, &tree) {
        derived.errors.push(
            tree,
            "what has many targets is no tree; take out `many`, or `tree`",
        );
    }

    let private = derived.root.private(Span::mixed_site());
    let name = &derived.input.ident;
    let (generics, arguments, _) = derived.input.generics.split_for_impl();
    let bounds = derived.where_threads_may_share();
    let (kind, component) = match many {
        Some(_) => (quote!(ToMany), quote!(Targets)),
        None => (quote!(ToOne), quote!(Target)),
    };
    let tree = (tree.is_some() && many.is_none()).then(|| {
        quote!(
            const TREE: #private::bool = true;
        )
    });
    let despawns = (sources == Some(true)).then(|| {
        quote!(
            const DESPAWNS_SOURCES: #private::bool = true;
        )
    });
    // A static inside a generic function is shared by all its instances, so generic types have none.
    let slots = derived.input.generics.params.is_empty().then(|| {
        quote_spanned! {Span::mixed_site()=>
            #[inline]
            fn slots() -> #private::Option<&'static #private::relation::Slots<Self>> {
                static SLOTS: #private::relation::Slots<#name> = #private::relation::Slots::new();
                #private::Option::Some(&SLOTS)
            }
        }
    });
    let implementation = quote! {
        impl #generics #private::relation::Relation for #name #arguments #bounds {
            type Outgoing = #private::relation::#component<Self>;
            #tree
            #despawns
            #slots
        }
        impl #generics #private::relation::#kind for #name #arguments #bounds {}
    };
    derived.finish(&implementation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(input: TokenStream) -> String {
        expand(input).to_string()
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
            !code.contains("SLOTS") && !code.contains("DESPAWNS"),
            "{code}"
        );
    }

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let code = expanded(quote! {
            #[relation(many, tree)]
            #[relation(sources = "drop")]
            #[relation(targets)]
            struct Likes<'a>(&'a str);
        });
        assert_eq!(code.matches("compile_error").count(), 4, "{code}");
        for part in [
            "is no tree",
            "unknown fate",
            "unknown option `targets`",
            "lifetime `'a`",
        ] {
            assert!(code.contains(part), "{part}: {code}");
        }
    }
}
