//! A component of strings, lists and maps, which worlds as data are measured with.

use std::collections::{BTreeMap, HashMap};

use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

/// A component of strings, lists and maps.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "bench.hero")]
pub struct Hero {
    name: String,
    tags: Vec<String>,
    stats: HashMap<String, u32>,
    slots: BTreeMap<u32, u64>,
}

impl Hero {
    /// Returns the hero with a number. Texts and collections of all heroes have about the same length.
    #[must_use]
    pub fn numbered(number: u32) -> Self {
        Self {
            name: format!("hero number {number}"),
            tags: (0..3).map(|tag| format!("tag {tag}")).collect(),
            stats: (0..4)
                .map(|stat| (format!("stat {stat}"), number * stat))
                .collect(),
            slots: (0..4)
                .map(|slot| (slot, u64::from(number + slot)))
                .collect(),
        }
    }
}
