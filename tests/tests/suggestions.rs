//! What rustc suggests about wrong programs can be applied: no suggestion breaks the syntax of the file.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library as the tests were compiled with it.
fn library() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--lib", "--message-format=json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let artifacts = lines(&output.stdout);
    let library = artifacts
        .iter()
        .find(|line| line["target"]["name"] == "ecs_core")
        .expect("the tests depend on the library");
    PathBuf::from(library["filenames"][0].as_str().unwrap())
}

fn lines(json: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(json);
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Returns the diagnostics about a file.
fn check(file: &Path, library: &Path, out: &Path) -> Vec<Value> {
    let output = Command::new("rustc")
        .args(["--edition=2024", "--crate-type=bin", "--emit=metadata"])
        .args(["--crate-name=case", "--error-format=json", "--extern"])
        .arg(format!("ecs_core={}", library.display()))
        .arg(format!(
            "-Ldependency={}",
            library.with_file_name("deps").display()
        ))
        .arg(format!(
            "-Ldependency={}",
            library.parent().unwrap().display()
        ))
        .arg("--out-dir")
        .arg(out)
        .arg(file)
        .output()
        .unwrap();
    lines(&output.stderr)
}

/// Returns the messages of the syntax errors.
fn syntax_errors(diagnostics: &[Value]) -> Vec<&str> {
    let errors = diagnostics
        .iter()
        .filter(|d| d["level"] == "error" && d["code"].is_null());
    errors
        .filter_map(|error| error["message"].as_str())
        .filter(|message| message.starts_with("expected"))
        .collect()
}

/// Collects the suggestions that a tool may apply: each a list of spans with their replacements.
fn suggestions(diagnostic: &Value, into: &mut Vec<Vec<Value>>) {
    let spans = diagnostic["spans"].as_array().unwrap().iter();
    let applicable = spans.filter(|span| {
        let level = span["suggestion_applicability"].as_str();
        matches!(level, Some("MachineApplicable" | "MaybeIncorrect"))
    });
    let suggestion: Vec<Value> = applicable.cloned().collect();
    if !suggestion.is_empty() {
        into.push(suggestion);
    }
    for child in diagnostic["children"].as_array().unwrap() {
        suggestions(child, into);
    }
}

fn apply(source: &str, mut suggestion: Vec<Value>) -> String {
    let at = |span: &Value, key: &str| usize::try_from(span[key].as_u64().unwrap()).unwrap();
    suggestion.sort_by_key(|span| std::cmp::Reverse(at(span, "byte_start")));
    let mut fixed = source.to_owned();
    for span in &suggestion {
        let replacement = span["suggested_replacement"].as_str().unwrap();
        fixed.replace_range(at(span, "byte_start")..at(span, "byte_end"), replacement);
    }
    fixed
}

#[test]
fn no_suggestion_breaks_the_syntax_of_the_file() {
    let library = library();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("suggestions");
    fs::create_dir_all(&folder).unwrap();
    let fixed_file = folder.join("fixed.rs");
    let (mut applied, mut broken) = (0, Vec::new());
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("ui")).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = fs::read_to_string(&file).unwrap();
        let before = check(&file, &library, &folder);
        let mut all = Vec::new();
        for diagnostic in before.iter().filter(|d| d["level"] == "error") {
            suggestions(diagnostic, &mut all);
        }
        for suggestion in all {
            let fixed = apply(&source, suggestion);
            fs::write(&fixed_file, &fixed).unwrap();
            let after = check(&fixed_file, &library, &folder);
            applied += 1;
            let known = syntax_errors(&before);
            for error in syntax_errors(&after) {
                if !known.contains(&error) {
                    broken.push(format!("{}: {error}", file.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(applied >= 5, "only {applied} suggestions were found");
}
