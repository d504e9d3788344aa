//! `#[derive(Component)]`.

use crate::data::{self, Described};
use crate::derive::{self, Derived};
use crate::options::{Opt, OptionValue, Table, Takes, option};
use crate::prelude::*;
use crate::require::{self, Requirement};
use crate::toggle;

/// The options that name a function to be called.
const HOOKS: [&str; 5] = [
    "on_add",
    "on_insert",
    "on_replace",
    "on_remove",
    "on_despawn",
];

const STORAGES: &[(&str, &str)] = &[
    ("table", "fastest to iterate, the default"),
    ("sparse", "fastest to insert and remove"),
];

const OWN: [Opt; 12] = [
    option(
        "storage",
        "storage = \"table\"`, `storage = \"sparse\"",
        Takes::OneOf(STORAGES),
    ),
    option("track", "track", Takes::Nothing),
    option("immediate", "immediate", Takes::Nothing),
    option("disables", "disables", Takes::Nothing),
    option("toggle", "toggle", Takes::Nothing),
    option("name", "name = \"..\"", Takes::Name),
    option(HOOKS[0], "on_add = function", Takes::Function),
    option(HOOKS[1], "on_insert", Takes::Function),
    option(HOOKS[2], "on_replace", Takes::Function),
    option(HOOKS[3], "on_remove", Takes::Function),
    option(HOOKS[4], "on_despawn", Takes::Function),
    option(
        "require",
        "require(Component, Other = expression)",
        Takes::Required,
    ),
];

pub(crate) const OPTIONS: Table = &[&OWN, &data::OPTIONS];

struct Model {
    derived: Derived,
    is_sparse: bool,
    is_tracked: bool,
    is_immediate: bool,
    disables: bool,
    has_toggle: bool,
    name: Option<syn::LitStr>,
    hooks: Vec<(Ident, Expr)>,
    required: Vec<Requirement>,
    data: Option<Described>,
}

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut derived = Derived::parse(input, "component", OPTIONS)?;
    derived.reject_lifetimes("component");
    derived.reject_rc("component");
    reject_foreign(&derived.input.attrs, &mut derived.errors);
    check(&mut derived);
    let model = Model::new(derived);
    let implementation = model.implement();
    Ok(model.derived.finish(&implementation))
}

/// Reports mutually exclusive options.
fn check(derived: &mut Derived) {
    let mut errors = Errors::default();
    let storage = derived.option("storage").map(|option| &option.value);
    let is_sparse = derived.says("storage", "sparse");
    let has = |names: &[&str]| derived.all(names).next().is_some();
    if let Some(name) = derived.text("name") {
        if let Err(error) = derive::check_name(&name.value(), "component") {
            errors.push(name, error);
        } else if derived.is_generic() {
            errors.push(name, "a generic component cannot have a name, which all its instances would share\nhelp: remove `name`");
        } else if let Some(data) = derived.text("data") {
            let message = format!(
                "`data` is the name of the component\nhelp: remove `name`, and write `data = \"{}\"` if that is the right one",
                data.value()
            );
            errors.push(name, message);
        }
    }
    if let (Some(disables), true) = (derived.path("disables"), is_sparse) {
        errors.push(disables, "a component that `disables` entities must be stored in tables, so that loops leave out whole tables\nhelp: remove `storage = \"sparse\"`");
    }
    if let Some(immediate) = derived.path("immediate") {
        let excluded = [
            (
                !is_sparse && !matches!(storage, Some(OptionValue::Wrong)),
                &immediate,
                "must be stored in a sparse set\nhelp: add `storage = \"sparse\"`",
            ),
            (
                has(&["track"]) || has(&HOOKS),
                &immediate,
                "cannot be tracked or have hooks, because a view that inserts it sets no ticks and calls no hooks\nhelp: remove `immediate`, or `track` and the hooks",
            ),
            (
                has(&["toggle"]),
                &derived.path("toggle").unwrap_or(immediate.clone()),
                "cannot have a toggle, because a view that inserts it borrows no other component\nhelp: remove `immediate` or `toggle`",
            ),
            (
                has(&["require"]),
                &immediate,
                "cannot require others, because a view that inserts it borrows no other component\nhelp: remove `immediate` or `require(..)`",
            ),
        ];
        for (_, at, problem) in excluded.into_iter().filter(|(is_wrong, ..)| *is_wrong) {
            errors.push(at, format!("an `immediate` component {problem}"));
        }
    }
    require::check(derived, &mut errors);
    derived.errors.append(errors);
}

