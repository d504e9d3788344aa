//! The data types that a world knows, by which files are read.

use alloc::vec::Vec;

use super::World;
use crate::data_type::DataType;

impl World {
    /// Tells the world of a data type, as a schedule that is prepared for it does for all that its systems name.
    #[doc(hidden)]
    pub fn make_data_known(&mut self, data: &'static DataType) {
        let mut known = self.data_types.iter();
        if known.all(|known| known.type_id() != data.type_id()) {
            self.data_types.push(data);
        }
    }

    /// Returns the data types of the registered components and relations, in order of registration, and then those that
    /// the world was told of. A type may occur twice.
    #[doc(hidden)]
    #[must_use]
    pub fn data_types(&self) -> Vec<&'static DataType> {
        let registered = self.storage.registered_components().into_iter();
        let infos = registered.map(|id| self.storage.store(id).info);
        let registered = infos.filter_map(|info| info.data.or(info.relation));
        registered.chain(self.data_types.iter().copied()).collect()
    }
}
