use crate::tokens::{has, has_no, parsed};
use crate::{component, event, relation, resource};

/// Expands a component with the options.
fn component(options: &str) -> String {
    code(&format!("#[component({options})] struct Health(u32);"))
}

fn code(input: &str) -> String {
    component::expand(parsed(input)).unwrap().to_string()
}

/// Checks that the only error of the code contains a text.
fn has_error(code: &str, expected: &str) {
    assert_eq!(code.matches("compile_error").count(), 1, "{code}");
    has(code, expected);
}

#[test]
fn a_type_is_described_only_if_it_is_data() {
    let code = component(r#"storage = "sparse""#);
    has_no(&code, "DataTypeOf");
    let code = component(r#"data = "game.health""#);
    has(&code, ":: new (\"game.health\" , 1u32) . component ()");
    assert!(
        code.contains(". cloned ()") && code.contains(". printed ()"),
        "{code}"
    );
    has(&code, "Saved :: of :: < Health > ()");
    has_no(&code, ". aliases");
    let input = |kind| {
        parsed(&format!(
            "#[{kind}(data = \"game.owner\", version = 7)] struct Owner;"
        ))
    };
    let relation = relation::expand(input("relation"));
    let resource = resource::expand(input("resource"));
    for (code, kind) in [(relation, "relation"), (resource, "resource")] {
        let code = code.unwrap().to_string();
        let expected = format!(":: new (\"game.owner\" , 7u32) . {kind} ()");
        has(&code, &expected);
    }
}

#[test]
fn only_of_structs_of_floats_is_it_asked_whether_they_have_ids() {
    let of = |item: &str| code(&format!("#[component(data = \"game.at\")] {item}"));
    let known = of("struct At { x: f32, y: f32, turned: [[f64; 3]; 3], here: bool }");
    assert_eq!(known.matches("MayHaveIds").count(), 1, "{known}");
    assert_eq!(
        known.matches(":: IdProbe ::").count(),
        3,
        "one of each: {known}"
    );
    for item in [
        "struct At(f32, u32);",
        "struct At([u8; 8]);",
        "struct At(my::f32);",
        "struct At;",
        "enum At { Here(f32)}",
        r#"struct At(#[serde(with = "as_entity")] f64);"#,
        r#"#[serde(into = "Entity")] struct At(f64);"#,
    ] {
        let other = of(item);
        has_no(&other, "IdProbe");
    }
}

#[test]
fn events_are_described_by_their_own_type() {
    let code = event::expand(parsed(
        r#"#[event(data = "game.hit", version = 2, migrate(1 = Old), alias = "hit")] struct Hit(u8);"#,
    ));
    let code = code.unwrap().to_string();
    has(
        &code,
        "EventDataOf :: < Hit > :: new (\"game.hit\" , 2u32) . aliases",
    );
    has(&code, "Saved :: of_events :: < Hit > ()");
    has(&code, "Migration :: of_events :: < Old , Hit > (1)");
    has_no(&code, "CopyProbe");
    let of = |input| event::expand(parsed(input)).unwrap().to_string();
    has_error(&of("struct Hit(u8);"), "any type can be an event");
    let unnamed = of(r#"#[event(data = "")] struct Hit(u8);"#);
    has_error(&unnamed, "an event name cannot be empty");
}

#[test]
fn options_leave_out_what_they_say() {
    let calls = [".cloned", ".printed", ".coded"];
    for (option, left_out) in ["no_clone", "no_debug", "no_serde"].iter().zip(calls) {
        let code = component(&format!("data = \"game.health\", {option}")).replace(". ", ".");
        for call in calls {
            assert_eq!(code.contains(call), call != left_out, "{option}: {code}");
        }
    }
}

#[test]
fn versions_and_aliases_are_listed() {
    let code = component(
        r#"data = "game.health", version = 3, migrate(1 = Old, 2 = super::Older<u8>), alias("hp", "game.hp")"#,
    );
    has_no(&code, "compile_error");
    has(&code, ":: of :: < Old , Health > (1)");
    has(&code, ":: of :: < super :: Older < u8 > , Health > (2)");
    has(&code, ". aliases (& [\"hp\" , \"game.hp\"])");
    let code = component(r#"data = "game.health", alias = "hp""#);
    has(&code, ". aliases (& [\"hp\"])");
}

#[test]
fn instances_of_a_generic_type_are_described_one_by_one() {
    let code = code(
        r#"#[component(data(Tag<u32> = "game.tag_u32", Tag<String> = "game.tag_text"))] struct Tag<T>(T);"#,
    );
    has_no(&code, "compile_error");
    for (ty, name) in [("u32", "game.tag_u32"), ("String", "game.tag_text")] {
        let expected = format!("< Tag < {ty} > > :: new (\"{name}\" , 1u32)");
        has(&code, &expected);
    }
}

#[test]
fn options_of_data_need_data() {
    for option in [
        "version = 2",
        "migrate(1 = Old)",
        "alias = \"hp\"",
        "no_clone",
        "no_debug",
        "no_serde",
    ] {
        has_error(&component(option), "which is not `data`");
    }
}

#[test]
fn wrong_versions_are_refused() {
    let wrong = "
        version => expected a number
        version = '2' => expected a number
        version = 0 => a version is a number from 1 to 4,294,967,295
        version = 4_294_967_296 => a version is a number from 1
        migrate(1 = Old) => write `version = 2`
        version = 3, migrate(5 = Old) => write `version = 6`
        version = 3, migrate(0 = Old) => remove it
        version = 4_294_967_295, migrate(4_294_967_295 = Old) => the type has version 4294967295\\nhelp: remove it
        version = 3, migrate(1 = Old, 1 = Older) => version 1 is migrated twice
        version = 3, migrate(4_294_967_296 = Old) => expected the number of a version
        version = 3, migrate(Old) => expected the number of a version
        version = 3, migrate = Old => expected the older versions in parentheses";
    for (options, expected) in cases(wrong) {
        let options = format!("data = \"game.health\", {options}");
        has_error(&component(&options), &expected);
    }
}

/// Splits lines of the form `code => message`; the texts are in single quotes.
fn cases(lines: &str) -> impl Iterator<Item = (String, String)> {
    let lines = lines.trim().lines();
    lines.map(|line| {
        let (code, message) = line.split_once(" => ").unwrap();
        let message = message.replace('\'', "\\\"");
        (code.trim().replace('\'', "\""), message)
    })
}

#[test]
fn wrong_names_are_refused() {
    let wrong = "
        data => write `data = 'game.position'`, a name of your choice
        data = 3 => a name of your choice
        data() => expected a name
        data(Health) => expected `=`
        data(Health = 'game.health') => `Health` is not generic, so it has one name
        data = '' => help
        data = 'a', alias = 'a' => the name 'a' is given twice
        data = 'a', alias('b', 'b') => the name 'b' is given twice
        data = 'a', alias => write `alias = 'old_name'`";
    for (options, expected) in cases(wrong) {
        has_error(&component(&options), &expected);
    }
    let wrong = "
        data = 'game.tag' => name the instances that are data: `data(Tag<u32>
        data() => expected a name
        data(Tag<u32>) => expected `=`
        data(Tag<u32> = 3) => expected a name as a text
        data(Tag<u32> = 'a', Tag<u8> = 'a') => is given twice
        data(Tag<u32> = 'a', Tag<u32> = 'b') => an instance has one name
        data(Tag<u32> = 'a'), alias = 'b' => instances of a generic type cannot share an earlier name";
    for (options, expected) in cases(wrong) {
        let code = code(&format!("#[component({options})] struct Tag<T>(T);"));
        has_error(&code, &expected);
    }
}

#[test]
fn ids_that_serde_skips_are_refused() {
    let asks = |field: &str, options: &str| {
        let fields = format!("Nothing, Some {{ {field}, name: String }}");
        let attribute = format!("#[component(data = \"game.target\"{options})]");
        let code = code(&format!("{attribute} enum Target {{ {fields} }}"));
        code.contains("a skipped field has entity ids")
    };
    for (field, refused) in [
        ("#[serde(skip)] to: Entity", true),
        (
            "#[serde(default, skip_serializing)] to: Vec<(u8, Entity)>",
            true,
        ),
        (
            "#[serde(skip_deserializing)] to: [ecs_core::Entity; 2]",
            true,
        ),
        ("#[serde(skip)] to: u32", false),
        ("#[serde(default)] to: Entity", false),
        ("#[other(skip)] to: Entity", false),
    ] {
        assert_eq!(asks(field, ""), refused, "{field}");
    }
    let asked = asks("#[serde(skip)] to: Entity", ", no_serde");
    assert!(!asked, "serde is not asked");
}

#[test]
fn keys_of_files_are_no_names() {
    for name in ["prefab", "parts", "without"] {
        let refused = component(&format!("data = \"{name}\""));
        has_error(
            &refused,
            &format!("`{name}` is a key of entities in files, so no component has that name"),
        );
        let alias = component(&format!("data = \"game.health\", alias = \"{name}\""));
        has_error(&alias, "is a key of entities");
    }
    let resource = resource::expand(parsed(r#"#[resource(data = "parts")] struct Parts;"#));
    let code = resource.unwrap().to_string();
    has_no(&code, "compile_error");
}
