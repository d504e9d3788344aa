//! Values of structs of numbers, which the names of the types suggest and the compiler confirms. Nothing is compiled for others.

use syn::{Data, DeriveInput, Field};

use crate::derive::Derived;
use crate::prelude::*;

const WITHOUT_IDS: [&str; 3] = ["f32", "f64", "bool"];
const PLAIN: [&str; 17] = [
    "f32", "f64", "bool", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64",
    "i128", "isize", "char", "Entity",
];
/// Attributes that leave the fields as they are.
const KNOWN: [&str; 7] = [
    "allow",
    "component",
    "derive",
    "doc",
    "expect",
    "repr",
    "serde",
];

/// Returns the numeric types in a struct, each once, if no value of them can be an entity, judging by the names of the
/// types. Clones then need not look for ids.
///
/// Arrays count as their element type, because their length may have another meaning at the place that repeats it.
pub(super) fn without_ids(input: &DeriveInput) -> Vec<&Type> {
    // With an attribute, serde may write the field as a value of any type.
    let is_ours = |attribute: &Attribute| !attribute.path().is_ident("serde");
    let (mut types, mut names) = (Vec::new(), Vec::new());
    for field in of_types(input, &WITHOUT_IDS, is_ours) {
        let ty = element(&field.ty);
        let name = ty.to_token_stream().to_string();
        if !names.contains(&name) {
            names.push(name);
            types.push(ty);
        }
    }
    types
}

/// Returns the functions that save a component whose values may be plain bytes, and whose fields are taken apart for the proof:
/// the compiler checks that they have the types which the derive has read, even if another attribute has changed them.
pub(super) fn saved(derived: &Derived, ty: &Type, private: &TokenList) -> Option<TokenStream> {
    let is_known = |attribute: &Attribute| KNOWN.iter().any(|name| attribute.path().is_ident(name));
    let fields = of_types(&derived.input, &PLAIN, is_known);
    let (mut types, mut values, mut pattern) = (quote!(()), quote!(()), quote!());
    for (number, field) in fields.iter().enumerate().rev() {
        let member = field.ident.clone().map_or(number.into(), Member::Named);
        let (of, value) = (repeated(&field.ty), local(&format!("field_{number}")));
        types = quote!((#of, #types));
        values = quote!((#value, #values));
        pattern = quote!(#member: #value, #pattern);
    }
    let word_unsafe = word_unsafe();
    (!fields.is_empty()).then(|| {
        quote!(#word_unsafe {
            #private::Saved::of_fields::<#ty, _>(
                #private::PlainProbe::<#types>::PLAIN_SIZE, |#ty { #pattern }| #values
            )
        })
    })
}

/// Returns the fields of a struct if all their types, or the elements of arrays, have such names, and all attributes pass.
fn of_types<'a>(
    input: &'a DeriveInput,
    types: &[&str],
    passes: impl Fn(&Attribute) -> bool,
) -> Vec<&'a Field> {
    let all_pass = |attributes: &[Attribute]| attributes.iter().all(&passes);
    let is_one = |field: &&Field| match element(&field.ty) {
        Type::Path(path) => {
            types.iter().any(|name| path.path.is_ident(name)) && all_pass(&field.attrs)
        }
        _ => false,
    };
    match &input.data {
        // In a generic type, a name may refer to a parameter.
        Data::Struct(data) if input.generics.params.is_empty() && all_pass(&input.attrs) => {
            let fields = to_vec(&data.fields);
            if fields.iter().all(is_one) {
                fields
            } else {
                Vec::new()
            }
        }
        _ => Vec::new(),
    }
}

fn element(ty: &Type) -> &Type {
    match ty {
        Type::Array(array) => element(&array.elem),
        _ => ty,
    }
}

/// Returns the type without the lengths of arrays, which the compiler finds out.
fn repeated(ty: &Type) -> TokenStream {
    match ty {
        Type::Array(array) => {
            let element = repeated(&array.elem);
            quote!([#element; _])
        }
        _ => ty.to_token_stream(),
    }
}