impl Model {
    fn new(mut derived: Derived) -> Self {
        let data = Described::of("component", &mut derived);
        let has = |name| derived.option(name).is_some();
        // An immediate one in a table is an error, after which its uses are none.
        let is_sparse = derived.says("storage", "sparse") || has("immediate");
        let mut hooks = Vec::new();
        for option in derived.all(&HOOKS) {
            if let (OptionValue::Function(function), Some(name)) =
                (&option.value, option.path.get_ident())
            {
                hooks.push((name.clone(), function.clone()));
            }
        }
        let name = derived
            .text("name")
            .or_else(|| derived.text("data"))
            .cloned();
        Self {
            is_sparse,
            // The tick of the component's addition says when the entity was disabled.
            is_tracked: has("track") || has("disables"),
            is_immediate: has("immediate") && !has("track") && hooks.is_empty(),
            disables: has("disables") && !is_sparse,
            has_toggle: has("toggle") && !has("immediate"),
            name: name.filter(|name| derive::check_name(&name.value(), "component").is_ok()),
            hooks,
            required: require::of_others(&derived),
            data,
            derived,
        }
    }

    /// Returns the documentation of the impl.
    fn summary(&self) -> Literal {
        let mut summary = String::from(if self.is_sparse {
            "Stored in a sparse set."
        } else {
            "Stored in tables."
        });
        let sentences = [
            (self.is_tracked, " Changes are tracked."),
            (self.is_immediate, " Views insert and remove it at once."),
            (self.disables, " Loops leave out entities with it."),
            (self.has_toggle, " Can be turned off without being removed."),
            (!self.required.is_empty(), "\n# Required components\n"),
        ];
        let said = sentences.iter().filter(|(is_so, _)| *is_so);
        said.for_each(|(_, sentence)| summary.push_str(sentence));
        for required in &self.required {
            let component = pretty::line(&required.component);
            summary.push_str(&format!("* `{component}`\n"));
        }
        if !self.hooks.is_empty() {
            summary.push_str("\n# Hooks\n");
        }
        for (kind, function) in &self.hooks {
            let function = pretty::line(function);
            summary.push_str(&format!("* `{kind}`: `{function}`\n"));
        }
        text(&summary)
    }

