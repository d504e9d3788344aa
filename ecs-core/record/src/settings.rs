//! The settings of a recorder.

use std::path::PathBuf;
use std::time::Duration;

/// The settings of a [`Recorder`](crate::Recorder).
#[derive(Clone, Debug)]
pub(crate) struct RecorderSettings {
    pub(crate) path: PathBuf,
    pub(crate) keep: Option<u64>,
    pub(crate) snapshot_every: u64,
    pub(crate) hashes: HashCadence,
    pub(crate) steps: bool,
}

/// The most values that are hashed after a frame, unless a setting says otherwise: less than one hundredth of a sixtieth of a second.
const MOST_VALUES: usize = 1 << 13;

/// When the world is hashed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HashCadence {
    /// A part of the world, in turns, often enough to take this part of the time, in percent.
    Percent(u32),
    /// A part of the world after each frame, of at most so many values, in turns.
    Values(u64),
    /// After each frame whose number this divides.
    Every(u64),
    Never,
}

impl HashCadence {
    /// Returns true if the world is hashed after a frame. `hashing` is the time that hashes have taken so far, of `elapsed`.
    pub(crate) fn is_due(
        self,
        frame: u64,
        hashing: Duration,
        elapsed: impl FnOnce() -> Duration,
    ) -> bool {
        match self {
            Self::Percent(percent) => hashing * 100 <= elapsed() * percent,
            Self::Values(_) => true,
            Self::Every(frames) => frame.is_multiple_of(frames),
            Self::Never => false,
        }
    }

    /// Returns the most values that are hashed after a frame; `None` for the whole world.
    pub(crate) fn most_values(self) -> Option<usize> {
        match self {
            Self::Percent(_) => Some(MOST_VALUES),
            Self::Values(most) => Some(usize::try_from(most).unwrap_or(usize::MAX)),
            Self::Every(_) | Self::Never => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the hashes of so many frames, by the lengths of a frame and of a hash.
    fn hashes(cadence: HashCadence, frames: u64, frame: Duration, hash: Duration) -> u32 {
        let (mut elapsed, mut count) = (Duration::ZERO, 0);
        for number in 0..frames {
            elapsed += frame;
            if cadence.is_due(number, hash * count, || elapsed) {
                elapsed += hash;
                count += 1;
            }
            let share = (hash * count).as_secs_f64() / elapsed.as_secs_f64();
            let first = hash.as_secs_f64() / elapsed.as_secs_f64();
            if let HashCadence::Percent(percent) = cadence {
                assert!(
                    share <= f64::from(percent) / 100.0 + first,
                    "{number}: {share}"
                );
            }
        }
        count
    }

    #[test]
    fn the_larger_a_world_the_rarer_its_hashes() {
        let (frame, cadence) = (Duration::from_millis(16), HashCadence::Percent(1));
        let count = |micros| hashes(cadence, 6_000, frame, Duration::from_micros(micros));
        // At most one hundredth of a frame: every frame. Twice as long: every other one.
        assert_eq!(count(100), 6_000);
        assert_eq!(count(320), 3_000 + 31);
        // 25 ms, as for a million entities: every 156th frame.
        assert!((38..=40).contains(&count(25_000)), "{}", count(25_000));
        // A hash that takes longer than all frames is taken once.
        assert_eq!(count(100_000_000), 1);
    }

    #[test]
    fn a_given_number_of_frames_does_not_depend_on_time() {
        for micros in [0, 1, 1_000_000] {
            let time = Duration::from_micros(micros);
            assert_eq!(hashes(HashCadence::Every(7), 50, time + time, time), 8);
            assert_eq!(hashes(HashCadence::Every(1), 50, time, time), 50);
            assert_eq!(hashes(HashCadence::Never, 50, time, time), 0);
        }
    }
}
