//! Text queries whose conditions do not fit the types of their fields.

use std::collections::BTreeMap;

use ecs_core::data::{TextQuery, TextQueryError, Value};
use ecs_core::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Place {
    x: f32,
    on: Option<Entity>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Mood {
    Calm,
    Angry { at: Entity, level: u8 },
    Afraid(Place),
    Empty(()),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Filled {
    One(u8),
    Two(u8, bool),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Loose {
    Number(u8),
    Text(String),
}

/// One field of each kind.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "all.kinds")]
struct Kinds {
    flag: bool,
    small: u8,
    signed: i128,
    wide: u128,
    short: f32,
    long: f64,
    sign: char,
    text: String,
    owner: Entity,
    friend: Option<Entity>,
    bonus: Option<f32>,
    title: Option<String>,
    nothing: (),
    list: Vec<u8>,
    words: Option<Vec<String>>,
    pair: (u8, String),
    map: BTreeMap<String, u8>,
    place: Place,
    mood: Mood,
    calm: Option<Mood>,
    filled: Filled,
    loose: Loose,
    nested: Option<Option<u8>>,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "all.list")]
struct List(Vec<u8>);

fn kinds(owner: Entity) -> Kinds {
    Kinds {
        flag: true,
        small: 1,
        signed: 1,
        wide: u128::MAX,
        short: 1.0,
        long: 1.0,
        sign: 't',
        text: "t".to_owned(),
        owner,
        friend: Some(owner),
        bonus: Some(1.0),
        title: Some("t".to_owned()),
        nothing: (),
        list: vec![1],
        words: Some(vec!["t".to_owned()]),
        pair: (1, "t".to_owned()),
        map: BTreeMap::from([("t".to_owned(), 1)]),
        place: Place {
            x: 1.0,
            on: Some(owner),
        },
        mood: Mood::Calm,
        calm: Some(Mood::Afraid(Place { x: 1.0, on: None })),
        filled: Filled::Two(1, true),
        loose: Loose::Number(1),
        nested: Some(Some(1)),
    }
}

fn world() -> World {
    let mut world = World::new();
    let owner = world.spawn(());
    world.spawn((kinds(owner), List(vec![1])));
    world
}

fn refused(text: &str) -> TextQueryError {
    let error = TextQuery::new(&world(), text).map(|_| ());
    error.expect_err(text)
}

/// Returns the number of matches.
fn count(text: &str) -> usize {
    let world = world();
    let query = TextQuery::new(&world, text).unwrap_or_else(|error| panic!("{error}"));
    query.entities(&world).unwrap().len()
}

/// A text for each kind of values.
const LITERALS: [(&str, &str); 6] = [
    ("bool", "true"),
    ("integer", "1"),
    ("float", "1.0"),
    ("text", "\"t\""),
    ("entity", "0v1"),
    ("none", "none"),
];

/// Fields, the kinds of values that can be compared with them, and whether `<` and `~` are allowed with these.
const FIELDS: &[(&str, &[&str], bool, bool)] = &[
    ("flag", &["bool"], false, false),
    ("small", &["integer", "float"], true, false),
    ("signed", &["integer", "float"], true, false),
    ("wide", &["integer", "float"], true, false),
    ("short", &["integer", "float"], true, false),
    ("long", &["integer", "float"], true, false),
    ("sign", &["text"], true, true),
    ("text", &["text"], true, true),
    ("owner", &["entity"], false, false),
    ("friend", &["entity", "none"], false, false),
    ("bonus", &["integer", "float", "none"], true, false),
    ("title", &["text", "none"], true, true),
    ("nothing", &["none"], false, false),
    ("list", &[], false, false),
    ("list[0]", &["integer", "float"], true, false),
    ("words", &["none"], false, false),
    ("words[0]", &["text"], true, true),
    ("pair", &[], false, false),
    ("pair[0]", &["integer", "float"], true, false),
    ("pair[1]", &["text"], true, true),
    ("map", &[], false, false),
    ("map.t", &["integer", "float"], true, false),
    ("map[\"t\"]", &["integer", "float"], true, false),
    ("place", &[], false, false),
    ("place.x", &["integer", "float"], true, false),
    ("place.on", &["entity", "none"], false, false),
    ("mood.Angry", &[], false, false),
    ("mood.Angry.at", &["entity"], false, false),
    ("mood.Afraid.x", &["integer", "float"], true, false),
    ("mood.Empty", &["none"], false, false),
    ("filled", &[], false, false),
    ("filled.One", &["integer", "float"], true, false),
    ("filled.Two", &[], false, false),
    ("filled.Two[1]", &["bool"], false, false),
];

#[test]
fn each_kind_of_field_is_compared_with_its_kinds_of_values() {
    for (field, kinds, has_order, has_text) in FIELDS {
        for (kind, value) in LITERALS {
            let is_allowed = kinds.contains(&kind);
            for operator in ["==", "!=", "<", "<=", ">", ">=", "~"] {
                let text = format!("all.kinds.{field} {operator} {value}");
                let is_allowed = match operator {
                    "==" | "!=" => is_allowed,
                    "~" => is_allowed && *has_text && kind == "text",
                    _ => is_allowed && *has_order && kind != "none",
                };
                let found = TextQuery::new(&world(), &text);
                assert_eq!(found.is_ok(), is_allowed, "{text}: {found:?}");
                let Err(error) = found else { continue };
                // It points at the value, or at the operator.
                let at = error.line_and_column().expect("a place").1 - 1;
                assert!(
                    text[at..] == *value || text[at..].starts_with(operator),
                    "{error}"
                );
                assert!(error.help().len() > 5, "{error}");
            }
        }
    }
}

#[test]
fn what_is_allowed_is_found() {
    for text in [
        "kinds.flag == true",
        "kinds.small <= 1.5",
        "kinds.wide > 5",
        "kinds.wide != 5",
        "kinds.wide > 1e38",
        "kinds.wide <= 1e39",
        "kinds.wide == 340282366920938463463374607431768211455",
        "kinds.wide > 340282366920938463463374607431768211454",
        "kinds.long < 340282366920938463463374607431768211455",
        "kinds.small < 340282366920938463463374607431768211455",
        "kinds.sign == \"t\"",
        "kinds.owner == \"0v1\"",
        "kinds.friend != none",
        "kinds.bonus >= 1",
        "kinds.words[0] == \"t\"",
        "kinds.list[0] == 1 && list[0] == 1",
        "kinds.list[0]==1,all.list[0]==1",
        "kinds.pair[1] ~ \"T\"",
        "kinds.map[\"t\"] == 1",
        "kinds.place.on == 0v1",
        "kinds.mood == \"Calm\"",
        "kinds.mood ~ \"cal\"",
        "kinds.mood < \"D\"",
        "kinds.mood != \"Calm\" || kinds.calm.Afraid.x == 1",
        "kinds.calm != none",
        "kinds.filled.Two[1] == true",
        "kinds.nested == 1",
        // The types of these are not known.
        "kinds.loose == 1",
        "kinds.loose != \"x\"",
        "kinds.nested != \"x\"",
    ] {
        assert_eq!(count(text), 1, "{text}");
    }
    for text in [
        "kinds.wide < 5",
        "kinds.wide == 340282366920938463463374607431768211454",
        "kinds.wide == 5",
        "kinds.wide > 1e39",
        "kinds.calm == none",
        "kinds.mood.Angry.level == 1",
        "kinds.list[7] == 1",
    ] {
        assert_eq!(count(text), 0, "{text}");
    }
}

#[test]
fn errors_name_the_type_and_what_can_be_compared() {
    let cases = [
        (
            "kinds.small > \"x\"",
            "field `small` of `all.kinds` is of type `u8`, and is never `\"x\"`
  | kinds.small > \"x\"
  |               ^^^ column 15
  = help: compare it with a number",
        ),
        (
            "kinds.bonus == true",
            "field `bonus` of `all.kinds` is of type `Option<f32>`, and is never `true`
  | kinds.bonus == true
  |                ^^^^ column 16
  = help: compare it with a number, or `none`",
        ),
        (
            "kinds.flag == \"yes\"",
            "field `flag` of `all.kinds` is of type `bool`, and is never `\"yes\"`
  | kinds.flag == \"yes\"
  |               ^^^^^ column 15
  = help: compare it with `true` or `false`",
        ),
        (
            "kinds.friend == \"hero\"",
            "field `friend` of `all.kinds` is of type `Option<Entity>`, and is never `\"hero\"`
  | kinds.friend == \"hero\"
  |                 ^^^^^^ column 17
  = help: compare it with an entity such as `3v1`, or `none`",
        ),
        (
            "kinds.friend < 0v1",
            "field `friend` of `all.kinds` is of type `Option<Entity>`, whose values have no order
  | kinds.friend < 0v1
  |              ^ column 14
  = help: compare them with `==` or `!=`",
        ),
        (
            "kinds.owner ~ \"0v1\"",
            "field `owner` of `all.kinds` is of type `Entity`, and `~` looks for a part of a text
  | kinds.owner ~ \"0v1\"
  |             ^ column 13
  = help: compare it with `==` or `!=`",
        ),
        (
            "kinds.title > none",
            "`none` has no order
  | kinds.title > none
  |             ^ column 13
  = help: compare them with `==` or `!=`",
        ),
        (
            "kinds.list == 1",
            "field `list` of `all.kinds` is a list, and is never `1`
  | kinds.list == 1
  |               ^ column 15
  = help: compare an element, such as `kinds.list[0]`",
        ),
        (
            "kinds.words ~ \"t\"",
            "field `words` of `all.kinds` is a list, or `none`, and is never `\"t\"`
  | kinds.words ~ \"t\"
  |               ^^^ column 15
  = help: compare an element, such as `kinds.words[0]`",
        ),
        (
            "all.list == 1",
            "component `all.list` is a list, and is never `1`
  | all.list == 1
  |             ^ column 13
  = help: compare an element, such as `all.list[0]`",
        ),
        (
            "kinds.place == 1",
            "field `place` of `all.kinds` is a struct, and is never `1`
  | kinds.place == 1
  |                ^ column 16
  = help: compare a field, such as `kinds.place.x`",
        ),
        (
            "kinds.mood == 1",
            "field `mood` of `all.kinds` is an enum, and is never `1`
  | kinds.mood == 1
  |               ^ column 15
  = help: compare it with `\"Calm\"`",
        ),
        (
            "kinds.calm == \"Clam\"",
            "field `calm` of `all.kinds` is an enum, or `none`, and is never `\"Clam\"`
  | kinds.calm == \"Clam\"
  |               ^^^^^^ column 15
  = help: compare it with `\"Calm\"` or `none`",
        ),
        (
            "kinds.mood == \"Angry\"",
            "field `mood` of `all.kinds` is an enum, and is never `\"Angry\"`
  | kinds.mood == \"Angry\"
  |               ^^^^^^^ column 15
  = help: the variant has values: compare one, such as `kinds.mood.Angry.at`",
        ),
        (
            "kinds.filled == \"x\"",
            "field `filled` of `all.kinds` is an enum, and is never `\"x\"`
  | kinds.filled == \"x\"
  |                 ^^^ column 17
  = help: compare a value of a variant, such as `kinds.filled.One`",
        ),
        (
            "kinds.place.y == 1",
            "component `all.kinds` has no field `place.y`
  | kinds.place.y == 1
  |       ^^^^^^^ column 7
  = help: the fields of `place` are `x`, `on`",
        ),
        (
            "kinds.mood.Angy.at == 0v1",
            "component `all.kinds` has no field `mood.Angy.at`
  | kinds.mood.Angy.at == 0v1
  |       ^^^^^^^^^^^^ column 7
  = help: the variants of `mood` are `Calm`, `Angry`, `Afraid`, `Empty`",
        ),
        (
            "kinds.mood.Calm == true",
            "component `all.kinds` has no field `mood.Calm`
  | kinds.mood.Calm == true
  |       ^^^^^^^^^ column 7
  = help: the variant `Calm` has no values: compare the whole with `\"Calm\"`",
        ),
        (
            "kinds.list.first == 1",
            "component `all.kinds` has no field `list.first`
  | kinds.list.first == 1
  |       ^^^^^^^^^^ column 7
  = help: `list` is a list, with elements such as `list[0]`",
        ),
        (
            "kinds.pair.0 == 1",
            "component `all.kinds` has no field `pair.0`
  | kinds.pair.0 == 1
  |       ^^^^^^ column 7
  = help: `pair` is a tuple: `pair[0]` or `pair[1]`",
        ),
        (
            "kinds.small.max == 1",
            "component `all.kinds` has no field `small.max`
  | kinds.small.max == 1
  |       ^^^^^^^^^ column 7
  = help: `small` is of type `u8`, and has no fields",
        ),
        (
            "kinds.list[0 == 1",
            "a bracket has no end
  | kinds.list[0 == 1
  |           ^^^^^^^ column 11
  = help: write the number of an element, such as `[0]`, or a key, such as `[\"key\"]`",
        ),
        (
            "kinds.list[x] == 1",
            "`list[x]` is not the path of a field
  | kinds.list[x] == 1
  |       ^^^^^^^ column 7
  = help: write paths like `pack.items[0].name`",
        ),
    ];
    for (text, expected) in cases {
        let found = refused(text).to_string();
        assert_eq!(found, expected, "\n{found}");
    }
}

/// A type whose `Serialize` and `Deserialize` differ has no schema that can be relied on.
#[derive(Component, Clone, Debug)]
#[component(data = "all.odd")]
struct Odd(u8);

impl Serialize for Odd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_string())
    }
}

