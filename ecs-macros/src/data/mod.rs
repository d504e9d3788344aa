//! The options by which a type becomes data: `#[component(data = "game.position")]`, also of resources and relations.

#[cfg(all(test, feature = "data"))]
mod tests;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned as _;
use syn::token::Paren;
use syn::{
    Attribute, Data, DataEnum, DeriveInput, Error, Fields, LitInt, LitStr, Path, Result, Token,
    Type,
};
use syn::{parenthesized, parse::ParseStream};

use crate::derive::{self, Derived};
use crate::errors::Errors;
use crate::pretty;
use crate::tokens::{frame_site, import, located, site, to_vec};

/// Keys of entities in files, which are about prefabs.
const NOT_NAMES: [&str; 3] = ["prefab", "parts", "without"];

/// The options, as lists of what is known have them.
pub(crate) const KNOWN: &str = "`data = \"..\"`, `version = 2`, `migrate(1 = Old)`, `alias = \"..\"`, `no_clone`, `no_debug`, `no_serde`, ";

/// The parsed options.
#[derive(Default)]
pub(crate) struct DataOptions {
    /// The option itself.
    data: Option<Path>,
    /// The name of the type.
    pub(crate) name: Option<LitStr>,
    /// The names of instances of a generic type.
    instances: Vec<(Type, LitStr)>,
    version: Option<LitInt>,
    migrations: Vec<(LitInt, Type)>,
    aliases: Vec<LitStr>,
    /// The other options, which have no meaning alone.
    others: Vec<Path>,
    no_clone: bool,
    no_debug: bool,
    no_serde: Option<Path>,
}

impl DataOptions {
    /// Parses one option; returns false if it is not one of data.
    pub(crate) fn parse(
        &mut self,
        meta: &ParseNestedMeta<'_>,
        errors: &mut Errors,
    ) -> Result<bool> {
        let is = |name| meta.path.is_ident(name);
        if is("data") {
            self.data = Some(meta.path.clone());
            if meta.input.peek(Paren) {
                self.instances = named(meta, "Tag<u32> = \"game.tag_u32\"")?;
                if self.instances.is_empty() {
                    errors.push(
                        &meta.path,
                        "expected a name\nhelp: write `data = \"game.position\"`, or name instances of a generic type: `data(Tag<u32> = \"game.tag_u32\")`",
                    );
                }
                return Ok(true);
            }
            self.name = Some(derive::text(
                meta,
                "write `data = \"game.position\"`, a name of your choice",
            )?);
            return Ok(true);
        }
        if is("version") {
            self.version = Some(number(meta)?);
        } else if is("migrate") {
            self.migrations = migrations(meta)?;
        } else if is("alias") {
            self.aliases = aliases(meta)?;
        } else if is("no_clone") {
            self.no_clone = true;
        } else if is("no_debug") {
            self.no_debug = true;
        } else if is("no_serde") {
            self.no_serde = Some(meta.path.clone());
        } else {
            return Ok(false);
        }
        if !cfg!(feature = "data") {
            errors.push(&meta.path, MISSING_FEATURE);
        }
        self.others.push(meta.path.clone());
        Ok(true)
    }

