//! `#[derive(Component)]`.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Expr, Ident, LitStr, Result, Token};

use crate::data::{self, DataOptions};
use crate::derive::{self, Derived};
use crate::errors::Errors;
use crate::pretty;
use crate::require::{self, Requirement};
use crate::summary::Summary;
use crate::toggle;
use crate::tokens::{site, text, to_vec};

/// The options that name a function to be called.
const HOOKS: [&str; 5] = [
    "on_add",
    "on_insert",
    "on_replace",
    "on_remove",
    "on_despawn",
];

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut storage = None;
    let mut tracked = false;
    let mut immediate = None;
    let mut disables = None;
    let mut toggle = None;
    let mut given: Option<LitStr> = None;
    let mut data = DataOptions::default();
    let own = "`storage = \"table\"`, `storage = \"sparse\"`, `track`, `immediate`, `disables`, `toggle`, `name = \"..\"`, `on_add = function`, `on_insert`, `on_replace`, `on_remove`, `on_despawn`, `require(Component, Other = expression)`, ";
    let known = format!("{own}{}", data::KNOWN);
    let mut hooks: Vec<(Ident, Expr)> = Vec::new();
    let mut required: Vec<Requirement> = Vec::new();
    let mut derived = Derived::parse(input, "component", &known, &mut |meta, errors| {
        if meta.path.is_ident("track") {
            tracked = true;
        } else if meta.path.is_ident("immediate") {
            immediate = Some(meta.path.clone());
        } else if meta.path.is_ident("disables") {
            disables = Some(meta.path.clone());
        } else if meta.path.is_ident("toggle") {
            toggle = Some(meta.path.clone());
        } else if meta.path.is_ident("require") {
            require::parse(meta, &mut required, errors)?;
        } else if HOOKS.iter().any(|kind| meta.path.is_ident(kind)) {
            let name = meta.path.require_ident()?.clone();
            let function = hook(meta, &name)?;
            if hooks.iter().all(|(other, _)| *other != name) {
                hooks.push((name, function));
            }
        } else if meta.path.is_ident("name") {
            let value = derive::text(
                meta,
                "write `name = \"game.position\"`, a name of your choice",
            )?;
            if let Err(error) = derive::check_name(&value.value(), "component") {
                errors.push(&value, error);
            } else {
                given = Some(value);
            }
        } else if meta.path.is_ident("storage") {
            let value = derive::text(
                meta,
                "write `storage = \"table\"` or `storage = \"sparse\"`",
            )?;
            match value.value().as_str() {
                "table" => storage = Some(quote!(Table)),
                "sparse" => storage = Some(quote!(Sparse)),
                other => errors.push(
                    &value,
                    format!("unknown storage `{other}`\nhelp: write `\"table\"` (fastest to iterate, the default) or `\"sparse\"` (fastest to insert and remove)"),
                ),
            }
        } else {
            return data.parse(meta, errors);
        }
        Ok(true)
    })?;
    derived.reject_lifetimes("component");
    reject_foreign(&derived.input.attrs, &mut derived.errors);
    let generics = &derived.input.generics;
    if let Some(name) = &given
        && generics.params.len() > generics.lifetimes().count()
    {
        derived.errors.push(
            name,
            "a generic component cannot have a name, which all its instances would share\nhelp: remove `name`",
        );
    }
    let sparse = storage
        .as_ref()
        .is_some_and(|kind| kind.to_string() == "Sparse");
    if let Some(disables) = &disables
        && sparse
    {
        derived.errors.push(
            disables,
            "a component that `disables` entities must be stored in tables, so that loops leave out whole tables\nhelp: remove `storage = \"sparse\"`",
        );
    }
    if let Some(immediate) = &immediate {
        if !sparse {
            derived.errors.push(
                immediate,
                "an `immediate` component must be stored in a sparse set\nhelp: add `storage = \"sparse\"`",
            );
        }
        if tracked || !hooks.is_empty() {
            derived.errors.push(
                immediate,
                "an `immediate` component cannot be tracked or have hooks, as a view that inserts it sets no ticks and calls no hooks\nhelp: remove `immediate`, or `track` and the hooks",
            );
        }
        if let Some(toggle) = &toggle {
            derived.errors.push(
                toggle,
                "an `immediate` component cannot have a toggle, as a view that inserts it borrows no other component\nhelp: remove `immediate` or `toggle`",
            );
        }
        if !required.is_empty() {
            derived.errors.push(
                immediate,
                "an `immediate` component cannot require others, as a view that inserts it borrows no other component\nhelp: remove `immediate` or `require(..)`",
            );
        }
    }

    if let (Some(given), Some(name)) = (&given, &data.name) {
        derived.errors.push(
            given,
            format!("`data` is the name of the component\nhelp: remove `name`, and write `data = \"{}\"` if that is the right one", name.value()),
        );
    }
    let given = given.or_else(|| data.name.clone());
    let toggle = toggle.filter(|_| immediate.is_none());
    let toggle_data = toggle.as_ref().and_then(|_| toggle::data(&derived, &data));
    let data = data.expand("component", &mut derived);
    let private = derived.root.private(site());
    let identity = derived.identity(given.as_ref(), data.as_ref());
    let (generics, ty, bounds) = derived.header();
    // Implements a marker trait, if the component has the marker.
    let mark = |is_marked: bool, of: TokenStream| {
        is_marked.then(|| quote!(impl #generics #private::#of for #ty #bounds {}))
    };
    let is_immediate = immediate.is_some() && sparse && !tracked && hooks.is_empty();
    let immediate = is_immediate.then(|| {
        quote!(
            const IMMEDIATE: #private::bool = true;
        )
    });
    let disables = (disables.is_some() && !sparse).then(|| {
        quote!(
            const DISABLES: #private::bool = true;
        )
    });
    // The moment at which an entity was disabled is the tick at which the component was added.
    let tracked = tracked || disables.is_some();
    let immediate_mark = mark(is_immediate, quote!(ImmediateComponent));
    let sparse_mark = mark(sparse, quote!(SparseComponent));
    let tracked_mark = mark(tracked, quote!(TrackedComponent));
    let summary =
        Summary {
            is_sparse: sparse,
            is_tracked: tracked,
            is_immediate,
            disables: disables.is_some(),
            has_toggle: toggle.is_some(),
            hooks: to_vec(hooks.iter().map(|(kind, function)| {
                (kind.to_string(), pretty::line(function.to_token_stream()))
            })),
            required: to_vec(required.iter().map(|required| &required.component)),
        };
    let summary = text(&summary.of_component());
    let toggle =
        toggle.map(|_| toggle::expand(&derived, toggle_data.as_ref(), &mut required, &mut hooks));
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
    let slot = derived.slot("id_slot", &quote!(IdSlot));
    let implementation = quote! {
        #[doc = #summary]
        impl #generics #private::Component for #ty #bounds {
            #identity
            #storage
            type Tracking = #private::#tracking;
            #hooks
            #required
            #immediate
            #disables
            #slot
        }
        #sparse_mark
        #immediate_mark
        #tracked_mark
        #toggle
        #checked
    };
    Ok(derived.finish(&implementation))
}

