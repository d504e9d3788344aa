//! The TOML reader of the macros, compared with the parser that Cargo uses.

use toml::Value;

use crate::manifest::renamed;
use crate::toml::entries;

/// The text of a manifest.
pub type Input = String;

/// Collects the leaf values below a value, each with its keys.
fn leaves(value: &Value, keys: &mut Vec<String>, found: &mut Vec<(Vec<String>, Option<String>)>) {
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                keys.push(key.clone());
                leaves(value, keys, found);
                keys.pop();
            }
        }
        Value::Array(values) => {
            for value in values {
                leaves(value, keys, found);
            }
        }
        Value::String(text) => found.push((keys.clone(), Some(text.clone()))),
        _ => found.push((keys.clone(), None)),
    }
}

/// Reads any text. If it is valid TOML, compares the result with Cargo's parser.
///
/// # Panics
/// If the results differ.
pub fn run(text: Input) {
    let entries = entries(&text);
    let name = renamed(&text);
    let Ok(table) = text.parse() else {
        return;
    };
    let mut expected = Vec::new();
    leaves(&Value::Table(table), &mut Vec::new(), &mut expected);
    if text.contains('\\') {
        // Names of packages contain no escapes, so the reader does not decode them.
        assert_eq!(entries.len(), expected.len());
        return;
    }

    let mut names = Vec::new();
    for (keys, value) in &expected {
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let (["target", _, table, key, said @ ..] | [table, key, said @ ..]) = &keys[..] else {
            continue;
        };
        let is_package = *said == ["package"] && value.as_deref() == Some("ecs-core");
        if keys[0] != "workspace"
            && table.ends_with("dependencies")
            && (*key == "ecs-core" || is_package)
        {
            names.push((*key).to_owned());
        }
    }
    match name {
        None => assert_eq!(names, [""; 0]),
        Some(name) if names.iter().any(|name| name == "ecs-core") => assert_eq!(name, "ecs-core"),
        Some(name) => assert!(names.contains(&name), "{name} is not among {names:?}"),
    }

    // Values of an array have equal keys and keep its order.
    let mut found = entries;
    found.sort_by(|one, other| one.keys.cmp(&other.keys));
    expected.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(
        found
            .iter()
            .map(|entry| &entry.keys)
            .eq(expected.iter().map(|(keys, _)| keys))
    );
    for (entry, (keys, value)) in found.iter().zip(&expected) {
        // TOML ignores a newline directly after three quotes.
        if let Some(value) = value
            && !entry.value.contains('\n')
        {
            assert_eq!(entry.value, *value, "{keys:?}");
        }
    }
}
