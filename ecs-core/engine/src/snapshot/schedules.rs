//! Copies of the values that systems of schedules remember.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::time::Duration;

use crate::log::CursorCopy;
use crate::resource::{ResourceCopier, swap_erased};
use crate::schedule::{FixedTime, Schedule};
use crate::system::{Memory, Remembered};
use crate::tick::Tick;
use crate::world::CopiedTypes;

type Value = dyn Any + Send + Sync;

/// The types whose values systems may remember.
#[derive(Clone, Copy)]
pub(super) struct KnownValues<'a> {
    /// Types that the program has named.
    pub(super) named: &'a [ResourceCopier],
    /// Types that the world knows.
    pub(super) known: CopiedTypes<'a>,
}

impl KnownValues<'_> {
    /// Returns the copier of a type: one of these, or one for a standard type such as a number or `String`.
    fn find(self, id: TypeId) -> Option<ResourceCopier> {
        macro_rules! known {
            ($($ty:ty)*) => {
                $(if id == TypeId::of::<$ty>() { return Some(ResourceCopier::of_type::<$ty>()); })*
            };
        }
        let mut named = self.named.iter().copied();
        if let Some(copier) = named.find(|&copier| copier.type_id() == id) {
            return Some(copier);
        }
        known!(bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String Duration FixedTime);
        let data = self.known.find(id)?;
        ResourceCopier::of(data)
    }
}

/// A copy of the values that systems of some schedules remember.
#[derive(Default)]
pub(super) struct SchedulesCopy {
    schedules: usize,
    /// The copies for all schedules, in their order.
    memories: Vec<MemoryCopy>,
}

enum MemoryCopy {
    Tick(Tick),
    Reader(CursorCopy),
    Value {
        copier: ResourceCopier,
        value: Box<Value>,
        /// The value that will be exchanged for the system's, or the system's former value.
        staged: Option<Box<Value>>,
    },
    /// A memory that cannot be copied.
    LeftOut,
}

impl MemoryCopy {
    /// Returns true if the copy has the kind and type of a memory of a system.
    fn fits(&self, memory: &Memory<'_>) -> bool {
        match (self, memory) {
            (Self::Tick(_), Memory::Tick(_)) | (Self::Reader(_), Memory::Reader(_)) => true,
            (Self::Value { copier, .. }, Memory::Value(_, id, _)) => copier.type_id() == *id,
            (Self::LeftOut, Memory::Value(..) | Memory::Unknown(_)) => true,
            _ => false,
        }
    }
}

/// A memory of a system that cannot be copied: the name of the system, and the type, or words for it.
pub(super) type Uncopied = (String, &'static str);

/// Returns the memories that cannot be copied.
pub(super) fn without_copier(
    schedules: &mut [&mut Schedule],
    values: KnownValues<'_>,
    without_captured: bool,
) -> Vec<Uncopied> {
    let mut found = Vec::new();
    for schedule in schedules {
        schedule.remembered(&mut |system, Remembered(memory)| {
            let name = match memory {
                Memory::Value(_, id, name) if values.find(id).is_none() => name,
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
    pub(super) fn take(&mut self, schedules: &mut [&mut Schedule], values: KnownValues<'_>) {
        let mut count = 0;
        for schedule in &mut *schedules {
            schedule.remembered(&mut |_, Remembered(memory)| {
                let known = self
                    .memories
                    .get_mut(count)
                    .filter(|known| known.fits(&memory));
                let copy = match (memory, known) {
                    (Memory::Value(from, ..), Some(MemoryCopy::Value { copier, value, .. })) => {
                        copier.copy_over(from, &mut **value);
                        count += 1;
                        return;
                    }
                    (Memory::Tick(tick), _) => MemoryCopy::Tick(*tick),
                    (Memory::Reader(cursor), _) => MemoryCopy::Reader(cursor.copy()),
                    (Memory::Value(value, id, _), _) => match values.find(id) {
                        Some(copier) => MemoryCopy::Value {
                            copier,
                            value: copier.copied(value),
                            staged: None,
                        },
                        None => MemoryCopy::LeftOut,
                    },
                    (Memory::Unknown(_), _) => MemoryCopy::LeftOut,
                    (Memory::Turns(_) | Memory::Captured, _) => return,
                };
                match self.memories.get_mut(count) {
                    Some(known) => *known = copy,
                    None => self.memories.push(copy),
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
            schedule.remembered(&mut |_, Remembered(memory)| {
                if !memory.is_not_copied() {
                    fits &= copies.next().is_some_and(|copy| copy.fits(&memory));
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
                value,
                staged,
            } = copy
            {
                match staged {
                    Some(staged) => copier.copy_over(&**value, &mut **staged),
                    None => *staged = Some(copier.copied(&**value)),
                }
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
                match (memory, copies.next()) {
                    (Memory::Tick(tick), Some(MemoryCopy::Tick(copy))) => *tick = *copy,
                    (Memory::Reader(cursor), Some(MemoryCopy::Reader(copy))) => {
                        cursor.return_to(*copy);
                    }
                    (
                        Memory::Value(value, ..),
                        Some(MemoryCopy::Value {
                            staged: Some(staged),
                            ..
                        }),
                    ) => swap_erased(value, &mut **staged),
                    _ => {}
                }
            });
        }
    }
}
