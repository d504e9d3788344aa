//! What the user's `Cargo.toml` calls the dependency on `ecs-core`.
//!
//! A procedural macro has no `$crate`, so under `ecs = { package = "ecs-core", .. }` the name must be looked up. This
//! reads the few forms in which Cargo lets one write that, and falls back to `ecs_core` for all that it can't read.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const PACKAGE: &str = "ecs-core";

/// The name by which the crate being compiled knows `ecs-core`.
pub(crate) fn dependency() -> String {
    // One lookup per process, but language servers expand for several crates in one.
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
    if let found @ Some(_) = renamed(&member, "dependencies") {
        return found;
    }
    // A member (or the root package itself) inherits a renaming under the same key: `ecs = { workspace = true }`.
    path.ancestors().skip(1).find_map(|folder| {
        let root = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
        inherited(&root, &member)
    })
}

/// The name that the member takes from the workspace, which may know the package by several.
fn inherited(root: &str, member: &str) -> Option<String> {
    names_of_package(root, "workspace.dependencies")
        .find(|name| entries(member, "dependencies").any(|(key, _)| key == *name))
}

/// The key in a table named like `table` under which the package stands; the package's own name goes first.
fn renamed(manifest: &str, table: &str) -> Option<String> {
    let mut found = None;
    for key in names_of_package(manifest, table) {
        if key == PACKAGE {
            return Some(key);
        }
        found = Some(key);
    }
    found
}

/// The keys in tables named like `table` under which the package stands.
fn names_of_package<'a>(manifest: &'a str, table: &'a str) -> impl Iterator<Item = String> + 'a {
    entries(manifest, table).filter_map(|(key, value)| {
        let renames = || field(&value, "package").is_some_and(|name| name == PACKAGE);
        (key == PACKAGE || renames()).then_some(key)
    })
}

/// The dependencies in the tables named like `table`: their keys and their fields (`a = 1, b = "c"`).
///
/// Knows `key = { .. }`, `key.field = ..` and `[table.key]`, also in `dev-` and target-specific tables.
fn entries<'a>(manifest: &'a str, table: &'a str) -> impl Iterator<Item = (String, String)> + 'a {
    let mut section = String::new();
    manifest.lines().filter_map(move |line| {
        let line = line.split(" #").next().unwrap_or(line).trim();
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_matches(['[', ']']).replace(['"', '\''], "");
            let (outer, key) = section.rsplit_once('.')?;
            return names(outer, table).then(|| (key.trim().to_owned(), String::new()));
        }
        let (key, value) = line.split_once('=')?;
        let key = key.trim().replace(['"', '\''], "");
        if names(&section, table) {
            return Some(match key.split_once('.') {
                Some((key, field)) => (key.to_owned(), format!("{field} = {value}")),
                None => (key, value.trim().trim_matches(['{', '}']).to_owned()),
            });
        }
        let (outer, name) = section.rsplit_once('.')?;
        names(outer, table).then(|| (name.trim().to_owned(), format!("{key} = {value}")))
    })
}

/// Whether `section` is `table`, or `dev-table`, `build-table` or a target's.
fn names(section: &str, table: &str) -> bool {
    let outside = |rest: &str| rest.is_empty() || rest.ends_with(['.', '-']);
    section.trim().strip_suffix(table).is_some_and(outside)
        && (table.starts_with("workspace") || !section.starts_with("workspace"))
}

/// The string value of a field in `a = 1, b = "c"`.
fn field<'a>(fields: &'a str, name: &str) -> Option<&'a str> {
    fields.split(',').find_map(|part| {
        let (key, value) = part.split_once('=')?;
        (key.trim() == name).then(|| value.trim().trim_matches(['"', '\'']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(manifest: &str) -> Option<String> {
        renamed(manifest, "dependencies")
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
        ] {
            assert_eq!(name(manifest).as_deref(), Some("ecs"), "{manifest}");
        }
    }

    #[test]
    fn the_packages_own_name_goes_first() {
        let manifest = "[dependencies]\nold = { package = \"ecs-core\" }\necs-core = \"1\"";
        assert_eq!(name(manifest).as_deref(), Some("ecs-core"));
    }

    #[test]
    fn other_packages_and_tables_are_not_taken_for_it() {
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
    fn a_workspace_renaming_is_inherited_by_those_who_use_it() {
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
    fn of_several_names_in_a_workspace_the_inherited_one_counts() {
        let root = "[workspace.dependencies]\necs-core = \"1\"\necs = { package = \"ecs-core\" }";
        for name in ["ecs-core", "ecs"] {
            let member = format!("[dependencies]\n{name}.workspace = true");
            assert_eq!(inherited(root, &member).as_deref(), Some(name));
        }
    }
}
