//! The section "Access" in the rustdoc pages of systems.

use std::fs;
use std::path::{Path, PathBuf};

use ecs_tests::packages;

const TMP: &str = env!("CARGO_TARGET_TMPDIR");

/// Documents the package, with warnings as errors, and returns the folder of its pages.
fn document() -> PathBuf {
    let folder = packages::write(TMP, "documented", "[lib]\npath = \"lib.rs\"\n");
    fs::write(folder.join("lib.rs"), include_str!("documented.rs")).unwrap();
    let output = packages::cargo(TMP, &folder, "doc")
        .arg("--no-deps")
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && !text.contains("warning"),
        "{text}"
    );
    packages::pages(TMP).join("documented")
}

/// Returns the lines of the section, with the names that are links in braces: `reads the component {Position}`.
fn section(page: &Path) -> Vec<String> {
    let html = fs::read_to_string(page).unwrap();
    let start = html
        .find("id=\"access\"")
        .expect("the page has the section");
    let list = &html[start..];
    let list = &list[list.find("<ul>").unwrap()..list.find("</ul>").unwrap()];
    let line = |item: &str| {
        let mut text = String::new();
        for (index, part) in item.split('<').enumerate() {
            let (tag, rest) = part.split_once('>').unwrap_or(("", part));
            text.push_str(match tag {
                _ if tag.starts_with("a ") => "{",
                "/a" => "}",
                _ => "",
            });
            text.push_str(if index == 0 { part } else { rest });
        }
        let text = text
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&#39;", "'");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    list.split("<li>").skip(1).map(line).collect()
}

#[test]
fn the_access_of_systems_is_documented_with_links() {
    let pages = document();
    let section = |page: &str| section(&pages.join(page));
    assert_eq!(
        section("fn.kinds.html"),
        [
            "positions writes the component {Position}",
            "clock borrows the data that {Clock}<'_> lists",
            "hits reads the events {Hit}",
            "_ writes the resource r#type if there is one",
            "_ reads the resource {String}, keeps from run to run [f32; 3]",
            "set borrows one at a time: reads the component {Tag}<u8>, writes the component {Tag}<u8>",
            "on reads the resource u64",
        ]
    );
    assert_eq!(
        section("fn.queries.html"),
        [
            "all visits entities: reads {physics::Velocity}, writes {Tag}<u8> if there is one, reads T, with [Private], \
             with T or without {Position}",
            "movers visits entities: fetches {Mover}, without both",
        ]
    );
    assert_eq!(
        section("fn.each.html"),
        [
            "position writes the component {Position} of each entity",
            "tag reads the component {Tag}<u16> of each entity that has one",
            "visits entities with [Private], with {Tag}<u8>, without {physics::Velocity}",
        ]
    );
    assert_eq!(
        section("struct.Shop.html"),
        [
            "self writes the resource {Shop}<T>",
            "of reads the component {Tag}<T>",
            "other reads the resource T",
        ]
    );
    assert_eq!(
        section("fn.made.html"),
        [
            "of writes the component {Position}",
            "other reads the component $crate::both"
        ]
    );
    assert_eq!(
        section("physics/fn.paths.html"),
        [
            "_ writes the component {Velocity}",
            "all visits entities: reads {super::Position}",
        ]
    );
}
