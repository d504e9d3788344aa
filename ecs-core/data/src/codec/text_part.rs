//! The search for a part of a text, in any case of letters.

/// A part of texts. Eight bytes of a text are looked at together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TextPart {
    /// In small letters.
    part: String,
    /// True if it has bytes, and all of them are ASCII.
    is_ascii: bool,
    /// The first byte, eight times.
    first: u64,
    /// The bit that makes the first byte a small letter if it is one, eight times.
    first_case: u64,
    /// The first eight bytes, and zeros if there are fewer.
    head: u64,
    /// The bits that make these bytes small letters.
    head_case: u64,
    /// The bits of these bytes.
    head_bits: u64,
}

/// The highest bit of each byte, which is not set in ASCII.
const HIGH: u64 = 0x8080_8080_8080_8080;

impl TextPart {
    /// Returns a part, which is given in any case of letters.
    pub(crate) fn new(part: &str) -> Self {
        let part = small_letters(part);
        let case = |byte: u8| u8::from(byte.is_ascii_lowercase()) << 5;
        let first = part.bytes().next().unwrap_or(0);
        let (mut head, mut head_case, mut head_bits) = ([0; 8], [0; 8], [0; 8]);
        for (at, byte) in part.bytes().take(8).enumerate() {
            (head[at], head_case[at], head_bits[at]) = (byte, case(byte), 0xff);
        }
        Self {
            is_ascii: part.is_ascii() && !part.is_empty(),
            part,
            first: u64::from_le_bytes([first; 8]),
            first_case: u64::from_le_bytes([case(first); 8]),
            head: u64::from_le_bytes(head),
            head_case: u64::from_le_bytes(head_case),
            head_bits: u64::from_le_bytes(head_bits),
        }
    }

    /// Returns true if a text has the part.
    #[inline]
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        if bytes.len() >= 8 {
            return self.is_in_words(text, bytes);
        }
        self.is_in_words(text, &short_word(bytes).to_le_bytes())
    }

    /// Does the same for a text with its bytes, and zeros up to eight.
    #[inline(never)]
    fn is_in_words(&self, text: &str, words: &[u8]) -> bool {
        if !self.is_ascii {
            return self.is_in_copy(text);
        }
        // Each letter of the part is at least one byte of the text.
        let Some(last_start) = text.len().checked_sub(self.part.len()) else {
            return false;
        };
        // The last eight bytes come after whole words, and may have some of them again.
        let last = words.len() - 8;
        let (mut at, mut unseen) = (0, u64::MAX);
        loop {
            let word = word(words, at);
            if word & HIGH != 0 {
                return self.is_in_copy(text);
            }
            // In ASCII no sum is carried to the next byte.
            let differs = ((word | self.first_case) ^ self.first) + !HIGH;
            let mut firsts = !differs & HIGH & unseen;
            while firsts != 0 {
                let start = at + firsts.trailing_zeros() as usize / 8;
                if start > last_start {
                    break;
                }
                if self.is_at(words, start) {
                    return true;
                }
                firsts &= firsts - 1;
            }
            let next = at + 8;
            if next > last_start {
                break;
            }
            at = next.min(last);
            unseen = u64::MAX << (8 * (next - at));
        }
        // The rest is too short for the part, but letters that are not ASCII may become ones that are.
        let rest = &words[at + 8..];
        let is_ascii = match rest.len() {
            0..=8 => word(words, last) & HIGH == 0,
            _ => rest.is_ascii(),
        };
        !is_ascii && self.is_in_copy(text)
    }

    /// Does the same for a part or a text that is not ASCII.
    #[cold]
    fn is_in_copy(&self, text: &str) -> bool {
        small_letters(text).contains(&self.part)
    }

    /// Returns true if at least eight bytes have the part at a position, and are long enough for it from there on.
    #[inline(always)]
    fn is_at(&self, words: &[u8], start: usize) -> bool {
        let at = start.min(words.len() - 8);
        let head = word(words, at) >> (8 * (start - at));
        let is_head = ((head | self.head_case) ^ self.head) & self.head_bits == 0;
        is_head && (self.part.len() <= 8 || self.is_rest_at(&words[start + 8..]))
    }

    /// Returns true if the part goes on with ASCII bytes after its first eight. A function of its own, since its vectors would take
    /// registers in the loop.
    #[inline(never)]
    fn is_rest_at(&self, bytes: &[u8]) -> bool {
        let rest = &self.part.as_bytes()[8..];
        bytes[..rest.len()].eq_ignore_ascii_case(rest)
    }
}

/// Returns a text in small letters, each of which depends on its own letter alone: a sigma at the end of a word is like others.
fn small_letters(text: &str) -> String {
    text.to_lowercase().replace('ς', "σ")
}

/// Returns eight bytes.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes[at..].first_chunk().expect("eight bytes");
    u64::from_le_bytes(*bytes)
}

/// Returns fewer than eight bytes, with zeros behind them. Two reads that may overlap take fewer instructions than a copy of so many.
#[inline(always)]
fn short_word(bytes: &[u8]) -> u64 {
    let behind = |size: usize| 8 * (bytes.len() - size);
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << behind(4)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u64::from(u16::from_le_bytes(*first)) | u64::from(u16::from_le_bytes(*last)) << behind(2)
    } else {
        bytes.first().map_or(0, |&byte| byte.into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a text in small letters, letter by letter.
    fn small(text: &str) -> String {
        let letters = text.chars().flat_map(char::to_lowercase);
        letters.map(|c| if c == 'ς' { 'σ' } else { c }).collect()
    }

    proptest! {
        #[test]
        fn a_text_is_searched_like_its_copy_in_small_letters(
            text in "[abABkK@`\\[{\0\u{7f} .\u{212a}ßİΣσς]{0,40}",
            part in "[abABkK@`\\[{\0\u{7f} .\u{212a}ßİΣσς]{0,3}",
            (from, len) in (0usize..40, 0usize..20),
        ) {
            // Parts of the text itself, too, which are longer.
            let piece: String = text.chars().skip(from).take(len).collect();
            for part in [part, piece.to_uppercase(), piece] {
                let expected = small(&text).contains(&small(&part));
                prop_assert_eq!(TextPart::new(&part).is_in(&text), expected, "{} in {}", part, text);
            }
        }

        #[test]
        fn a_text_has_each_of_its_pieces(
            text in "[aB Σσς]{0,20}",
            (from, len) in (0usize..20, 0usize..20),
        ) {
            let piece: String = text.chars().skip(from).take(len).collect();
            for piece in [piece.to_uppercase(), piece.to_lowercase(), piece] {
                prop_assert!(TextPart::new(&piece).is_in(&text), "{} in {}", piece, text);
            }
        }

        #[test]
        fn an_ascii_text_has_each_of_its_pieces(
            text in "[aAbB ]{0,40}",
            part in "[aAbB ]{0,12}",
            (from, len) in (0usize..40, 0usize..40),
        ) {
            let piece: String = text.chars().skip(from).take(len).collect();
            prop_assert!(TextPart::new(&piece).is_in(&text), "{} in {}", piece, text);
            let expected = text.to_lowercase().contains(&part.to_lowercase());
            prop_assert_eq!(TextPart::new(&part).is_in(&text), expected, "{} in {}", part, text);
        }
    }
}
