//! Tests of sight, paths and dice.

use ecs_examples::roguelike::{
    Direction, Map, Position, Rng, Sight, built_in_dungeon, first_step, parse_dungeon,
};

fn positions(map: &Map) -> impl Iterator<Item = Position> + '_ {
    (0..map.height()).flat_map(|y| (0..map.width()).map(move |x| Position::new(x, y)))
}

/// Returns the rows of `text` with a blank at each place that is hidden from `@`.
fn view(text: &str) -> String {
    let level = &parse_dungeon("m.txt", text).unwrap()[0];
    let mut sight = Sight::new(&level.map);
    sight.look(&level.map, level.start);
    let mut rows = Vec::new();
    for (y, row) in (0..).zip(text.lines()) {
        rows.push(
            (0..)
                .zip(row.chars())
                .map(|(x, c)| {
                    if sight.sees(Position::new(x, y)) {
                        c
                    } else {
                        ' '
                    }
                })
                .collect::<String>(),
        );
    }
    rows.join("\n")
}

#[test]
fn one_sees_a_room_with_its_walls_but_not_behind_them() {
    let room = "\
#######..
#.....#..
#..@..#..
#.....#..
#######>.";
    let seen = "\
#######  
#.....#  
#..@..#  
#.....#  
#######  ";
    assert_eq!(view(room), seen);
}

#[test]
fn a_pillar_throws_a_shadow() {
    let seen = view(
        "\
.......
.......
.@.#...
.......
......>",
    );
    assert_eq!(seen.lines().nth(2), Some(".@.#   "));
    assert_eq!(seen.lines().next(), Some("......."));
}

#[test]
fn a_closed_door_hides_what_is_behind_it() {
    assert_eq!(view("#@.+..>"), "#@.+   ");
}

#[test]
fn sight_ends_after_eight_steps() {
    assert_eq!(view("@...........>"), "@........    ");
}

#[test]
fn places_where_one_can_stand_see_each_other_or_not_at_all() {
    for level in built_in_dungeon().unwrap() {
        let open: Vec<_> = positions(&level.map)
            .filter(|at| !level.map.is_opaque(*at))
            .collect();
        let views: Vec<_> = open
            .iter()
            .map(|from| {
                let mut sight = Sight::new(&level.map);
                sight.look(&level.map, *from);
                sight
            })
            .collect();
        for (a, from) in open.iter().enumerate() {
            for (b, to) in open.iter().enumerate() {
                assert_eq!(
                    views[a].sees(*to),
                    views[b].sees(*from),
                    "{from:?} and {to:?} in {}",
                    level.name
                );
            }
        }
    }
}

#[test]
fn places_seen_once_stay_known_but_not_in_view() {
    let level = &parse_dungeon("m.txt", "@.#>").unwrap()[0];
    let mut sight = Sight::new(&level.map);
    let wall = Position::new(2, 0);
    assert!(!sight.sees(wall) && !sight.knows(wall));
    sight.look(&level.map, level.start);
    assert!(sight.sees(wall) && sight.knows(wall));
    sight.look(&level.map, Position::new(3, 0));
    assert!(!sight.sees(level.start) && sight.knows(level.start));
}

#[test]
fn a_path_takes_the_shorter_way_around_a_wall() {
    let level = &parse_dungeon(
        "m.txt",
        "\
.....
.###.
@#>..
.....",
    )
    .unwrap()[0];
    let goal = Position::new(2, 2);
    let step = first_step(level.start, |at| at == goal, |at| level.map.is_walkable(at));
    assert_eq!(step, Some(Direction::Down));
}

#[test]
fn there_is_no_path_through_walls_nor_to_oneself() {
    let level = &parse_dungeon("m.txt", "@#>").unwrap()[0];
    let open = |at| level.map.is_walkable(at);
    assert_eq!(
        first_step(level.start, |at| at == Position::new(2, 0), open),
        None
    );
    assert_eq!(first_step(level.start, |at| at == level.start, open), None);
}

#[test]
fn the_goal_of_a_path_may_be_closed() {
    let level = &parse_dungeon("m.txt", "@.+>").unwrap()[0];
    let step = first_step(
        level.start,
        |at| at == Position::new(2, 0),
        |at| level.map.is_walkable(at),
    );
    assert_eq!(step, Some(Direction::Right));
}

#[test]
fn dice_show_each_number_of_their_range_and_no_other() {
    let mut rng = Rng::new(1);
    let mut shown = [false; 6];
    for _ in 0..200 {
        shown[usize::try_from(rng.roll(1..=6) - 1).unwrap()] = true;
    }
    assert_eq!(shown, [true; 6]);
}

#[test]
fn the_same_seed_throws_the_same_dice() {
    let throws = |seed| {
        let mut rng = Rng::new(seed);
        (0..20).map(|_| rng.roll(-1000..=1000)).collect::<Vec<_>>()
    };
    assert_eq!(throws(5), throws(5));
    assert_ne!(throws(5), throws(6));
}
