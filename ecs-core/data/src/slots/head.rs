//! The beginning of a slot's file, which the list of slots reads.

use std::fs::File;
use std::io::{self, Read};
use std::time::{Duration, SystemTime};

use super::info::SlotInfo;
use crate::file::{FileError, FileInput, checksum_of};

/// The first bytes.
const MAGIC: &[u8; 8] = b"ecs-slot";

/// The version of the form that is written.
const FORM: u32 = 1;

/// The length of the magic bytes, the form and the length of the head.
const START: usize = 16;

/// The greatest length of the head.
pub(super) const HEAD_LIMIT: usize = 64 * 1024;

/// The greatest number of seconds before and after 1970, so that every system can represent the time.
const MAX_SECONDS: i64 = 1 << 33;

/// The beginning of a slot's file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SlotHead {
    /// Since 1970.
    seconds: i64,
    nanos: u32,
    pub(super) version: String,
    pub(super) note: String,
    /// The length and the checksum of the picture.
    pub(super) picture: (u64, u64),
    /// The length and the checksum of the contents.
    pub(super) contents: (u64, u64),
}

impl SlotHead {
    pub(super) fn of(info: &SlotInfo, picture: &[u8], contents: &[u8]) -> Self {
        let time = info.time.unwrap_or_else(SystemTime::now);
        let (seconds, nanos) = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => (after.as_secs() as i64, after.subsec_nanos()),
            Err(before) => (-(before.duration().as_secs() as i64), 0),
        };
        let part = |bytes: &[u8]| (bytes.len() as u64, checksum_of(bytes));
        Self {
            seconds: seconds.clamp(-MAX_SECONDS, MAX_SECONDS),
            nanos,
            version: info.version.clone(),
            note: info.note.clone(),
            picture: part(picture),
            contents: part(contents),
        }
    }

    pub(super) fn time(&self) -> SystemTime {
        let seconds = Duration::from_secs(self.seconds.unsigned_abs());
        let time = match self.seconds < 0 {
            true => SystemTime::UNIX_EPOCH.checked_sub(seconds),
            false => SystemTime::UNIX_EPOCH.checked_add(seconds),
        };
        let time = time.and_then(|time| time.checked_add(Duration::from_nanos(self.nanos.into())));
        time.unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// Returns the bytes before the picture.
    ///
    /// # Errors
    /// The length of the texts, if they are too long.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, usize> {
        let mut head = Vec::new();
        head.extend(self.seconds.to_le_bytes());
        head.extend(self.nanos.to_le_bytes());
        for text in [&self.version, &self.note] {
            head.extend((text.len() as u32).to_le_bytes());
            head.extend(text.as_bytes());
        }
        for (length, checksum) in [self.picture, self.contents] {
            head.extend(length.to_le_bytes());
            head.extend(checksum.to_le_bytes());
        }
        if head.len() > HEAD_LIMIT {
            return Err(self.version.len() + self.note.len());
        }
        let mut bytes = Vec::with_capacity(START + head.len() + 8);
        bytes.extend(MAGIC);
        bytes.extend(FORM.to_le_bytes());
        bytes.extend((head.len() as u32).to_le_bytes());
        bytes.extend(head);
        bytes.extend(checksum_of(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// Reads the head of a file, and checks that the file is as long as the head says.
    pub(super) fn read(file: &mut File) -> Result<Self, HeadError> {
        let length = file.metadata()?.len();
        let mut bytes = Vec::new();
        file.take(START as u64).read_to_end(&mut bytes)?;
        let head = head_length(&bytes)?;
        // Nothing is allocated before the bytes are there.
        file.take(head as u64 + 8).read_to_end(&mut bytes)?;
        Ok(Self::of_bytes(&bytes, length)?)
    }

    /// Reads the bytes before the picture, of a file of this length.
    fn of_bytes(bytes: &[u8], length: u64) -> Result<Self, FileError> {
        let end = START + head_length(bytes)?;
        let ended = || FileError::Truncated {
            length: bytes.len(),
        };
        let sum = bytes.get(end..end + 8).ok_or_else(ended)?;
        if checksum_of(&bytes[..end]).to_le_bytes() != sum {
            return Err(FileError::Checksum);
        }
        let mut input = FileInput::between(bytes, START, end);
        let seconds = input.u64()? as i64;
        let nanos = input.u32()?;
        if seconds.unsigned_abs() > MAX_SECONDS as u64 || nanos >= 1_000_000_000 {
            return Err(input.malformed(12, "the time is out of range"));
        }
        let (version, note) = (input.text()?.to_owned(), input.text()?.to_owned());
        let picture = (input.u64()?, input.u64()?);
        let contents = (input.u64()?, input.u64()?);
        if input.left() > 0 {
            return Err(input.malformed(0, "there is more before the end of the head"));
        }
        let parts = picture.0.checked_add(contents.0);
        let whole = parts.and_then(|parts| parts.checked_add(end as u64 + 8));
        match whole {
            Some(whole) if whole == length => {}
            Some(whole) if whole < length => {
                return Err(FileError::Malformed {
                    byte: whole as usize,
                    problem: "there is more after the end",
                });
            }
            _ => {
                let length = length as usize;
                return Err(FileError::Truncated { length });
            }
        }
        Ok(Self {
            seconds,
            nanos,
            version,
            note,
            picture,
            contents,
        })
    }
}

/// The reason why the beginning of a file cannot be read.
pub(super) enum HeadError {
    File(FileError),
    Io(io::Error),
}

impl From<FileError> for HeadError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<io::Error> for HeadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Checks the first bytes, and returns the length of the head.
fn head_length(bytes: &[u8]) -> Result<usize, FileError> {
    let known = bytes.len().min(MAGIC.len());
    if bytes[..known] != MAGIC[..known] {
        return Err(FileError::Foreign);
    }
    let mut input = FileInput::new(bytes);
    input.take(MAGIC.len())?;
    let form = input.u32()?;
    match form {
        0 => return Err(input.malformed(4, "there is no form 0")),
        1..=FORM => {}
        _ => return Err(FileError::Newer { form, known: FORM }),
    }
    let length = input.u32()? as usize;
    match length <= HEAD_LIMIT {
        true => Ok(length),
        false => Err(input.malformed(4, "the head is too long")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written() -> (Vec<u8>, SlotHead) {
        let info = SlotInfo::new().version("1.2").note("Level 3");
        let head = SlotHead::of(&info, &[1, 2, 3], &[4; 100]);
        (head.to_bytes().unwrap(), head)
    }

    /// Puts the right checksum after changed bytes.
    fn seal(bytes: &mut Vec<u8>) {
        bytes.truncate(bytes.len().saturating_sub(8));
        bytes.extend(checksum_of(bytes).to_le_bytes());
    }

    #[test]
    fn every_changed_bit_and_every_missing_byte_of_a_head_is_found() {
        let (bytes, head) = written();
        let length = bytes.len() as u64 + 103;
        assert_eq!(SlotHead::of_bytes(&bytes, length), Ok(head));
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(SlotHead::of_bytes(&changed, length).is_err(), "bit {bit}");
        }
        for cut in 0..bytes.len() {
            assert!(SlotHead::of_bytes(&bytes[..cut], length).is_err(), "{cut}");
        }
        for other in [0, length - 1, length + 1, u64::MAX] {
            assert!(SlotHead::of_bytes(&bytes, other).is_err(), "{other}");
        }
    }

    proptest! {
        /// With a checksum that is right.
        #[test]
        fn hostile_heads_are_errors_or_the_head_that_they_are(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            length in any::<u64>(),
        ) {
            let (mut bytes, _) = written();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            seal(&mut bytes);
            let file = bytes.len() as u64 + 103;
            for length in [file, length] {
                if let Ok(head) = SlotHead::of_bytes(&bytes, length) {
                    head.time();
                    prop_assert_eq!(head.to_bytes().unwrap(), bytes.clone());
                    let parts = head.picture.0 + head.contents.0;
                    prop_assert_eq!(parts + bytes.len() as u64, length);
                }
            }
        }

        #[test]
        fn any_bytes_are_no_head(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(SlotHead::of_bytes(&bytes, bytes.len() as u64).is_err());
        }
    }
}
