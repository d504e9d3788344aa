//! Rules for the compile errors of all cases: one mistake is one error, in a line of the user's file, and the
//! compiler's suggestions do not break the file.

mod case;
mod spans;
mod suggestions;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use case::{Case, Error, Mistake};
use suggestions::{Diagnostic, Report};

/// The percentage of mistakes that exactly one error reports.
const EXACT: usize = 95;

/// The errors that name a missing derive.
const MISSING_DERIVES: [&str; 4] = [
    "is not a component",
    "is not a resource",
    "is not a bundle",
    "is not a relation",
];

/// The errors that follow from a missing derive.
const FOLLOWING: [&str; 3] = ["error[E0282]", "error[E0283]", "error[E0599]"];

#[test]
fn one_mistake_is_one_error() {
    let errors = |case: &Case| {
        let error = |error: &Error| {
            (
                error.place.map(|place| case.offset(place)),
                title(error).to_owned(),
            )
        };
        case.errors.iter().map(error).collect()
    };
    assert_one_each(&case::all(), &errors);
}

#[test]
fn one_mistake_is_one_error_when_a_user_checks_it_incrementally() {
    // A build finds the mistakes of the others.
    let mut cases = case::all();
    cases.retain(|case| !case.name.starts_with("built/"));
    let errors = |case: &Case| {
        let report = &reports()[&suggestions::program(case)];
        let error = |error: &Diagnostic| (error.start, error.title.clone());
        report.errors.iter().map(error).collect()
    };
    assert_one_each(&cases, &errors);
}

/// The place of an error in the file, and the first line of its message.
type FoundError = (Option<usize>, String);

/// Asserts that nearly all mistakes of the cases have one error each. `errors` returns the errors of a case.
fn assert_one_each(cases: &[Case], errors: &dyn Fn(&Case) -> Vec<FoundError>) {
    let (mut mistakes, mut exact) = (0, 0);
    let mut others = Vec::new();
    for case in cases {
        let marked = case.mistakes().unwrap_or_else(|error| panic!("{error}"));
        let mut counts = vec![0; marked.len()];
        for (place, title) in errors(case) {
            match place.and_then(|place| reported(&marked, &counts, place)) {
                Some(index) => counts[index] += 1,
                None => others.push(format!("{}: no mistake: {title}", case.name)),
            }
        }
        mistakes += marked.len();
        for (mistake, count) in marked.iter().zip(counts) {
            if count == 1 {
                exact += 1;
            } else {
                others.push(format!("{}: {count} errors: `{}`", case.name, mistake.mark));
            }
        }
    }
    let table = others.join("\n");
    println!(
        "{exact} of {mistakes} mistakes are one error. The others, and errors of no mistake:\n{table}"
    );
    // An error that belongs to no mistake is a surplus error of some mistake.
    assert!(
        (mistakes - exact).max(others.len()) * 100 <= (100 - EXACT) * mistakes,
        "{exact} of {mistakes} mistakes are one error, fewer than {EXACT} %:\n{table}"
    );
}

/// Returns the mistake that an error at this place reports: the one with the shortest mark around it, and, if several marks
/// are the same, one without an error so far.
fn reported(marked: &[Mistake], counts: &[usize], place: usize) -> Option<usize> {
    let around = (0..marked.len()).filter(|index| marked[*index].range.contains(&place));
    around.min_by_key(|index| (marked[*index].range.len(), counts[*index]))
}

/// Returns the compiler's reports about all cases, by the names of their programs.
fn reports() -> &'static BTreeMap<String, Report> {
    static REPORTS: OnceLock<BTreeMap<String, Report>> = OnceLock::new();
    REPORTS.get_or_init(|| suggestions::check("ui-cases", &programs(&case::all())))
}

/// Returns the programs of cases, by their names.
fn programs(cases: &[Case]) -> BTreeMap<String, String> {
    let code = |case: &Case| (suggestions::program(case), case.source.clone());
    cases.iter().map(code).collect()
}

#[test]
fn every_error_shows_a_line_of_the_file() {
    let mut without = Vec::new();
    // The mistake is in an included file, and its line is shown.
    let included = |case: &Case| case.name == "ui/rules_of_an_included_file.rs";
    for case in case::all().iter().filter(|case| !included(case)) {
        for error in case.errors.iter().filter(|error| error.place.is_none()) {
            without.push(format!("{}: {}", case.name, title(error)));
        }
    }
    assert!(
        without.is_empty(),
        "without a line:\n{}",
        without.join("\n")
    );
}

#[test]
fn missing_derives_come_first() {
    let mut seen = 0;
    for case in case::all() {
        let is =
            |error: &Error, texts: &[&str]| texts.iter().any(|text| title(error).contains(text));
        let Some(last) = case
            .errors
            .iter()
            .rposition(|error| is(error, &MISSING_DERIVES))
        else {
            continue;
        };
        seen += 1;
        let before = case.errors[..last]
            .iter()
            .find(|error| is(error, &FOLLOWING));
        if let Some(before) = before {
            panic!(
                "{}: `{}` comes before a missing derive",
                case.name,
                title(before)
            );
        }
    }
    assert!(seen > 10, "{seen} cases miss a derive");
}

fn title(error: &Error) -> &str {
    error.text.lines().next().unwrap_or_default()
}

#[test]
fn suggestions_do_not_break_the_file() {
    let programs = programs(&case::all());
    let before = reports();
    let mut fixed = BTreeMap::new();
    let mut origins = BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, report) in before {
        for suggestion in &report.suggestions {
            if suggestion.declares_unknown_type() {
                continue;
            }
            if suggestion.elsewhere {
                wrong.push(format!(
                    "{name}: `{}`: a change of another file",
                    suggestion.of
                ));
                continue;
            }
            let code = suggestion.apply(&programs[name]);
            // Errors in code that is expanded twice have the same suggestions.
            if fixed.values().all(|other| *other != code) {
                let fixed_name = format!("{name}-{}", fixed.len());
                fixed.insert(fixed_name.clone(), code);
                origins.insert(fixed_name, (name, suggestion));
            }
        }
    }
    assert!(fixed.len() > 20, "{} suggestions in all cases", fixed.len());
    for (fixed_name, after) in suggestions::check("ui-suggestions", &fixed) {
        let (name, suggestion) = origins[&fixed_name];
        let shown = suggestion.show(&programs[name]);
        let (now, then) = (after.errors.len(), before[name].errors.len());
        if now > then || (now == then && name == "ui-suggested") {
            wrong.push(format!("{name}: {now} errors of {then} after {shown}"));
        }
        if suggestion.is_in_generated_code(&programs[name]) {
            wrong.push(format!("{name}: generated code in {shown}"));
        }
        // With fewer mistakes the compiler gets further, and can find other mistakes of the user.
        for error in after.errors {
            let is_new = !before[name].errors.iter().any(|known| error.is(known));
            if is_new && !error.is_of_the_user() {
                wrong.push(format!("{name}: `{}` after {shown}", error.title));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
