//! The error of a path that leads nowhere.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::edit_distance::edit_distance;

/// The error of [`World::find`](crate::World::find) and [`EntityRef::find`](crate::world::EntityRef::find): an entity on
/// the path does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FindError {
    /// The parent whose children were searched for the name: its path, or its id if the search began there. `None` if the
    /// roots were searched.
    pub parent: Option<String>,
    /// The first name on the path that was not found.
    pub name: String,
    /// The names that exist and differ least from it, the closest one first; at most three.
    pub closest: Vec<String>,
}

impl FindError {
    /// Creates the error for a name that is not among `names`.
    #[cold]
    #[inline]
    pub(super) fn new(parent: Option<String>, name: &str, names: &[&str]) -> Self {
        const MOST: usize = 3;
        let mut closest: Vec<(usize, &str)> = Vec::new();
        for &other in names {
            let distance = edit_distance(name, other);
            let at = closest.partition_point(|&(closer, _)| closer <= distance);
            if at < MOST && closest.iter().all(|&(_, known)| known != other) {
                closest.truncate(MOST - 1);
                closest.insert(at, (distance, other));
            }
        }
        Self {
            parent,
            name: name.into(),
            closest: closest.into_iter().map(|(_, name)| name.into()).collect(),
        }
    }
}

impl fmt::Display for FindError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.parent {
            Some(parent) => write!(f, "no child of `{parent}` has the name `{name}`; help: ")?,
            None => write!(
                f,
                "no entity without a parent has the name `{name}`; help: "
            )?,
        }
        match &*self.closest {
            [] => f.write_str("insert a `Name`: none there has one"),
            [one] => write!(f, "there is `{one}`"),
            [first, others @ ..] => {
                write!(f, "the closest names are `{first}`")?;
                others.iter().try_for_each(|name| write!(f, ", `{name}`"))
            }
        }
    }
}

impl core::error::Error for FindError {}
