use super::*;

#[test]
fn a_given_path_is_used_as_written_and_a_path_of_the_manifest_is_absolute() {
    let root = Root::Dependency("engine::ecs".to_owned());
    assert!(root.reject_unknown().is_none());
    let given = Root::new(Some(&parse_quote!(engine::ecs)));
    for (root, before) in [(given, ""), (root, ":: ")] {
        let private = root.private(Span::call_site()).to_token_stream();
        let expected = format!("{before}engine :: ecs :: __private");
        assert_eq!(private.to_string(), expected);
    }
    let error = Root::Unknown.reject_unknown().unwrap().to_string();
    has(&error, "[package.metadata.ecs-core]");
    has(&error, "extern crate engine as ecs_core;");
}
