//! Paths of modules, as text.

/// Checks the text of an option.
///
/// # Panics
/// If a module is not named by a path that begins with its crate, or there is none.
#[track_caller]
#[doc(hidden)]
#[inline]
pub const fn assert_modules(modules: &[&str]) {
    assert!(
        !modules.is_empty(),
        "`written_by` names no module; help: write for example `written_by = \"game::physics\"`"
    );
    let mut i = 0;
    while i < modules.len() {
        assert!(
            is_module(modules[i]),
            "`written_by` takes paths of modules, which begin with their crates; help: write for example `written_by = \"game::physics\"`"
        );
        i += 1;
    }
}

/// Returns true for the path of a module that begins with a crate.
#[inline]
const fn is_module(path: &str) -> bool {
    let mut rest = path.as_bytes();
    let mut start = true;
    while let [byte, more @ ..] = rest {
        match (start, *byte) {
            (true, b'a'..=b'z' | b'A'..=b'Z' | b'_' | 128..) => start = false,
            (false, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | 128..) => {}
            (false, b':') if matches!(more, [b':', ..]) => {
                start = true;
                let [_, after @ ..] = more else { return false };
                rest = after;
                continue;
            }
            _ => return false,
        }
        rest = more;
    }
    let is_relative = is_in_module(path, "crate")
        || is_in_module(path, "self")
        || is_in_module(path, "super")
        || matches!(path.as_bytes(), b"crate" | b"self" | b"super");
    !start && !is_relative
}

/// Returns true if the path of a function is in a module, at any depth.
#[inline]
pub(super) const fn is_in_module(path: &str, module: &str) -> bool {
    let (mut path, mut module) = (path.as_bytes(), module.as_bytes());
    // The function of an impl: `<game::Rules as Plugin>::build`.
    while let [b'<' | b'&', rest @ ..] = path {
        path = rest;
    }
    while let ([one, path_rest @ ..], [two, module_rest @ ..]) = (path, module) {
        if *one != *two {
            return false;
        }
        (path, module) = (path_rest, module_rest);
    }
    module.is_empty() && matches!(path, [b':', b':', ..])
}

#[cfg(test)]
#[path = "module_path_tests.rs"]
mod tests;
