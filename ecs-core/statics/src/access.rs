//! Accesses to components, to reject aliases in constants.

/// The accesses to components of a closed world, by their numbers in its list.
#[doc(hidden)]
pub enum Access {
    /// No component.
    None,
    /// One component, which is read.
    Read(usize),
    /// One component, which is written.
    Write(usize),
    /// The accesses of several items.
    All(&'static [&'static Access]),
}

/// Returns whether no component is accessed twice, except to read it.
pub(crate) const fn is_unaliased(access: &Access) -> bool {
    if let Access::All(parts) = access {
        let mut i = 0;
        while i < parts.len() {
            if !is_unaliased(parts[i]) {
                return false;
            }
            let mut j = 0;
            while j < i {
                if conflict(parts[i], parts[j]) {
                    return false;
                }
                j += 1;
            }
            i += 1;
        }
    }
    true
}

const fn conflict(a: &Access, b: &Access) -> bool {
    match (a, b) {
        (Access::All(parts), other) | (other, Access::All(parts)) => {
            let mut i = 0;
            while i < parts.len() {
                if conflict(parts[i], other) {
                    return true;
                }
                i += 1;
            }
            false
        }
        (Access::Write(a), Access::Write(b) | Access::Read(b))
        | (Access::Read(a), Access::Write(b)) => *a == *b,
        _ => false,
    }
}