    /// Reports what cannot be, and returns the types with their names.
    fn checked(&mut self, what: &str, derived: &mut Derived) -> Vec<(Type, LitStr)> {
        let errors = &mut derived.errors;
        let Some(data) = &self.data else {
            for option in &self.others {
                let name = option.to_token_stream();
                errors.push(
                    option,
                    format!("`{name}` says something about the data of {} {what}, which is not `data`\nhelp: add `data = \"game.position\"`, or remove `{name}`", derive::article(what)),
                );
            }
            return Vec::new();
        };
        if !cfg!(feature = "data") {
            errors.push(data, MISSING_FEATURE);
            return Vec::new();
        }
        let mut names = Vec::new();
        let is_generic = !derived.input.generics.params.is_empty();
        let ty = &derived.input.ident;
        match (&self.name, is_generic) {
            (Some(name), true) => errors.push(
                name,
                format!("a generic {what} cannot have one name, which all its instances would share\nhelp: name the instances that are data: `data({ty}<u32> = \"game.{}_u32\")`", ty.to_string().to_lowercase()),
            ),
            (Some(name), false) => {
                names.push((Type::Verbatim(ty.to_token_stream()), name.clone()));
            }
            // What is no name at all was reported before.
            (None, false) if self.instances.is_empty() => {}
            (None, false) => errors.push(
                data,
                format!("`{ty}` is not generic, so it has one name\nhelp: write `data = \"game.position\"`"),
            ),
            (None, true) => names = core::mem::take(&mut self.instances),
        }
        let aliases = self.aliases.iter().map(|alias| (alias, None));
        let all = names.iter().map(|(ty, name)| (name, Some(ty)));
        let mut seen: Vec<(String, Option<String>)> = Vec::new();
        for (name, ty) in all.chain(aliases) {
            let ty = ty.map(|ty| pretty::line(ty.to_token_stream()));
            if let Err(error) = derive::check_name(&name.value(), what) {
                errors.push(name, error);
            } else if what != "resource" && NOT_NAMES.contains(&&*name.value()) {
                errors.push(
                    name,
                    format!(
                        "`{0}` is a key of entities in files, so no {what} has that name\nhelp: write for example `\"game.{0}\"`",
                        name.value()
                    ),
                );
            } else if seen.iter().any(|(other, _)| *other == name.value()) {
                errors.push(
                    name,
                    format!(
                        "the name \"{}\" is given twice\nhelp: choose another one",
                        name.value()
                    ),
                );
            } else if ty.is_some() && seen.iter().any(|(_, other)| *other == ty) {
                errors.push(
                    name,
                    "an instance has one name\nhelp: write earlier ones as `alias = \"..\"`",
                );
            }
            seen.push((name.value(), ty));
        }
        if let Some(alias) = self.aliases.first()
            && is_generic
        {
            errors.push(
                alias,
                "instances of a generic type cannot share an earlier name\nhelp: remove `alias`",
            );
        }
        self.check_versions(errors);
        if self.no_serde.is_none() {
            reject_skipped_ids(&derived.input.data, errors);
        }
        names
    }

    /// Returns true if the type is data, whatever is wrong with it, or an option says something about that.
    pub(crate) fn is_given(&self) -> bool {
        self.data.is_some() || !self.others.is_empty()
    }

    /// Returns the types that are data, with their names, whatever else is wrong with them.
    pub(crate) fn named(&self, input: &DeriveInput) -> Vec<(Type, LitStr)> {
        if !cfg!(feature = "data") {
            return Vec::new();
        }
        match &self.name {
            Some(name) if input.generics.params.is_empty() => {
                vec![(Type::Verbatim(input.ident.to_token_stream()), name.clone())]
            }
            Some(_) => Vec::new(),
            None => self.instances.clone(),
        }
    }

    /// Returns true if values are cloned.
    pub(crate) fn is_cloned(&self) -> bool {
        !self.no_clone
    }

    /// Returns true if values are saved.
    pub(crate) fn is_coded(&self) -> bool {
        self.no_serde.is_none()
    }

    fn current(&self) -> Option<u32> {
        match &self.version {
            Some(version) => version.base10_parse().ok().filter(|&version| version > 0),
            None => Some(1),
        }
    }

    fn check_versions(&self, errors: &mut Errors) {
        let Some(current) = self.current() else {
            errors.push(
                &self.version,
                "a version is a number from 1 to 4,294,967,295\nhelp: write `version = 2` after the first change of the saved form",
            );
            return;
        };
        let mut seen = Vec::new();
        for (version, _) in &self.migrations {
            match version.base10_parse::<u32>() {
                Ok(old) if old == 0 || old >= current => {
                    let help = match old.max(current).checked_add(1) {
                        Some(next) if old > 0 => format!("write `version = {next}`"),
                        // Versions begin at 1, and there is none after the highest one.
                        _ => "remove it".to_owned(),
                    };
                    errors.push(
                        version,
                        format!("version {old} is not an older one: the type has version {current}\nhelp: {help}"),
                    );
                }
                Ok(old) if seen.contains(&old) => errors.push(
                    version,
                    format!("version {old} is migrated twice\nhelp: remove one"),
                ),
                Ok(old) => seen.push(old),
                Err(_) => errors.push(
                    version,
                    "expected the number of a version\nhelp: write `migrate(1 = Old)`",
                ),
            }
        }
    }