impl<'de> Deserialize<'de> for Odd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u8::deserialize(deserializer).map(Self)
    }
}

#[test]
fn a_type_that_is_written_in_another_form_than_it_is_read_is_compared_as_it_is_written() {
    let mut world = World::new();
    let odd = world.spawn(Odd(7));
    let query = TextQuery::new(&world, "all.odd == \"7\"").unwrap();
    assert_eq!(query.entities(&world).unwrap(), [odd]);
    let value = world.get_by_name(odd, "all.odd").unwrap();
    assert_eq!(value, Some(Value::from("7")));
}

/// The conditions of an enum with more variants than a type is asked for one by one.
macro_rules! many_variants {
    ($($name:ident)*) => {
        #[derive(Component, Clone, Debug, Serialize, Deserialize)]
        #[component(data = "all.many")]
        enum Many { $($name),* }

        #[test]
        fn variants_of_a_large_enum_are_all_known() {
            let mut world = World::new();
            $(
                let entity = world.spawn(Many::$name);
                let text = format!("all.many == {:?}", stringify!($name));
                let query = TextQuery::new(&world, &text).unwrap_or_else(|error| panic!("{error}"));
                assert!(query.matches(&world).unwrap().contains(entity));
            )*
            let error = TextQuery::new(&world, "all.many == \"Z\"").unwrap_err();
            assert_eq!(error.message(), "component `all.many` is an enum, and is never `\"Z\"`");
        }
    };
}