/// Reports attributes that other libraries have beside their components. The derive declares them for these errors only.
fn reject_foreign(attrs: &[Attribute], errors: &mut Errors) {
    for attribute in attrs {
        let path = attribute.path();
        let (what, help) = if path.is_ident("require") {
            let option = pretty::line(attribute.meta.to_token_stream());
            (
                "`require` is an option of the component",
                format!("write `#[component({option})]`"),
            )
        } else if path.is_ident("storage") {
            (
                "`storage` is an option of the component",
                "write `#[component(storage = \"table\")]` or `#[component(storage = \"sparse\")]`"
                    .to_owned(),
            )
        } else if path.is_ident("relationship") || path.is_ident("relationship_target") {
            (
                "a relation is a type of its own",
                "declare it with `#[derive(Relation)]`; its two ends are the components `Target` and `Sources`".to_owned(),
            )
        } else {
            continue;
        };
        errors.push(attribute, format!("{what}\nhelp: {help}"));
    }
}

/// Parses the path of a function.
fn hook(meta: &ParseNestedMeta<'_>, name: &Ident) -> Result<Expr> {
    let expected = |span| {
        syn::Error::new(
            span,
            format!(
                "expected the path of a function\nhelp: write `{name} = Self::function`, of a `fn(DeferredWorld, Entity)`"
            ),
        )
    };
    if !meta.input.peek(Token![=]) {
        return Err(expected(name.span()));
    }
    let input = meta.value()?;
    let span = input.span();
    match input.parse() {
        Ok(Expr::Path(path)) => Ok(Expr::Path(path)),
        // An expression, perhaps of a kind that `syn` does not know without its feature `full`.
        Ok(other) => Err(syn::Error::new_spanned(other, expected(span).to_string())),
        Err(_) => Err(expected(span)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(input: TokenStream) -> String {
        expand(input).unwrap().to_string()
    }

    #[test]
    fn a_plain_type_gets_an_exact_identity_and_a_slot() {
        let code = expanded(quote!(
            struct Position(f32);
        ));
        assert!(code.contains("ConstTypeIdOf :: exact"), "{code}");
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
        assert!(code.contains("with_argument"), "{code}");
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
    fn a_name_is_for_messages_and_the_location_stays_the_identity() {
        let code = expanded(quote! {
            #[component(name = "game.player")]
            struct Player;
        });
        assert!(code.contains(". called (\"game.player\")"), "{code}");
        assert!(code.contains("concat ! (\"@\""), "{code}");
        assert!(code.contains("\"::Player\""), "{code}");
        for invalid in ["", "two words", "line\n", "`a`"] {
            let code = expanded(quote! {
                #[component(name = #invalid)]
                struct Player;
            });
            assert_eq!(
                code.matches("compile_error").count(),
                1,
                "{invalid:?}: {code}"
            );
            assert!(!code.contains("called"), "{code}");
        }
    }

    #[test]
    fn the_documentation_of_the_impl_says_what_the_options_say() {
        let code = expanded(quote! {
            #[component(storage = "sparse", track, on_add = Self::joined, require(Position, a::Speed = f()))]
            struct Player;
        });
        let text = "Stored in a sparse set. Changes are tracked.\\n# Required components\\n* `Position`\\n* `a::Speed`\\n\\n# Hooks\\n* `on_add`: `Self::joined`\\n";
        assert!(code.contains(text), "{code}");
        let code = expanded(quote! {
            #[component(disables, toggle)]
            struct Asleep;
        });
        let text = "\"Stored in tables. Changes are tracked. Loops leave out entities with it. Can be turned off without being removed.\"";
        assert!(code.contains(text), "{code}");
        let code = expanded(quote! {
            #[component(storage = "sparse", immediate)]
            struct Fast;
        });
        let text = "\"Stored in a sparse set. Views insert and remove it at once.\"";
        assert!(code.contains(text), "{code}");
        let plain = expanded(quote!(
            struct Plain;
        ));
        assert!(plain.contains("\"Stored in tables.\""), "{plain}");
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
    fn all_errors_are_reported_at_once() {
        let code = expanded(quote! {
            #[component(storage = "heap")]
            #[component(colour = 1)]
            #[component(on_add = f, on_add = g)]
            struct Name<'a>(&'a str);
        });
        assert_eq!(code.matches("compile_error").count(), 4, "{code}");
        assert!(code.contains("duplicate option `on_add`"), "{code}");
        assert!(code.contains("unknown storage `heap`"), "{code}");
        assert!(code.contains("unknown option `colour`"), "{code}");
        assert!(code.contains("lifetime `'a`"), "{code}");
    }
}
