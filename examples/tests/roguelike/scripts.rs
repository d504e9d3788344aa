//! Tests of script files.

use ecs_examples::roguelike::{Direction, Key, parse_script};

#[test]
fn every_key_of_the_game_can_be_scripted() {
    let keys = parse_script("s.txt", "hjkl.gd?q").unwrap();
    assert_eq!(
        keys,
        [
            Key::Walk(Direction::Left),
            Key::Walk(Direction::Down),
            Key::Walk(Direction::Up),
            Key::Walk(Direction::Right),
            Key::Wait,
            Key::PickUp,
            Key::Drink,
            Key::Help,
            Key::Quit,
        ]
    );
}

#[test]
fn spaces_line_ends_and_comments_mean_nothing() {
    let plain = parse_script("s.txt", "llg.").unwrap();
    let airy = parse_script("s.txt", "# east, east\nl l # to the gold: xyz\r\n\n\tg\n.").unwrap();
    assert_eq!(plain, airy);
}

#[test]
fn an_empty_script_has_no_keys() {
    assert_eq!(parse_script("s.txt", ""), Ok(vec![]));
}

#[test]
fn an_unknown_key_is_named_with_its_place() {
    let error = parse_script("s.txt", "ll\n# fine\n g é\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "s.txt:3:4: unknown key 'é'; expected h j k l to walk, . to wait, g to pick up, d to drink, S to save, L to load, ? for help, q to quit, or `# a comment`"
    );
}
