use super::*;
use crate::tokens::parsed;
use crate::{component, event, relation, resource};

/// Expands a component with the options.
fn component(options: TokenStream) -> String {
    code(quote!(
        #[component(#options)]
        struct Health(u32);
    ))
}

fn code(input: TokenStream) -> String {
    component::expand(input).unwrap().to_string()
}

/// Checks that the only error of the options contains a text.
fn refused(options: TokenStream, expected: &str) {
    let text = format!("#[component({options})]");
    let code = component(options);
    assert_eq!(code.matches("compile_error").count(), 1, "{text}: {code}");
    assert!(code.contains(expected), "{text}: {code}");
}

#[test]
fn a_type_is_described_only_if_it_is_data() {
    let code = component(quote!(storage = "sparse"));
    assert!(!code.contains("DataTypeOf"), "{code}");
    let code = component(quote!(data = "game.health"));
    assert!(
        code.contains(":: new (\"game.health\" , 1u32) . component ()"),
        "{code}"
    );
    assert!(
        code.contains(". cloned ()") && code.contains(". printed ()"),
        "{code}"
    );
    assert!(code.contains("Saved :: of :: < Health > ()"), "{code}");
    assert!(!code.contains(". aliases"), "{code}");
    let kinds = [
        (
            relation::expand as fn(TokenStream) -> syn::Result<TokenStream>,
            quote!(relation),
        ),
        (resource::expand, quote!(resource)),
    ];
    for (expand, kind) in kinds {
        let input = quote!(
            #[#kind(data = "game.owner", version = 7)]
            struct Owner;
        );
        let code = expand(input).unwrap().to_string();
        let expected = format!(":: new (\"game.owner\" , 7u32) . {kind} ()");
        assert!(code.contains(&expected), "{code}");
    }
}

