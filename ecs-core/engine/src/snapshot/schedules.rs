//! Copies of the values that systems of schedules remember.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::time::Duration;

use crate::log::CursorCopy;
use crate::schedule::{FixedTime, Schedule};
use crate::system::{Memory, Remembered};
use crate::tick::Tick;

/// Copies the values of one type that systems remember.
#[derive(Clone, Copy)]
pub(super) struct ValueCopier {
    id: TypeId,
    clone: fn(&dyn Any) -> Box<Value>,
    clone_from: fn(&dyn Any, &mut Value),
    exchange: fn(&mut dyn Any, &mut Value),
}

type Value = dyn Any + Send + Sync;

impl ValueCopier {
    pub(super) fn of<T: Clone + Send + Sync + 'static>() -> Self {
        const SAME: &str = "a value of the copier's type";
        Self {
            id: TypeId::of::<T>(),
            clone: |value| Box::new(value.downcast_ref::<T>().expect(SAME).clone()),
            clone_from: |value, into| {
                let into = into.downcast_mut::<T>().expect(SAME);
                into.clone_from(value.downcast_ref().expect(SAME));
            },
            exchange: |value, other| {
                let value = value.downcast_mut::<T>().expect(SAME);
                core::mem::swap(value, other.downcast_mut().expect(SAME));
            },
        }
    }

    /// Returns the copier of a type: one of these, or one for a standard type such as a number or `String`.
    pub(super) fn find(named: &[Self], id: TypeId) -> Option<Self> {
        macro_rules! known {
            ($($ty:ty)*) => { $(if id == TypeId::of::<$ty>() { return Some(Self::of::<$ty>()); })* };
        }
        if let Some(copier) = named.iter().find(|copier| copier.id == id) {
            return Some(*copier);
        }
        known!(bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String Duration FixedTime);
        None
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
        copier: ValueCopier,
        value: Box<Value>,
        /// The value that will be exchanged for the system's, or the system's former value.
        staged: Option<Box<Value>>,
    },
}

impl MemoryCopy {
    /// Returns true if the copy has the kind and type of a memory of a system.
    fn fits(&self, memory: &Memory<'_>) -> bool {
        match (self, memory) {
            (Self::Tick(_), Memory::Tick(_)) | (Self::Reader(_), Memory::Reader(_)) => true,
            (Self::Value { copier, .. }, Memory::Value(_, id, _)) => copier.id == *id,
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
    without_captured: bool,
) -> Vec<Uncopied> {
    let mut found = Vec::new();
    for schedule in schedules {
        schedule.remembered(&mut |system, Remembered(memory)| {
            let name = match memory {
                Memory::Value(_, id, name) if ValueCopier::find(named, id).is_none() => name,
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
    pub(super) fn take(&mut self, schedules: &mut [&mut Schedule], named: &[ValueCopier]) {
        let mut count = 0;
        for schedule in &mut *schedules {
            schedule.remembered(&mut |_, Remembered(memory)| {
                let known = self
                    .memories
                    .get_mut(count)
                    .filter(|known| known.fits(&memory));
                let copy = match (memory, known) {
                    (Memory::Value(from, ..), Some(MemoryCopy::Value { copier, value, .. })) => {
                        (copier.clone_from)(from, &mut **value);
                        count += 1;
                        return;
                    }
                    (Memory::Tick(tick), _) => MemoryCopy::Tick(*tick),
                    (Memory::Reader(cursor), _) => MemoryCopy::Reader(cursor.copy()),
                    (Memory::Value(value, id, _), _) => {
                        let Some(copier) = ValueCopier::find(named, id) else {
                            return;
                        };
                        MemoryCopy::Value {
                            copier,
                            value: (copier.clone)(value),
                            staged: None,
                        }
                    }
                    (Memory::Turns(_) | Memory::Captured | Memory::Unknown(_), _) => return,
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
                    Some(staged) => (copier.clone_from)(&**value, &mut **staged),
                    None => *staged = Some((copier.clone)(&**value)),
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
                            copier,
                            staged: Some(staged),
                            ..
                        }),
                    ) => (copier.exchange)(value, &mut **staged),
                    _ => {}
                }
            });
        }
    }
}
