//! Suggestions of the compiler, applied: editors offer them as fixes.
//!
//! The test checks a package with the cases as its programs, then a second one with a program for each case and each
//! suggestion in its output.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use ecs_tests::packages;
use serde_json::Value;

use crate::case::Case;

/// The suggestions that editors apply, or offer to apply.
const APPLICABLE: [&str; 2] = ["MachineApplicable", "MaybeIncorrect"];

/// The compiler's report about a program.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) suggestions: Vec<Suggestion>,
}

/// An error of the compiler.
pub(crate) struct Diagnostic {
    /// The code, such as `E0277`; none for errors of the parser and of macros.
    code: Option<String>,
    /// The first line of the message; the others name the fix.
    pub(crate) title: String,
    /// The index of the first byte in the program; none if it is in another file.
    pub(crate) start: Option<usize>,
    line: u64,
    /// True if it is in code that a macro has written.
    in_macro: bool,
}

/// A change of a program that the compiler suggests.
#[derive(Clone)]
pub(crate) struct Suggestion {
    /// The error or warning that it belongs to.
    pub(crate) of: String,
    pub(crate) edits: Vec<Edit>,
    /// True if it changes a file other than the program.
    pub(crate) elsewhere: bool,
}

/// A range of bytes, and the text that replaces it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: String,
}

impl Diagnostic {
    /// Returns whether this is an error in code of the user that the compiler understands.
    pub(crate) fn is_of_the_user(&self) -> bool {
        self.code.is_some() && !self.in_macro
    }

    /// Returns whether this is the same error, maybe with another name in its message or in another line.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let is_renamed = self.code.is_some() && self.line == other.line;
        self.code == other.code && (is_renamed || self.title == other.title)
    }
}

impl Suggestion {
    /// Returns the code with the suggestion applied.
    pub(crate) fn apply(&self, code: &str) -> String {
        let mut edits = self.edits.clone();
        edits.sort_by_key(|edit| edit.start);
        let mut code = code.to_owned();
        for edit in edits.iter().rev() {
            code.replace_range(edit.start..edit.end, &edit.text);
        }
        code
    }

    /// Returns whether it changes the attribute of a macro, or names code that macros have written.
    pub(crate) fn is_in_generated_code(&self, code: &str) -> bool {
        self.edits.iter().any(|edit| {
            let line = code[..edit.start].rfind('\n').map_or(0, |end| end + 1);
            let of_macro = ["#[system", "#[derive"];
            let line = code[line..edit.start].trim_start();
            let is_open = line.matches('[').count() > line.matches(']').count();
            let is_inside = is_open && of_macro.iter().any(|start| line.starts_with(start));
            is_inside || edit.text.contains("__")
        })
    }

    /// Returns whether it declares an unknown type as a parameter of the user's struct: a guess that the compiler makes without
    /// a derive too. Then the macro says which bounds the parameter needs.
    pub(crate) fn declares_unknown_type(&self) -> bool {
        let is_declared = |edit: &Edit| {
            let name = edit.text.trim_matches(['<', '>', ',', ' ']);
            name != edit.text && self.of.starts_with(&format!("cannot find type `{name}`"))
        };
        self.edits.iter().all(is_declared)
    }

    /// Returns a text such as "`T` -> `T: Component`, suggested for `..`".
    pub(crate) fn show(&self, code: &str) -> String {
        let edit = |edit: &Edit| {
            let line = code[..edit.start].lines().count();
            let old = &code[edit.start..edit.end];
            format!("`{old}` -> `{}` in line {line}", edit.text)
        };
        let edits: Vec<String> = self.edits.iter().map(edit).collect();
        format!("{}, suggested for `{}`", edits.join(", "), self.of)
    }
}

/// Checks programs, which are named by the keys, in a package of this name, as users do: incrementally.
pub(crate) fn check(
    package: &str,
    programs: &BTreeMap<String, String>,
) -> BTreeMap<String, Report> {
    let output = cargo(package, programs, "check")
        .args(["--quiet", "--keep-going", "--message-format=json"])
        .output()
        .expect("cargo runs");
    let mut reports: BTreeMap<String, Report> = programs
        .keys()
        .map(|name| (name.clone(), Report::default()))
        .collect();
    let mut checked = 0;
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let message: Value = serde_json::from_str(line).unwrap();
        let name = message["target"]["name"].as_str().unwrap_or_default();
        let Some(report) = reports.get_mut(name) else {
            continue;
        };
        checked += 1;
        if message["reason"] == "compiler-message" {
            report.add(&message["message"], name);
        }
    }
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(checked > 0, "nothing was checked:\n{complaints}");
    reports
}

