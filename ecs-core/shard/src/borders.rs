//! `Borders`: which shard owns which columns of a grid.

use crate::grid::Grid;

/// The columns of each shard, side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Borders {
    /// The first column of each shard, and the number of all columns. In ascending order; a shard may own none.
    starts: Vec<u32>,
}

impl Borders {
    /// Divides columns evenly.
    pub(crate) fn even(columns: u32, shards: usize) -> Self {
        let start = |shard: usize| (u64::from(columns) * shard as u64 / shards as u64) as u32;
        Self {
            starts: (0..=shards).map(start).collect(),
        }
    }

    /// Divides columns so that each shard has about the same load.
    pub(crate) fn by_load(loads: &[u64], shards: usize) -> Self {
        let sum: u128 = loads.iter().map(|&load| u128::from(load)).sum();
        if sum == 0 {
            return Self::even(loads.len() as u32, shards);
        }
        let mut starts = vec![0];
        let mut before = 0_u128;
        for (column, load) in (0_u32..).zip(loads) {
            // The border lies where it leaves less of the column on the wrong side.
            let middle = before * 2 + u128::from(*load);
            while starts.len() < shards && middle * shards as u128 > sum * 2 * starts.len() as u128
            {
                starts.push(column);
            }
            before += u128::from(*load);
        }
        starts.resize(shards, loads.len() as u32);
        starts.push(loads.len() as u32);
        Self { starts }
    }

    /// Returns the borders with these starts, if they divide the columns among so many shards.
    pub(crate) fn of_starts(starts: Vec<u32>, columns: u32, shards: usize) -> Option<Self> {
        let fit = starts.len() == shards + 1
            && starts[0] == 0
            && starts[shards] == columns
            && starts.is_sorted();
        fit.then_some(Self { starts })
    }

    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    pub(crate) fn owner(&self, column: u32) -> usize {
        self.starts.partition_point(|&start| start <= column) - 1
    }

    /// Returns the first column of a shard, and the number of its columns.
    pub(crate) fn of_shard(&self, shard: usize) -> (u32, u32) {
        let (start, end) = (self.starts[shard], self.starts[shard + 1]);
        (start, end - start)
    }

    /// Returns for each column its owner, and the shards with a column that is at most `reach` away.
    pub(crate) fn near(&self, grid: &Grid, reach: u32) -> Vec<ColumnShards> {
        let columns = 0..grid.columns();
        let owners: Vec<usize> = columns.clone().map(|column| self.owner(column)).collect();
        columns
            .map(|column| {
                let reach = i64::from(reach);
                let around = (-reach..=reach).filter_map(|by| grid.column_at(column, by));
                let mut near: Vec<usize> = around.map(|column| owners[column as usize]).collect();
                near.sort_unstable();
                near.dedup();
                let owner = owners[column as usize];
                let others = near.iter().copied().filter(|&shard| shard != owner);
                ColumnShards {
                    owner,
                    others: others.collect(),
                    near,
                }
            })
            .collect()
    }
}

/// The shards that know the entities in a column.
pub(crate) struct ColumnShards {
    pub(crate) owner: usize,
    /// The owner, and the shards close by.
    pub(crate) near: Vec<usize>,
    /// The shards close by.
    pub(crate) others: Vec<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_one_owner() {
        for shards in 1..9 {
            for columns in [1, 2, 7, 64] {
                let borders = Borders::even(columns, shards);
                let owned: u32 = (0..shards).map(|shard| borders.of_shard(shard).1).sum();
                assert_eq!(owned, columns);
                for column in 0..columns {
                    let (start, len) = borders.of_shard(borders.owner(column));
                    assert!((start..start + len).contains(&column));
                }
            }
        }
    }

    #[test]
    fn borders_follow_the_load() {
        let borders = Borders::by_load(&[1, 1, 1, 1, 4, 4, 4, 4], 2);
        assert_eq!(borders.starts(), [0, 6, 8]);
        let borders = Borders::by_load(&[0, 0, 9, 0], 3);
        assert_eq!(borders.starts().len(), 4);
        assert!(borders.starts().is_sorted());
        assert_eq!(Borders::by_load(&[0; 4], 2), Borders::even(4, 2));
        for shards in 1..20 {
            let starts = Borders::by_load(&[3, 0, 100, 2], shards);
            assert!(Borders::of_starts(starts.starts().to_vec(), 4, shards).is_some());
        }
    }

    #[test]
    fn the_first_and_the_last_column_of_a_torus_are_neighbours() {
        let near = Borders::even(8, 4).near(&Grid::torus(8, 1.0), 1);
        assert_eq!(near[0].near, [0, 3]);
        assert_eq!(near[1].near, [0, 1]);
        let near = Borders::even(8, 4).near(&Grid::bounded(8, 8, 1.0), 1);
        assert_eq!(near[0].near, [0]);
    }
}
