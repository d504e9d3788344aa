//! Packages of their own, which tests write and give to cargo.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compilers::FLAGS;

/// The dependencies of these tests. `trybuild` gives them to its programs, too.
const MANIFEST: &str = include_str!("../Cargo.toml");

/// Writes a package, and returns its folder. `tmp` is `CARGO_TARGET_TMPDIR` of the test, and `targets` the part of the
/// manifest about the library or the programs, whose files are below the folder.
pub fn write(tmp: &str, name: &str, targets: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace");
    let folder = Path::new(tmp).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let part = |start| {
        let (_, part) = MANIFEST.split_once(start).expect("a part of the manifest");
        part.split("\n[").next().unwrap_or(part)
    };
    let core = format!("path = {:?}", root.join("ecs-core"));
    let dependencies = part("[dependencies]").replace("workspace = true", &core);
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\nautobins = false\n\n[workspace]\n\n\
         [dependencies]{dependencies}{}\n{targets}",
        part("[dev-dependencies]")
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
    // Without a network, only the versions that the workspace uses are available.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock");
    folder
}

/// Returns a call of `cargo` for such a package. The options are the ones of `trybuild`, so that the dependencies are checked
/// once for all tests that need compilers.
pub fn cargo(tmp: &str, folder: &Path, command: &str) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args([command, "--offline", "--target", &host()])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target(tmp))
        .env("CARGO_INCREMENTAL", "0")
        .env(FLAGS.0, FLAGS.1);
    cargo
}

/// Returns the folder with the pages that `cargo doc` has written.
pub fn pages(tmp: &str) -> PathBuf {
    target(tmp).join(host()).join("doc")
}

fn target(tmp: &str) -> PathBuf {
    Path::new(tmp).with_file_name("tests").join("trybuild")
}

fn host() -> String {
    let host = Command::new("rustc")
        .args(["--print", "host-tuple"])
        .output();
    let host = String::from_utf8(host.expect("there is a compiler").stdout).expect("a name");
    host.trim().to_owned()
}
