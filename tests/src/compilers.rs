//! The compiler, for tests that call it.

use std::path::Path;
use std::process::Command;
use std::sync::Once;

/// The variable with the flags that cargo passes on to the compiler, and the flags: `trybuild` compiles all dependencies with
/// these except for the last, and then again with all. The variable replaces both.
pub const FLAGS: (&str, &str) = (
    "CARGO_ENCODED_RUSTFLAGS",
    "--cfg\x1ftrybuild\x1f--verbose\x1f-A\x1fdead_code\x1f--diagnostic-width=140\x1f-Cdebuginfo=0",
);

/// Returns whether the sources of the standard library are installed. If they are, the compiler quotes them, and
/// editors know its macros.
pub fn has_sources() -> bool {
    has_sources_of(Path::new("rustc"))
}

/// Returns whether the compiler runs and has the sources of the standard library.
pub fn has_sources_of(rustc: &Path) -> bool {
    let sysroot = Command::new(rustc).args(["--print", "sysroot"]).output();
    sysroot.is_ok_and(|output| {
        let sysroot = String::from_utf8(output.stdout).expect("a path");
        let sources = Path::new(sysroot.trim()).join("lib/rustlib/src/rust");
        output.status.success() && sources.exists()
    })
}

/// Makes `trybuild` compile the dependencies of its programs once instead of twice. Each test that uses it calls this first.
pub fn compile_once() {
    static SET: Once = Once::new();
    // SAFETY: all tests of the program wait here, none of them has used the environment before, and no code in another
    // language reads it.
    SET.call_once(|| unsafe { std::env::set_var(FLAGS.0, FLAGS.1) });
}
