//! The common part of the derives.

use syn::{Data, DeriveInput, Field, Fields, WhereClause};

use crate::attributes;
use crate::options::{self, GivenOption, OptionValue, Table};
use crate::paths;
use crate::prelude::*;
use crate::types::{self, mentions_parameters};

/// The attributes that each of these derives declares. The types that have them have the traits of the same names.
const ATTRIBUTES: [&str; 4] = ["component", "resource", "relation", "event"];

/// A type with a derive, parsed.
pub(crate) struct Derived {
    pub(crate) input: DeriveInput,
    pub(crate) root: Root,
    pub(crate) errors: Errors,
    /// The options, in order; of a repeated option only the first.
    given: Vec<GivenOption>,
    /// The type parameters whose missing bound has been reported.
    pub(crate) missing: Vec<Ident>,
}

impl Derived {
    /// Parses the type and the options in `#[name(..)]` and `#[ecs(..)]`; an error if the type itself cannot be parsed. Only
    /// `require` can be given several times.
    pub(crate) fn parse(input: TokenStream, name: &'static str, table: Table) -> Result<Self> {
        let input: DeriveInput = syn::parse2(input)?;
        let mut errors = Errors::default();
        let mut path = None;
        let mut given: Vec<GivenOption> = Vec::new();
        for attribute in &input.attrs {
            let own = attribute.path().is_ident(name);
            if !own && !attribute.path().is_ident("ecs") {
                continue;
            }
            let table: Table = if own { table } else { &[] };
            let result = attribute.parse_nested_meta(|meta| {
                if paths::parse_crate(&meta, &mut path)? {
                    return Ok(());
                }
                match options::parse(table, &meta) {
                    Some(Ok(option)) => {
                        let is_known = given.iter().any(|other| other.name == option.name);
                        match option.name != "require" && is_known {
                            true => reject_duplicate(&option, &mut errors),
                            false => given.push(option),
                        }
                        return Ok(());
                    }
                    Some(Err((None, error))) => return Err(error),
                    Some(Err((Some(wrong), error))) => {
                        given.push(wrong);
                        errors.add(error);
                    }
                    None => {
                        errors.offer(name, &meta.path);
                        let (message, assumed) = options::unknown(table, &meta.path);
                        errors.push(&meta.path, message);
                        given.extend(assumed);
                    }
                }
                options::skip(&meta).map(drop)
            });
            errors.extend(result.err());
        }
        reject_misplaced(&input.data, name, &mut errors);
        let root = Root::new(path.as_ref());
        errors.attach(foreign_attributes(&input, name, &root));
        // Alone: no other error about the type would be certain.
        if let Some(error) = root.reject_unknown() {
            return Err(error);
        }
        Ok(Self {
            root,
            input,
            errors,
            given,
            missing: Vec::new(),
        })
    }

    /// Returns the path of the module with everything that generated code uses.
    pub(crate) fn private(&self) -> TokenList {
        self.root.private(site())
    }

