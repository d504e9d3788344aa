//! The functions that save and load the values of one type, which the derives make.

use core::any::TypeId;
use core::marker::PhantomData;

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;

/// A type whose values a world can save and load.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is `data`, which a world can save, and does not implement `Serialize` and `Deserialize`",
    label = "not serialisable",
    note = "add `#[derive(Serialize, Deserialize)]`, from the crate `serde`, or write `data = \"..\", no_serde`"
)]
pub trait DataSerde: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> DataSerde for T {}

/// The functions that save and load the values of one type.
#[derive(Debug)]
pub struct Saved {
    type_id: TypeId,
    migrations: &'static [Migration],
}

impl Saved {
    /// Returns the functions of `T`.
    #[must_use]
    pub const fn of<T: DataSerde + 'static>() -> Self {
        Self {
            type_id: TypeId::of::<T>(),
            migrations: &[],
        }
    }

    /// Adds older versions.
    #[must_use]
    pub const fn migrated(mut self, migrations: &'static [Migration]) -> Self {
        self.migrations = migrations;
        self
    }
}

/// The function that loads the values of an older version of a type.
#[derive(Debug)]
pub struct Migration {
    version: u32,
    into: TypeId,
    of: PhantomData<()>,
}

impl Migration {
    /// Returns the function that loads an `Old`, and makes a `T` of it.
    #[must_use]
    pub const fn of<Old: DeserializeOwned, T: From<Old> + 'static>(version: u32) -> Self {
        Self {
            version,
            into: TypeId::of::<T>(),
            of: PhantomData,
        }
    }
}
