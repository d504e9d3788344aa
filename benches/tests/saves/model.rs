//! Random worlds as plain lists.

use std::collections::BTreeMap;

/// An entity.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) place: Option<f32>,
    pub(crate) name: Option<String>,
    /// The position of an entity that a component names.
    pub(crate) link: Option<usize>,
    /// The position of the parent, which comes before.
    pub(crate) parent: Option<usize>,
    /// The number of entities that are spawned before this one, and despawned.
    pub(crate) gap: usize,
}

/// A world to be made; the key of an entity is its position.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) nodes: Vec<Node>,
}

/// The key of an entity, and whether it is a copy.
pub(crate) type Key = (usize, bool);

/// The components of an entity, with keys in place of ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row {
    pub(crate) place: Option<f32>,
    pub(crate) name: Option<String>,
    pub(crate) link: Option<Key>,
    pub(crate) parent: Option<Key>,
}

pub(crate) type Rows = BTreeMap<Key, Row>;

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn some<T>(&mut self, value: T) -> Option<T> {
        (self.below(2) == 0).then_some(value)
    }
}

impl Plan {
    pub(crate) fn random(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let count = 1 + random.below(8);
        let mut nodes: Vec<Node> = Vec::new();
        for position in 0..count {
            let parent = (position > 0).then(|| random.below(position.max(1)));
            let link = match random.below(6) {
                0 | 1 => None,
                2 => Some(position),
                3 => parent,
                _ => Some(random.below(count)),
            };
            let number = random.below(1000);
            nodes.push(Node {
                place: random.some(number as f32 / 8.0),
                name: random.some(format!("n\"{number}")),
                link,
                parent: parent.and_then(|parent| random.some(parent)),
                gap: random.below(3),
            });
        }
        Self { nodes }
    }

    pub(crate) fn without_parents(mut self) -> Self {
        self.nodes.iter_mut().for_each(|node| node.parent = None);
        self
    }

    /// Returns true if an entity is another one or its descendant.
    fn is_below(&self, mut node: usize, root: usize) -> bool {
        while node != root {
            let Some(parent) = self.nodes[node].parent else {
                return false;
            };
            node = parent;
        }
        true
    }

    fn root_of(&self, node: usize) -> usize {
        self.nodes[node]
            .parent
            .map_or(node, |parent| self.root_of(parent))
    }

    /// Returns true if each link leads to the entity itself, to an ancestor, or to another tree.
    pub(crate) fn links_lead_up_or_out(&self) -> bool {
        let mut nodes = self.nodes.iter().enumerate();
        nodes.all(|(position, node)| {
            node.link.is_none_or(|link| {
                self.is_below(position, link) || self.root_of(link) != self.root_of(position)
            })
        })
    }

    /// Returns the components of all entities.
    pub(crate) fn rows(&self) -> Rows {
        let nodes = self.nodes.iter().enumerate();
        nodes
            .map(|(position, node)| ((position, false), row(node, &|_| false)))
            .collect()
    }

    /// Returns the same after cloning an entity with all its descendants.
    pub(crate) fn with_clone_of(&self, root: usize) -> Rows {
        let mut rows = self.rows();
        for (position, node) in self.nodes.iter().enumerate() {
            if self.is_below(position, root) {
                let copy = row(node, &|other| self.is_below(other, root));
                rows.insert((position, true), copy);
            }
        }
        rows
    }
}

fn row(node: &Node, is_copy: &dyn Fn(usize) -> bool) -> Row {
    let key = |position: usize| (position, is_copy(position));
    Row {
        place: node.place,
        name: node.name.clone(),
        link: node.link.map(key),
        parent: node.parent.map(key),
    }
}
