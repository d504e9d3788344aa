//! What `#[system]` understands of a parameter.

use core::cell::OnceCell;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Attribute, Type};

use super::expand::is_any;
use super::model::System;
use super::parse::Input;
use super::{classify, lifetimes};
use crate::paths::Words;
use crate::pretty;

/// A parameter.
pub(super) struct Param {
    pub(super) kind: Kind,
    /// All but `#[arg]`, `#[param]` and `#[cfg]`.
    pub(super) attrs: Vec<Attribute>,
    pub(super) cfg: Vec<Attribute>,
    pub(super) pattern: TokenStream,
    /// The name for messages; `_` for a pattern.
    pub(super) label: String,
    /// What the value is called in generated code: the argument's own name, or one that no name of the user can meet.
    pub(super) binding: Ident,
    /// As written.
    pub(super) ty: Type,
    /// The type as people write it.
    pub(super) type_text: String,
    /// How the parameter says which kind it is, if it does.
    pub(super) decider: Option<Attribute>,
    pub(super) words: Cache,
}

/// What is asked for many times.
#[derive(Default)]
pub(super) struct Cache {
    /// The places of the type's first and last token.
    ends: OnceCell<(Span, Span)>,
    /// The type that implements `SystemParam`.
    supplied: OnceCell<Words>,
}

/// Who supplies a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The caller.
    Argument,
    /// The world, as a `SystemParam`.
    Borrowed,
    /// The world is it: `&World`.
    World,
    /// The world's resources: `&ResourceMap`.
    Resources,
    /// The world is it: `&mut World`.
    Exclusive,
    /// The query, one entity at a time.
    Item,
    /// The world, as the query over the items; not a parameter of the function as written.
    Items,
}

impl Param {
    /// The parameter at `index`; `borrowed` tells whether one before it comes from the world.
    pub(super) fn new(
        index: usize,
        input: Input,
        for_each: bool,
        borrowed: &mut bool,
    ) -> Option<Self> {
        let ty = input.ty?;
        let (mut attrs, mut cfg, mut decider) = (Vec::new(), Vec::new(), None);
        for attribute in input.attrs {
            if is_any(&attribute, &["arg", "param", "item"]) {
                decider = Some(attribute);
            } else if attribute.path().is_ident("cfg") {
                cfg.push(attribute);
            } else {
                attrs.push(attribute);
            }
        }
        let decided = |name| decider.as_ref().map(|a| a.path().is_ident(name));
        let item = decided("item").unwrap_or(for_each && classify::is_item(&ty));
        let known = item || decided("param").unwrap_or_else(|| classify::is_world_parameter(&ty));
        let argument = decided("arg").unwrap_or(!known && !*borrowed);
        *borrowed |= !argument;
        let name = plain_name(&input.pattern);
        let label = name
            .as_ref()
            .map_or_else(|| "_".to_owned(), |name| name.unraw().to_string());
        let binding = match name {
            Some(name) if argument => name,
            _ => hidden_at(&format!("p{index}"), ends(&ty.to_token_stream()).1),
        };
        Some(Self {
            kind: match (argument, item) {
                (true, _) => Kind::Argument,
                (_, true) => Kind::Item,
                _ => kind(&ty),
            },
            attrs,
            cfg,
            label,
            binding,
            pattern: input.pattern,
            type_text: pretty::line(ty.to_token_stream()),
            ty,
            decider,
            words: Cache::default(),
        })
    }

    /// `<Type as SystemParam>::item`.
    ///
    /// In a system that is called for each entity types are [checked](super::each::checks) elsewhere, items one by one: no
    /// error is reported here.
    pub(super) fn item(&self, system: &System, item: &str) -> TokenStream {
        if system.for_each && matches!(self.kind, Kind::Items | Kind::Borrowed) {
            let (ty, item) = (self.supplied(system), hidden(item));
            let private = system.root.private(Span::mixed_site());
            return quote!(<#private::Probe<#ty>>::#item);
        }
        self.item_of(system, "SystemParam", item)
    }

    /// `<Type as of>::item`.
    ///
    /// All words carry the place of the type, so that the compiler shows what is wrong with it there, and only once.
    pub(super) fn item_of(&self, system: &System, of: &str, item: &str) -> TokenStream {
        let (first, last) = self.ends();
        let private = system.root.private(last);
        let ty = self.supplied(system);
        let (of, item) = (Ident::new(of, last), Ident::new(item, last));
        let open = quote_spanned!(first=> <);
        let close = quote_spanned!(last=> as #private::#of>::#item);
        quote!(#open #ty #close)
    }

    /// The type that implements `SystemParam`, without the names of lifetimes.
    pub(super) fn supplied(&self, system: &System) -> &Words {
        self.words.supplied.get_or_init(|| {
            let last = self.span();
            let private = system.root.private(last);
            Words::new(match self.kind {
                Kind::World | Kind::Exclusive => quote_spanned!(last=> #private::WorldRef),
                Kind::Resources => quote_spanned!(last=> #private::ResourcesRef),
                Kind::Borrowed | Kind::Argument | Kind::Item | Kind::Items => {
                    lifetimes::erase(self.ty.to_token_stream(), &|name| system.declares(name))
                }
            })
        })
    }

    /// The parameter's `cfg`s as tokens.
    pub(super) fn cfgs(&self) -> TokenStream {
        let cfg = &self.cfg;
        quote!(#(#cfg)*)
    }

    /// The places of the type's first and last token.
    pub(super) fn ends(&self) -> (Span, Span) {
        let find = || ends(&self.ty);
        *self.words.ends.get_or_init(find)
    }

    /// The place of the type's end.
    pub(super) fn span(&self) -> Span {
        self.ends().1
    }
}

/// How the world supplies a parameter of this type.
fn kind(ty: &Type) -> Kind {
    match classify::strip(ty) {
        Type::Reference(reference) if classify::is_world(reference) => match reference.mutability {
            Some(_) => Kind::Exclusive,
            None => Kind::World,
        },
        Type::Reference(reference) if classify::is_resources(reference) => Kind::Resources,
        _ => Kind::Borrowed,
    }
}

/// The name in `name` or `mut name`.
fn plain_name(pattern: &TokenStream) -> Option<Ident> {
    let mut tokens = pattern.clone().into_iter();
    let mut name = tokens.next()?;
    if matches!(&name, TokenTree::Ident(word) if word == "mut") {
        name = tokens.next()?;
    }
    match (name, tokens.next()) {
        (TokenTree::Ident(name), None) if name != "_" => Some(name),
        _ => None,
    }
}

/// The places of the first and the last token.
pub(crate) fn ends(tokens: &impl ToTokens) -> (Span, Span) {
    Words::new(tokens.to_token_stream()).ends()
}

/// A name that no name of the user can meet.
pub(super) fn hidden(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// A name that no name of the user can meet; errors about it are shown at `place`.
pub(super) fn hidden_at(name: &str, place: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(place))
}
