//! The name of the dependency on `ecs-core` in the user's `Cargo.toml`.
//!
//! A procedural macro has no `$crate`, so under `ecs = { package = "ecs-core", .. }` the name must be looked up.
//! Without a manifest, or without the dependency in it, it is `ecs_core`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::toml;

const PACKAGE: &str = "ecs-core";

/// Returns the name of `ecs-core` in the crate that is compiled.
pub(crate) fn dependency() -> String {
    // One lookup per process; but a language server expands macros of several crates in one.
    static LAST: Mutex<Option<(OsString, String)>> = Mutex::new(None);
    let Some(path) = manifest_path() else {
        return identifier(PACKAGE);
    };
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((known, name)) if known == path.as_os_str() => name.clone(),
        _ => {
            let name = find(&path).unwrap_or_else(|| PACKAGE.to_owned());
            let name = identifier(&name);
            *last = Some((path.into_os_string(), name.clone()));
            name
        }
    }
}

fn manifest_path() -> Option<PathBuf> {
    env::var_os("CARGO_MANIFEST_PATH")
        .map(PathBuf::from)
        .or_else(|| Some(Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("Cargo.toml")))
}

fn identifier(package: &str) -> String {
    package.replace('-', "_")
}

fn find(path: &Path) -> Option<String> {
    let member = fs::read_to_string(path).ok()?;
    if let found @ Some(_) = renamed(&member) {
        return found;
    }
    // A member (or the root package itself) inherits a renamed dependency by its key: `ecs = { workspace = true }`.
    path.ancestors().skip(1).find_map(|folder| {
        let root = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        inherited(&root, &member)
    })
}

/// Returns the key that the member inherits from the workspace, which may have several for the package.
fn inherited(root: &str, member: &str) -> Option<String> {
    let member = dependencies(member, "");
    let mut names = names_of_package(root, "workspace").into_iter();
    names.find(|name| member.iter().any(|dependency| dependency.key == *name))
}

/// Returns the key of the package; its own name takes precedence.
pub(crate) fn renamed(manifest: &str) -> Option<String> {
    let mut found = None;
    for key in names_of_package(manifest, "") {
        if key == PACKAGE {
            return Some(key);
        }
        found = Some(key);
    }
    found
}

/// Returns the keys of the package among the dependencies of `owner`.
fn names_of_package(manifest: &str, owner: &str) -> Vec<String> {
    let mut names = Vec::new();
    for dependency in dependencies(manifest, owner) {
        if dependency.key == PACKAGE || dependency.package.is_some_and(|name| name == PACKAGE) {
            names.push(dependency.key);
        }
    }
    names
}

/// A value of a dependency.
struct Dependency {
    key: String,
    /// The name of the package, if that is the value.
    package: Option<String>,
}

/// Returns the values of dependencies: of the `workspace`, or of the package (`""`), of all kinds and targets.
fn dependencies(manifest: &str, owner: &str) -> Vec<Dependency> {
    let mut found = Vec::new();
    for toml::Entry { keys, value } in toml::entries(manifest) {
        let outer = match keys.first().map(String::as_str) {
            Some("workspace") => 1,
            Some("target") => 2,
            _ => 0,
        };
        let is_wanted = (outer == 1) == (owner == "workspace");
        if let Some([table, key, rest @ ..]) = keys.get(outer..)
            && is_wanted
            && table.ends_with("dependencies")
        {
            found.push(Dependency {
                key: key.clone(),
                package: (rest == ["package"]).then_some(value),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(manifest: &str) -> Option<String> {
        renamed(manifest)
    }

    #[test]
    fn a_renamed_dependency_is_found_in_every_form() {
        for manifest in [
            "[dependencies]\necs = { package = \"ecs-core\", version = \"1\" }",
            "[dependencies]\necs = { version = \"1\", package = 'ecs-core' } # ours",
            "[dependencies]\necs.package = \"ecs-core\"\necs.version = \"1\"",
            "[dependencies.ecs]\nversion = \"1\"\npackage = \"ecs-core\"",
            "[dev-dependencies]\necs = { package = \"ecs-core\" }",
            "[target.'cfg(unix)'.dependencies]\necs = { package = \"ecs-core\" }",
            "[dependencies]\necs = {\n  package = \"ecs-core\", # ours\n  version = \"1\",\n}",
            "[dependencies]\necs = { features = [\n  \"a\",\n], package = \"ecs-core\" }",
            "[ dependencies.ecs ]\nversion = \"1\"#why\npackage = \"ecs-core\"#ours",
            "dependencies.ecs.package = \"ecs-core\"",
        ] {
            assert_eq!(name(manifest).as_deref(), Some("ecs"), "{manifest}");
        }
    }

    #[test]
    fn the_packages_own_name_takes_precedence() {
        let manifest = "[dependencies]\nold = { package = \"ecs-core\" }\necs-core = \"1\"";
        assert_eq!(name(manifest).as_deref(), Some("ecs-core"));
    }

    #[test]
    fn other_packages_and_tables_are_ignored() {
        for manifest in [
            "[dependencies]\necs = { package = \"other\" }",
            "[package]\nname = \"ecs-core\"",
            "[features]\necs = [\"dep:ecs-core\"]",
            "[workspace.dependencies]\necs = { package = \"ecs-core\" }",
            "# [dependencies]\n# ecs = { package = \"ecs-core\" }",
        ] {
            assert_eq!(name(manifest), None, "{manifest}");
        }
    }

    #[test]
    fn a_renamed_dependency_of_the_workspace_is_inherited() {
        let root = "[workspace.dependencies]\necs = { package = \"ecs-core\", path = \"x\" }";
        for member in [
            "[dependencies]\necs = { workspace = true }",
            "[dependencies]\necs.workspace = true",
            "[dependencies.ecs]\nworkspace = true",
        ] {
            assert_eq!(inherited(root, member).as_deref(), Some("ecs"), "{member}");
        }
        assert_eq!(inherited(root, "[dependencies]\nserde = \"1\""), None);
    }

    #[test]
    fn the_inherited_one_of_several_names_in_a_workspace_is_used() {
        let root = "[workspace.dependencies]\necs-core = \"1\"\necs = { package = \"ecs-core\" }";
        for name in ["ecs-core", "ecs"] {
            let member = format!("[dependencies]\n{name}.workspace = true");
            assert_eq!(inherited(root, &member).as_deref(), Some(name));
        }
    }
}
