//! Accesses to components, to reject aliases in constants.

/// The accesses to components of a closed world, by their numbers in its list.
#[doc(hidden)]
pub enum StaticAccess {
    /// No component.
    None,
    /// One component, which is read.
    Read(usize),
    /// One component, which is written.
    Write(usize),
    /// The accesses of several items.
    All(&'static [&'static StaticAccess]),
}

/// Returns whether no component is accessed twice, except to read it.
pub(crate) const fn is_unaliased(access: &StaticAccess) -> bool {
    if let StaticAccess::All(parts) = access {
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

const fn conflict(a: &StaticAccess, b: &StaticAccess) -> bool {
    match (a, b) {
        (StaticAccess::All(parts), other) | (other, StaticAccess::All(parts)) => {
            let mut i = 0;
            while i < parts.len() {
                if conflict(parts[i], other) {
                    return true;
                }
                i += 1;
            }
            false
        }
        (StaticAccess::Write(a), StaticAccess::Write(b) | StaticAccess::Read(b))
        | (StaticAccess::Read(a), StaticAccess::Write(b)) => *a == *b,
        _ => false,
    }
}
