//! A file with what each system touches, compared by a test.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use std::path::Path;

use crate::sort::sort_by_text;

/// The environment variable that makes tests write the files.
const VARIABLE: &str = "ACCESS_LOCK";

/// The first line of a file.
const HEAD: &str =
    "# What each system touches. A test compares it; with ACCESS_LOCK=write it writes it.\n\n";

/// Panics unless a file has this text: for tests that call it with the [access of all systems](crate::Schedule::access_text),
/// so that no system touches something else without a changed line in a review.
///
/// `path` is relative to the folder of the package, where Cargo runs tests. A test that runs with `ACCESS_LOCK=write` in the
/// environment writes the file instead.
///
/// ```no_run
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::assert_access_lock;
///
/// # fn frame() -> Schedule { Schedule::new() }
/// #[test]
/// fn systems_touch_what_access_lock_says() {
///     let text = frame().access_text().unwrap(); // or that of an `App`
///     assert_access_lock("access.lock", &text);
/// }
/// ```
///
/// # Panics
/// If the file is missing or cannot be read or written, or if its text differs. The message has the lines that differ, below
/// the name of the system, and the words to write.
#[track_caller]
#[inline]
pub fn assert_access_lock(path: impl AsRef<Path>, text: &str) {
    let path = path.as_ref();
    let is_written = std::env::var_os(VARIABLE).is_some_and(|value| value == "write");
    if let Err(message) = compare_or_write(path, text, is_written) {
        panic!("{message}");
    }
}

#[inline]
fn compare_or_write(path: &Path, text: &str, is_written: bool) -> Result<(), String> {
    let shown = path.display();
    if is_written {
        let written = std::fs::write(path, format!("{HEAD}{text}"));
        return written.map_err(|error| format!("cannot write `{shown}`: {error}"));
    }
    let file = std::fs::read_to_string(path).map_err(|error| {
        format!(
            "cannot read `{shown}`, which says what each system touches: {error}; help: run the test with {VARIABLE}=write, and commit the file"
        )
    })?;
    let differences = differences(&file, text);
    if differences.is_empty() {
        return Ok(());
    }
    Err(format!(
        "systems touch something else than `{shown}` says (`-` is in the file, `+` in the program):\n{differences}help: run the test with {VARIABLE}=write if that is what you want, and commit the file"
    ))
}

/// A system and its lines.
type Paragraph<'a> = (&'a str, Vec<&'a str>);

/// Returns the lines that only one of the texts has, below the systems that have them. The order of paragraphs and lines makes
/// no difference, so that a merge need not sort them.
#[inline]
fn differences(old: &str, new: &str) -> String {
    let (old, new) = (paragraphs(old), paragraphs(new));
    let mut text = String::new();
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        let order = match (old.get(i), new.get(j)) {
            (Some(one), Some(two)) => one.0.cmp(two.0),
            (Some(_), None) => core::cmp::Ordering::Less,
            _ => core::cmp::Ordering::Greater,
        };
        match order {
            core::cmp::Ordering::Less => {
                whole(&mut text, '-', &old[i]);
                i += 1;
            }
            core::cmp::Ordering::Greater => {
                whole(&mut text, '+', &new[j]);
                j += 1;
            }
            core::cmp::Ordering::Equal => {
                of_one(&mut text, &old[i], &new[j]);
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    text
}

/// Returns the paragraphs in order, without comments.
#[inline]
fn paragraphs(text: &str) -> Vec<Paragraph<'_>> {
    let mut all = Vec::<Paragraph<'_>>::new();
    for line in text.lines() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match (line.starts_with(' '), all.last_mut()) {
            (true, Some((_, lines))) => lines.push(line.trim()),
            _ => all.push((line.trim(), Vec::new())),
        }
    }
    for (_, lines) in &mut all {
        sort_by_text(lines, |line| String::from(*line));
    }
    sort_by_text(&mut all, |(system, lines)| {
        [&[*system], &**lines].concat().join("\n")
    });
    all
}

#[inline]
fn whole(text: &mut String, sign: char, (system, lines): &Paragraph<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{sign} {system}");
    for line in lines {
        let _ = writeln!(text, "{sign}     {line}");
    }
}

#[inline]
fn of_one(text: &mut String, (system, old): &Paragraph<'_>, (_, new): &Paragraph<'_>) {
    if old == new {
        return;
    }
    let mut lines = Vec::new();
    let only_in = |these: &[&str], others: &[&str]| -> Vec<String> {
        let only = these.iter().filter(|line| !others.contains(line));
        only.map(|line| (*line).to_owned()).collect()
    };
    lines.extend(only_in(old, new).into_iter().map(|line| (line, '-')));
    lines.extend(only_in(new, old).into_iter().map(|line| (line, '+')));
    if lines.is_empty() {
        return;
    }
    sort_by_text(&mut lines, |(line, _)| line.clone());
    let _ = writeln!(text, "  {system}");
    for (line, sign) in lines {
        let _ = writeln!(text, "{sign}     {line}");
    }
}

#[cfg(test)]
#[path = "access_lock_tests.rs"]
mod tests;