many_variants! {
    V0 V1 V2 V3 V4 V5 V6 V7 V8 V9 V10 V11 V12 V13 V14 V15 V16 V17 V18 V19
    V20 V21 V22 V23 V24 V25 V26 V27 V28 V29 V30 V31 V32 V33 V34 V35 V36 V37 V38 V39
    V40 V41 V42 V43 V44 V45 V46 V47 V48 V49 V50 V51 V52 V53 V54 V55 V56 V57 V58 V59
    V60 V61 V62 V63 V64 V65 V66 V67 V68 V69 V70 V71 V72 V73 V74 V75 V76 V77 V78 V79
    V80 V81 V82 V83 V84 V85 V86 V87 V88 V89 V90 V91 V92 V93 V94 V95 V96 V97 V98 V99
    V100 V101 V102 V103 V104 V105 V106 V107 V108 V109 V110 V111 V112 V113 V114 V115 V116 V117 V118 V119
    V120 V121 V122 V123 V124 V125 V126 V127 V128 V129 V130 V131 V132 V133 V134 V135 V136 V137 V138 V139
    V140 V141 V142 V143 V144 V145 V146 V147 V148 V149 V150 V151 V152 V153 V154 V155 V156 V157 V158 V159
    V160 V161 V162 V163 V164 V165 V166 V167 V168 V169 V170 V171 V172 V173 V174 V175 V176 V177 V178 V179
    V180 V181 V182 V183 V184 V185 V186 V187 V188 V189 V190 V191 V192 V193 V194 V195 V196 V197 V198 V199
    V200 V201 V202 V203 V204 V205 V206 V207 V208 V209 V210 V211 V212 V213 V214 V215 V216 V217 V218 V219
    V220 V221 V222 V223 V224 V225 V226 V227 V228 V229 V230 V231 V232 V233 V234 V235 V236 V237 V238 V239
    V240 V241 V242 V243 V244 V245 V246 V247 V248 V249 V250 V251 V252 V253 V254 V255 V256 V257 V258 V259
    V260 V261 V262 V263 V264 V265 V266 V267 V268 V269 V270 V271 V272 V273 V274 V275 V276 V277 V278 V279
    V280 V281 V282 V283 V284 V285 V286 V287 V288 V289 V290 V291 V292 V293 V294 V295 V296 V297 V298 V299
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "all.maps")]
struct Maps {
    texts: BTreeMap<String, u8>,
    chars: BTreeMap<char, u8>,
    numbers: BTreeMap<u64, u8>,
    bools: BTreeMap<bool, u8>,
}

#[test]
fn a_key_that_no_map_of_the_type_has_is_refused() {
    let mut world = World::new();
    let found = world.spawn(Maps {
        texts: [("5".to_owned(), 1)].into(),
        chars: [('5', 1)].into(),
        numbers: [(5, 1)].into(),
        bools: [(true, 1)].into(),
    });
    for text in [r#"texts["5"]"#, r#"chars["5"]"#, "numbers[5]"] {
        let query = TextQuery::new(&world, &format!("maps.{text} == 1")).unwrap();
        assert_eq!(query.entities(&world).unwrap(), [found], "{text}");
    }
    let refused = [
        ("texts[5]", r#"`texts` is a map by texts: `texts["5"]`"#),
        ("chars[5]", r#"`chars` is a map by texts: `chars["5"]`"#),
        (
            r#"numbers["5"]"#,
            "`numbers` is a map by numbers: `numbers[0]`",
        ),
        (
            "bools.true",
            "`bools` is a map by `bool`, and a path has no such keys",
        ),
    ];
    for (text, help) in refused {
        let error = TextQuery::new(&world, &format!("maps.{text} == 1")).unwrap_err();
        assert_eq!(error.help(), help);
    }
}
