//! Games that are played by a script: the same keys in the same frames, on each machine and in a page.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// The length of a frame of a game that is played by a script.
pub const SCRIPT_FRAME: Duration = Duration::from_nanos(16_666_667);

/// The frames that a page plays by the script; zero if a player plays. Other programs have an option for it.
static PAGE_FRAMES: AtomicU32 = AtomicU32::new(0);
/// The hash at the end of the script.
static END: AtomicU64 = AtomicU64::new(0);

/// The keys that are held down in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldKeys {
    /// The arrow to the left.
    pub left: bool,
    /// The arrow to the right.
    pub right: bool,
    /// The arrow up, or the space bar.
    pub up: bool,
}

/// Returns the keys of the script in a frame: to the right and sometimes back, with jumps.
#[must_use]
pub fn script_keys(frame: u32) -> HeldKeys {
    let back = frame % 97 >= 70;
    HeldKeys {
        left: back,
        right: !back,
        up: frame.is_multiple_of(3),
    }
}

/// Ends a script with the hash of the world, which is printed, or asked for by the page.
pub fn end_script(frames: u32, hash: u64) {
    END.store(hash, Ordering::Relaxed);
    println!("script: {frames} frames end with {hash:016x}");
}

/// Returns a hash of a text, for worlds that have none (FNV-1a).
#[must_use]
pub fn hash_of_text(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// Returns the frames that the page plays by the script, if it does.
#[must_use]
pub fn frames_of_page() -> Option<u32> {
    Some(PAGE_FRAMES.load(Ordering::Relaxed)).filter(|frames| *frames > 0)
}

/// The functions that a page calls, see `page.html`.
#[cfg(target_family = "wasm")]
#[expect(unreachable_pub, reason = "the page calls them")]
mod page {
    use super::{END, Ordering, PAGE_FRAMES};

    /// Lets the script play so many frames; called before the game starts.
    // SAFETY: no other item of the module has this name.
    #[unsafe(no_mangle)]
    pub extern "C" fn play_script(frames: u32) {
        PAGE_FRAMES.store(frames, Ordering::Relaxed);
    }

    /// Returns the hash of the world at the end of the script; zero before.
    // SAFETY: no other item of the module has this name.
    #[unsafe(no_mangle)]
    pub extern "C" fn hash_of_script() -> u64 {
        END.load(Ordering::Relaxed)
    }
}
