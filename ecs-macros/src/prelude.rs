//! The words of all modules: tokens, their spans, the parts of the syntax, and errors.

pub(crate) use proc_macro2::{
    Delimiter, Group, Ident, Literal, Spacing, Span, TokenStream, TokenTree,
};
pub(crate) use quote::{ToTokens, format_ident, quote_spanned};
pub(crate) use syn::ext::IdentExt;
pub(crate) use syn::meta::ParseNestedMeta;
pub(crate) use syn::parse::{Parse, ParseStream, Parser};
pub(crate) use syn::punctuated::Punctuated;
pub(crate) use syn::spanned::Spanned;
pub(crate) use syn::{
    Attribute, Expr, GenericArgument, GenericParam, Generics, Lifetime, LifetimeParam, LitInt,
    LitStr, Member, Meta, Path, PathArguments, Result, ReturnType, Token, Type, TypeReference,
    Visibility, WherePredicate, bracketed, parenthesized, token,
};

pub(crate) use crate::errors::Errors;
pub(crate) use crate::paths::Root;
pub(crate) use crate::tokens::*;
pub(crate) use crate::{lifetimes, pretty};
