//! The definition of a dynamic component.
//!
//! # Define a component at run time
//! `DynamicComponent` (`dynamic/define.rs`) lays out fields, or takes a layout, and allocates an id in the list of all
//! component types (`component/registry.rs`). From there on it is like any other component: storages only know bytes. Its
//! `ConstTypeId` has a number in place of a type, so access checks compare it with types. A drop function gets no context,
//! so a value with fields that have to be dropped begins with a reference to its `DynamicType`. It is data, too: its
//! `ConstTypeId` has a `DataType` with the functions of the `DynamicType` (`dynamic/data.rs`), and `ecs-data` writes and
//! reads its values as trees (`codec/dynamic.rs`, behind `DataCodec` of `saved.rs`). A `DynamicQuery` has an erased view per
//! term and looks each entity up; its conflicts are found by the comparison of `meta`, term by term. A `DynamicSystem` leaks
//! its metadata, once per name and terms. A text query (`query` of `ecs-data`) is a dynamic query, and tests of its matches.
//! A condition on a part of a value calls the type's `Serialize` with a serializer that passes over all other parts
//! (`codec/part.rs`), and makes a tree only where the type fails in it.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::alloc::Layout;

use super::component_type::{DynamicLayout, DynamicType, Field, TYPES, drop_with_fields};
use super::error::DefineError;
use super::kinds::FieldKind;
use crate::component::{ComponentId, ComponentInfo, DropFn, StorageKind};
use crate::sync::PoisonError;

/// Drops the given number of consecutive values from the pointer on.
///
/// The values count as moved out afterwards, even if it panics.
pub type DropValues = unsafe fn(*mut u8, usize);

/// Clones values from the first pointer to the second; the number says how many. If it panics, it has dropped the values
/// that it wrote.
pub type CloneValues = unsafe fn(*const u8, *mut u8, usize);

/// The description of a component type at run time; see [`dynamic`](super).
///
/// Like a Rust type, a component keeps its name, type and storage for the rest of the program: the memory of its definition
/// is never given back.
///
/// ```
/// use ecs_core::component::StorageKind;
/// use ecs_core::dynamic::{DynamicComponent, FieldKind};
///
/// let define = || DynamicComponent::new("mod.poisoned").field("damage", FieldKind::U32).sparse();
/// let poisoned = define().register()?;
/// assert_eq!((poisoned.name(), poisoned.storage()), ("mod.poisoned", StorageKind::Sparse));
///
/// assert_eq!(define().register()?, poisoned); // the same description is the same component
/// assert_eq!(
///     DynamicComponent::new("mod.poisoned").register().unwrap_err().to_string(),
///     "cannot define component `mod.poisoned`: another one has this name; help: choose another name, or describe it in the same way to get the same id"
/// );
/// # Ok::<(), ecs_core::dynamic::DefineError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "does nothing until it is registered"]
pub struct DynamicComponent {
    name: String,
    storage: StorageKind,
    tracked: bool,
    values: DescribedType,
}

#[derive(Clone, Debug)]
enum DescribedType {
    Fields(Vec<(String, FieldKind)>),
    /// Invariant 1: the functions are for values of the layout, which are `Send` and `Sync`.
    Raw {
        layout: Layout,
        drop: Option<DropValues>,
        clone: Option<CloneValues>,
    },
}

