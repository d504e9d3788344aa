//! The hash of bytes. It is the same on all platforms and in all versions: its values are stored and sent.

/// Odd, with bits that look random.
const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xd1b5_4a32_d192_ed03;

/// Multiplies two numbers, and folds the upper half of the result into the lower one.
const fn fold(one: u64, other: u64) -> u64 {
    let product = one as u128 * other as u128;
    product as u64 ^ (product >> 64) as u64
}

/// Mixes a number into a state.
pub(super) const fn mix(state: u64, number: u64) -> u64 {
    // Added, because a product of zero would forget the number.
    fold(state ^ number, FIRST).wrapping_add(number.rotate_left(32) ^ SECOND)
}

/// Mixes bytes and their number into a state.
#[inline]
pub(super) fn mix_bytes(mut state: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = mix(state, u64::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        state = mix(state, last_word(bytes));
    }
    mix(state, bytes.len() as u64)
}

/// Passes on the hashes of rows, which end at `ends`, each mixed into a state of its own.
#[inline]
pub(super) fn mix_rows(
    states: impl Iterator<Item = u64>,
    bytes: &[u8],
    ends: &[usize],
    each: &mut impl FnMut(u64),
) {
    let len = ends.first().copied().unwrap_or(0);
    // Without an early end, so that LLVM compares several at once.
    let odd = (1..)
        .zip(ends)
        .fold(0, |odd, (rows, &end)| odd | (end ^ (rows * len)));
    let is_regular = odd == 0;
    // A few lengths: the compiler unrolls the loops over words for them.
    match (is_regular, len) {
        (true, 4) => mix_rows_of::<4>(states, bytes, each),
        (true, 8) => mix_rows_of::<8>(states, bytes, each),
        (true, 12) => mix_rows_of::<12>(states, bytes, each),
        (true, 16) => mix_rows_of::<16>(states, bytes, each),
        (true, 24) => mix_rows_of::<24>(states, bytes, each),
        (true, 32) => mix_rows_of::<32>(states, bytes, each),
        (true, 40) => mix_rows_of::<40>(states, bytes, each),
        _ => {
            let mut start = 0;
            for (state, &end) in states.zip(ends) {
                each(mix_bytes(state, &bytes[start..end]));
                start = end;
            }
        }
    }
}

fn mix_rows_of<const N: usize>(
    states: impl Iterator<Item = u64>,
    bytes: &[u8],
    each: &mut impl FnMut(u64),
) {
    let (rows, _) = bytes.as_chunks::<N>();
    for (state, row) in states.zip(rows) {
        each(mix_bytes(state, row));
    }
}

/// Returns the last eight bytes, or all of fewer, at least one. So equal results mean equal bytes for each length.
#[inline]
fn last_word(bytes: &[u8]) -> u64 {
    if let Some(last) = bytes.last_chunk::<8>() {
        return u64::from_le_bytes(*last);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last));
    }
    let [first, middle, last] =
        [0, bytes.len() / 2, bytes.len() - 1].map(|at| u64::from(bytes[at]));
    first << 16 | middle << 8 | last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_known_bytes_never_change() {
        let bytes: Vec<u8> = (0..=40).collect();
        let hashes = [0, 1, 7, 8, 9, 16, 41].map(|len| mix_bytes(7, &bytes[..len]));
        let vectors = [
            2_682_349_073_551_085_978,
            8_068_239_342_836_558_790,
            8_479_958_637_670_484_239,
            12_855_581_147_425_905_765,
            1_187_931_331_451_123_722,
            6_771_565_784_129_945_904,
            3_420_724_548_996_410_520,
        ];
        assert_eq!(hashes, vectors);
    }

    #[test]
    fn rows_have_the_hashes_of_their_bytes() {
        let bytes: Vec<u8> = (0..=255).cycle().take(512).collect();
        for len in 0..=40 {
            for odd in [0, 1] {
                // In some, the last row but one is longer.
                let mut ends: Vec<usize> = (1..=10).map(|row| row * len).collect();
                ends[8] += odd;
                ends[9] += odd;
                let mut hashes = Vec::new();
                mix_rows(5.., &bytes[..ends[9]], &ends, &mut |hash| hashes.push(hash));
                let starts = [0].into_iter().chain(ends.iter().copied());
                let rows = starts.zip(&ends).map(|(start, &end)| &bytes[start..end]);
                let expected: Vec<u64> =
                    (5..).zip(rows).map(|(n, row)| mix_bytes(n, row)).collect();
                assert_eq!(hashes, expected);
            }
        }
    }

    #[test]
    fn each_bit_and_the_length_matter() {
        let bytes = [0_u8; 24];
        let mut seen = vec![mix_bytes(1, &bytes), mix_bytes(1, &bytes[..23])];
        for bit in 0..24 * 8 {
            let mut other = bytes;
            other[bit / 8] ^= 1 << (bit % 8);
            seen.push(mix_bytes(1, &other));
        }
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }
}
