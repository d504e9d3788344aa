//! The first bytes between two processes, and the verdict on them. No sockets: only the bytes.
//!
//! | bytes | |
//! |---|---|
//! | 8 | `ecsshrd1` |
//! | 4 | number of shards |
//! | 4 | number of the sender |
//! | 4 | number of the receiver |
//! | 4 | 0 for rounds, 2 for pulses, or 1 in an answer: the number is taken |
//! | 8 | hash of the components |
//! | 8 | number of the run |
//! | 32 | token |
//!
//! Who calls sends it, and who is called answers with its own, if the token was right. Others get no answer.

use core::hint::black_box;

use crate::net::MeetingDifference;

/// The length of a greeting.
pub(super) const HELLO: usize = 72;

const MAGIC: [u8; 8] = *b"ecsshrd1";

/// The use of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineUse {
    Rounds = 0,
    /// None: another process has the number. Only in answers.
    Taken = 1,
    Pulses = 2,
}

/// A greeting, between the shards `from` and `to`.
#[derive(Clone, Copy)]
pub(super) struct Hello {
    pub(super) shards: usize,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) line: LineUse,
    pub(super) schema: u64,
    pub(super) run: u64,
    pub(super) token: [u8; 32],
}

/// A verdict on the bytes of another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// A stranger: nothing in the bytes can be relied on.
    Stranger,
    /// A process with the right token that does not fit.
    Differs(MeetingDifference),
    /// The shard of that number, which is less than the number of shards, and the use of the connection.
    Fits(usize, LineUse),
}

impl Hello {
    pub(super) fn to_bytes(self) -> [u8; HELLO] {
        let mut bytes = [0; HELLO];
        bytes[..8].copy_from_slice(&MAGIC);
        for (at, number) in [
            (8, self.shards),
            (12, self.from),
            (16, self.to),
            (20, self.line as usize),
        ] {
            bytes[at..at + 4].copy_from_slice(&(number as u32).to_le_bytes());
        }
        bytes[24..32].copy_from_slice(&self.schema.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.run.to_le_bytes());
        bytes[40..].copy_from_slice(&self.token);
        bytes
    }

    /// Judges a greeting that came to this process. The receiver of this one's greeting does not matter.
    pub(super) fn judge(&self, bytes: &[u8; HELLO]) -> Verdict {
        // All bytes are compared, so that the time does not tell how many are right.
        let differing = self
            .token
            .iter()
            .zip(&bytes[40..])
            .fold(0, |all, (mine, theirs)| all | (mine ^ theirs));
        if black_box(differing) != 0 || bytes[..8] != MAGIC {
            return Verdict::Stranger;
        }
        let short =
            |at: usize| u32::from_le_bytes(core::array::from_fn(|i| bytes[at + i])) as usize;
        let long = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| bytes[at + i]));
        let (shards, from, to) = (short(8), short(12), short(16));
        let mut lines = [LineUse::Rounds, LineUse::Pulses].into_iter();
        let line = lines.find(|line| *line as usize == short(20));
        let (schema, run) = (long(24), long(32));
        let difference = if shards != self.shards {
            MeetingDifference::Shards {
                mine: self.shards,
                theirs: shards,
            }
        } else if schema != self.schema {
            MeetingDifference::Schema {
                mine: self.schema,
                theirs: schema,
            }
        } else if run != self.run {
            MeetingDifference::Run {
                mine: self.run,
                theirs: run,
            }
        } else if let Some(line) = line
            && to == self.from
            && from < self.shards
            && from != self.from
        {
            return Verdict::Fits(from, line);
        } else {
            MeetingDifference::Number
        };
        Verdict::Differs(difference)
    }
}