impl DynamicComponent {
    /// Describes a component without fields, which is a tag.
    #[inline]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            storage: StorageKind::Table,
            tracked: false,
            values: DescribedType::Fields(Vec::new()),
        }
    }

    /// Describes a component whose values have a layout, and are dropped and cloned by functions. Its values are used by
    /// pointers alone.
    ///
    /// The size is rounded up to a multiple of the alignment. With `clone`, values are part of clones and snapshots; they
    /// have no saved form.
    ///
    /// # Safety
    /// 1. Values can be moved by copying their bytes, and sent to and shared with other threads.
    /// 2. `drop` and `clone` are sound for values of this layout that are put into a world as this component.
    #[inline]
    pub unsafe fn raw(
        name: impl Into<String>,
        layout: Layout,
        drop: Option<DropValues>,
        clone: Option<CloneValues>,
    ) -> Self {
        Self {
            name: name.into(),
            storage: StorageKind::Table,
            tracked: false,
            values: DescribedType::Raw {
                layout: layout.pad_to_align(),
                drop,
                clone,
            },
        }
    }

    /// Adds a field.
    ///
    /// # Panics
    /// If the component is [raw](Self::raw).
    #[inline]
    #[track_caller]
    pub fn field(mut self, name: impl Into<String>, kind: FieldKind) -> Self {
        match &mut self.values {
            DescribedType::Fields(fields) => fields.push((name.into(), kind)),
            DescribedType::Raw { .. } => panic!(
                "component `{}` cannot have the field `{}`: it is raw, and its memory is known only to the code that defined it; help: describe all of it by `field`",
                self.name,
                name.into()
            ),
        }
        self
    }

    /// Stores the component in a sparse set, like `#[component(storage = "sparse")]`.
    #[inline]
    pub fn sparse(mut self) -> Self {
        self.storage = StorageKind::Sparse;
        self
    }

    /// Tracks when values were added and changed, like `#[component(track)]`.
    #[inline]
    pub fn tracked(mut self) -> Self {
        self.tracked = true;
        self
    }

    /// Registers the component with the process, and returns its id. A component that was registered with the same
    /// description has the same id. O(component types).
    ///
    /// # Errors
    /// If another component of the process has the name, two fields have one name, a name is empty or has a character
    /// other than letters, digits, `_`, `.`, `-` and `:`, or a value would not fit into memory.
    #[inline]
    pub fn register(self) -> Result<ComponentId, DefineError> {
        self.check_names()?;
        let (layout, values) = match self.values {
            DescribedType::Fields(ref fields) => self.lay_out(fields)?,
            DescribedType::Raw {
                layout,
                drop,
                clone,
            } => (layout, DynamicLayout::Raw { drop, clone }),
        };
        let Self {
            name,
            storage,
            tracked,
            ..
        } = self;
        // Nothing panics under the lock half-way through a change.
        let mut types = TYPES.write().unwrap_or_else(PoisonError::into_inner);
        let named = ComponentId::named(&name);
        let mut known = named
            .iter()
            .filter_map(|&id| DynamicType::among(&types, id));
        if let Some(known) = known.next() {
            let id = known.component;
            let is_same = known.layout == layout
                && id.storage() == storage
                && id.is_tracked() == tracked
                && same_values(&known.values, &values);
            return if is_same {
                Ok(id)
            } else {
                Err(DefineError::NameTaken { name })
            };
        }
        #[cfg(feature = "data")]
        let named = [named, ComponentId::of_relation_named(&name)].concat();
        if !named.is_empty() {
            return Err(DefineError::NameTaken { name });
        }
        types.reserve(1);
        let drop: Option<DropFn> = match &values {
            DynamicLayout::Fields(fields) => {
                let mut kinds = fields.iter().map(|field| field.kind);
                let needs_drop = kinds.any(FieldKind::needs_drop);
                needs_drop.then_some(drop_with_fields as DropFn)
            }
            DynamicLayout::Raw { drop, .. } => *drop,
        };
        let name: &'static str = name.leak();
        let info = |more| ComponentInfo {
            name,
            layout,
            storage,
            tracked,
            immediate: false,
            disables: false,
            more,
            link: None,
            drop,
        };
        let mut defined = None;
        // SAFETY: `drop` is for values of the component: of a raw one by invariant 1, and otherwise by invariant 1 of
        // `DynamicLayout`. They have this layout, whose size is a multiple of its alignment. They are `Send` and `Sync`, and
        // so are all kinds of fields. `data` describes the type of the component. The rest is written above.
        let component = unsafe {
            ComponentId::allocate(info, name, |component, type_id| {
                let ty: &'static DynamicType = Box::leak(Box::new(DynamicType {
                    component,
                    layout,
                    values,
                }));
                defined = Some(ty);
                ty.data(name, type_id)
            })
        };
        // There is room for it.
        types.extend(defined);
        Ok(component)
    }

    #[inline]
    fn check_names(&self) -> Result<(), DefineError> {
        check_name(&self.name)?;
        let DescribedType::Fields(fields) = &self.values else {
            return Ok(());
        };
        let mut known = BTreeSet::new();
        for (field, _) in fields {
            check_name(field)?;
            if !known.insert(field) {
                let (name, field) = (self.name.clone(), field.clone());
                return Err(DefineError::DuplicateField { name, field });
            }
        }
        Ok(())
    }

    /// Computes the places of the fields in the order of their definition.
    #[inline]
    fn lay_out(
        &self,
        listed: &[(String, FieldKind)],
    ) -> Result<(Layout, DynamicLayout), DefineError> {
        let name = || self.name.to_owned();
        let mut layout = if listed.iter().any(|(_, kind)| kind.needs_drop()) {
            Layout::new::<&'static DynamicType>()
        } else {
            Layout::new::<()>()
        };
        let mut fields = Vec::with_capacity(listed.len());
        for (field, kind) in listed {
            let extended = layout.extend(kind.layout());
            let (all, offset) = extended.map_err(|_| DefineError::TooLarge { name: name() })?;
            layout = all;
            fields.push(Field {
                name: field.as_str().into(),
                kind: *kind,
                offset,
            });
        }
        Ok((layout.pad_to_align(), DynamicLayout::Fields(fields.into())))
    }
}

/// Returns an error if a name could not be written in a text query.
#[inline]
pub(super) fn check_name(name: &str) -> Result<(), DefineError> {
    let is_good = |c: char| c.is_alphanumeric() || "_.-:".contains(c);
    if name.is_empty() || !name.chars().all(is_good) {
        let name = name.to_owned();
        return Err(DefineError::BadName { name });
    }
    Ok(())
}

#[inline]
fn same_values(one: &DynamicLayout, other: &DynamicLayout) -> bool {
    match (one, other) {
        (DynamicLayout::Fields(one), DynamicLayout::Fields(other)) => one == other,
        (
            DynamicLayout::Raw { drop, clone },
            DynamicLayout::Raw {
                drop: other_drop,
                clone: other_clone,
            },
        ) => {
            let same_drop = match (drop, other_drop) {
                (Some(one), Some(other)) => core::ptr::fn_addr_eq(*one, *other),
                (one, other) => one.is_none() && other.is_none(),
            };
            let same_clone = match (clone, other_clone) {
                (Some(one), Some(other)) => core::ptr::fn_addr_eq(*one, *other),
                (one, other) => one.is_none() && other.is_none(),
            };
            same_drop && same_clone
        }
        _ => false,
    }
}
