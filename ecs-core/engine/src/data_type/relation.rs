//! Relations that are defined at run time.

use super::{CopyProbe, DataKind, DataType, DataTypeOf};

impl DataType {
    /// Describes the values of the edges of a relation that was defined at run time, whose sources have the component with a
    /// number. They are `()`.
    pub(crate) const fn dynamic_relation(name: &'static str, outgoing: usize) -> Self {
        let values = DataTypeOf::<()>::new(name, 1)
            .of_kind(DataKind::DynamicRelation(outgoing))
            .cloned()
            .copied(CopyProbe::<()>::COPY)
            .without_ids(true)
            .printed();
        let mut data = values.erased();
        data.rust_name = None;
        data
    }

    /// Returns true if the values belong to edges of a relation that was defined at run time.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_dynamic_relation(&self) -> bool {
        matches!(self.kind, DataKind::DynamicRelation(_))
    }
}
