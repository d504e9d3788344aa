//! What `#[system]` understands of a function.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Attribute, Generics, Type};

use super::parse::{Function, Input};
use super::{classify, lifetimes};
use crate::paths::Root;
use crate::pretty;

/// A system.
pub(super) struct System {
    pub(super) function: Function,
    pub(super) root: Root,
    pub(super) params: Vec<Param>,
}

/// A parameter.
pub(super) struct Param {
    pub(super) kind: Kind,
    /// All but `#[arg]`, `#[param]` and `#[cfg]`.
    pub(super) attrs: Vec<Attribute>,
    pub(super) cfg: Vec<Attribute>,
    pub(super) pattern: TokenStream,
    /// The name, if the pattern is no more than that.
    pub(super) name: Option<Ident>,
    /// As written.
    pub(super) ty: Type,
    /// How the parameter says which kind it is, if it does.
    pub(super) decider: Option<Attribute>,
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
}

impl System {
    pub(super) fn new(mut function: Function, root: Root) -> Self {
        let mut borrowed = false;
        let inputs = core::mem::take(&mut function.inputs);
        let params = inputs
            .into_iter()
            .filter_map(|input| Param::new(input, &mut borrowed))
            .collect();
        Self {
            function,
            root,
            params,
        }
    }

    /// The parameters that the caller supplies.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|p| p.kind == Kind::Argument)
    }

    /// The parameters that the world supplies.
    pub(super) fn borrowed(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|p| p.kind != Kind::Argument)
    }

    /// Whether the system needs the world alone.
    pub(super) fn is_exclusive(&self) -> bool {
        self.params.iter().any(|p| p.kind == Kind::Exclusive)
    }

    /// The function's name as text.
    pub(super) fn name(&self) -> String {
        self.function.ident.unraw().to_string()
    }

    /// The name of the hidden type.
    pub(super) fn marker(&self) -> Ident {
        format_ident!("__system_{}", self.name(), span = Span::mixed_site())
    }

    /// Whether `name` is a lifetime parameter of the function.
    pub(super) fn declares(&self, name: &Ident) -> bool {
        let mut declared = self.function.generics.lifetimes();
        declared.any(|lifetime| lifetime.lifetime.ident == *name)
    }

    /// The function's generics without the lifetimes for which `dropped` holds and all bounds that mention them. Types
    /// must be `'static`, as the system that they belong to is.
    pub(super) fn generics_without(&self, dropped: &impl Fn(&Ident) -> bool) -> Generics {
        let mut generics = self.function.generics.clone();
        generics.params = generics
            .params
            .into_iter()
            .filter(|param| {
                !matches!(param, syn::GenericParam::Lifetime(l) if dropped(&l.lifetime.ident))
            })
            .collect();
        let mut types = Vec::new();
        for param in generics.type_params_mut() {
            param.bounds = core::mem::take(&mut param.bounds)
                .into_iter()
                .filter(|bound| !lifetimes::mentions(bound, dropped))
                .collect();
            types.push(param.ident.clone());
        }
        if let Some(clause) = &mut generics.where_clause {
            clause.predicates = core::mem::take(&mut clause.predicates)
                .into_iter()
                .filter(|predicate| !lifetimes::mentions(predicate, dropped))
                .collect();
        }
        for ty in types {
            generics
                .make_where_clause()
                .predicates
                .push(syn::parse_quote_spanned!(Span::mixed_site()=> #ty: 'static));
        }
        generics
    }
}

impl Param {
    /// `borrowed` tells whether a parameter before this one comes from the world.
    fn new(input: Input, borrowed: &mut bool) -> Option<Self> {
        let ty = input.ty?;
        let (mut attrs, mut cfg, mut decider) = (Vec::new(), Vec::new(), None);
        for attribute in input.attrs {
            let path = attribute.path();
            if path.is_ident("arg") || path.is_ident("param") {
                decider = Some(attribute);
            } else if path.is_ident("cfg") {
                cfg.push(attribute);
            } else {
                attrs.push(attribute);
            }
        }
        *borrowed = match &decider {
            Some(attribute) => attribute.path().is_ident("param"),
            None => *borrowed || classify::is_world_parameter(&ty),
        };
        Some(Self {
            kind: kind(&ty, *borrowed),
            attrs,
            cfg,
            name: plain_name(&input.pattern),
            pattern: input.pattern,
            ty,
            decider,
        })
    }

    /// The parameter's name for messages.
    pub(super) fn label(&self) -> String {
        self.name
            .as_ref()
            .map_or_else(|| "_".to_owned(), |name| name.unraw().to_string())
    }

    /// The parameter's type as people write it.
    pub(super) fn type_text(&self) -> String {
        pretty::line(self.ty.to_token_stream())
    }

    /// `<Type as SystemParam>`.
    ///
    /// The words carry the place of the type, so that the compiler shows what is wrong with it there, and only once.
    pub(super) fn as_param(&self, system: &System) -> TokenStream {
        let tokens = self.ty.to_token_stream();
        let (first, last) = ends(&tokens);
        let private = system.root.private(last);
        let ty = match self.kind {
            Kind::World | Kind::Exclusive => quote!(#private::WorldRef),
            Kind::Resources => quote!(#private::ResourcesRef),
            Kind::Borrowed | Kind::Argument => {
                lifetimes::erase(tokens, &|name| system.declares(name))
            }
        };
        let open = quote_spanned!(first=> <);
        let close = quote_spanned!(last=> as #private::SystemParam>);
        quote!(#open #ty #close)
    }

    /// The place of the type's end.
    pub(super) fn span(&self) -> Span {
        ends(&self.ty.to_token_stream()).1
    }
}

fn kind(ty: &Type, borrowed: bool) -> Kind {
    match classify::strip(ty) {
        _ if !borrowed => Kind::Argument,
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
fn ends(tokens: &TokenStream) -> (Span, Span) {
    let mut spans = tokens.clone().into_iter().map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}
