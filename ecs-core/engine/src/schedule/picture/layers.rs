//! Where things go in a layered drawing: every edge leads from a layer to a later one.
//!
//! After K. Sugiyama: an edge over several layers gets a point in each of those between; each layer is sorted by where
//! its neighbours are, to have few crossings; then all move as near to their neighbours as order and widths permit.

/// A drawing of nodes that are boxes and of edges that are lines through points.
pub(super) struct Layers {
    /// For each node its layer, and the middle of its box.
    pub(super) nodes: Vec<(usize, f32)>,
    /// For each edge the middle of its line in each layer, from the first one's to the second one's.
    pub(super) edges: Vec<Vec<f32>>,
    pub(super) width: f32,
    pub(super) layers: usize,
}

/// What has a place in a layer: a node, or a point of an edge.
struct Item {
    layer: usize,
    width: f32,
    /// In the layer before, and in the layer after.
    neighbours: [Vec<usize>; 2],
    x: f32,
}

/// Between boxes.
const GAP: f32 = 24.0;
/// What the point of an edge takes.
const LINE: f32 = 8.0;

impl Layers {
    /// Nodes have these widths; edges lead from lower to higher numbers.
    #[inline]
    pub(super) fn new(widths: &[f32], edges: &[(usize, usize)]) -> Self {
        let mut items = Vec::with_capacity(widths.len());
        for &width in widths {
            items.push(Item::new(0, width));
        }
        for n in 0..widths.len() {
            let before = edges.iter().filter(|edge| edge.1 == n);
            items[n].layer = before
                .map(|edge| items[edge.0].layer + 1)
                .max()
                .unwrap_or(0);
        }
        let lines: Vec<Vec<usize>> = edges
            .iter()
            .map(|&(first, second)| connect(&mut items, first, second))
            .collect();
        let count = items.iter().map(|item| item.layer + 1).max().unwrap_or(0);
        let mut layers = vec![Vec::new(); count];
        for (n, item) in items.iter().enumerate() {
            layers[item.layer].push(n);
        }
        // Each layer in turn looks at the one before, and then at the one after.
        for round in 0..8 {
            sweep(&mut layers, round, |layer, side| {
                sort(&mut items, layer, side);
            });
        }
        for round in 0..12 {
            sweep(&mut layers, round, |layer, side| {
                settle(&mut items, layer, side);
            });
        }
        let left = items.iter().map(|item| item.x - item.width / 2.0);
        let left = left.fold(f32::INFINITY, f32::min).min(0.0);
        let right = items.iter().map(|item| item.x + item.width / 2.0);
        let right = right.fold(0.0, f32::max);
        let x = |&n: &usize| items[n].x - left;
        Self {
            nodes: (0..widths.len()).map(|n| (items[n].layer, x(&n))).collect(),
            edges: lines
                .iter()
                .map(|line| line.iter().map(x).collect())
                .collect(),
            width: right - left,
            layers: count,
        }
    }
}

impl Item {
    #[inline]
    fn new(layer: usize, width: f32) -> Self {
        Self {
            layer,
            width,
            neighbours: [Vec::new(), Vec::new()],
            x: 0.0,
        }
    }
}

/// Adds the points of an edge; the line from the first node to the second one.
#[inline]
fn connect(items: &mut Vec<Item>, first: usize, second: usize) -> Vec<usize> {
    let mut line = vec![first];
    for layer in items[first].layer + 1..items[second].layer {
        line.push(items.len());
        items.push(Item::new(layer, LINE));
    }
    line.push(second);
    for pair in line.windows(2) {
        items[pair[0]].neighbours[1].push(pair[1]);
        items[pair[1]].neighbours[0].push(pair[0]);
    }
    line
}

/// Goes down in even rounds and up in odd ones.
#[inline]
fn sweep(layers: &mut [Vec<usize>], round: usize, mut with: impl FnMut(&mut Vec<usize>, usize)) {
    if round.is_multiple_of(2) {
        layers.iter_mut().for_each(|layer| with(layer, 0));
    } else {
        layers.iter_mut().rev().for_each(|layer| with(layer, 1));
    }
}

