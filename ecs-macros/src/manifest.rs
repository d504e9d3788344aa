//! The name of the dependency on `ecs-core` in the user's `Cargo.toml`.
//!
//! A procedural macro has no `$crate`, so under `ecs = { package = "ecs-core", .. }` it must look up the name. Without a
//! manifest the name is `ecs_core`. A crate that depends on a facade gives the path in its manifest, or declares
//! `extern crate facade as ecs_core` at its root.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use proc_macro2::{Span, TokenStream, TokenTree};

use crate::tokens::to_vec;
use crate::toml;

const PACKAGE: &str = "ecs-core";

/// Returns the path of `ecs-core` in the crate being compiled: its name as a dependency, or the path in the manifest.
/// `None` if the crate reaches it only through another one, and does not say how.
pub(crate) fn dependency() -> Option<String> {
    // One lookup per process; but a language server expands macros of several crates in one process.
    static LAST: Mutex<Option<(OsString, Option<String>)>> = Mutex::new(None);
    let Some(path) = manifest_path() else {
        return Some(identifier(PACKAGE));
    };
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((known, name)) if known == path.as_os_str() => name.clone(),
        _ => {
            let is_declared = || root().is_none_or(|root| declares(&root));
            let name = find(&path).or_else(|| is_declared().then(|| identifier(PACKAGE)));
            *last = Some((path.into_os_string(), name.clone()));
            name
        }
    }
}

fn manifest_path() -> Option<PathBuf> {
    // The unit tests expand macros for no crate.
    if cfg!(test) {
        return None;
    }
    let folder = || env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let path = env::var_os("CARGO_MANIFEST_PATH").map(PathBuf::from);
    path.or_else(|| Some(folder()?.join("Cargo.toml")))
}

fn identifier(package: &str) -> String {
    package.replace('-', "_")
}

fn find(path: &Path) -> Option<String> {
    let Ok(member) = fs::read_to_string(path) else {
        return Some(identifier(PACKAGE));
    };
    // A script has its manifest in its source.
    let extension = path.extension();
    let is_manifest = extension.is_some_and(|extension| extension == "toml");
    if !is_manifest || is_own(&member) {
        return Some(identifier(PACKAGE));
    }
    // A member (or the root package itself) inherits a renamed dependency by its key: `ecs = { workspace = true }`.
    let inherited = || {
        path.ancestors().skip(1).find_map(|folder| {
            let root = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
            inherited(&root, &member)
        })
    };
    let name = || renamed(&member).or_else(inherited);
    given(&member).or_else(|| name().map(|name| identifier(&name)))
}

/// Returns the error of a contract that no system of the crate sees.
pub(crate) fn refuse_unknown_contract() -> syn::Result<TokenStream> {
    match may_have_contract() {
        true => Ok(TokenStream::new()),
        false => fail!(at Span::call_site() =>
            "the systems of this crate do not see the contract, because the file of its root lacks the word `contract`\nhelp: write `contract! {{ .. }}` there (`main.rs`, `lib.rs`); if a macro or an included file writes it, a comment there suffices: `// contract!`"),
    }
}

/// Returns whether the root of the crate may have a `contract!`. If not, its systems need not look for one, which costs the
/// compiler time for each name at the root.
pub(crate) fn may_have_contract() -> bool {
    static MAY_HAVE: OnceLock<bool> = OnceLock::new();
    *MAY_HAVE.get_or_init(|| root().is_none_or(|root| root.contains("contract")))
}

/// Returns the file of the crate's root, which the arguments of the compiler name. A language server has no such arguments.
fn root() -> Option<String> {
    let paths = env::args_os().map(PathBuf::from);
    let mut paths = paths.filter(|path| path.extension().is_some_and(|it| it == "rs"));
    let path = paths.next().filter(|_| paths.next().is_none());
    fs::read_to_string(path?).ok()
}

/// Returns whether the crate with this root has the line `extern crate facade as ecs_core;`.
fn declares(root: &str) -> bool {
    let Ok(tokens) = root.parse::<TokenStream>() else {
        return false;
    };
    let words: Vec<String> = to_vec(tokens.into_iter().map(|token| match token {
        TokenTree::Ident(word) => word.to_string(),
        _ => String::new(),
    }));
    let (mut windows, name) = (words.windows(5), identifier(PACKAGE));
    windows.any(|it| it[..2] == ["extern", "crate"] && it[3..] == ["as", &name])
}

/// Returns whether this is the manifest of the package itself.
fn is_own(manifest: &str) -> bool {
    value_at(manifest, &["package", "name"]).is_some_and(|name| name == PACKAGE)
}

/// Returns the path in `[package.metadata.ecs-core] crate = "engine::ecs"`.
pub(crate) fn given(manifest: &str) -> Option<String> {
    value_at(manifest, &["package", "metadata", PACKAGE, "crate"])
}

fn value_at(manifest: &str, keys: &[&str]) -> Option<String> {
    let mut entries = toml::entries(manifest).into_iter();
    let found = entries.find(|entry| entry.keys == keys);
    found.map(|entry| entry.value)
}

/// Returns the key that the member inherits from the workspace, which may have several keys for the package.
fn inherited(root: &str, member: &str) -> Option<String> {
    let member = dependencies(member, "");
    let is_member = |name: &str| member.iter().any(|(key, _)| key == name);
    let mut all = dependencies(root, "workspace").into_iter();
    let found = all.find(|(key, is_package)| *is_package && is_member(key));
    found.map(|(key, _)| key)
}

/// Returns the key of the package; its own name takes precedence.
pub(crate) fn renamed(manifest: &str) -> Option<String> {
    let all = dependencies(manifest, "");
    let own = all.iter().find(|(key, _)| key == PACKAGE);
    let found = own.or_else(|| all.iter().rfind(|(_, is_package)| *is_package));
    found.map(|(key, _)| key.clone())
}

/// Returns each key of a dependency once per value, and whether the value says that it is this package. `owner` is the
/// `workspace`, or the package (`""`), with dependencies of all kinds and targets.
fn dependencies(manifest: &str, owner: &str) -> Vec<(String, bool)> {
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
            let is_package = key == PACKAGE || (rest == ["package"] && value == PACKAGE);
            found.push((key.clone(), is_package));
        }
    }
    found
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
