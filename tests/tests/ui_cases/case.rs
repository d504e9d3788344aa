//! The cases of the tests of compile errors, and the errors that the compiler reports for them.
//!
//! The last lines of a case mark its mistakes: `//~ time: Res<u32>` quotes the wrong code, with a blank for each line break,
//! and with enough of its surroundings to make it unique. If the same text is wrong several times, the mark matches each of
//! them. Two marks of one piece of code expect two errors there.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The folders of cases, relative to the manifest of this package.
const FOLDERS: [&str; 6] = [
    "ui",
    "ui_derive",
    "built/ui_built",
    "ui_static",
    "ui_forged",
    "tests/ui_borrow",
];

/// The beginning of a line that marks a mistake.
const MARK: &str = "//~ ";

/// A file that does not compile.
pub(crate) struct Case {
    /// The path of the file, relative to the manifest of this package: `ui/body.rs`.
    pub(crate) name: String,
    pub(crate) source: String,
    /// The expected errors of the compiler.
    pub(crate) errors: Vec<Error>,
}

/// An error of the compiler, with the notes below it.
pub(crate) struct Error {
    pub(crate) text: String,
    /// The first line and column of the error in the case.
    pub(crate) place: Option<(usize, usize)>,
}

/// A mistake: its mark, and its place in the file.
pub(crate) struct Mistake {
    pub(crate) mark: String,
    pub(crate) range: Range<usize>,
}

/// Returns all cases.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for folder in FOLDERS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let files = fs::read_dir(path).expect("the folder of the cases exists");
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        files.retain(|file| file.extension().is_some_and(|end| end == "rs"));
        cases.extend(files.iter().map(|file| Case::read(folder, file)));
    }
    cases
}

impl Case {
    fn read(folder: &str, file: &Path) -> Self {
        let name = format!("{folder}/{}", file.file_name().unwrap().display());
        let expected = fs::read_to_string(file.with_extension("stderr"))
            .unwrap_or_else(|error| panic!("{name}: no expected errors: {error}"));
        // The compiler was called in the folder of the case's package.
        let errors = errors(&expected, name.trim_start_matches("built/"));
        let source = fs::read_to_string(file).unwrap();
        Self {
            name,
            source,
            errors,
        }
    }

    /// Returns the mistakes that the file marks.
    pub(crate) fn mistakes(&self) -> Result<Vec<Mistake>, String> {
        let (marks, code): (Vec<&str>, Vec<&str>) =
            self.source.lines().partition(|line| line.starts_with(MARK));
        let code = Code::new(&code.join("\n"));
        let mut mistakes: Vec<Mistake> = Vec::new();
        for mark in marks {
            let text = &mark[MARK.len()..];
            let found = code.find(text);
            let index = mistakes.iter().filter(|other| other.mark == text).count();
            let marks = self.source.lines().filter(|line| *line == mark).count();
            let range = match found.len() {
                1 => found[0].clone(),
                places if places == marks => found[index].clone(),
                places => {
                    return Err(format!(
                        "{}: `{text}` is marked {marks} times and occurs {places} times; help: quote more of the code",
                        self.name
                    ));
                }
            };
            let mark = text.to_owned();
            mistakes.push(Mistake { mark, range });
        }
        if mistakes.is_empty() {
            return Err(format!(
                "{}: no mistake is marked; help: end the file with a line `{MARK}` and the wrong code for each",
                self.name
            ));
        }
        Ok(mistakes)
    }

    /// Returns the index in the source of a line and column, both counted from one.
    pub(crate) fn offset(&self, (line, column): (usize, usize)) -> usize {
        let before = self.source.split_inclusive('\n').take(line - 1);
        before.map(str::len).sum::<usize>() + column - 1
    }
}

/// Splits the output of the compiler into its errors.
fn errors(expected: &str, name: &str) -> Vec<Error> {
    let mut texts: Vec<String> = Vec::new();
    let mut in_error = false;
    for line in expected.lines() {
        if line.starts_with("error") {
            texts.push(String::new());
            in_error = true;
        } else if line.starts_with("warning") {
            in_error = false;
        }
        if in_error {
            let text = texts.last_mut().expect("an error has begun");
            text.push_str(line);
            text.push('\n');
        }
    }
    let error = |text: String| Error {
        place: text.lines().find_map(|line| place(line, name)),
        text,
    };
    texts.into_iter().map(error).collect()
}

/// Returns the line and column in ` --> ui/body.rs:12:5`.
fn place(line: &str, name: &str) -> Option<(usize, usize)> {
    let path = line.trim_start().strip_prefix("--> ")?;
    let (line, column) = path
        .strip_prefix(name)?
        .strip_prefix(':')?
        .split_once(':')?;
    Some((line.parse().ok()?, column.parse().ok()?))
}

/// Code with one blank for each sequence of blanks and line breaks.
struct Code {
    text: String,
    /// The index in the code of each byte of the text.
    indices: Vec<usize>,
}

impl Code {
    fn new(code: &str) -> Self {
        let mut text = String::new();
        let mut indices = Vec::new();
        for (index, char) in code.char_indices() {
            let char = if char.is_whitespace() { ' ' } else { char };
            if char == ' ' && text.ends_with(' ') {
                continue;
            }
            text.push(char);
            indices.resize(text.len(), index);
        }
        Self { text, indices }
    }

    /// Returns the places of `text` in the code.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let found = self.text.match_indices(text);
        found
            .map(|(start, _)| self.indices[start]..self.indices[start + text.len() - 1] + 1)
            .collect()
    }
}
