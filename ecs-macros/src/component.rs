//! `#[derive(Component)]`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, Ident, LitStr};

use crate::derive::Derived;
use crate::require::{self, Requirement};

/// The options that name a function to be called.
const HOOKS: [&str; 5] = [
    "on_add",
    "on_insert",
    "on_replace",
    "on_remove",
    "on_despawn",
];

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut storage = None;
    let mut tracked = false;
    let mut immediate = None;
    let mut given: Option<LitStr> = None;
    let known = "`storage = \"table\"`, `storage = \"sparse\"`, `track`, `immediate`, `name = \"..\"`, `on_add = function`, `on_insert`, `on_replace`, `on_remove`, `on_despawn`, `require(Component, Other = expression)`, `crate = path`";
    let mut hooks: Vec<(Ident, Expr)> = Vec::new();
    let mut required: Vec<Requirement> = Vec::new();
    let derived = Derived::parse(input, "component", known, &mut |meta, errors| {
        if meta.path.is_ident("track") {
            tracked = true;
            return Ok(true);
        }
        if meta.path.is_ident("immediate") {
            immediate = Some(meta.path.clone());
            return Ok(true);
        }
        if meta.path.is_ident("require") {
            require::parse(meta, &mut required, errors)?;
            return Ok(true);
        }
        if let Some(kind) = HOOKS.iter().find(|kind| meta.path.is_ident(kind)) {
            let function = meta.value()?.parse()?;
            let name = meta.path.require_ident()?.clone();
            if hooks.iter().any(|(other, _)| other == kind) {
                errors.push(
                    &name,
                    format!("`{kind}` twice; call both functions from one"),
                );
            }
            hooks.push((name, function));
            return Ok(true);
        }
        if meta.path.is_ident("name") {
            let value: LitStr = meta.value()?.parse()?;
            if let Err(mistake) = check_name(&value.value()) {
                errors.push(&value, mistake);
            } else if given.is_some() {
                errors.push(&value, "`name` twice; a component has one name");
            } else {
                given = Some(value);
            }
            return Ok(true);
        }
        if !meta.path.is_ident("storage") {
            return Ok(false);
        }
        let value: LitStr = meta.value()?.parse()?;
        match value.value().as_str() {
            "table" => storage = Some(quote!(Table)),
            "sparse" => storage = Some(quote!(Sparse)),
            other => errors.push(
                &value,
                format!("unknown storage \"{other}\"; write \"table\" (fastest to iterate, the default) or \"sparse\" (fastest to insert and remove)"),
            ),
        }
        Ok(true)
    });
    let mut derived = match derived {
        Ok(derived) => derived,
        Err(error) => return error,
    };
    derived.refuse_lifetimes("component");
    let generics = &derived.input.generics;
    if let Some(name) = &given
        && generics.params.len() > generics.lifetimes().count()
    {
        derived.errors.push(
            name,
            "a generic component is many types, which cannot share one name; take `name` out",
        );
    }
    let sparse = storage
        .as_ref()
        .is_some_and(|kind| kind.to_string() == "Sparse");
    if let Some(immediate) = &immediate {
        if !sparse {
            derived.errors.push(
                immediate,
                "an `immediate` component is stored in a sparse set: add `storage = \"sparse\"`",
            );
        }
        if tracked || !hooks.is_empty() {
            derived.errors.push(
                immediate,
                "an `immediate` component is not tracked and has no hooks: a view that inserts it cannot tell anybody; take one out",
            );
        }
        if !required.is_empty() {
            derived.errors.push(
                immediate,
                "an `immediate` component requires nothing: a view that inserts it has borrowed no other component; take one out",
            );
        }
    }

    let private = derived.root.private(Span::mixed_site());
    let name = &derived.input.ident;
    let identity = derived.identity(given.as_ref());
    let (generics, arguments, _) = derived.input.generics.split_for_impl();
    let bounds = derived.where_threads_may_share();
    let is_immediate = immediate.is_some() && sparse && !tracked && hooks.is_empty();
    let immediate = is_immediate.then(|| {
        (
            quote!(
                const IMMEDIATE: #private::bool = true;
            ),
            quote!(impl #generics #private::ImmediateComponent for #name #arguments #bounds {}),
        )
    });
    let (immediate, marked_immediate) = immediate.unzip();
    let sparse = sparse
        .then(|| quote!(impl #generics #private::SparseComponent for #name #arguments #bounds {}));
    let storage = storage
        .map(|kind| quote!(const STORAGE: #private::StorageKind = #private::StorageKind::#kind;));
    let hooks = (!hooks.is_empty()).then(|| {
        let (names, functions): (Vec<_>, Vec<_>) = hooks.into_iter().unzip();
        quote!(const HOOKS: #private::Hooks = #private::Hooks::NONE #(.#names(#functions))*;)
    });
    let (required, checked) = require::expand(&derived, &required).unzip();
    let tracking = if tracked {
        quote!(Tracked)
    } else {
        quote!(Untracked)
    };
    // A static inside a generic function is shared by all its instances, so generic types have none.
    let slot = derived.input.generics.params.is_empty().then(|| {
        quote_spanned! {Span::mixed_site()=>
            #[inline]
            fn id_slot() -> #private::Option<&'static #private::IdSlot<Self>> {
                static SLOT: #private::IdSlot<#name> = #private::IdSlot::new();
                #private::Option::Some(&SLOT)
            }
        }
    });
    let tracked = tracked
        .then(|| quote!(impl #generics #private::TrackedComponent for #name #arguments #bounds {}));
    let implementation = quote! {
        impl #generics #private::Component for #name #arguments #bounds {
            #identity
            #storage
            type Tracking = #private::#tracking;
            #hooks
            #required
            #immediate
            #slot
        }
        #sparse
        #marked_immediate
        #tracked
        #checked
    };
    derived.finish(&implementation)
}

/// A name is written to files, and in messages between backticks.
fn check_name(name: &str) -> Result<(), &'static str> {
    let is_bad = |c: char| c.is_whitespace() || c.is_control() || c == '`';
    if name.is_empty() {
        Err("a name has at least one character; write for example \"game.position\"")
    } else if name.contains(is_bad) {
        Err(
            "a name has no spaces, control characters or backticks; write for example \"game.position\"",
        )
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(input: TokenStream) -> String {
        expand(input).to_string()
    }

    #[test]
    fn a_plain_type_gets_an_exact_identity_and_a_slot() {
        let code = expanded(quote!(
            struct Position(f32);
        ));
        assert!(code.contains("Identity :: exact"), "{code}");
        assert!(code.contains("static SLOT"), "{code}");
        assert!(!code.contains("STORAGE"), "{code}");
    }

    #[test]
    fn a_generic_type_gets_a_generic_identity_and_no_slot() {
        let code = expanded(quote!(
            struct Tag<T: Clone>(T)
            where
                T: Copy;
        ));
        assert!(code.contains("Identity :: generic"), "{code}");
        assert!(!code.contains("static SLOT"), "{code}");
        assert!(code.contains("T : Copy , Self :"), "{code}");
    }

    #[test]
    fn hooks_become_a_constant() {
        let code = expanded(quote! {
            #[component(on_add = Self::joined, on_remove = crate::left)]
            struct Player;
        });
        assert!(
            code.contains("NONE . on_add (Self :: joined) . on_remove (crate :: left)"),
            "{code}"
        );
    }

    #[test]
    fn a_name_is_called_and_the_place_stays_the_identity() {
        let code = expanded(quote! {
            #[component(name = "game.player")]
            struct Player;
        });
        assert!(code.contains(". called (\"game.player\")"), "{code}");
        assert!(code.contains("concat ! (\"@\""), "{code}");
        assert!(code.contains("\"::Player\""), "{code}");
        for wrong in ["", "two words", "line\n", "`a`"] {
            let code = expanded(quote! {
                #[component(name = #wrong)]
                struct Player;
            });
            assert_eq!(
                code.matches("compile_error").count(),
                1,
                "{wrong:?}: {code}"
            );
            assert!(!code.contains("called"), "{code}");
        }
    }

    #[test]
    fn requirements_become_a_constant() {
        let code = expanded(quote! {
            #[component(require(Position, a::Speed<u8> = a::Speed(3)), require(Size))]
            struct Player;
        });
        for part in [
            "Required :: of :: < Position >",
            "Required :: of :: < a :: Speed < u8 > > (|| a :: Speed (3))",
            "Required :: of :: < Size >",
        ] {
            assert!(code.contains(part), "{code}");
        }
        assert_eq!(code.matches("compile_error").count(), 0, "{code}");
    }

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let code = expanded(quote! {
            #[component(storage = "heap")]
            #[component(colour = 1)]
            #[component(on_add = f, on_add = g)]
            struct Name<'a>(&'a str);
        });
        assert_eq!(code.matches("compile_error").count(), 4, "{code}");
        assert!(code.contains("`on_add` twice"), "{code}");
        assert!(code.contains("unknown storage"), "{code}");
        assert!(code.contains("unknown option `colour`"), "{code}");
        assert!(code.contains("lifetime `'a`"), "{code}");
    }
}
