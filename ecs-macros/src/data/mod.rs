//! The options that make a type data: `#[component(data = "game.position")]`, for components, resources and relations.

#[cfg(all(test, feature = "data"))]
mod tests;

mod fields;

use syn::Data;

use crate::derive::{self, Derived, fields_of};
use crate::options::{GivenOption, Opt, OptionValue, Takes, option};
use crate::prelude::*;

/// Keys that entities use for prefabs in files.
const NOT_NAMES: [&str; 3] = ["prefab", "parts", "without"];

const ALIAS_HELP: &str = "old_name\"`, or `alias(\"one\", \"two\")`";

/// The options of types that can be data.
pub(crate) const OPTIONS: [Opt; 7] = [
    option("data", "data = \"..\"", Takes::Names),
    option("version", "version = 2", Takes::Number),
    option("migrate", "migrate(1 = Old)", Takes::Migrations),
    option("alias", "alias = \"..\"", Takes::Texts(ALIAS_HELP)),
    option("no_clone", "no_clone", Takes::Nothing),
    option("no_debug", "no_debug", Takes::Nothing),
    option("no_serde", "no_serde", Takes::Nothing),
];

/// A type that is data.
pub(crate) struct Described {
    /// The kind of type, used in messages and as the name of a function of the description.
    what: &'static str,
    /// A generic type has several instances.
    named: Named,
    version: u32,
    migrations: Vec<(LitInt, Type)>,
    aliases: Vec<LitStr>,
    is_cloned: bool,
    is_printed: bool,
    is_saved: bool,
}

/// Returns whether a type is data, even an incorrect one, or an option concerns data.
pub(crate) fn is_given(derived: &Derived) -> bool {
    let mut options = OPTIONS.iter();
    options.any(|option| derived.option(option.name).is_some())
}

impl Described {
    /// Reads and checks the options; `None` if the type is not data.
    pub(crate) fn of(what: &'static str, derived: &mut Derived) -> Option<Self> {
        let mut errors = Errors::default();
        let described = Self::parse(what, derived, &mut errors);
        if let Some(described) = &described {
            described.check_names(derived.is_generic(), &mut errors);
            described.check_versions(derived, &mut errors);
            if described.is_saved {
                reject_skipped_ids(&derived.input.data, &mut errors);
            }
        }
        derived.errors.append(errors);
        described.filter(|described| !described.named.is_empty())
    }

    fn parse(what: &'static str, derived: &Derived, errors: &mut Errors) -> Option<Self> {
        let Some(data) = derived.option("data") else {
            let article = derive::article(what);
            for Opt { name, .. } in &OPTIONS[1..] {
                if let Some(option) = derived.path(name) {
                    reject!(errors, option =>
                        "`{name}` is about the data of {article} {what}, which is not `data`\nhelp: add `data = \"game.position\"`, or remove `{name}`");
                }
            }
            return None;
        };
        if !cfg!(feature = "data") {
            errors.push(&data.path, MISSING_FEATURE);
            return None;
        }
        let mut described = Self {
            what,
            named: named(what, derived, data, errors),
            version: 1,
            migrations: Vec::new(),
            aliases: Vec::new(),
            is_cloned: derived.option("no_clone").is_none(),
            is_printed: derived.option("no_debug").is_none(),
            is_saved: derived.option("no_serde").is_none(),
        };
        for option in derived.all(&["version", "migrate", "alias"]) {
            match &option.value {
                OptionValue::Number(it) => described.version = it.base10_parse().unwrap_or(0),
                OptionValue::Migrations(all) => described.migrations.clone_from(all),
                OptionValue::Texts(all) => described.aliases.clone_from(all),
                _ => {}
            }
        }
        Some(described)
    }