/// The programs are compiled incrementally, and their dependencies as `trybuild` compiles them.
const PROFILE: &str =
    "\n[profile.dev]\nincremental = true\n\n[profile.dev.package.\"*\"]\nincremental = false\n";

/// Programs use types of this package, too.
const OWN: &str = concat!(
    "\n[dependencies.ecs-tests]\npath = \"",
    env!("CARGO_MANIFEST_DIR"),
    "\"\n"
);

/// Writes a package whose programs these are, and returns a call of `cargo` for it.
pub(crate) fn cargo(package: &str, programs: &BTreeMap<String, String>, command: &str) -> Command {
    const TMP: &str = env!("CARGO_TARGET_TMPDIR");
    let file = |name| PathBuf::from(name).with_extension("rs");
    let targets: String = (programs.keys())
        .map(|name| format!("\n[[bin]]\nname = {name:?}\npath = {:?}\n", file(name)))
        .collect();
    let folder = packages::write(TMP, package, &[OWN, PROFILE, &targets].concat());
    for (name, code) in programs {
        fs::write(folder.join(file(name)), code).unwrap();
    }
    let mut cargo = packages::cargo(TMP, &folder, command);
    // It overrides the profile.
    cargo.env_remove("CARGO_INCREMENTAL");
    cargo
}

impl Report {
    fn add(&mut self, message: &Value, name: &str) {
        let of = message["message"].as_str().unwrap_or_default();
        if message["level"] == "error" && !message["spans"].as_array().unwrap().is_empty() {
            let primary = || spans(message).filter(|span| span["is_primary"] == true);
            let file = format!("{name}.rs");
            self.errors.push(Diagnostic {
                code: message["code"]["code"].as_str().map(str::to_owned),
                title: of.lines().next().unwrap_or_default().to_owned(),
                line: primary()
                    .find_map(|span| span["line_start"].as_u64())
                    .unwrap_or_default(),
                start: primary().find_map(|span| start(span, &file)),
                in_macro: primary().any(|span| !span["expansion"].is_null()),
            });
        }
        self.suggest(message, of, name);
    }

    fn suggest(&mut self, message: &Value, of: &str, name: &str) {
        let file = format!("{name}.rs");
        let spans: Vec<&Value> = spans(message)
            .filter(|span| {
                APPLICABLE
                    .iter()
                    .any(|of| span["suggestion_applicability"] == *of)
            })
            .collect();
        let elsewhere = spans.iter().any(|span| span["file_name"] != *file);
        let edits: Vec<Edit> = spans.into_iter().map(Edit::new).collect();
        let same_start = |edit: &Edit| edits.iter().filter(|e| e.start == edit.start).count();
        let are_alternatives = edits.iter().any(|edit| same_start(edit) > 1);
        let parts = match (are_alternatives, edits.is_empty()) {
            (_, true) => Vec::new(),
            (true, _) => edits.into_iter().map(|edit| vec![edit]).collect(),
            (false, _) => vec![edits],
        };
        self.suggestions
            .extend(parts.into_iter().map(|edits| Suggestion {
                of: of.to_owned(),
                edits,
                elsewhere,
            }));
        for child in message["children"].as_array().into_iter().flatten() {
            self.suggest(child, of, name);
        }
    }
}

impl Edit {
    fn new(span: &Value) -> Self {
        let index = |name: &str| span[name].as_u64().unwrap() as usize;
        Self {
            start: index("byte_start"),
            end: index("byte_end"),
            text: span["suggested_replacement"].as_str().unwrap().to_owned(),
        }
    }
}

/// Returns the first byte of a span in a file, or of the macro call in that file that made its code.
fn start(mut span: &Value, file: &str) -> Option<usize> {
    while span["file_name"] != *file {
        span = span["expansion"].get("span")?;
    }
    Some(span["byte_start"].as_u64()? as usize)
}

fn spans(message: &Value) -> impl Iterator<Item = &Value> {
    message["spans"].as_array().into_iter().flatten()
}

/// Returns a name for a program with the code of a case.
pub(crate) fn program(case: &Case) -> String {
    case.name.trim_end_matches(".rs").replace('/', "-")
}