    /// Returns the list of the type's descriptions, if it is data. `what` is the kind of type, in messages and as a function
    /// of the description.
    pub(crate) fn expand(mut self, what: &str, derived: &mut Derived) -> Option<TokenStream> {
        let names = self.checked(what, derived);
        if names.is_empty() {
            return None;
        }
        let private = derived.root.private(site());
        let version = located(Literal::u32_suffixed(self.current().unwrap_or(1)));
        let kind = Ident::new(what, site());
        let is_event = what == "event";
        let of = Ident::new(if is_event { "of_events" } else { "of" }, site());
        let aliases = (!self.aliases.is_empty()).then(|| {
            let aliases = &self.aliases;
            quote!(.aliases(&[#(#aliases),*]))
        });
        let unordered = has_unordered(&derived.input.data).then(|| quote!(.unordered()));
        let described = to_vec(names.iter().map(|(ty, name)| {
            // A missing trait is shown at the name of the type.
            let at = match &self.name {
                Some(_) => derived.input.ident.span(),
                None => ty.span(),
            };
            let at = frame_site().located_at(at);
            let spanned = derived.root.private(at);
            let not_copy = import(&derived.root, "NotCopy", at);
            let cloned = (!self.no_clone).then(|| {
                if is_event {
                    return quote_spanned!(at=> .cloned());
                }
                // Nothing asks of resources.
                let fields = match what {
                    "resource" => Vec::new(),
                    _ => fields_without_ids(&derived.input),
                };
                let import = import(&derived.root, "MayHaveIds", at);
                let without_ids = (!fields.is_empty()).then(|| {
                    quote_spanned!(at=> .without_ids({ #import #(#spanned::IdProbe::<#fields>::WITHOUT)&&* }))
                });
                quote_spanned!(at=> .cloned().copied({ #not_copy #spanned::CopyProbe::<#ty>::COPY }) #without_ids)
            });
            let printed = (!self.no_debug).then(|| quote_spanned!(at=> .printed()));
            let coded = self.no_serde.is_none().then(|| {
                let migrations = self.migrations.iter().map(|(version, old)| {
                    let at = old.span();
                    let private = derived.root.private(at);
                    quote_spanned!(at=> #private::Migration::#of::<#old, #ty>(#version))
                });
                let coded = quote_spanned!(at=> #spanned::Saved::#of::<#ty>());
                quote!(.coded({
                    const SAVED: &#private::Saved = &#coded.migrated(&[#(#migrations),*]);
                    SAVED
                }))
            });
            let described = if is_event {
                quote_spanned!(at=> #spanned::EventDataOf::<#ty>::new(#name, #version))
            } else {
                quote_spanned!(at=> #spanned::DataTypeOf::<#ty>::new(#name, #version).#kind())
            };
            quote_spanned!(at=> #described #aliases #unordered #cloned #printed #coded .erased())
        }));
        Some(quote!({
            const DATA: &[#private::DataType] = &[#(#described),*];
            DATA
        }))
    }
}

/// Returns the types of the numbers in a struct, each once, if by their names no value of any can stand for an entity, so that
/// clones need not look for ids. For others nothing is generated, which is nothing to compile.
///
/// Those of arrays are their elements', as lengths may have another meaning where they are repeated.
fn fields_without_ids(input: &DeriveInput) -> Vec<&Type> {
    fn without_ids(ty: &Type) -> Option<&Type> {
        match ty {
            Type::Array(array) => without_ids(&array.elem),
            Type::Path(path) => {
                let mut names = ["f32", "f64", "bool"].iter();
                names.any(|name| path.path.is_ident(name)).then_some(ty)
            }
            _ => None,
        }
    }
    // With an attribute, a field may be written as a value of any type.
    let is_serde = |attribute: &Attribute| attribute.path().is_ident("serde");
    let (mut types, mut names) = (Vec::new(), Vec::new());
    // What a name means in a generic type may be a parameter.
    if let Data::Struct(data) = &input.data
        && input.generics.params.is_empty()
        && !input.attrs.iter().any(is_serde)
    {
        for field in &data.fields {
            let Some(ty) = without_ids(&field.ty).filter(|_| !field.attrs.iter().any(is_serde))
            else {
                return Vec::new();
            };
            let name = ty.to_token_stream().to_string();
            if !names.contains(&name) {
                names.push(name);
                types.push(ty);
            }
        }
    }
    types
}

const MISSING_FEATURE: &str = "data needs the feature `data` of `ecs-core`\nhelp: write `ecs-core = { version = \"..\", features = [\"data\"] }` in `Cargo.toml`";

/// Parses `(Type = "name", ..)`.
fn named(meta: &ParseNestedMeta<'_>, example: &str) -> Result<Vec<(Type, LitStr)>> {
    list(meta, |input| {
        let ty: Type = input.parse()?;
        input.parse::<Token![=]>()?;
        let name = input.parse().map_err(|error: Error| {
            Error::new(
                error.span(),
                format!("expected a name as a text\nhelp: write `data({example})`"),
            )
        })?;
        Ok((ty, name))
    })
}

/// Parses `(1 = Old, ..)`.
fn migrations(meta: &ParseNestedMeta<'_>) -> Result<Vec<(LitInt, Type)>> {
    let help = "write `migrate(1 = Old)`: the version, and the type that reads it";
    if !meta.input.peek(Paren) {
        return Err(Error::new_spanned(
            &meta.path,
            format!("expected the older versions in parentheses\nhelp: {help}"),
        ));
    }
    list(meta, |input| {
        let version = input.parse().map_err(|error: Error| {
            Error::new(
                error.span(),
                format!("expected the number of a version\nhelp: {help}"),
            )
        })?;
        input.parse::<Token![=]>()?;
        Ok((version, input.parse()?))
    })
}

/// Parses `= "name"` or `("name", ..)`.
fn aliases(meta: &ParseNestedMeta<'_>) -> Result<Vec<LitStr>> {
    if meta.input.peek(Paren) {
        return list(meta, |input| input.parse());
    }
    let alias = derive::text(
        meta,
        "write `alias = \"old_name\"`, or `alias(\"one\", \"two\")`",
    )?;
    Ok(vec![alias])
}

fn list<T>(
    meta: &ParseNestedMeta<'_>,
    parse: impl Fn(ParseStream<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let content;
    parenthesized!(content in meta.input);
    let mut list = Vec::new();
    while !content.is_empty() {
        list.push(parse(&content)?);
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    Ok(list)
}

fn number(meta: &ParseNestedMeta<'_>) -> Result<LitInt> {
    let wrong = |span| Error::new(span, "expected a number\nhelp: write `version = 2`");
    if !meta.input.peek(Token![=]) {
        return Err(wrong(meta.path.span()));
    }
    let value = meta.value()?;
    let span = value.span();
    value.parse().map_err(|_| wrong(span))
}

/// Reports fields with ids that serde skips: such an id would be forgotten when the entity is copied or loaded.
fn reject_skipped_ids(data: &Data, errors: &mut Errors) {
    for fields in fields_of(data) {
        for field in fields {
            let skips = field.attrs.iter().find(|attribute| is_skipped(attribute));
            if let Some(attribute) = skips
                && mentions_entity(field.ty.to_token_stream())
            {
                errors.push(
                    attribute,
                    "a skipped field has entity ids, which would be forgotten when the value is loaded or cloned\nhelp: remove `skip`, or keep the ids in a component that is not `data`",
                );
            }
        }
    }
}

/// Returns true if a field is a set whose order differs between equal sets, and serde writes it in that order.
fn has_unordered(data: &Data) -> bool {
    let mut fields = fields_of(data).into_iter().flatten();
    fields.any(|field| {
        let is_set = |name: &Ident| name.to_string().ends_with("HashSet");
        let is_own = |name: &Ident| name == "with" || name == "serialize_with";
        let mut attributes = field.attrs.iter();
        has_ident(field.ty.to_token_stream(), &is_set)
            && !attributes.any(|attribute| is_skipped(attribute) || says(attribute, &is_own))
    })
}

fn fields_of(data: &Data) -> Vec<&Fields> {
    match data {
        Data::Struct(data) => vec![&data.fields],
        Data::Enum(DataEnum { variants, .. }) => {
            variants.iter().map(|variant| &variant.fields).collect()
        }
        Data::Union(_) => Vec::new(),
    }
}

fn is_skipped(attribute: &Attribute) -> bool {
    says(attribute, &|name| {
        name == "skip" || name == "skip_serializing" || name == "skip_deserializing"
    })
}

/// Returns true if an attribute of serde has such a word.
fn says(attribute: &Attribute, is: &dyn Fn(&Ident) -> bool) -> bool {
    attribute.path().is_ident("serde") && has_ident(attribute.meta.to_token_stream(), is)
}

fn mentions_entity(ty: TokenStream) -> bool {
    has_ident(ty, &|name| name == "Entity")
}

fn has_ident(tokens: TokenStream, is: &dyn Fn(&Ident) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(name) => is(&name),
        proc_macro2::TokenTree::Group(group) => has_ident(group.stream(), is),
        _ => false,
    })
}
