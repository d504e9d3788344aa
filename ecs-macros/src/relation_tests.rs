use crate::tokens::{check, code_of};

#[test]
fn options_become_constants() {
    let parts = r#"
        struct Follows;
            relation :: Target < Self >
            relation :: ToOne for Follows
            ! TREE
            ! DESPAWNS
        #[relation(tree, sources = "despawn")] struct ChildOf;
            const TREE : :: ecs_core :: __private :: bool = true
            const DESPAWNS_SOURCES : :: ecs_core :: __private :: bool = true
        #[relation(many, sources = "detach")] struct Likes<T>(T);
            relation :: Targets < Self >
            relation :: ToMany for Likes
            ! SLOT
            ! DESPAWNS"#;
    check(code_of(super::expand), parts);
}