    fn check_names(&self, is_generic: bool, errors: &mut Errors) {
        let what = self.what;
        let aliases = self.aliases.iter().map(|alias| (alias, None));
        let all = self.named.iter().map(|(ty, name)| (name, Some(ty)));
        let mut seen: Vec<(String, Option<String>)> = Vec::new();
        for (name, ty) in all.chain(aliases) {
            let (text, ty) = (name.value(), ty.map(pretty::line));
            if let Err(error) = derive::check_name(&text, what) {
                errors.push(name, error);
            } else if what != "resource" && NOT_NAMES.contains(&&*text) {
                reject!(errors, name =>
                    "`{text}` is a key of entities in files, so no {what} has that name\nhelp: write for example `\"game.{text}\"`");
            } else if seen.iter().any(|(other, _)| *other == text) {
                reject!(errors, name => "the name \"{text}\" is given twice\nhelp: choose another one");
            } else if ty.is_some() && seen.iter().any(|(_, other)| *other == ty) {
                reject!(errors, name => "an instance has one name\nhelp: write earlier ones as `alias = \"..\"`");
            }
            seen.push((text, ty));
        }
        if let (Some(alias), true) = (self.aliases.first(), is_generic) {
            reject!(errors, alias => "instances of a generic type cannot share an earlier name\nhelp: remove `alias`");
        }
    }

    fn check_versions(&self, derived: &Derived, errors: &mut Errors) {
        let current = self.version;
        match derived.option("version").map(|option| &option.value) {
            Some(OptionValue::Number(version)) if current == 0 => {
                errors.push(version, "a version is a number from 1 to 4,294,967,295\nhelp: write `version = 2` after the first change of the saved form");
                return;
            }
            Some(OptionValue::Wrong) => return,
            _ => {}
        }
        let mut seen = Vec::new();
        for (version, _) in &self.migrations {
            let Ok(old) = version.base10_parse::<u32>() else {
                reject!(errors, version => "expected the number of a version\nhelp: write `migrate(1 = Old)`");
                continue;
            };
            if old == 0 || old >= current {
                let help = match old.max(current).checked_add(1) {
                    Some(next) if old > 0 => format!("write `version = {next}`"),
                    // Versions begin at 1, and nothing follows the highest one.
                    _ => "remove it".to_owned(),
                };
                reject!(errors, version =>
                    "version {old} is not an older one: the type has version {current}\nhelp: {help}");
            } else if seen.contains(&old) {
                reject!(errors, version => "version {old} is migrated twice\nhelp: remove one");
            }
            seen.push(old);
        }
    }

