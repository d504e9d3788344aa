//! Tests of map files: the levels of valid ones, and the errors for invalid ones.

use ecs_examples::roguelike::{
    InputError, Position, Problem, Thing, Tile, built_in_dungeon, parse_dungeon, read_dungeon,
};

use crate::files::TempFile;

fn error(text: &str) -> InputError {
    parse_dungeon("m.txt", text).expect_err("the map should be refused")
}

#[test]
fn each_glyph_becomes_its_tile_or_a_thing_on_the_floor() {
    let levels = parse_dungeon("m.txt", "#.+>@\nrsO!/\n$....\n").unwrap();
    let [level] = levels.as_slice() else {
        panic!("one level expected")
    };
    let row: Vec<Tile> = (0..5)
        .map(|x| level.map.tile(Position::new(x, 0)))
        .collect();
    assert_eq!(
        row,
        [
            Tile::Wall,
            Tile::Floor,
            Tile::Door,
            Tile::Stairs,
            Tile::Floor
        ]
    );
    assert_eq!(level.start, Position::new(4, 0));
    assert_eq!(
        level.things,
        [
            (Position::new(0, 1), Thing::Rat),
            (Position::new(1, 1), Thing::Snake),
            (Position::new(2, 1), Thing::Ogre),
            (Position::new(3, 1), Thing::Potion),
            (Position::new(4, 1), Thing::Sword),
            (Position::new(0, 2), Thing::Gold),
        ]
    );
    assert_eq!(level.map.tile(Position::new(0, 1)), Tile::Floor);
}

#[test]
fn all_outside_of_the_map_is_wall() {
    let levels = parse_dungeon("m.txt", "@>\n..\n").unwrap();
    for (x, y) in [
        (-1, 0),
        (2, 0),
        (0, -1),
        (0, 2),
        (i32::MAX, i32::MAX),
        (i32::MIN, 0),
    ] {
        assert_eq!(
            levels[0].map.tile(Position::new(x, y)),
            Tile::Wall,
            "at {x}, {y}"
        );
    }
}

#[test]
fn title_lines_begin_levels_of_their_own_size() {
    let levels = parse_dungeon("m.txt", "= Up\n@>\n= Down below \n@.>\n...\n").unwrap();
    let found: Vec<_> = levels
        .iter()
        .map(|level| (level.name.as_str(), level.map.width(), level.map.height()))
        .collect();
    assert_eq!(found, [("Up", 2, 1), ("Down below", 3, 2)]);
}

#[test]
fn windows_line_ends_are_line_ends() {
    let unix = parse_dungeon("m.txt", "= Up\n#@>#\n####\n").unwrap();
    let windows = parse_dungeon("m.txt", "= Up\r\n#@>#\r\n####\r\n").unwrap();
    assert_eq!(unix, windows);
}

#[test]
fn the_map_that_comes_with_the_game_is_valid() {
    let names: Vec<_> = built_in_dungeon()
        .unwrap()
        .into_iter()
        .map(|level| level.name)
        .collect();
    assert_eq!(names, ["The Cellar", "The Snake Pit", "The Ogre's Hall"]);
}

#[test]
fn invalid_maps_are_refused_with_place_and_advice() {
    let glyphs = "expected # wall, . floor, + door, > stairs, @ hero, r rat, s snake, O ogre, ! potion, / sword, $ gold";
    let cases = [
        (
            "",
            "1:1: expected at least one row of tiles, such as `#@.>#`".to_owned(),
        ),
        (
            "= Empty\n= Next\n@>",
            "1:1: expected at least one row of tiles, such as `#@.>#`".to_owned(),
        ),
        (
            "@>\n= Last\n",
            "2:1: expected at least one row of tiles, such as `#@.>#`".to_owned(),
        ),
        ("##\n#x\n", format!("2:2: unknown glyph 'x'; {glyphs}")),
        ("@>\n. \n", format!("2:2: unknown glyph ' '; {glyphs}")),
        ("@>\n\t.\n", format!("2:1: unknown glyph '\\t'; {glyphs}")),
        ("@é>\n", format!("1:2: unknown glyph 'é'; {glyphs}")),
        (
            "\u{feff}@>\n",
            format!("1:1: unknown glyph '\\u{{feff}}'; {glyphs}"),
        ),
        (
            "@>\n.@\n",
            "2:2: a second hero; expected one `@` a level, and this level has one at 1:1"
                .to_owned(),
        ),
        (
            ".>\n..\n",
            "1:1: a level without hero; expected one `@` where the hero starts".to_owned(),
        ),
        (
            "@.\n= Two\n@>\n",
            "1:1: a level without stairs; expected at least one `>` that leads out".to_owned(),
        ),
        (
            "@>\n= Two\n.>\n",
            "2:1: a level without hero; expected one `@` where the hero starts".to_owned(),
        ),
        (
            "@>..\n..\n",
            "2:3: a row of 2 tiles; expected 4, as in the rows above".to_owned(),
        ),
        (
            "@>\n....\n",
            "2:3: a row of 4 tiles; expected 2, as in the rows above".to_owned(),
        ),
        (
            "@>\n\n..\n",
            "2:1: an empty line; expected a row of tiles, or `= name` to begin a level".to_owned(),
        ),
        (
            "@>\n\n",
            "2:1: an empty line; expected a row of tiles, or `= name` to begin a level".to_owned(),
        ),
    ];
    for (text, message) in cases {
        assert_eq!(
            error(text).to_string(),
            format!("m.txt:{message}"),
            "for {text:?}"
        );
    }
}

#[test]
fn two_levels_may_have_a_hero_each() {
    assert!(parse_dungeon("m.txt", "= One\n@>\n= Two\n@>\n").is_ok());
}

#[test]
fn a_missing_file_is_named() {
    let error = read_dungeon("no/such/map.txt".as_ref()).unwrap_err();
    assert_eq!(
        (error.file.as_str(), error.place),
        ("no/such/map.txt", None)
    );
    assert!(matches!(error.problem, Problem::Unreadable(_)));
    assert!(
        error
            .to_string()
            .starts_with("no/such/map.txt: cannot be read: ")
    );
}

#[test]
fn a_file_that_is_not_utf8_is_refused_where_it_goes_wrong() {
    let file = TempFile::new("latin1.txt", b"@>\n\xc3\xa9.\xff.\n");
    let error = read_dungeon(file.path()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{}:2:3: a byte that is not UTF-8 text; expected a plain text file",
            file.path().display()
        )
    );
}
