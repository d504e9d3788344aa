use crate::tokens::{check, code_of};
use crate::{component, event, relation, resource};

/// Checks the code of components, whose options are in a table.
fn check_components(parts: &str) {
    check_options("struct Health(u32);", parts);
}

fn check_options(item: &str, parts: &str) {
    let code = |options: &str| format!("#[component({})] {item}", options.replace('\'', "\""));
    check(|options| code_of(component::expand)(&code(options)), parts);
}

/// Checks that the only error of each component contains a text; lines are of the form `options => message`, with texts in
/// single quotes.
fn check_errors(item: &str, lines: &str) {
    for line in lines.trim().lines() {
        let (options, message) = line.trim().split_once(" => ").unwrap();
        let message = message.replace('\'', "\\\"");
        check_options(item, &format!("{options}\n =1 compile_error\n {message}"));
    }
}

#[test]
fn a_type_is_described_only_if_it_is_data() {
    check_components(
        r#"
        storage = 'sparse'
            ! DataTypeOf
        data = 'game.health'
            :: new ("game.health" , 1u32) . component ()
            . cloned ()
            . printed ()
            Saved :: of_fields :: < Health , _ > (
            ! . aliases"#,
    );
    let relation = r#"
        #[relation(data = "game.owner", version = 7)] struct Owner;
            :: new ("game.owner" , 7u32) . relation ()"#;
    check(code_of(relation::expand), relation);
    let resource = relation.replace("relation", "resource");
    check(code_of(resource::expand), &resource);
}

#[test]
fn only_of_structs_of_floats_is_it_asked_whether_they_have_ids() {
    let item = |item: &str| format!("#[component(data = \"game.at\")] {item}");
    let of = |text: &str| code_of(component::expand)(&item(text));
    let parts = r#"
        struct At { x: f32, y: f32, turned: [[f64; 3]; 3], here: bool }
            =1 . without_ids (
            =3 :: IdProbe ::
        struct At(f32, u32);
            ! IdProbe
        struct At([u8; 8]);
            ! IdProbe
        struct At(my::f32);
            ! IdProbe
        struct At;
            ! IdProbe
        enum At { Here(f32)}
            ! IdProbe
        struct At(#[serde(with = "as_entity")] f64);
            ! IdProbe
        #[serde(into = "Entity")] struct At(f64);
            ! IdProbe"#;
    check(of, parts);
}

#[test]
fn structs_of_numbers_are_taken_apart_unless_another_attribute_may_change_them() {
    let item = |item: &str| format!("#[component(data = \"game.at\")] {item}");
    let of = |text: &str| code_of(component::expand)(&item(text));
    let parts = r#"
        #[repr(C)] #[derive(Debug)] struct At { x: f32, turned: [[u8; 3]; N] }
            < (f32 , ([[u8 ; _] ; _] , ())) > :: PLAIN_SIZE
            | At { x : __field_0 , turned : __field_1 , } | (__field_0 , (__field_1 , ()))
        struct At(#[serde(default)] u32, Entity);
            | At { 0 : __field_0 , 1 : __field_1 , } |
            ! :: Saved :: of ::
        #[reflect] struct At(u32);
            ! of_fields
            :: Saved :: of :: < At > ()
        struct At(#[reflect] u32);
            ! of_fields
        struct At(u32, Vec<u32>);
            ! of_fields
        struct At(my::u32);
            ! of_fields
        struct At;
            ! of_fields
        enum At { Here(u32) }
            ! of_fields"#;
    check(of, parts);
    let resource = "#[resource(data = \"at\")] struct At(u32);\n ! of_fields";
    check(code_of(resource::expand), resource);
}

#[test]
fn events_are_described_by_their_own_type() {
    let parts = r#"
        #[event(data = "game.hit", version = 2, migrate(1 = Old), alias = "hit")] struct Hit(u8);
            EventDataOf :: < Hit > :: new ("game.hit" , 2u32) . aliases
            Saved :: of_events :: < Hit > ()
            Migration :: of_events :: < Old , Hit > (1)
            ! CopyProbe
        struct Hit(u8);
            =1 compile_error
            any type can be an event
        #[event(data = "")] struct Hit(u8);
            =1 compile_error
            an event name cannot be empty"#;
    check(code_of(event::expand), parts);
}

#[test]
fn options_leave_out_what_they_say() {
    check_components(
        "
        data = 'game.health', no_clone
            ! . cloned
            . printed
            . coded
        data = 'game.health', no_debug
            . cloned
            ! . printed
            . coded
        data = 'game.health', no_serde
            . cloned
            . printed
            ! . coded",
    );
}

#[test]
fn versions_aliases_and_instances_are_listed() {
    check_components(
        r#"
        data = 'game.health', version = 3, migrate(1 = Old, 2 = super::Older<u8>), alias('hp', 'game.hp')
            ! compile_error
            :: of :: < Old , Health > (1)
            :: of :: < super :: Older < u8 > , Health > (2)
            . aliases (& ["hp" , "game.hp"])
        data = 'game.health', alias = 'hp'
            . aliases (& ["hp"])"#,
    );
    check_options(
        "struct Tag<T>(T);",
        r#"
        data(Tag<u32> = 'game.tag_u32', Tag<String> = 'game.tag_text')
            ! compile_error
            < Tag < u32 > > :: new ("game.tag_u32" , 1u32)
            < Tag < String > > :: new ("game.tag_text" , 1u32)"#,
    );
}

#[test]
fn wrong_options_are_refused() {
    let wrong = "
        version = 2 => which is not `data`
        migrate(1 = Old) => which is not `data`
        alias = 'hp' => which is not `data`
        no_clone => which is not `data`
        no_debug => which is not `data`
        no_serde => which is not `data`
        data = 'game.health', version => expected a number
        data = 'game.health', version = '2' => expected a number
        data = 'game.health', version = 0 => a version is a number from 1 to 4,294,967,295
        data = 'game.health', version = 4_294_967_296 => a version is a number from 1
        data = 'game.health', migrate(1 = Old) => write `version = 2`
        data = 'game.health', version = 3, migrate(5 = Old) => write `version = 6`
        data = 'game.health', version = 3, migrate(0 = Old) => remove it
        data = 'game.health', version = 4_294_967_295, migrate(4_294_967_295 = Old) => the type has version 4294967295\\nhelp: remove it
        data = 'game.health', version = 3, migrate(1 = Old, 1 = Older) => version 1 is migrated twice
        data = 'game.health', version = 3, migrate(4_294_967_296 = Old) => expected the number of a version
        data = 'game.health', version = 3, migrate(Old) => expected the number of a version
        data = 'game.health', version = 3, migrate = Old => expected the older versions in parentheses
        data => write `data = 'game.position'`, a name of your choice
        data = 3 => a name of your choice
        data() => expected a name
        data(Health) => expected `=`
        data(Health = 'game.health') => `Health` is not generic, so it has one name
        data = '' => help
        data = 'a', alias = 'a' => the name 'a' is given twice
        data = 'a', alias('b', 'b') => the name 'b' is given twice
        data = 'a', alias => write `alias = 'old_name'`
        data = 'prefab' => `prefab` is a key of entities in files, so no component has that name
        data = 'parts' => `parts` is a key of entities in files, so no component has that name
        data = 'without' => `without` is a key of entities in files, so no component has that name
        data = 'game.health', alias = 'prefab' => is a key of entities
        data = 'game.health', alias = 'parts' => is a key of entities
        data = 'game.health', alias = 'without' => is a key of entities";
    check_errors("struct Health(u32);", wrong);
    let wrong = "
        data = 'game.tag' => name the instances that are data: `data(Tag<u32>
        data() => expected a name
        data(Tag<u32>) => expected `=`
        data(Tag<u32> = 3) => expected a name as a text
        data(Tag<u32> = 'a', Tag<u8> = 'a') => is given twice
        data(Tag<u32> = 'a', Tag<u32> = 'b') => an instance has one name
        data(Tag<u32> = 'a'), alias = 'b' => instances of a generic type cannot share an earlier name";
    check_errors("struct Tag<T>(T);", wrong);
    let resource = "#[resource(data = \"parts\")] struct Parts;\n ! compile_error";
    check(code_of(resource::expand), resource);
}

#[test]
fn ids_that_serde_skips_are_refused() {
    let check_field = |field: &str, options: &str, mark: &str| {
        let item = format!("enum Target {{ Nothing, Some {{ {field}, name: String }} }}");
        let parts = format!("data = 'game.target'{options}\n {mark}a skipped field has entity ids");
        check_options(&item, &parts);
    };
    let refused = "#[serde(skip)] to: Entity
        #[serde(default, skip_serializing)] to: Vec<(u8, Entity)>
        #[serde(skip_deserializing)] to: [ecs_core::Entity; 2]";
    let others = "#[serde(skip)] to: u32
        #[serde(default)] to: Entity
        #[other(skip)] to: Entity";
    check_field("#[serde(skip)] to: Entity", ", no_serde", "! ");
    for (fields, mark) in [(refused, ""), (others, "! ")] {
        for field in fields.lines() {
            check_field(field, "", mark);
        }
    }
}
