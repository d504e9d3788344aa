//! `#[derive(Component)]`.

use crate::attributes::is_any;
use crate::data::{self, Described};
use crate::derive::{self, Derived};
use crate::options::{Opt, OptionValue, Table, Takes, WRITTEN_BY, option};
use crate::prelude::*;
use crate::require::{self, Requirement};
use crate::toggle;

const STORAGES: &[(&str, &str)] = &[
    ("table", "fastest to iterate, the default"),
    ("sparse", "fastest to insert and remove"),
];
const STORAGE_FORM: &str = "storage = \"table\"`, `storage = \"sparse\"";
const REQUIRE_FORM: &str = "require(Component, Other = expression)";

const OWN: [Opt; 15] = [
    option("storage", STORAGE_FORM, Takes::OneOf(STORAGES)),
    option("track", "track", Takes::Nothing),
    option("immediate", "immediate", Takes::Nothing),
    option("immutable", "immutable", Takes::Nothing),
    option("unique", "unique", Takes::Nothing),
    option("disables", "disables", Takes::Nothing),
    option("toggle", "toggle", Takes::Nothing),
    option("name", "name = \"..\"", Takes::Name),
    option("on_add", "on_add = function", Takes::Function),
    option("on_insert", "on_insert", Takes::Function),
    option("on_replace", "on_replace", Takes::Function),
    option("on_remove", "on_remove", Takes::Function),
    option("on_despawn", "on_despawn", Takes::Function),
    option("require", REQUIRE_FORM, Takes::Required),
    WRITTEN_BY,
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
    let mut model = Model::new(derived);
    let implementation = model.implement();
    Ok(model.derived.finish(&implementation))
}