#[test]
fn only_of_structs_of_floats_is_it_asked_whether_they_have_ids() {
    let of = |item: TokenStream| code(quote!(#[component(data = "game.at")] #item));
    let known = of(parsed(
        "struct At { x: f32, y: f32, turned: [[f64; 3]; 3], here: bool}",
    ));
    assert_eq!(known.matches("MayHaveIds").count(), 1, "{known}");
    assert_eq!(
        known.matches(":: IdProbe ::").count(),
        3,
        "one of each: {known}"
    );
    for item in [
        parsed("struct At(f32, u32);"),
        parsed("struct At([u8; 8]);"),
        parsed("struct At(my::f32);"),
        parsed("struct At;"),
        parsed("enum At { Here(f32)}"),
        parsed(r#"struct At(#[serde(with = "as_entity")] f64);"#),
        parsed(r#"#[serde(into = "Entity")] struct At(f64);"#),
    ] {
        let other = of(item);
        assert!(!other.contains("IdProbe"), "{other}");
    }
}

#[test]
fn events_are_described_by_their_own_type() {
    let code = event::expand(parsed(
        r#"#[event(data = "game.hit", version = 2, migrate(1 = Old), alias = "hit")] struct Hit(u8);"#,
    ));
    let code = code.unwrap().to_string();
    assert!(
        code.contains("EventDataOf :: < Hit > :: new (\"game.hit\" , 2u32) . aliases"),
        "{code}"
    );
    assert!(code.contains("Saved :: of_events :: < Hit > ()"), "{code}");
    assert!(
        code.contains("Migration :: of_events :: < Old , Hit > (1)"),
        "{code}"
    );
    assert!(!code.contains("CopyProbe"), "{code}");
    let refused = |input| event::expand(input).unwrap().to_string();
    let code = refused(parsed("struct Hit(u8);"));
    assert_eq!(code.matches("compile_error").count(), 1, "{code}");
    assert!(code.contains("any type can be an event"), "{code}");
    let code = refused(parsed(r#"#[event(data = "")] struct Hit(u8);"#));
    assert!(code.contains("an event name cannot be empty"), "{code}");
}

#[test]
fn options_leave_out_what_they_say() {
    for (option, call) in [
        (quote!(no_clone), ". cloned"),
        (quote!(no_debug), ". printed"),
        (quote!(no_serde), ". coded"),
    ] {
        let code = component(quote!(data = "game.health", #option));
        assert!(!code.contains(call), "{option}: {code}");
        let others = [". cloned", ". printed", ". coded"].map(|other| code.contains(other));
        assert_eq!(
            others.iter().filter(|&&is| is).count(),
            2,
            "{option}: {code}"
        );
    }
}

#[test]
fn versions_and_aliases_are_listed() {
    let code = component(quote!(
        data = "game.health",
        version = 3,
        migrate(1 = Old, 2 = super::Older<u8>),
        alias("hp", "game.hp")
    ));
    assert!(!code.contains("compile_error"), "{code}");
    assert!(code.contains(":: of :: < Old , Health > (1)"), "{code}");
    assert!(
        code.contains(":: of :: < super :: Older < u8 > , Health > (2)"),
        "{code}"
    );
    assert!(
        code.contains(". aliases (& [\"hp\" , \"game.hp\"])"),
        "{code}"
    );
    let code = component(quote!(data = "game.health", alias = "hp"));
    assert!(code.contains(". aliases (& [\"hp\"])"), "{code}");
}

#[test]
fn instances_of_a_generic_type_are_described_one_by_one() {
    let code = code(parsed(
        r#"#[component(data(Tag<u32> = "game.tag_u32", Tag<String> = "game.tag_text"))] struct Tag<T>(T);"#,
    ));
    assert!(!code.contains("compile_error"), "{code}");
    for (ty, name) in [("u32", "game.tag_u32"), ("String", "game.tag_text")] {
        let expected = format!("< Tag < {ty} > > :: new (\"{name}\" , 1u32)");
        assert!(code.contains(&expected), "{code}");
    }
}

#[test]
fn options_of_data_need_data() {
    for option in [
        quote!(version = 2),
        quote!(migrate(1 = Old)),
        quote!(alias = "hp"),
        quote!(no_clone),
        quote!(no_debug),
        quote!(no_serde),
    ] {
        refused(option, "which is not `data`");
    }
}

#[test]
fn wrong_versions_are_refused() {
    let with = |options| quote!(data = "game.health", #options);
    let wrong = [
        (quote!(version), "expected a number"),
        (quote!(version = "2"), "expected a number"),
        (
            quote!(version = 0),
            "a version is a number from 1 to 4,294,967,295",
        ),
        (
            quote!(version = 4_294_967_296),
            "a version is a number from 1",
        ),
        (quote!(migrate(1 = Old)), "write `version = 2`"),
        (quote!(version = 3, migrate(5 = Old)), "write `version = 6`"),
        (quote!(version = 3, migrate(0 = Old)), "remove it"),
        (
            quote!(version = 4_294_967_295, migrate(4_294_967_295 = Old)),
            "version 4294967295 is not an older one: the type has version 4294967295\\nhelp: remove it",
        ),
        (
            quote!(version = 3, migrate(1 = Old, 1 = Older)),
            "version 1 is migrated twice",
        ),
        (
            quote!(version = 3, migrate(4_294_967_296 = Old)),
            "expected the number of a version",
        ),
        (
            quote!(version = 3, migrate(Old)),
            "expected the number of a version",
        ),
        (
            quote!(version = 3, migrate = Old),
            "expected the older versions in parentheses",
        ),
    ];
    for (options, expected) in wrong {
        refused(with(options), expected);
    }
}

#[test]
fn wrong_names_are_refused() {
    let wrong = [
        (
            quote!(data),
            "write `data = \\\"game.position\\\"`, a name of your choice",
        ),
        (quote!(data = 3), "a name of your choice"),
        (quote!(data()), "expected a name"),
        (quote!(data(Health)), "expected `=`"),
        (
            quote!(data(Health = "game.health")),
            "`Health` is not generic, so it has one name",
        ),
        (quote!(data = ""), "help"),
        (
            quote!(data = "a", alias = "a"),
            "the name \\\"a\\\" is given twice",
        ),
        (
            quote!(data = "a", alias("b", "b")),
            "the name \\\"b\\\" is given twice",
        ),
        (
            quote!(data = "a", alias),
            "write `alias = \\\"old_name\\\"`",
        ),
    ];
    for (options, expected) in wrong {
        refused(options, expected);
    }
    for (options, expected) in [
        (
            quote!(data = "game.tag"),
            "name the instances that are data: `data(Tag<u32>",
        ),
        (quote!(data()), "expected a name"),
        (quote!(data(Tag<u32>)), "expected `=`"),
        (quote!(data(Tag<u32> = 3)), "expected a name as a text"),
        (
            quote!(data(Tag<u32> = "a", Tag<u8> = "a")),
            "is given twice",
        ),
        (
            quote!(data(Tag<u32> = "a", Tag<u32> = "b")),
            "an instance has one name",
        ),
        (
            quote!(data(Tag<u32> = "a"), alias = "b"),
            "instances of a generic type cannot share an earlier name",
        ),
    ] {
        let code = code(quote!(
            #[component(#options)]
            struct Tag<T>(T);
        ));
        assert_eq!(
            code.matches("compile_error").count(),
            1,
            "{options}: {code}"
        );
        assert!(code.contains(expected), "{options}: {code}");
    }
}

#[test]
fn ids_that_serde_skips_are_refused() {
    let fields = |field: TokenStream, options: TokenStream| {
        let code = code(quote!(
            #[component(data = "game.target", #options)]
            enum Target {
                Nothing,
                Some { #field, name: String },
            }
        ));
        code.contains("a skipped field has entity ids")
    };
    let nothing = || quote!();
    assert!(fields(quote!(#[serde(skip)] to: Entity), nothing()));
    assert!(fields(
        quote!(#[serde(default, skip_serializing)] to: Vec<(u8, Entity)>),
        nothing()
    ));
    assert!(fields(
        quote!(#[serde(skip_deserializing)] to: [ecs_core::Entity; 2]),
        nothing()
    ));
    assert!(!fields(quote!(#[serde(skip)] to: u32), nothing()));
    assert!(!fields(quote!(#[serde(default)] to: Entity), nothing()));
    assert!(!fields(quote!(#[other(skip)] to: Entity), nothing()));
    assert!(
        !fields(quote!(#[serde(skip)] to: Entity), quote!(no_serde)),
        "serde is not asked"
    );
}

#[test]
fn keys_of_files_are_no_names() {
    for name in ["prefab", "parts", "without"] {
        refused(
            quote!(data = #name),
            &format!("`{name}` is a key of entities in files, so no component has that name"),
        );
        refused(
            quote!(data = "game.health", alias = #name),
            "is a key of entities",
        );
    }
    let resource = resource::expand(parsed(r#"#[resource(data = "parts")] struct Parts;"#));
    let code = resource.unwrap().to_string();
    assert!(!code.contains("compile_error"), "{code}");
}