/// The middle of the neighbours, if there are some.
#[inline]
fn wanted(items: &[Item], n: usize, side: usize) -> Option<f32> {
    let neighbours = &items[n].neighbours[side];
    let sum: f32 = neighbours.iter().map(|&other| items[other].x).sum();
    (!neighbours.is_empty()).then(|| sum / neighbours.len() as f32)
}

/// Sorts a layer by the places of its neighbours. Here `x` is the place in the row.
#[inline]
fn sort(items: &mut [Item], layer: &mut [usize], side: usize) {
    let mut keyed: Vec<(f32, usize)> = layer
        .iter()
        .map(|&n| (wanted(items, n, side).unwrap_or(items[n].x), n))
        .collect();
    keyed.sort_by(|one, two| one.0.total_cmp(&two.0));
    let row = layer.len() as f32;
    for (place, (_, n)) in keyed.into_iter().enumerate() {
        layer[place] = n;
        // Rows of different lengths are compared.
        items[n].x = (place as f32 + 0.5) / row;
    }
}

/// Moves all in a layer to where they want to be, as far as order and widths permit: what is in the way of each other
/// moves on as a block, to the mean of the wishes.
#[inline]
fn settle(items: &mut [Item], layer: &mut [usize], side: usize) {
    // With the room that those before it take subtracted, nobody may be left of the one before.
    let (mut offset, mut offsets) = (0.0, Vec::with_capacity(layer.len()));
    // The mean of the wishes, and how many there are.
    let mut blocks: Vec<(f32, usize)> = Vec::new();
    for (place, &n) in layer.iter().enumerate() {
        if place > 0 {
            let both = items[layer[place - 1]].width + items[n].width;
            offset += both / 2.0 + GAP;
        }
        offsets.push(offset);
        let wish = wanted(items, n, side).unwrap_or(items[n].x) - offset;
        let mut block = (wish, 1);
        while let Some(before) = blocks.pop_if(|before| before.0 >= block.0) {
            let count = before.1 + block.1;
            let sum = before.0 * before.1 as f32 + block.0 * block.1 as f32;
            block = (sum / count as f32, count);
        }
        blocks.push(block);
    }
    let places = blocks
        .iter()
        .flat_map(|&(x, count)| core::iter::repeat_n(x, count));
    for ((&n, x), offset) in layer.iter().zip(places).zip(offsets) {
        items[n].x = x + offset;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_of_a_layer_do_not_touch_and_edges_lead_on() {
        let mut random = 7_u32;
        let mut next = |below: usize| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) as usize % below
        };
        for _ in 0..50 {
            let count = 1 + next(20);
            let widths: Vec<f32> = (0..count).map(|_| 20.0 + next(200) as f32).collect();
            let mut edges: Vec<_> = (0..next(40))
                .map(|_| (next(count), next(count)))
                .filter(|(a, b)| a < b)
                .collect();
            edges.sort_unstable();
            edges.dedup();
            let drawn = Layers::new(&widths, &edges);
            for one in 0..count {
                let (layer, x) = drawn.nodes[one];
                assert!(layer < drawn.layers);
                assert!(x - widths[one] / 2.0 >= -0.1);
                assert!(x + widths[one] / 2.0 <= drawn.width + 0.1);
                for two in 0..one {
                    let (other, y) = drawn.nodes[two];
                    let apart = (x - y).abs() >= (widths[one] + widths[two]) / 2.0 + GAP - 0.1;
                    assert!(layer != other || apart, "{one} {two}");
                }
            }
            for (edge, line) in edges.iter().zip(&drawn.edges) {
                let ((start, x), (end, y)) = (drawn.nodes[edge.0], drawn.nodes[edge.1]);
                assert_eq!(line.len(), end - start + 1);
                assert_eq!((line[0], line[end - start]), (x, y));
            }
        }
    }

    #[test]
    fn a_chain_is_a_straight_line() {
        let drawn = Layers::new(&[50.0, 80.0, 20.0], &[(0, 1), (1, 2)]);
        assert_eq!(drawn.nodes, [(0, 40.0), (1, 40.0), (2, 40.0)]);
        assert_eq!(drawn.width, 80.0);
    }

    #[test]
    fn nothing_takes_no_room() {
        let drawn = Layers::new(&[], &[]);
        assert_eq!((drawn.width, drawn.layers), (0.0, 0));
    }
}