/// Reports mutually exclusive options.
fn check(derived: &mut Derived) {
    let mut errors = Errors::default();
    let storage = derived.option("storage").map(|option| &option.value);
    let is_sparse = derived.says("storage", "sparse");
    if let Some(name) = derived.text("name") {
        if let Err(error) = derive::check_name(&name.value(), "component") {
            errors.push(name, error);
        } else if derived.is_generic() {
            errors.push(name, "a generic component cannot have a name, which all its instances would share\nhelp: remove `name`");
        } else if let Some(data) = derived.text("data") {
            reject!(errors, name =>
                "`data` is the name of the component\nhelp: remove `name`, and write `data = \"{}\"` if that is the right one", data.value());
        }
    }
    if let (Some(disables), true) = (derived.path("disables"), is_sparse) {
        errors.push(disables, "a component that `disables` entities must be stored in tables, so that loops leave out whole tables\nhelp: remove `storage = \"sparse\"`");
    }
    if let Some(immediate) = derived.path("immediate") {
        if !is_sparse && !matches!(storage, Some(OptionValue::Wrong)) {
            reject!(errors, &immediate =>
                "an `immediate` component must be stored in a sparse set\nhelp: add `storage = \"sparse\"`");
        }
        let others = "track toggle require immutable unique on_add on_insert on_replace on_remove on_despawn";
        for other in others.split(' ') {
            if let Some(path) = derived.path(other) {
                reject!(errors, path =>
                    "an `immediate` component cannot have `{other}`, because a view that inserts it sets no ticks, calls no hooks and borrows no other component\nhelp: remove `immediate` or `{other}`");
            }
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
        let hooks = to_vec(derived.hooks());
        let name = derived.text("name").or_else(|| derived.text("data"));
        let is_valid = |name: &&LitStr| derive::check_name(&name.value(), "component").is_ok();
        Self {
            is_sparse,
            // The tick of the component's addition says when the entity was disabled.
            is_tracked: has("track") || has("disables"),
            is_immediate: has("immediate") && !has("track") && hooks.is_empty(),
            disables: has("disables") && !is_sparse,
            has_toggle: has("toggle") && !has("immediate"),
            name: name.filter(is_valid).cloned(),
            hooks,
            required: require::of_others(&derived),
            data,
            derived,
        }
    }

    /// Returns the documentation of the impl.
    fn summary(&self) -> Literal {
        let mut summary = String::new();
        let sentences = [
            (self.is_sparse, "Stored in a sparse set."),
            (!self.is_sparse, "Stored in tables."),
            (self.is_tracked, " Changes are tracked."),
            (self.is_immediate, " Views insert and remove it at once."),
            (self.disables, " Loops leave out entities with it."),
            (self.has_toggle, " Can be turned off without being removed."),
            (!self.required.is_empty(), "\n# Required components\n"),
        ];
        let said = sentences.into_iter().filter(|(is_so, _)| *is_so);
        summary.extend(said.map(|(_, sentence)| sentence));
        for required in &self.required {
            let component = pretty::line(&required.component);
            summary.push_str(&format!("* `{component}`\n"));
        }
        if !self.hooks.is_empty() {
            summary.push_str("\n# Hooks\n");
        }
        for (kind, function) in &self.hooks {
            summary.push_str(&format!("* `{kind}`: `{}`\n", pretty::line(function)));
        }
        text(&summary)
    }

    fn implement(&mut self) -> TokenStream {
        let (component, derived) = (self.component(), &self.derived);
        let marks = [
            (self.is_sparse, "SparseComponent"),
            (self.is_immediate, "ImmediateComponent"),
            (self.is_tracked, "TrackedComponent"),
            (derived.option("unique").is_some(), "UniqueComponent"),
        ];
        let marks = marks.into_iter().filter(|(is_marked, _)| *is_marked);
        let marks = marks.map(|(_, of)| derived.implement(of, &TokenStream::new()));
        let toggle = (self.has_toggle).then(|| toggle::implement(derived, self.data.as_ref()));
        let checked = require::check_cycles(derived, &self.required);
        quote!(#component #(#marks)* #toggle #checked)
    }

    /// Returns the impl of `Component`.
    fn component(&mut self) -> TokenStream {
        let data = self.data.as_ref().map(|data| data.expand(&self.derived));
        let (name, data) = (self.name.as_ref(), data.as_ref());
        let (identity, place) = self.derived.identity("IDENTITY", name, data);
        let derived = &self.derived;
        let (private, summary) = (derived.private(), self.summary());
        let storage = (self.is_sparse)
            .then(|| quote!(const STORAGE: #private::StorageKind = #private::StorageKind::Sparse;));
        let (tracked, immediate, disables) = (self.is_tracked, self.is_immediate, self.disables);
        let tracking = hidden(if tracked { "Tracked" } else { "Untracked" });
        let (mut hooks, mut required) = (self.hooks.clone(), self.required.clone());
        if self.has_toggle {
            toggle::add(derived, &mut required, &mut hooks);
        }
        let unique = derived.option("unique");
        let unique = unique.map(|_| quote!(.checked::<Self, #private::UniqueValues>()));
        let hooks = (!hooks.is_empty() || unique.is_some()).then(|| {
            let (names, functions): (Vec<_>, Vec<_>) = hooks.into_iter().unzip();
            quote!(const HOOKS: #private::Hooks = #private::Hooks::NONE #(.#names(#functions))* #unique;)
        });
        let required = require::expand(derived, &required);
        let flags = [(immediate, "IMMEDIATE"), (disables, "DISABLES")];
        let flags = derive::flags(&flags, &private);
        let slot = derived.slot("id_slot", "IdSlot");
        let items = quote!(#identity #storage type Tracking = #private::#tracking; #hooks #required #flags #slot);
        let implementation = derived.implement("Component", &items);
        quote!(#place #[doc = #summary] #implementation)
    }
}

/// Reports attributes that belong to the component derives of other libraries. Our derive declares these attributes
/// only to report them.
fn reject_foreign(attrs: &[Attribute], errors: &mut Errors) {
    for attribute in attrs {
        let path = attribute.path();
        if path.is_ident("require") {
            let option = pretty::line(&attribute.meta);
            reject!(errors, path =>
                "`require` is an option of the component\nhelp: write `#[component({option})]`");
        } else if path.is_ident("storage") {
            reject!(errors, path =>
                "`storage` is an option of the component\nhelp: write `#[component(storage = \"table\")]` or `#[component(storage = \"sparse\")]`");
        } else if is_any(attribute, &["relationship", "relationship_target"]) {
            reject!(errors, path =>
                "a relation is a type of its own\nhelp: declare it with `#[derive(Relation)]`; its two ends are the components `Target` and `Sources`");
        }
    }
}

#[cfg(test)]
#[path = "component_tests.rs"]
mod tests;
