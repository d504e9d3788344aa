//! The messages about conflicting parameters of one system: the same text in the compile error and at run time.

use super::{Domain, Kind, Overlap, ParamAccess, ParamInfo};

/// The owner of parameters that conflict.
#[derive(Clone, Copy)]
pub(crate) struct MessageOwner<'a> {
    /// The word for a parameter: `field`.
    pub(crate) part: &'static str,
    /// The word for the owner: `struct`.
    pub(crate) kind: &'static str,
    pub(crate) name: &'a str,
    /// True if they are parts of one query, where filters make no difference.
    pub(crate) is_query: bool,
}

impl<'a> MessageOwner<'a> {
    #[inline]
    pub(crate) const fn system(name: &'a str) -> Self {
        Self {
            part: "parameter",
            kind: "system",
            name,
            is_query: false,
        }
    }
}

/// Text that can be built in a constant; text that does not fit is truncated.
pub(crate) struct Message {
    /// Invariant 1: the first `len` bytes are whole characters.
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

    /// Describes two parts of `owner` (or one, twice) that access the same data, of the type `name`. The name is empty if it
    /// is unknown.
    #[inline]
    pub(super) const fn conflict(
        owner: MessageOwner<'_>,
        [first, second]: [&ParamInfo; 2],
        overlap: Overlap,
        name: &str,
        itself: bool,
    ) -> Self {
        let mut text = Self::new();
        text.push("conflicting ");
        text.push(owner.part);
        text.push(if itself { " in " } else { "s in " });
        text.push(owner.kind);
        text.push(" `");
        text.push(owner.name);
        text.push("`: ");
        text.parameter(first);
        match (overlap, itself) {
            (Overlap::World | Overlap::Ids, true) => {
                text.push(" borrows the world twice, and writes; help: borrow it once");
            }
            (Overlap::World | Overlap::Ids, false) => {
                text.push(" and ");
                text.parameter(second);
                text.push(" conflict: one borrows the whole world, or all resources, and the other writes; help: remove one (beside `&World` parameters may only read, and the body can borrow the rest from it)");
            }
            (Overlap::Data { domain, .. }, true) => {
                text.push(" borrows ");
                text.data(domain, name);
                text.push(if names(first.ty, "Up<") {
                    " twice, and writes; help: call `for_each_cascade` for parents before their children, or `split` for one entity and the rest"
                } else {
                    " twice, and writes; help: borrow it once"
                });
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
                text.push(kind_word(one));
                text.push(" and ");
                text.parameter(second);
                text.push(kind_word(two));
                text.push(" ");
                text.data(domain, name);
                text.push(match (first.of.access, second.of.access) {
                    _ if owner.is_query => "; help: borrow it once, to write",
                    (ParamAccess::Query { .. }, ParamAccess::Query { .. }) => {
                        "; help: merge them, make them disjoint with `With` and `Without`, or take turns with a `ParamSet`"
                    }
                    (ParamAccess::Query { .. }, _) => {
                        "; help: borrow it once, to write: `Query::for_each_with_rest` loops over entities and reads the others; or take turns with a `ParamSet`"
                    }
                    _ => "; help: borrow it once, to write, or take turns with a `ParamSet`",
                });
            }
        }
        text
    }

    /// Writes a parameter; one without a type is a word for it.
    #[inline]
    pub(crate) const fn parameter(&mut self, param: &ParamInfo) {
        if param.ty.is_empty() {
            self.push(param.name);
            return;
        }
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

    /// Writes several names in backticks.
    #[inline]
    pub(crate) const fn push_all(&mut self, names: &[&str], between: &str) {
        let mut i = 0;
        while i < names.len() {
            self.push(if i == 0 { "" } else { between });
            self.push("`");
            self.push(names[i]);
            self.push("`");
            i += 1;
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
            Err(_) => panic!("not whole characters, against invariant 1"),
        }
    }
}

/// Returns whether a type names this one.
#[inline]
const fn names(ty: &str, name: &str) -> bool {
    let (mut rest, name) = (ty.as_bytes(), name.as_bytes());
    while let [_, after @ ..] = rest {
        let mut same = 0;
        while same < name.len() && same < rest.len() && name[same] == rest[same] {
            same += 1;
        }
        if same == name.len() {
            return true;
        }
        rest = after;
    }
    false
}

/// Returns the access of a parameter, to write after its name.
#[inline]
pub(crate) const fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Read => " reads",
        Kind::Write => " writes",
    }
}

impl Domain {
    /// Returns the word for data of the domain.
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
#[path = "message_tests.rs"]
mod tests;