    /// Returns the impl of a trait of the library for a type that threads share.
    pub(crate) fn implement(&self, of: &str, items: &TokenStream) -> TokenStream {
        let ((generics, ty, bounds), private) = (self.header(), self.private());
        let of = path(of);
        quote!(impl #generics #private::#of for #ty #bounds { #items })
    }

    /// Returns the options of these names, in order.
    pub(crate) fn all<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a GivenOption> {
        let given = self.given.iter();
        given.filter(|option| names.contains(&option.name))
    }

    pub(crate) fn option(&self, name: &str) -> Option<&GivenOption> {
        self.given.iter().find(|option| option.name == name)
    }

    /// Returns the names and functions of the options that name a function to be called.
    pub(crate) fn hooks(&self) -> impl Iterator<Item = (Ident, Expr)> {
        self.given.iter().filter_map(|option| match &option.value {
            OptionValue::Function(hook) => Some((option.path.get_ident()?.clone(), hook.clone())),
            _ => None,
        })
    }

    /// Returns the place of an option, to report errors there.
    pub(crate) fn path(&self, name: &str) -> Option<Path> {
        self.option(name).map(|option| option.path.clone())
    }

    /// Returns the text given as the value of an option.
    pub(crate) fn text(&self, name: &str) -> Option<&LitStr> {
        match &self.option(name)?.value {
            OptionValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns whether an option has this text as its value.
    pub(crate) fn says(&self, name: &str, text: &str) -> bool {
        self.text(name).is_some_and(|given| given.value() == text)
    }

    /// Returns the code for the type, together with its errors.
    pub(crate) fn finish(self, implementation: &TokenStream) -> TokenStream {
        let has_levels = !attributes::levels_of_derive(&self.input.attrs).is_empty();
        if has_levels || self.is_generic() || self.option("data").is_some() {
            return self.finish_in_scope(implementation);
        }
        let errors = self.errors.into_tokens();
        quote!(#implementation #errors)
    }

    /// Returns the same in the scope of the library's names.
    pub(crate) fn finish_in_scope(self, implementation: &TokenStream) -> TokenStream {
        let levels = attributes::levels_of_derive(&self.input.attrs);
        let scope = self.root.in_scope(implementation);
        let errors = self.errors.into_tokens();
        quote!(#levels #scope #errors)
    }

    /// Rejects lifetime parameters that are not `'static`: the type must own its data.
    pub(crate) fn reject_lifetimes(&mut self, what: &str) {
        for lifetime in self.input.generics.lifetimes() {
            if !lifetimes::is_static(&self.input.generics, lifetime) {
                let (name, article) = (&lifetime.lifetime, article(what));
                reject!(self.errors, name =>
                    "{article} {what} cannot have the lifetime `{name}`, because it owns its data\nhelp: store owned values (`String`, `Arc<..>`) or an `Entity` instead of a reference");
            }
        }
    }

    /// Rejects fields with an `Rc`, which is neither `Send` nor `Sync`: the compiler would report both.
    pub(crate) fn reject_rc(&mut self, what: &str) {
        let is_rc = |ty: &Type| types::is_named(ty, "Rc") && types::inside(ty).len() == 1;
        let mut fields = fields_of(&self.input.data).into_iter();
        let Some(rc) = fields.find_map(|field| types::find(&field.ty, &is_rc)) else {
            return;
        };
        let (text, name) = (pretty::line(rc), &self.input.ident);
        let of = pretty::line(types::inside(rc)[0]);
        reject!(self.errors, rc =>
            "`{text}` stays on one thread, and {} {what} is used by several\nhelp: write `Arc<{of}>`; a value that stays on one thread needs no derive: `insert_non_send` inserts it, and `NonSend<{name}>` borrows it", article(what));
        let (generics, arguments, bounds) = self.input.generics.split_for_impl();
        let private = self.private();
        self.errors.attach(frame! {
            unsafe impl #generics #private::Send for #name #arguments #bounds {}
            unsafe impl #generics #private::Sync for #name #arguments #bounds {}
        });
    }

    /// Returns the fields of the struct. Reports an error and returns none for anything else.
    pub(crate) fn fields(&mut self, of: &str, help: &str) -> Fields {
        let (word, kind) = match &self.input.data {
            Data::Struct(data) => return data.fields.clone(),
            Data::Enum(data) => (data.enum_token.to_token_stream(), "an enum"),
            Data::Union(data) => (data.union_token.to_token_stream(), "a union"),
        };
        reject!(self.errors, word => "`{of}` cannot be derived for {kind}\nhelp: {help}");
        Fields::Unit
    }

    /// Returns whether the type has type or const parameters.
    pub(crate) fn is_generic(&self) -> bool {
        let generics = &self.input.generics;
        generics.params.len() > generics.lifetimes().count()
    }

    /// Returns whether a type or const parameter of the type occurs in `tokens`.
    pub(crate) fn mentions_parameters(&self, tokens: TokenStream) -> bool {
        mentions_parameters(&self.input.generics, tokens)
    }

    /// Returns the generics, the type and the bounds of an impl for a type that threads share.
    pub(crate) fn header(&self) -> (TokenStream, TokenStream, Option<WhereClause>) {
        let (generics, name) = (&self.input.generics, &self.input.ident);
        let (_, arguments, _) = generics.split_for_impl();
        let ty = quote!(#name #arguments);
        (types::parameters(generics), ty, self.where_send_sync())
    }

    /// Returns the type's own bounds with `Self: Send + Sync + 'static`. Adds nothing for a type that is not generic:
    /// the compiler's own message is better.
    pub(crate) fn where_send_sync(&self) -> Option<WhereClause> {
        let mut generics = self.input.generics.clone();
        if !generics.params.is_empty() {
            let (private, clause) = (self.private(), generics.make_where_clause());
            let bounds = parse_quote!(Self: #private::Send + #private::Sync + 'static);
            clause.predicates.push(bounds);
        }
        generics.where_clause
    }

    /// Returns the constant of this name with the identity: the place and the path of the type, and the arguments of a generic
    /// one. Messages use the path, or the given name. The second value precedes the impl.
    ///
    /// The errors of the type are in its identity: then the compiler reports nothing about systems that use the type.
    pub(crate) fn identity(
        &mut self,
        constant: &str,
        given: Option<&LitStr>,
        data: Option<&TokenStream>,
    ) -> (TokenStream, TokenStream) {
        let (private, constant) = (self.private(), hidden(constant));
        let generics = &self.input.generics;
        let types = generics.type_params().map(|param| &param.ident);
        let types = types.map(|name| quote!(#private::ArgumentOf::<#name>::ARGUMENT));
        let values = generics.const_params().map(|param| &param.ident);
        let values = values.map(|name| quote!(#private::Argument::value(#name as u128)));
        let arguments = types.chain(values);
        let called = given.map(|name| quote!(.called(#name)));
        let data = data.map(|data| quote!(.with_data(#data)));
        let owners = self.option("written_by").map(|option| match &option.value {
            OptionValue::Texts(modules) => modules.as_slice(),
            _ => &[],
        });
        // Constants of their own: nothing else evaluates the identity before a system uses the type.
        let checks = owners.into_iter().flatten().map(|module| {
            let private = self.root.private(module.span());
            quote_spanned!(module.span()=> const _: () = #private::assert_modules(&[#module]);)
        });
        let checks = quote!(#(#checks)*);
        let owners = owners.map(|owners| quote!(.written_by(&[#(#owners),*])));
        let immutable = self.option("immutable").or(self.option("unique"));
        let immutable = immutable.map(|_| quote!(.immutable()));
        // At the name of the type: the derive itself may be written in a macro.
        let at = before(self.input.ident.span());
        let place = self.root.private(at);
        let name = self.input.ident.unraw().to_string();
        let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
        let (path, after) = (text(&format!("::{name}")), text(&format!(";{version}")));
        let place = quote_spanned!(at=> #place::identity!(#path #after));
        let (offers, errors) = core::mem::take(&mut self.errors).into_parts();
        let value = quote! {
            #place #(.with_argument(#arguments))* #called #data #owners #immutable
        };
        let value = errors.map_or(value.clone(), |errors| quote!({ #errors #value }));
        let constant = quote!(const #constant: #private::ConstTypeIdOf<Self> = #value;);
        (constant, quote!(#checks #offers))
    }

    /// Returns a function of this name that returns a static of the type `of`. Returns nothing for a generic type: all
    /// its instances would share a static inside a generic function.
    pub(crate) fn slot(&self, function: &str, of: &str) -> Option<TokenStream> {
        let private = self.private();
        let (name, function, of) = (&self.input.ident, hidden(function), path(of));
        self.input.generics.params.is_empty().then(|| {
            quote! {
                #[inline]
                fn #function() -> #private::Slot<#private::#of<Self>> {
                    static SLOT: #private::#of<#name> = #private::#of::new();
                    #private::Some(&SLOT)
                }
            }
        })
    }
}

/// Returns constants of an impl, each `true`, for the flags that are set.
pub(crate) fn flags(flags: &[(bool, &str)], private: &TokenList) -> TokenStream {
    let names = flags.iter().filter(|(is_set, _)| *is_set);
    let names = names.map(|(_, name)| hidden(name));
    quote!(#(const #names: #private::bool = true;)*)
}

/// Returns the article for the word that names a kind of type.
pub(crate) fn article(what: &str) -> &'static str {
    if what == "event" { "an" } else { "a" }
}

/// Checks a name, which goes into files, and into messages between backticks; `what` is the kind of type.
pub(crate) fn check_name(name: &str, what: &str) -> core::result::Result<(), String> {
    let is_invalid = |c: char| c.is_whitespace() || c.is_control() || c == '`';
    let problem = match name {
        "" => "cannot be empty",
        _ if !name.contains(is_invalid) => return Ok(()),
        _ => "cannot contain whitespace, control characters or backticks",
    };
    let (article, help) = (article(what), "write for example `\"game.position\"`");
    Err(format!("{article} {what} name {problem}\nhelp: {help}"))
}

/// Returns checks of the attributes that belong to another derive: the type has to have that one too.
fn foreign_attributes(input: &DeriveInput, name: &str, root: &Root) -> TokenStream {
    let mut checks = TokenStream::new();
    for attribute in &input.attrs {
        let path = attribute.path();
        // The derive of an event reports them.
        let is_other = |own: &str| own != name && name != "event" && path.is_ident(own);
        let Some(of) = ATTRIBUTES.iter().find(|own| is_other(own)) else {
            continue;
        };
        let of = Ident::new(&camel_case(of), frame_site());
        let (generics, arguments, bounds) = input.generics.split_for_impl();
        let at = ends(path).1;
        let mut ty = input.ident.clone();
        ty.set_span(at);
        let private = root.private(frame_site());
        let ty = quote_spanned!(at=> #ty #arguments);
        checks.extend(frame! {
            const _: () = {
                fn check #generics () #bounds {
                    fn is<T: #private::attributes::#of>() {}
                    let _ = is::<#ty>;
                }
            };
        });
    }
    checks
}

fn reject_duplicate(option: &GivenOption, errors: &mut Errors) {
    let name = option.name;
    let help = match name.starts_with("on_") {
        true => "call both functions from one",
        false => "remove one",
    };
    reject!(errors, &option.path => "duplicate option `{name}`\nhelp: {help}");
}

/// Reports options on fields and variants, which have no meaning there.
fn reject_misplaced(data: &Data, name: &str, errors: &mut Errors) {
    let variants = match data {
        Data::Enum(data) => to_vec(&data.variants),
        _ => Vec::new(),
    };
    let attributes = variants.iter().flat_map(|variant| &variant.attrs);
    let fields = fields_of(data).into_iter();
    for attribute in attributes.chain(fields.flat_map(|field| &field.attrs)) {
        if attributes::is_any(attribute, &[name, "ecs"]) {
            let written = attribute.path().to_token_stream();
            let help = match attribute.meta {
                Meta::Path(_) => "remove it",
                _ => "write it above the type",
            };
            reject!(errors, attribute => "`#[{written}]` has no meaning here\nhelp: {help}");
        }
    }
}

/// Returns the fields of a type, in each of its variants.
pub(crate) fn fields_of(data: &Data) -> Vec<&Field> {
    match data {
        Data::Struct(data) => to_vec(&data.fields),
        Data::Enum(data) => to_vec(data.variants.iter().flat_map(|variant| &variant.fields)),
        Data::Union(data) => to_vec(&data.fields.named),
    }
}
