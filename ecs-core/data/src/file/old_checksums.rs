//! The checksums of files of older forms, which are read and not written.

/// The last form with one of these.
pub(super) const LAST: u32 = 3;

/// Odd, with bits that look random.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the checksum of a file of an older form.
pub(super) fn of(format: u32, bytes: &[u8]) -> Option<u64> {
    match format {
        0..3 => Some(of_words(bytes)),
        LAST => Some(of_blocks(bytes)),
        _ => None,
    }
}

/// Returns the checksum of the forms 1 and 2: one number, into which words are folded.
fn of_words(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]);
    let state = words.fold(MULTIPLIER, |state, &word| {
        fold(state, u64::from_le_bytes(word))
    });
    fold(state, bytes.len() as u64)
}

/// Returns the checksum of form 3: four numbers side by side.
fn of_blocks(bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks();
    let mut last = [0; 32];
    last[..rest.len()].copy_from_slice(rest);
    let mut states = [MULTIPLIER, !MULTIPLIER, MULTIPLIER >> 1, MULTIPLIER << 1];
    for block in blocks.iter().chain([&last]) {
        for (state, &word) in states.iter_mut().zip(block.as_chunks().0) {
            *state = fold(*state, u64::from_le_bytes(word));
        }
    }
    states.into_iter().fold(bytes.len() as u64, fold)
}

#[inline]
fn fold(state: u64, word: u64) -> u64 {
    let product = u128::from(state ^ word) * u128::from(MULTIPLIER);
    (product as u64 ^ (product >> 64) as u64).wrapping_add(word)
}
