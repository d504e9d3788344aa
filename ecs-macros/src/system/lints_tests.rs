use super::*;

#[test]
fn parts_count_by_their_depth() {
    let ty = quote!(Query<'w, (&'a mut A, &a::B), With<C>>);
    assert_eq!(score(ty, 1), 10 + 20 + (3 + 30) + (3 + 30) + 20 + 30);
}

#[test]
fn a_type_with_few_parts_is_small_and_never_complex() {
    for (text, expected) in [
        ("Query<'w, (&mut A, &a::B)>", true),
        ("A<B<C<D<E>>>>", true),
        ("A<B<C<D<E<F>>>>>", false),
        ("Query<fn(A)>", false),
    ] {
        let ty = syn::parse_str(text).unwrap();
        assert_eq!(is_small(&ty), expected, "{text}");
        let around = parse_quote!(Alias<#ty>);
        assert!(!expected || allowances(1, &[&around]).is_empty(), "{text}");
    }
}

#[test]
fn a_query_of_some_members_and_filters_is_complex() {
    let simple = parse_quote!(Query<(&mut A, &B), With<C>>);
    assert!(allowances(2, &[&simple]).is_empty());
    let complex = parse_quote!(Query<(&mut A, &B, Option<&C>), (With<D>, Without<E>)>);
    has(&allowances(2, &[&complex]).to_string(), "type_complexity");
}
