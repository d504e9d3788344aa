//! Copies of the values that systems of schedules remember.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::time::Duration;

use crate::data_type::{DataType, DataTypeOf};
use crate::log::CursorCopy;
use crate::resource::ResourceCopier;
use crate::schedule::{FixedTime, Schedule};
use crate::system::{Memory, Remembered};
use crate::tick::Tick;
use crate::type_name::type_name;

/// Copies the values of one type that systems remember.
#[derive(Clone, Copy)]
pub(super) struct ValueCopier {
    pub(super) copier: ResourceCopier,
    /// The name of the type.
    pub(super) name: &'static str,
}

pub(super) type Value = dyn Any + Send + Sync;

impl ValueCopier {
    pub(super) fn of<T: Clone + Send + Sync + 'static>() -> Option<Self> {
        let data = const { &Self::data(DataTypeOf::<T>::new("value", 1).cloned()) };
        Self::of_data(data, type_name::<T>())
    }

    /// Describes the values of a type so that they can be copied into new boxes.
    pub(super) const fn data<T: Send + Sync + 'static>(data: DataTypeOf<T>) -> DataType {
        data.of_resources().erased()
    }

    /// Returns the copier of a type that is described in this way, or is a resource; `None` if it cannot be cloned.
    pub(super) fn of_data(data: &'static DataType, name: &'static str) -> Option<Self> {
        let copier = ResourceCopier::of(data)?;
        Some(Self { copier, name })
    }

    /// Returns the copier that a function accepts: one for a known type, one of these, or one for a standard type such as a
    /// number or `String`.
    pub(super) fn find(
        named: &[Self],
        known: &[&'static DataType],
        is_it: impl Fn(&Self) -> bool,
    ) -> Option<Self> {
        macro_rules! standard {
            ($($ty:ty)*) => { [$(Self::of::<$ty>),*] };
        }
        let known = known
            .iter()
            .filter_map(|data| Self::of_data(data, data.name()));
        if let Some(copier) = known.chain(named.iter().copied()).find(&is_it) {
            return Some(copier);
        }
        let standard = standard!(
            bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String Duration
            FixedTime
        );
        standard.into_iter().filter_map(|of| of()).find(is_it)
    }

    /// Returns the copier of a type.
    fn of_type(named: &[Self], known: &[&'static DataType], id: TypeId) -> Option<Self> {
        Self::find(named, known, |copier| copier.copier.type_id() == id)
    }
}

/// A copy of the values that systems of some schedules remember.
#[derive(Default)]
pub(super) struct SchedulesCopy {
    pub(super) schedules: usize,
    /// The copies for all schedules, in their order.
    pub(super) memories: Vec<SystemCopy>,
}

/// A copy of one thing that a system remembers.
pub(super) struct SystemCopy {
    /// The name of the system.
    pub(super) system: Box<str>,
    pub(super) memory: MemoryCopy,
}

pub(super) enum MemoryCopy {
    Tick(Tick),
    Reader(CursorCopy),
    Value {
        copier: ValueCopier,
        /// Absent until it is first copied.
        value: Option<Box<Value>>,
        /// The value that will be exchanged for the system's, or the system's former value.
        staged: Option<Box<Value>>,
    },
}

impl SystemCopy {
    /// Returns true if the copy has the kind and type of a memory of a system with this name.
    fn fits(&self, system: &str, memory: &Memory<'_>) -> bool {
        *self.system == *system && self.memory.fits(memory)
    }
}

impl MemoryCopy {
    /// Returns true if the copy has the kind and type of a memory of a system.
    fn fits(&self, memory: &Memory<'_>) -> bool {
        match (self, memory) {
            (Self::Tick(_), Memory::Tick(_)) | (Self::Reader(_), Memory::Reader(_)) => true,
            (Self::Value { copier, .. }, Memory::Value(_, id, _)) => copier.copier.type_id() == *id,
            _ => false,
        }
    }
}

/// A memory of a system that cannot be copied: the name of the system, and the type, or words for it.
pub(super) type Uncopied = (String, &'static str);

/// Returns the memories that cannot be copied.
pub(super) fn without_copier(
    schedules: &mut [&mut Schedule],
    named: &[ValueCopier],
    known: &[&'static DataType],
    without_captured: bool,
) -> Vec<Uncopied> {
    let mut found = Vec::new();
    for schedule in schedules {
        schedule.remembered(&mut |system, Remembered(memory)| {
            let name = match memory {
                Memory::Value(_, id, name) if ValueCopier::of_type(named, known, id).is_none() => {
                    name
                }
                Memory::Captured if !without_captured => "values that its closure has captured",
                Memory::Unknown(name) => name,
                _ => return,
            };
            found.push((system.to_string(), name));
        });
    }
    found
}

impl SchedulesCopy {
    /// Copies the memories of all systems, into the memory of an earlier copy.
    ///
    /// # Panics
    /// If a `Clone` panics; in that case the copy is incomplete.
    pub(super) fn take(
        &mut self,
        schedules: &mut [&mut Schedule],
        named: &[ValueCopier],
        known: &[&'static DataType],
    ) {
        let mut count = 0;
        for schedule in &mut *schedules {
            schedule.remembered(&mut |system, Remembered(memory)| {
                let copies = &mut self.memories;
                let is_known = copies
                    .get(count)
                    .is_some_and(|copy| copy.fits(system, &memory));
                let copy = match memory {
                    Memory::Tick(tick) => MemoryCopy::Tick(*tick),
                    Memory::Reader(cursor) => MemoryCopy::Reader(cursor.copy()),
                    Memory::Value(from, id, _) => {
                        if let Some(SystemCopy { memory, .. }) = copies.get_mut(count)
                            && let MemoryCopy::Value { copier, value, .. } = memory
                            && is_known
                        {
                            copier.copier.copy(from, value);
                            count += 1;
                            return;
                        }
                        let Some(copier) = ValueCopier::of_type(named, known, id) else {
                            return;
                        };
                        let mut value = None;
                        copier.copier.copy(from, &mut value);
                        MemoryCopy::Value {
                            copier,
                            value,
                            staged: None,
                        }
                    }
                    Memory::Turns(_) | Memory::Captured | Memory::Unknown(_) => return,
                };
                match copies.get_mut(count) {
                    Some(known) if is_known => known.memory = copy,
                    _ => {
                        let copy = SystemCopy {
                            system: system.into(),
                            memory: copy,
                        };
                        match copies.get_mut(count) {
                            Some(other) => *other = copy,
                            None => copies.push(copy),
                        }
                    }
                }
                count += 1;
            });
        }
        self.memories.truncate(count);
        self.schedules = schedules.len();
    }

    /// Returns true if it is a copy of the same number of schedules, whose systems remember the same kinds of values.
    pub(super) fn fits(&self, schedules: &mut [&mut Schedule]) -> bool {
        let mut fits = self.schedules == schedules.len();
        let mut copies = self.memories.iter();
        for schedule in schedules {
            schedule.remembered(&mut |system, Remembered(memory)| {
                if !memory.is_not_copied() {
                    fits &= copies.next().is_some_and(|copy| copy.fits(system, &memory));
                }
            });
        }
        fits && copies.next().is_none()
    }

    /// Clones the values that will be exchanged.
    ///
    /// # Panics
    /// If a `Clone` panics; in that case nothing has changed.
    pub(super) fn stage(&mut self) {
        for copy in &mut self.memories {
            if let MemoryCopy::Value {
                copier,
                value: Some(value),
                staged,
            } = &mut copy.memory
            {
                copier.copier.copy(&**value as &dyn Any, staged);
            }
        }
    }

    /// Gives the systems their [staged](Self::stage) values. Calls no code of the user.
    pub(super) fn put_back(&mut self, schedules: &mut [&mut Schedule]) {
        let mut copies = self.memories.iter_mut();
        for schedule in schedules {
            schedule.remembered(&mut |_, Remembered(memory)| {
                if memory.is_not_copied() {
                    return;
                }
                let copy = copies.next().map(|copy| &mut copy.memory);
                match (memory, copy) {
                    (Memory::Tick(tick), Some(MemoryCopy::Tick(copy))) => *tick = *copy,
                    (Memory::Reader(cursor), Some(MemoryCopy::Reader(copy))) => {
                        cursor.return_to(*copy);
                    }
                    (
                        Memory::Value(value, ..),
                        Some(MemoryCopy::Value {
                            copier,
                            staged: Some(staged),
                            ..
                        }),
                    ) => copier.copier.exchange(value, &mut **staged),
                    _ => {}
                }
            });
        }
    }
}
