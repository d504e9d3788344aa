use super::*;
use crate::{component, data, relation, resource, schedule, system, system_param};

/// Returns the text between two others.
fn between<'a>(text: &'a str, first: &str, last: &str) -> &'a str {
    let (_, rest) = text.split_once(first).expect(first);
    rest.split_once(last).expect(last).0
}

/// Returns the names that follow `before` in a text, in alphabetical order.
fn names(text: &str, before: &str) -> Vec<String> {
    let is_end = |c: char| !c.is_alphanumeric() && c != '_';
    let rests = text.split(before).skip(1);
    sorted(rests.filter_map(|rest| rest.split(is_end).next()))
}

fn known(table: Table) -> Vec<String> {
    sorted(table.iter().copied().flatten().map(|option| option.name))
}

fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names = to_vec(names.map(str::to_owned));
    names.sort();
    names.dedup();
    names
}

#[test]
fn editors_complete_and_the_documentation_lists_what_is_parsed() {
    let (offers, docs, guide) = (
        include_str!("../../ecs-core/src/private.rs"),
        include_str!("lib.rs"),
        include_str!("../../ecs-core/src/guide/options.md"),
    );
    let chapter = |heading: &str| names(between(guide, heading, "\n# "), "\n| `");
    assert_eq!(chapter("# Data"), known(&[&data::OPTIONS]));
    let offered = |module: &str| between(offers, &format!("pub mod {module} {{"), "\n    }\n");
    let offered_data = names(offered("data"), "pub struct ");
    assert_eq!(offered_data, known(&[&data::OPTIONS]));
    for (module, own, is_data) in [
        ("component", &component::OPTIONS[..1], true),
        ("resource", &resource::OPTIONS[..1], true),
        ("event", &[][..], true),
        ("relation", &relation::OPTIONS[..1], true),
        ("system_param", system_param::KIND.options, false),
    ] {
        let offered = offered(module);
        let has_data = offered.contains("pub use super::data::*;");
        assert_eq!(has_data, is_data, "{module}");
        assert_eq!(names(offered, "pub struct "), known(own), "{module}");
        if !known(own).is_empty() {
            assert_eq!(chapter(&format!("# `#[{module}(")), known(own));
        }
        let mut documented = names(docs, &format!("/// * `#[{module}("));
        documented.retain(|name| name != "crate");
        // Lines of their own have only the first of the hooks, and options beside one that they need.
        let is_alone = |name: &str| name != "immediate" && !name.starts_with("on_");
        let mut listed = known(own);
        listed.retain(|name| name == "on_add" || is_alone(name));
        assert_eq!(documented, listed, "{module}");
        for name in known(own) {
            let forms = ["`{}`", "({}", ", {})"].map(|form| form.replace("{}", &name));
            assert!(forms.iter().any(|form| docs.contains(form)), "{name}");
        }
    }
    let filters = system::options::FILTERS.iter().map(|(option, _)| *option);
    let of_systems = sorted(filters.chain(["for_each", "par_for_each"]));
    assert_eq!(names(offered("system"), "pub struct "), of_systems);
    for name in of_systems {
        let forms = [format!("`{name}(..)`"), format!("#[system({name}")];
        assert!(forms.iter().any(|form| docs.contains(form)), "{name}");
        assert!(guide.contains(&format!("\n| `{name}")), "{name}");
    }
    let methods = sorted(schedule::parse::METHODS.split('`').skip(1).step_by(2));
    assert_eq!(names(offered("schedule"), "pub struct "), methods);
}

#[test]
fn near_names_are_meant() {
    let near =
        "track tracked | storage Storage | on_add on_added | require requires | disables disabled";
    let far = "track colour | name immutable | data x | immutable immediate";
    for (pairs, expected) in [(near, true), (far, false)] {
        for (name, written) in pairs.split(" | ").map(|pair| pair.split_once(' ').unwrap()) {
            assert_eq!(is_near(name, written), expected, "{written}");
        }
    }
}
