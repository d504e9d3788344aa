use super::*;

#[test]
fn a_renamed_dependency_is_found_in_every_form() {
    for case in [
        "ecs | [dependencies]\necs = { package = \"ecs-core\", version = \"1\" }",
        "ecs | [dependencies]\necs = { version = \"1\", package = 'ecs-core' } # ours",
        "ecs | [dependencies]\necs.package = \"ecs-core\"\necs.version = \"1\"",
        "ecs | [dependencies.ecs]\nversion = \"1\"\npackage = \"ecs-core\"",
        "ecs | [dev-dependencies]\necs = { package = \"ecs-core\" }",
        "ecs | [target.'cfg(unix)'.dependencies]\necs = { package = \"ecs-core\" }",
        "ecs | [dependencies]\necs = {\n  package = \"ecs-core\", # ours\n  version = \"1\",\n}",
        "ecs | [dependencies]\necs = { features = [\n  \"a\",\n], package = \"ecs-core\" }",
        "ecs | [ dependencies.ecs ]\nversion = \"1\"#why\npackage = \"ecs-core\"#ours",
        "ecs | dependencies.ecs.package = \"ecs-core\"",
        // The package's own name takes precedence.
        "ecs-core | [dependencies]\nold = { package = \"ecs-core\" }\necs-core = \"1\"",
        "ecs-core | [dependencies]\necs-core = \"1\"\nold = { package = \"ecs-core\" }",
        // Other packages and tables are ignored.
        "none | [dependencies]\necs = { package = \"other\" }",
        "none | [package]\nname = \"ecs-core\"",
        "none | [features]\necs = [\"dep:ecs-core\"]",
        "none | [workspace.dependencies]\necs = { package = \"ecs-core\" }",
        "none | # [dependencies]\n# ecs = { package = \"ecs-core\" }",
    ] {
        let (expected, manifest) = case.split_once(" | ").unwrap();
        let found = renamed(manifest).unwrap_or("none".to_owned());
        assert_eq!(found, expected, "{manifest}");
    }
}

#[test]
fn a_facade_is_given_in_the_metadata() {
    for manifest in [
        "[package.metadata.ecs-core]\ncrate = \"engine::ecs\"",
        "[package]\nname = \"game\"\nmetadata.ecs-core.crate = 'engine::ecs' # ours",
        "[package.metadata]\necs-core = { crate = \"engine::ecs\" }",
    ] {
        let given = given(manifest);
        assert_eq!(given.as_deref(), Some("engine::ecs"), "{manifest}");
    }
    assert_eq!(given("[package.metadata.other]\ncrate = \"engine\""), None);
}

#[test]
fn a_crate_without_the_dependency_is_asked_for_the_path() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    assert_eq!(find(&manifest), None);
    let others = "../tests/Cargo.toml | ../ecs-core/Cargo.toml | Missing.toml | src/lib.rs";
    for other in others.split(" | ") {
        let found = find(&manifest.with_file_name(other));
        assert_eq!(found.as_deref(), Some("ecs_core"), "{other}");
    }
}

#[test]
fn a_facade_is_declared_at_the_root_of_the_crate() {
    let root = "//! Docs.\n#![no_std]\n#[macro_use] pub extern crate engine as ecs_core; mod a;";
    assert!(declares(root));
    let others = "extern crate engine; | extern crate ecs_core as engine; | // extern crate engine as ecs_core; | mod inner { extern crate engine as ecs_core; } | use engine as ecs_core;";
    for root in others.split(" | ") {
        assert!(!declares(root), "{root}");
    }
}

#[test]
fn the_package_itself_is_no_user_of_a_facade() {
    assert!(is_own("[package]\nname = \"ecs-core\""));
    let other = "[dependencies]\nname = \"ecs-core\"\n[package]\nname = \"x\"";
    assert!(!is_own(other));
}

#[test]
fn a_renamed_dependency_of_the_workspace_is_inherited() {
    let root = "[workspace.dependencies]\necs = { package = \"ecs-core\", path = \"x\" }";
    let members = "[dependencies]\necs = { workspace = true } | [dependencies]\necs.workspace = true | [dependencies.ecs]\nworkspace = true";
    for member in members.split(" | ") {
        assert_eq!(inherited(root, member).as_deref(), Some("ecs"), "{member}");
    }
    assert_eq!(inherited(root, "[dependencies]\nserde = \"1\""), None);
    let root = "[workspace.dependencies]\necs-core = \"1\"\necs = { package = \"ecs-core\" }";
    for name in ["ecs-core", "ecs"] {
        let member = format!("[dependencies]\n{name}.workspace = true");
        assert_eq!(inherited(root, &member).as_deref(), Some(name));
    }
}
