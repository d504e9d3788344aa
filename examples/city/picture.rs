//! A map of the city: how many people are where, and the borders of shards.

use std::fmt::Write;

use ecs_core::prelude::*;
use ecs_core::shard::{Gid, Shard, ShardError};

use crate::city::Place;

/// The number of squares along a side of the map.
const SQUARES: usize = 64;

/// The size of a square in the picture.
const SIZE: usize = 10;

/// The number of people in each part of the city, and the borders of shards.
#[derive(Clone, Debug)]
pub(crate) struct CityMap {
    /// The number of people in each square, row by row.
    people: Vec<u32>,
    /// The places of the borders between shards, from 0 to 1.
    borders: Vec<f64>,
}

impl CityMap {
    /// Collects the map from all shards.
    pub(crate) fn of(shard: &mut Shard<'_>) -> Result<Self, ShardError> {
        let size = shard.grid().map_or([1.0; 2], |grid| grid.size());
        let mut people = vec![0_u32; SQUARES * SQUARES];
        for place in shard.world().query_filtered::<&Place, With<Gid>>().iter() {
            let square = |axis: usize| {
                let at = (place.0[axis] / size[axis] * SQUARES as f32) as usize;
                at.min(SQUARES - 1)
            };
            people[square(1) * SQUARES + square(0)] += 1;
        }
        let bytes = people
            .iter()
            .flat_map(|count| count.to_le_bytes())
            .collect();
        let mut all = vec![0; people.len()];
        for part in shard.share(bytes)? {
            for (sum, count) in all.iter_mut().zip(part.as_chunks::<4>().0) {
                *sum += u32::from_le_bytes(*count);
            }
        }
        let starts = shard.borders();
        let columns = starts.last().copied().unwrap_or(1);
        let inner = &starts[1..starts.len().max(2) - 1];
        Ok(Self {
            people: all,
            borders: inner
                .iter()
                .map(|start| f64::from(*start) / f64::from(columns))
                .collect(),
        })
    }

    /// Draws the map.
    pub(crate) fn to_svg(&self) -> String {
        let side = SQUARES * SIZE;
        let most = self.people.iter().copied().max().unwrap_or(1).max(1);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" width=\"{side}\" height=\"{side}\">\n<rect width=\"{side}\" height=\"{side}\" fill=\"#fbfaf5\"/>\n"
        );
        for (square, &count) in self
            .people
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
        {
            let (x, y) = (square % SQUARES * SIZE, square / SQUARES * SIZE);
            let opacity = f64::from(count) / f64::from(most);
            _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SIZE}\" height=\"{SIZE}\" fill=\"#20506e\" fill-opacity=\"{opacity:.2}\"/>"
            );
        }
        for border in &self.borders {
            let x = border * side as f64;
            _ = writeln!(
                svg,
                "<line x1=\"{x:.1}\" y1=\"0\" x2=\"{x:.1}\" y2=\"{side}\" stroke=\"#d1495b\" stroke-width=\"3\"/>"
            );
        }
        svg.push_str("</svg>\n");
        svg
    }
}
