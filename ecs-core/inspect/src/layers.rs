//! Layout of a layered drawing: each edge leads from a layer to a later one.
//!
//! The method is Sugiyama's. An edge over several layers gets a point in each layer between. Each layer is sorted by
//! the mean position of its neighbours, for few crossings. Then all items move towards their neighbours as far as order
//! and widths permit.
//!
//! No crate fits. `layout-rs` and `rust-sugiyama` have not changed for over a year, and the latter only places nodes;
//! `dagre` is 18,000 lines that belong to another product.

/// A layered drawing: nodes are boxes, edges are lines through points.
pub(crate) struct Layers {
    /// For each node its layer, and the x coordinate of its middle.
    pub(crate) nodes: Vec<(usize, f32)>,
    /// For each edge its x coordinate in each layer, from the first node's layer to the second's.
    pub(crate) edges: Vec<Vec<f32>>,
    pub(crate) width: f32,
    pub(crate) layers: usize,
}

/// An item of a layer: a node, or a point of an edge.
struct LayerItem {
    layer: usize,
    width: f32,
    /// The neighbours in the layer before, and in the layer after.
    neighbours: [Vec<usize>; 2],
    x: f32,
}

/// The space between boxes.
const GAP: f32 = 24.0;
/// The width of the point of an edge.
const LINE: f32 = 8.0;

impl Layers {
    /// Lays out nodes with these widths. Edges lead from lower to higher numbers.
    pub(crate) fn new(widths: &[f32], edges: &[(usize, usize)]) -> Self {
        let mut items = Vec::with_capacity(widths.len());
        for &width in widths {
            items.push(LayerItem::new(0, width));
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
        // Downwards, each layer is sorted by the layer before it; upwards, by the layer after it.
        for round in 0..8 {
            sweep(&mut layers, round, |layer, side| {
                sort(&mut items, layer, side);
            });
        }
        for round in 0..12 {
            sweep(&mut layers, round, |layer, side| {
                move_to_neighbours(&mut items, layer, side);
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

impl LayerItem {
    fn new(layer: usize, width: f32) -> Self {
        Self {
            layer,
            width,
            neighbours: [Vec::new(), Vec::new()],
            x: 0.0,
        }
    }
}

/// Adds the points of an edge; returns its line from the first node to the second.
fn connect(items: &mut Vec<LayerItem>, first: usize, second: usize) -> Vec<usize> {
    let mut line = vec![first];
    for layer in items[first].layer + 1..items[second].layer {
        line.push(items.len());
        items.push(LayerItem::new(layer, LINE));
    }
    line.push(second);
    for pair in line.windows(2) {
        items[pair[0]].neighbours[1].push(pair[1]);
        items[pair[1]].neighbours[0].push(pair[0]);
    }
    line
}

/// Visits the layers downwards in even rounds and upwards in odd rounds.
fn sweep(layers: &mut [Vec<usize>], round: usize, mut with: impl FnMut(&mut Vec<usize>, usize)) {
    if round.is_multiple_of(2) {
        layers.iter_mut().for_each(|layer| with(layer, 0));
    } else {
        layers.iter_mut().rev().for_each(|layer| with(layer, 1));
    }
}

/// Returns the mean position of the neighbours, if there are any.
fn neighbour_mean(items: &[LayerItem], n: usize, side: usize) -> Option<f32> {
    let neighbours = &items[n].neighbours[side];
    let sum: f32 = neighbours.iter().map(|&other| items[other].x).sum();
    (!neighbours.is_empty()).then(|| sum / neighbours.len() as f32)
}

/// Sorts a layer by the positions of its neighbours. `x` is the relative position in the row here.
fn sort(items: &mut [LayerItem], layer: &mut [usize], side: usize) {
    let mut keyed: Vec<(f32, usize)> = layer
        .iter()
        .map(|&n| (neighbour_mean(items, n, side).unwrap_or(items[n].x), n))
        .collect();
    keyed.sort_by(|one, two| one.0.total_cmp(&two.0));
    let row = layer.len() as f32;
    for (place, (_, n)) in keyed.into_iter().enumerate() {
        layer[place] = n;
        // Relative, to compare rows of different lengths.
        items[n].x = (place as f32 + 0.5) / row;
    }
}

/// Moves the items of a layer towards their neighbours, as far as order and widths permit: items that would overlap
/// move as a block, to the mean of their targets.
fn move_to_neighbours(items: &mut [LayerItem], layer: &mut [usize], side: usize) {
    // Targets minus the space of the items before: these must not decrease.
    let (mut offset, mut offsets) = (0.0, Vec::with_capacity(layer.len()));
    // The mean target of a block, and the number of its items.
    let mut blocks: Vec<(f32, usize)> = Vec::new();
    for (place, &n) in layer.iter().enumerate() {
        if place > 0 {
            let both = items[layer[place - 1]].width + items[n].width;
            offset += both / 2.0 + GAP;
        }
        offsets.push(offset);
        let target = neighbour_mean(items, n, side).unwrap_or(items[n].x) - offset;
        let mut block = (target, 1);
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
    fn boxes_of_a_layer_do_not_touch_and_edges_connect_their_nodes() {
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
    fn an_empty_drawing_has_no_width() {
        let drawn = Layers::new(&[], &[]);
        assert_eq!((drawn.width, drawn.layers), (0.0, 0));
    }
}
