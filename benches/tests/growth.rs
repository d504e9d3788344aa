//! Tests of the tables and the picture of growth.

use ecs_benches::harness::{Figure, Outcome};
use ecs_benches::kind::GROWTH;
use ecs_benches::peers::Peer;
use ecs_benches::report::{growth, growth_svg};

/// Makes an outcome of each size for a library that takes so many nanoseconds.
fn outcomes(nanoseconds: impl Fn(usize, Peer) -> f64) -> Vec<Outcome> {
    let figure = |place, peer| {
        let value = nanoseconds(place, peer);
        Figure {
            peer,
            form: "form",
            plain: false,
            runs: 1,
            min: value,
            median: value,
            value,
        }
    };
    let outcome = |(place, spec)| Outcome {
        spec,
        figures: [Peer::Ours, Peer::Hecs]
            .map(|peer| figure(place, peer))
            .into(),
        absent: Vec::new(),
    };
    GROWTH.iter().copied().enumerate().map(outcome).collect()
}

#[test]
fn each_axis_has_a_table_with_its_sizes_in_order() {
    let tables = growth(&outcomes(|_, _| 1.0));
    let heads: Vec<&[String]> = tables.iter().map(|table| &*table.head).collect();
    let axes: Vec<&str> = heads.iter().map(|head| &*head[0]).collect();
    assert_eq!(axes, ["entities", "tables", "systems", "kinds"]);
    assert_eq!(heads[0][2..], ["1k", "10k", "100k", "1m", "10m"]);
    assert_eq!(heads[2][2..], ["1", "10", "100", "1k"]);
}

#[test]
fn a_row_has_the_figures_of_one_library_and_a_dash_where_there_is_none() {
    let tables = growth(&outcomes(|place, peer| match peer {
        Peer::Ours => place as f64,
        _ => 100.0,
    }));
    let systems = &tables[2];
    assert_eq!(systems.rows[1][..3], ["run", "hecs", "100"]);
    let entities = &tables[0];
    assert_eq!(entities.rows[0][..3], ["iter", "ours", "0.00"]);
    assert_eq!(entities.rows[2][..2], ["spawn_batch", "ours"]);
    assert_eq!(
        entities.rows[2].last().map(String::as_str),
        Some("-"),
        "not at ten million"
    );
}

/// Returns the vertical places of the lines of a library.
fn lines(picture: &str, peer: Peer) -> Vec<Vec<f64>> {
    let mark = format!("<polyline class=\"{peer}\" points=\"");
    let lines = picture
        .lines()
        .filter_map(|line| line.strip_prefix(mark.as_str()));
    let places = |line: &str| {
        let points = line.trim_end_matches("\"/>").split(' ');
        points
            .filter_map(|point| point.split_once(',')?.1.parse().ok())
            .collect()
    };
    lines.map(places).collect()
}

#[test]
fn equal_costs_are_level_lines_and_growing_ones_rise() {
    let picture = growth_svg(
        &outcomes(|place, peer| match peer {
            Peer::Ours => 5.0,
            _ => 10.0 + place as f64,
        }),
        24,
    );
    let (ours, hecs) = (lines(&picture, Peer::Ours), lines(&picture, Peer::Hecs));
    assert_eq!((ours.len(), hecs.len()), (12, 12), "a panel per workload");
    for line in ours {
        assert!(
            line.len() >= 4 && line.iter().all(|y| *y == line[0]),
            "{line:?}"
        );
    }
    for line in hecs {
        assert!(
            line.windows(2).all(|pair| pair[1] < pair[0]),
            "upwards: {line:?}"
        );
    }
}

#[test]
fn few_rounds_mark_the_picture_as_no_measurement() {
    let outcomes = outcomes(|_, _| 1.0);
    assert!(growth_svg(&outcomes, 1).contains("not a measurement"));
    assert!(!growth_svg(&outcomes, 6).contains("not a measurement"));
}
