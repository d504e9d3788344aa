use super::*;

#[test]
fn levels_are_kept_and_expectations_allowed() {
    let attrs =
        r#"#[derive(Clone)] #[expect(dead_code, reason = "why")] #[deny(unused)] #[deprecated]"#;
    let attrs = Attribute::parse_outer.parse_str(attrs).unwrap();
    let expected =
        parsed(r#"#[allow(dead_code, reason = "why")] #[deny(unused)] #[allow(deprecated)]"#);
    assert_eq!(levels_of_derive(&attrs).to_string(), expected.to_string());
}