    /// Returns all impls.
    fn implement(&self) -> TokenStream {
        let component = self.component();
        let private = self.derived.root.private(site());
        let (generics, ty, bounds) = self.derived.header();
        let marks = [
            (self.is_sparse, quote!(SparseComponent)),
            (self.is_immediate, quote!(ImmediateComponent)),
            (self.is_tracked, quote!(TrackedComponent)),
        ];
        let marks = marks.into_iter().filter(|(is_marked, _)| *is_marked);
        let marks = marks.map(|(_, of)| quote!(impl #generics #private::#of for #ty #bounds {}));
        let toggle = self
            .has_toggle
            .then(|| toggle::implement(&self.derived, self.data.as_ref()));
        let checked = require::check_cycles(&self.derived, &self.required);
        quote!(#component #(#marks)* #toggle #checked)
    }

    /// Returns the impl of `Component`.
    fn component(&self) -> TokenStream {
        let derived = &self.derived;
        let private = derived.root.private(site());
        let (generics, ty, bounds) = derived.header();
        let summary = self.summary();
        let data = self.data.as_ref().map(|data| data.expand(derived));
        let (identity, place) = derived.identity("IDENTITY", self.name.as_ref(), data.as_ref());
        let storage = self
            .is_sparse
            .then(|| quote!(const STORAGE: #private::StorageKind = #private::StorageKind::Sparse;));
        let tracking = if self.is_tracked {
            quote!(Tracked)
        } else {
            quote!(Untracked)
        };
        let (mut hooks, mut required) = (self.hooks.clone(), to_vec(self.required.iter().cloned()));
        if self.has_toggle {
            toggle::add(derived, &mut required, &mut hooks);
        }
        let hooks = (!hooks.is_empty()).then(|| {
            let (names, functions): (Vec<_>, Vec<_>) = hooks.into_iter().unzip();
            quote!(const HOOKS: #private::Hooks = #private::Hooks::NONE #(.#names(#functions))*;)
        });
        let required = require::expand(derived, &required);
        let flags = derive::flags(
            &[
                (self.is_immediate, "IMMEDIATE"),
                (self.disables, "DISABLES"),
            ],
            &private,
        );
        let slot = derived.slot("id_slot", &quote!(IdSlot));
        quote! {
            #place

            #[doc = #summary]
            impl #generics #private::Component for #ty #bounds {
                #identity
                #storage
                type Tracking = #private::#tracking;
                #hooks
                #required
                #flags
                #slot
            }
        }
    }
}

/// Reports attributes that belong to the component derives of other libraries. Our derive declares these attributes
/// only to report them.
fn reject_foreign(attrs: &[Attribute], errors: &mut Errors) {
    for attribute in attrs {
        let path = attribute.path();
        let (what, help) = if path.is_ident("require") {
            let option = pretty::line(&attribute.meta);
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
        errors.push(path, format!("{what}\nhelp: {help}"));
    }
}

#[cfg(test)]
mod tests {
    use crate::tokens::{check, code_of};

    fn check_code(parts: &str) {
        check(code_of(super::expand), parts);
    }

    #[test]
    fn a_plain_type_gets_an_exact_identity_and_a_slot() {
        check_code(
            "
            struct Position(f32);
                ConstTypeIdOf :: exact
                static SLOT
                ! STORAGE
            struct Tag<T: Clone>(T) where T: Copy;
                with_argument
                ! static SLOT
                T : Copy , Self :",
        );
    }

    #[test]
    fn hooks_and_requirements_become_constants() {
        check_code(
            "
            #[component(on_add = Self::joined, on_remove = crate::left)] struct Player;
                NONE . on_add (Self :: joined) . on_remove (crate :: left)
            #[component(require(Position, a::Speed<u8> = a::Speed(3)), require(Size))] struct Player;
                Required :: of :: < Position >
                Required :: of :: < a :: Speed < u8 > > (|| a :: Speed (3))
                Required :: of :: < Size >
                ! compile_error",
        );
    }

    #[test]
    fn a_name_is_for_messages_and_the_location_stays_the_identity() {
        check_code(
            r#"
            #[component(name = "game.player")] struct Player;
                . called ("game.player")
                concat ! ("@"
                "::Player"
            #[component(name = "")] struct Player;
                =1 compile_error
                ! called
            #[component(name = "two words")] struct Player;
                =1 compile_error
                ! called
            #[component(name = "line\n")] struct Player;
                =1 compile_error
                ! called
            #[component(name = "`a`")] struct Player;
                =1 compile_error
                ! called"#,
        );
    }

    #[test]
    fn the_documentation_of_the_impl_says_what_the_options_say() {
        check_code(
            r#"
            #[component(storage = "sparse", track, on_add = Self::joined, require(Position, a::Speed = f()))] struct Player;
                Stored in a sparse set. Changes are tracked.\n# Required components\n* `Position`\n* `a::Speed`\n\n# Hooks\n* `on_add`: `Self::joined`\n
            #[component(disables, toggle)] struct Asleep;
                "Stored in tables. Changes are tracked. Loops leave out entities with it. Can be turned off without being removed."
            #[component(storage = "sparse", immediate)] struct Fast;
                "Stored in a sparse set. Views insert and remove it at once."
            struct Plain;
                "Stored in tables.""#,
        );
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        check_code(
            r#"
            #[component(storage = "heap")] #[component(colour = 1)] #[component(on_add = f, on_add = g)] struct Name<'a>(&'a str);
                =4 compile_error
                duplicate option `on_add`
                unknown value `heap` of `storage`
                unknown option `colour`
                lifetime `'a`"#,
        );
    }
}
