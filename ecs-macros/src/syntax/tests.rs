use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};

use super::{Argument, Body, Generics, Input, Item, Shape, Type, Visibility};

/// What a `macro_rules!` hands over for `$ty:ty`.
fn given(tokens: TokenStream) -> TokenStream {
    TokenTree::from(Group::new(Delimiter::None, tokens)).into()
}

fn ty(text: &str) -> Type {
    let tokens: TokenStream = text.parse().unwrap();
    let ty = Input::read(tokens.clone(), Type::read);
    let ty = ty.unwrap_or_else(|_| panic!("{text}"));
    assert_eq!(ty.to_token_stream().to_string(), tokens.to_string());
    ty
}

#[test]
fn a_type_ends_where_it_ends() {
    for text in [
        "u8",
        "::std::vec::Vec<Vec<u8>>",
        "&'a mut [T; { N + 1 }]",
        "&&'static str",
        "(A, (B), &C,)",
        "()",
        "*const *mut T",
        "[u8]",
        "_",
        "!",
        "dyn for<'a> Fn(&'a A) -> B + Send + 'static",
        "impl Iterator<Item = (A, B)> + '_",
        "for<'a, 'b> unsafe extern \"C\" fn(name: &'a T, _: m::U, ...) -> B",
        "Box<dyn Fn(A, B) -> C + Send>",
        "Fn(A) -> Option<B>",
        "<T as m::Trait<U>>::Item<'a>",
        "Array<'a, T, 3, -1, 'c', true, { N }, Item = U, Other<'a>: A + B>",
        "Option::<T>",
        "list!(A, B)",
        "Self::Item",
    ] {
        for behind in [", B", "> C", "= D", "; E", ": F", "{ G }"] {
            let tokens: TokenStream = format!("{text} {behind}").parse().unwrap();
            let read = Input::read(tokens, |input| {
                let ty = Type::read(input)?;
                input.rest();
                Ok(ty.to_token_stream().to_string())
            });
            let expected = ty(text).to_token_stream().to_string();
            assert_eq!(read.ok(), Some(expected), "{text} {behind}");
        }
    }
}

#[test]
fn what_is_no_type_is_refused() {
    for text in [
        "", "'a", "3", "&", "*T", "Vec<", "(A", "A B", "<T>", "[u8 4]",
    ] {
        if let Ok(tokens) = text.parse() {
            assert!(Input::read(tokens, Type::read).is_err(), "{text}");
        }
    }
}

#[test]
fn one_sees_what_a_path_is_applied_to() {
    let ty = ty("m::Query<'w, &A, 3, Item = B>");
    let path = ty.path().unwrap();
    assert_eq!(path.last().unwrap().name, "Query");
    assert!(matches!(
        path.arguments(),
        [
            Argument::Lifetime(_),
            Argument::Type(_),
            Argument::Other,
            Argument::Other
        ]
    ));
}

#[test]
fn what_a_macro_was_given_keeps_its_parentheses() {
    let vec = given(quote!(Vec<u8>));
    for (tokens, is_path) in [
        (quote!(#vec), true),
        (quote!(&#vec), false),
        (quote!(Res<#vec>), true),
        (quote!(#vec::Item), true),
    ] {
        let ty = Input::read(tokens.clone(), Type::read).unwrap();
        assert_eq!(ty.path().is_some(), is_path, "{tokens}");
        let has_group = format!("{:?}", ty.to_token_stream()).contains("None");
        assert!(has_group, "{tokens}");
    }
    let item = given(quote!(A));
    let ty = Input::read(quote!(Res<#item, 1>), Type::read).unwrap();
    let argument = ty.path().map(|path| &path.arguments()[0]);
    assert!(matches!(argument, Some(Argument::Type(ty)) if ty.path().is_some()));
}

#[test]
fn an_impl_has_no_defaults_and_lifetimes_first() {
    let tokens = quote!(<T: A + Fn(u8) -> B = C<D>, const N: usize = 3, #[x] 'a: 'b, U>);
    let mut generics = Input::read(tokens, Generics::read).unwrap();
    Input::read(quote!(where for<'x> T: F<'x>, Vec<U>: G,), |input| {
        generics.read_clause(input)
    })
    .unwrap();
    generics.predicates[0].bound(&super::is_static());
    let (params, arguments, clause) = generics.split_for_impl();
    assert_eq!(
        params.to_token_stream().to_string(),
        quote!(<#[x] 'a: 'b, T: A + Fn(u8) -> B, const N: usize, U>).to_string()
    );
    assert_eq!(
        arguments.to_token_stream().to_string(),
        quote!(<'a, T, N, U>).to_string()
    );
    assert_eq!(
        clause.to_token_stream().to_string(),
        quote!(where for<'x> T: F<'x> + 'static, Vec<U>: G).to_string()
    );
    assert_eq!(
        generics.predicates[0].subject.to_token_stream().to_string(),
        "T"
    );
}

#[test]
fn all_forms_of_structs_are_read() {
    for (item, fields) in [
        (
            quote!(
                struct A;
            ),
            0,
        ),
        (
            quote!(
                pub struct A<T>(pub T, (crate::B), #[x] pub(in a::b) C)
                where
                    T: D;
            ),
            3,
        ),
        (
            quote!(
                #[x]
                pub(crate) struct A<T>
                where
                    T: D,
                {
                    a: T,
                    pub r#type: Vec<(A, B)>,
                }
            ),
            2,
        ),
    ] {
        let text = item.to_string();
        let item = Input::read(item, Item::read).unwrap_or_else(|_| panic!("{text}"));
        assert!(
            matches!(item.body, Body::Struct(list) if list.len() == fields),
            "{text}"
        );
    }
    let item = Input::read(
        quote!(
            enum A<T>
            where
                T: B,
            {
                C(T),
            }
        ),
        Item::read,
    )
    .unwrap();
    assert!(matches!(item.body, Body::Enum(_)));
    assert_eq!(item.generics.predicates.len(), 1);
}

#[test]
fn a_visibility_may_be_given_as_nothing() {
    let (nothing, public) = (given(TokenStream::new()), given(quote!(pub)));
    for (tokens, expected) in [(nothing, ""), (public, "pub"), (quote!(), "")] {
        let visibility = Input::read(quote!(#tokens struct), |input| {
            let visibility = Visibility::read(input)?;
            input.expect("struct")?;
            Ok(visibility)
        });
        let visibility = visibility.unwrap().to_token_stream().to_string();
        assert_eq!(visibility, expected);
    }
}

#[test]
fn an_expression_goes_up_to_its_comma() {
    for (text, expected) in [
        ("a::<b, c>(d, e), f", "a::<b, c>(d, e)"),
        ("a < b, c > d", "a < b"),
        ("|x| -> T { x }, y", "|x| -> T { x }"),
    ] {
        let read = Input::read(text.parse().unwrap(), |input| {
            let expression = input.expression()?;
            input.rest();
            Ok(expression.to_token_stream().to_string())
        });
        assert_eq!(
            read.unwrap(),
            expected.parse::<TokenStream>().unwrap().to_string()
        );
    }
}

#[test]
fn type_shapes_are_seen_through_parentheses() {
    assert!(ty("((&mut A))").reference().is_some_and(|r| r.is_mut));
    assert!(matches!(ty("(A,)").strip().shape, Shape::Tuple(_)));
    assert!(matches!(ty("((_))").strip().shape, Shape::Infer));
}
