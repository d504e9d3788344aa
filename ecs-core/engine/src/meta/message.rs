//! What a conflict between the parameters of one system is called: the same words in the compiler's error and at run time.

use super::{Domain, Kind, Overlap, ParamAccess, ParamInfo};

/// Text that can be put together in a constant; what does not fit is cut off.
pub(crate) struct Message {
    /// Invariant 1: up to `len` these are whole characters.
    bytes: [u8; 1024],
    len: usize,
}

impl Message {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self {
            bytes: [0; 1024],
            len: 0,
        }
    }

    /// Two parameters of `system` (or one, twice) that touch the same data, which is of the type `name`; the name is
    /// empty where it is unknown.
    #[inline]
    pub(super) const fn conflict(
        system: &str,
        [first, second]: [&ParamInfo; 2],
        overlap: Overlap,
        name: &str,
        itself: bool,
    ) -> Self {
        let mut text = Self::new();
        text.push("conflicting parameter");
        text.push(if itself { "" } else { "s" });
        text.push(" in system `");
        text.push(system);
        text.push("`: ");
        text.parameter(first);
        match (overlap, itself) {
            (Overlap::World | Overlap::Ids, true) => {
                text.push(" borrows the world twice, and writes; borrow it once");
            }
            (Overlap::World | Overlap::Ids, false) => {
                text.push(" and ");
                text.parameter(second);
                text.push(" cannot be had together: one lends the world, or all resources, and one writes; drop one: beside `&World` parameters only read, and the body can borrow the rest from it");
            }
            (Overlap::Data { domain, .. }, true) => {
                text.push(" borrows ");
                text.data(domain, name);
                text.push(" twice, and writes; borrow it once");
            }
            (
                Overlap::Data {
                    domain,
                    first: one,
                    second: two,
                    ..
                },
                false,
            ) => {
                text.push(verb(one));
                text.push(" and ");
                text.parameter(second);
                text.push(verb(two));
                text.push(" ");
                text.data(domain, name);
                text.push(match (first.of.access, second.of.access) {
                    (ParamAccess::Query { .. }, ParamAccess::Query { .. }) => {
                        "; merge them, tell their entities apart with `With` and `Without`, or take turns with a `ParamSet`"
                    }
                    _ => "; borrow it once, to write, or take turns with a `ParamSet`",
                });
            }
        }
        text
    }

    #[inline]
    pub(crate) const fn parameter(&mut self, param: &ParamInfo) {
        self.push("`");
        self.push(param.name);
        self.push(": ");
        self.push(param.ty);
        self.push("`");
    }

    #[inline]
    pub(crate) const fn data(&mut self, domain: Domain, name: &str) {
        self.push(if name.is_empty() { "the same " } else { "the " });
        self.push(domain.word());
        if !name.is_empty() {
            self.push(" `");
            self.push(name);
            self.push("`");
        }
    }

    #[inline]
    pub(crate) const fn push(&mut self, text: &str) {
        let mut end = text.len();
        if end > self.bytes.len() - self.len {
            end = self.bytes.len() - self.len;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
        }
        let mut i = 0;
        while i < end {
            self.bytes[self.len] = text.as_bytes()[i];
            self.len += 1;
            i += 1;
        }
    }

    #[inline]
    pub(crate) const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => panic!("by invariant 1"),
        }
    }
}

/// What a parameter does, after its name.
#[inline]
pub(crate) const fn verb(kind: Kind) -> &'static str {
    match kind {
        Kind::Read => " reads",
        Kind::Write => " writes",
    }
}

impl Domain {
    /// What data of the domain is called.
    #[inline]
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Component => "component",
            Self::Resource => "resource",
            Self::NonSend => "non-send resource",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_cut_off_between_characters() {
        let long = "é".repeat(400);
        let param = ParamInfo::new("a", "B", &ParamAccess::Nothing);
        let params = [&param, &param];
        let message =
            Message::conflict(&format!("{long}-{long}"), params, Overlap::World, "", true);
        assert!(message.as_str().ends_with('é'));
        assert!(message.as_str().len() >= 1023);
    }
}