    /// Returns the constant of an impl with a list of descriptions.
    pub(crate) fn constant(&self, list: TokenStream, private: &TokenList) -> TokenStream {
        quote!(const DATA: &'static [#private::DataType] = #list;)
    }

    /// Returns the list of the type's descriptions.
    pub(crate) fn expand(&self, derived: &Derived) -> TokenStream {
        let named = self.named.iter();
        let described = named.map(|(ty, name)| self.description(derived, ty, name));
        list(described)
    }

    /// Returns the description of one type.
    fn description(&self, derived: &Derived, ty: &Type, name: &LitStr) -> TokenStream {
        // A missing trait is reported at the name of the type.
        let at = frame_site().located_at(ty.span());
        let private = derived.root.private(at);
        let version = located(Literal::u32_suffixed(self.version.max(1)));
        let is_event = self.what == "event";
        let described = if is_event {
            quote_spanned!(at=> #private::EventDataOf::<#ty>::new(#name, #version))
        } else {
            let kind = hidden(self.what);
            quote_spanned!(at=> #private::DataTypeOf::<#ty>::new(#name, #version).#kind())
        };
        let aliases = &self.aliases;
        let aliases = (!aliases.is_empty()).then(|| quote!(.aliases(&[#(#aliases),*])));
        let unordered = has_unordered(&derived.input.data).then(|| quote!(.unordered()));
        let cloned = self.is_cloned.then(|| self.cloned(derived, ty, at));
        let printed = self.is_printed.then(|| quote_spanned!(at=> .printed()));
        let coded = self.is_saved.then(|| {
            let of = hidden(if is_event { "of_events" } else { "of" });
            let migrations = self.migrations.iter().map(|(version, old)| {
                let at = old.span();
                let private = derived.root.private(at);
                quote_spanned!(at=> #private::Migration::#of::<#old, #ty>(#version))
            });
            let is_component = self.what == "component";
            let saved = is_component.then(|| fields::saved(derived, ty, &private));
            let other = || quote_spanned!(at=> #private::Saved::#of::<#ty>());
            let coded = saved.flatten().unwrap_or_else(other);
            quote!(.coded(const { &#coded.migrated(const { &[#(#migrations),*] }) }))
        });
        quote_spanned!(at=> #described #aliases #unordered #cloned #printed #coded .erased())
    }

    /// Returns the calls that give a description a way to clone values of the type.
    fn cloned(&self, derived: &Derived, ty: &Type, at: Span) -> TokenStream {
        let private = derived.root.private(at);
        if self.what == "event" {
            return quote_spanned!(at=> .cloned());
        }
        // Nothing asks this of resources.
        let fields = match self.what {
            "resource" => Vec::new(),
            _ => fields::without_ids(&derived.input),
        };
        let without_ids =
            quote_spanned!(at=> .without_ids(#(#private::IdProbe::<#fields>::WITHOUT)&&*));
        let without_ids = (!fields.is_empty()).then_some(without_ids);
        quote_spanned!(at=> .cloned().copied(#private::CopyProbe::<#ty>::COPY) #without_ids)
    }

    /// Returns the list of descriptions of the toggles of a component.
    pub(crate) fn expand_toggles(&self, derived: &Derived) -> TokenStream {
        let private = derived.private();
        let described = self.named.iter().map(|(ty, name)| {
            let toggle = quote!(#private::toggle::Toggle<#ty>);
            let name = text(&format!("{}.toggle", name.value()));
            let cloned = quote!(.cloned().copied(#private::CopyProbe::<#toggle>::COPY));
            let cloned = self.is_cloned.then_some(cloned);
            let coded = quote!(.coded(const { &#private::Saved::of::<#toggle>() }));
            let coded = self.is_saved.then_some(coded);
            quote!(#private::DataTypeOf::<#toggle>::new(#name, 1).component() #cloned.printed() #coded .erased())
        });
        list(described)
    }
}

fn list(described: impl Iterator<Item = TokenStream>) -> TokenStream {
    quote!(const { &[#(#described),*] })
}

type Named = Vec<(Type, LitStr)>;

/// Returns the types that are data, with their names.
fn named(what: &str, derived: &Derived, data: &GivenOption, errors: &mut Errors) -> Named {
    let ty = &derived.input.ident;
    match (&data.value, derived.is_generic()) {
        (OptionValue::Text(name), false) => {
            return vec![(Type::Verbatim(ty.to_token_stream()), name.clone())];
        }
        (OptionValue::Instances(instances), true) => return instances.clone(),
        (OptionValue::Text(name), true) => reject!(errors, name =>
            "a generic {what} cannot have one name, which all its instances would share\nhelp: name the instances that are data: `data({ty}<u32> = \"game.{}_u32\")`", ty.to_string().to_lowercase()),
        (OptionValue::Instances(_), false) => reject!(errors, &data.path =>
            "`{ty}` is not generic, so it has one name\nhelp: write `data = \"game.position\"`"),
        // Reported before.
        _ => {}
    }
    Vec::new()
}

const MISSING_FEATURE: &str = "data needs the feature `data` of `ecs-core`\nhelp: write `ecs-core = { version = \"..\", features = [\"data\"] }` in `Cargo.toml`";

/// Reports fields with ids that serde skips: copying or loading the entity would lose such an id.
fn reject_skipped_ids(data: &Data, errors: &mut Errors) {
    for field in fields_of(data) {
        let skips = field.attrs.iter().find(|attribute| is_skipped(attribute));
        if let Some(attribute) = skips.filter(|_| names(&field.ty, &|name| name == "Entity")) {
            reject!(errors, attribute =>
                "a skipped field has entity ids, which would be forgotten when the value is loaded or cloned\nhelp: remove `skip`, or keep the ids in a component that is not `data`");
        }
    }
}

/// Returns true if a field is a set whose order differs between equal sets, and serde writes it in that order.
fn has_unordered(data: &Data) -> bool {
    fields_of(data).into_iter().any(|field| {
        let is_set = |name: &Ident| name.to_string().ends_with("HashSet");
        let is_own = |name: &Ident| name == "with" || name == "serialize_with";
        let mut attributes = field.attrs.iter();
        names(&field.ty, &is_set)
            && !attributes.any(|attribute| is_skipped(attribute) || says(attribute, &is_own))
    })
}

fn is_skipped(attribute: &Attribute) -> bool {
    let mut words = ["skip", "skip_serializing", "skip_deserializing"].iter();
    words.any(|word| says(attribute, &|name| name == word))
}

/// Returns true if an attribute of serde has such a word.
fn says(attribute: &Attribute, is: &dyn Fn(&Ident) -> bool) -> bool {
    attribute.path().is_ident("serde") && names(&attribute.meta, is)
}
