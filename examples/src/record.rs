//! The recordings of the games: `--record FILE` and `--replay FILE`.

use std::error::Error;
use std::path::{Path, PathBuf};

use ecs_core::record::{Outcome, RecordedProgram, Replay};

/// Returns the file after an argument of the process, `--record` or `--replay`.
#[must_use]
pub fn file_after(name: &str) -> Option<PathBuf> {
    let mut arguments = std::env::args_os().skip_while(|argument| argument != name);
    arguments.nth(1).map(PathBuf::from)
}

/// Replays a recording in a new game, and returns a line that says it does the same.
///
/// # Errors
/// If the recording cannot be read, or the game does something else.
pub fn replay<P: RecordedProgram>(
    path: &Path,
    game: impl FnOnce() -> P,
) -> Result<String, Box<dyn Error>> {
    let mut replay = Replay::open(path, game)?;
    let first = replay.frame();
    match replay.finish()? {
        Outcome::Same => {}
        different => return Err(different.to_string().into()),
    }
    let hashes = replay.compared();
    let frames = replay.frame() - first;
    Ok(format!(
        "{frames} frames replayed: all {hashes} hashes are the same"
    ))
}

/// The test of a game with a recording that is in the repository, in `recordings`: today's game does the same in each frame. With
/// `RECORD=1` in the environment, it is recorded anew before, which a change of the game's rules needs.
///
/// # Panics
/// If the game does something else, and says where.
pub fn assert_same_as_recorded<P: RecordedProgram>(
    name: &str,
    record: impl FnOnce(&Path),
    game: impl FnOnce() -> P,
) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings");
    let path = folder.join(name).with_extension("rec");
    if std::env::var_os("RECORD").is_some() {
        record(&path);
    }
    let line = replay(&path, game).unwrap_or_else(|error| {
        panic!("{name}: {error}\nhelp: after a change of the rules, record it anew with RECORD=1")
    });
    assert!(line.contains(" all "), "{line}");
}
