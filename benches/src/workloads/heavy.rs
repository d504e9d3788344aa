//! A loop with heavy computation per row: a hundred inversions of a 4x4 matrix, each applied to a position.

use crate::components::{Position, Rotation, Transform, Vec3, Velocity, digest_rows};

/// The number of inversions per entity.
const INVERSIONS: u32 = 100;

/// The number of inversions per entity of `par_rows`.
const SHORT: u32 = 60;

/// The size of a batch of rows, for libraries that take one.
pub(crate) const PIECE: u32 = 64;

/// Makes the components of the `number`th entity. The matrix is well-conditioned, and differs from row to row.
pub fn row(number: u32) -> (Transform, Position, Rotation, Velocity) {
    let x = number as f32 / 1000.0;
    #[rustfmt::skip]
    let matrix = [
        2.0,      x, 0.25,     0.0,
        -x,     2.5,  0.5,     0.0,
        0.125, -0.5,  3.0 - x, 0.0,
        x,      1.0, -1.0,     1.0,
    ];
    let (position, still) = (Vec3::new(x, 1.0, 2.0), Vec3::default());
    (
        Transform(matrix),
        Position(position),
        Rotation(still),
        Velocity(still),
    )
}

/// Processes a row. Not inlined, so that it is the same code for all peers.
#[inline(never)]
pub(crate) fn work(transform: &mut Transform, position: &mut Position) {
    invert(INVERSIONS, transform, position);
}

/// Processes a row of `par_rows`: about a microsecond.
#[inline(never)]
pub(crate) fn short_work(transform: &mut Transform, position: &mut Position) {
    invert(SHORT, transform, position);
}

#[inline]
fn invert(times: u32, transform: &mut Transform, position: &mut Position) {
    for _ in 0..times {
        transform.0 = inverse(&transform.0);
        position.0 = turned(&transform.0, position.0);
    }
}

/// Rotates the direction `v` by the matrix.
#[inline]
fn turned(m: &[f32; 16], v: Vec3) -> Vec3 {
    Vec3::new(
        m[0] * v.x + m[4] * v.y + m[8] * v.z,
        m[1] * v.x + m[5] * v.y + m[9] * v.z,
        m[2] * v.x + m[6] * v.y + m[10] * v.z,
    )
}

/// Inverts a matrix, by the determinants of the 2x2 parts of upper and lower half.
#[inline]
pub fn inverse(m: &[f32; 16]) -> [f32; 16] {
    let upper = |i: usize, k: usize| m[i] * m[4 + k] - m[4 + i] * m[k];
    let lower = |i: usize, k: usize| m[8 + i] * m[12 + k] - m[12 + i] * m[8 + k];
    let (s0, s1, s2) = (upper(0, 1), upper(0, 2), upper(0, 3));
    let (s3, s4, s5) = (upper(1, 2), upper(1, 3), upper(2, 3));
    let (c0, c1, c2) = (lower(0, 1), lower(0, 2), lower(0, 3));
    let (c3, c4, c5) = (lower(1, 2), lower(1, 3), lower(2, 3));
    let scale = 1.0 / (s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0);
    [
        (m[5] * c5 - m[6] * c4 + m[7] * c3) * scale,
        (-m[1] * c5 + m[2] * c4 - m[3] * c3) * scale,
        (m[13] * s5 - m[14] * s4 + m[15] * s3) * scale,
        (-m[9] * s5 + m[10] * s4 - m[11] * s3) * scale,
        (-m[4] * c5 + m[6] * c2 - m[7] * c1) * scale,
        (m[0] * c5 - m[2] * c2 + m[3] * c1) * scale,
        (-m[12] * s5 + m[14] * s2 - m[15] * s1) * scale,
        (m[8] * s5 - m[10] * s2 + m[11] * s1) * scale,
        (m[4] * c4 - m[5] * c2 + m[7] * c0) * scale,
        (-m[0] * c4 + m[1] * c2 - m[3] * c0) * scale,
        (m[12] * s4 - m[13] * s2 + m[15] * s0) * scale,
        (-m[8] * s4 + m[9] * s2 - m[11] * s0) * scale,
        (-m[4] * c3 + m[5] * c1 - m[6] * c0) * scale,
        (m[0] * c3 - m[1] * c1 + m[2] * c0) * scale,
        (-m[12] * s3 + m[13] * s1 - m[14] * s0) * scale,
        (m[8] * s3 - m[9] * s1 + m[10] * s0) * scale,
    ]
}

/// Returns the digest of the results.
pub(crate) fn digest<'a>(rows: impl IntoIterator<Item = (&'a Transform, &'a Position)>) -> u64 {
    let still = (Rotation::default(), Velocity::default());
    let rows: Vec<_> = rows.into_iter().map(|(t, p)| (*t, *p)).collect();
    digest_rows(rows.iter().map(|(t, p)| (t, p, &still.0, &still.1)))
}
