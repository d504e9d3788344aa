//! Copies of the values that systems of schedules remember.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::any::TypeId;
use core::time::Duration;

use super::plain::{Value, WrittenFn, is_in_bytes};
use crate::log::CursorCopy;
use crate::resource::{ResourceCopier, swap_erased};
use crate::schedule::{FixedTime, PendingTransition, Schedule};
use crate::system::{Memory, Remembered};
use crate::tick::Tick;
use crate::type_name::type_name;
use crate::world::CopiedTypes;

/// The types whose values systems may remember.
#[derive(Clone, Copy)]
pub(super) struct KnownValues<'a> {
    /// Types that the program has named.
    pub(super) named: &'a [ResourceCopier],
    /// Types that the world knows.
    pub(super) known: CopiedTypes<'a>,
    /// Limits them to values that can become bytes.
    pub(super) is_written: Option<WrittenFn>,
}

macro_rules! standard {
    ($with:ident) => {
        $with!(bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String Duration FixedTime PendingTransition)
    };
}

impl KnownValues<'_> {
    /// Returns the copier of a type: one of these, or one for a standard type such as a number or `String`.
    pub(super) fn find(self, id: TypeId) -> Option<ResourceCopier> {
        macro_rules! known {
            ($($ty:ty)*) => {
                $(if id == TypeId::of::<$ty>() { return Some(ResourceCopier::of_type::<$ty>()); })*
            };
        }
        let is_written = |copier: &ResourceCopier| is_in_bytes(self.is_written, *copier);
        let mut named = self.named.iter().copied().filter(is_written);
        if let Some(copier) = named.find(|&copier| copier.type_id() == id) {
            return Some(copier);
        }
        standard!(known);
        let data = self.known.find(id)?;
        ResourceCopier::of(data).filter(is_written)
    }
}

/// Returns the name and the copier of the standard type with a name.
pub(super) fn standard_named(name: &str) -> Option<(&'static str, ResourceCopier)> {
    macro_rules! named {
        ($($ty:ty)*) => {
            $(if name == type_name::<$ty>() {
                return Some((type_name::<$ty>(), ResourceCopier::of_type::<$ty>()));
            })*
        };
    }
    standard!(named);
    None
}

/// A copy of the values that systems of some schedules remember.
#[derive(Default)]
pub(super) struct SchedulesCopy {
    pub(super) schedules: usize,
    /// The names of the systems of all schedules, in their order, also in schedules that are steps.
    pub(super) systems: Vec<Cow<'static, str>>,
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
        copier: ResourceCopier,
        /// The name of the type.
        name: &'static str,
        value: Box<Value>,
        /// The value that will be exchanged for the system's, or the system's former value.
        staged: Option<Box<Value>>,
    },
    /// A memory that cannot be copied.
    LeftOut,
}

impl SystemCopy {
    /// Returns true if the copy has the kind and type of a memory of a system with this name.
    fn fits(&self, system: &str, memory: &Memory<'_>) -> bool {
        *self.system == *system && self.memory.fits(memory)
    }
}

impl MemoryCopy {
    /// Returns words for its kind.
    fn words(&self) -> String {
        match self {
            Self::Tick(_) => String::from(A_TICK),
            Self::Reader(_) => String::from(A_READER),
            Self::Value { name, .. } => format!("a `{name}`"),
            Self::LeftOut => String::from("a value that is left out"),
        }
    }

    pub(super) fn is_tick(&self) -> bool {
        matches!(self, Self::Tick(_))
    }

    /// Copies a memory; `None` if no snapshot contains it.
    ///
    /// # Panics
    /// If a `Clone` panics.
    pub(super) fn of(memory: Memory<'_>, values: KnownValues<'_>) -> Option<Self> {
        Some(match memory {
            Memory::Tick(tick) => Self::Tick(*tick),
            Memory::Reader(cursor) => Self::Reader(cursor.copy()),
            Memory::Value(value, id, name) => match values.find(id) {
                Some(copier) => Self::Value {
                    copier,
                    name,
                    value: copier.copied(value),
                    staged: None,
                },
                None => Self::LeftOut,
            },
            Memory::Unknown(_) => Self::LeftOut,
            Memory::Turns(_) | Memory::Captured => return None,
        })
    }

    /// Clones the value that will be exchanged, if it is a value.
    ///
    /// # Panics
    /// If a `Clone` panics; in that case nothing has changed.
    pub(super) fn stage(&mut self) {
        if let Self::Value {
            copier,
            value,
            staged,
            ..
        } = self
        {
            match staged {
                Some(staged) => copier.copy_over(&**value, &mut **staged),
                None => *staged = Some(copier.copied(&**value)),
            }
        }
    }

    /// Gives a system the copy, which is [staged](Self::stage), unless the system remembers something else. Calls no code of the
    /// user.
    pub(super) fn give_to(&mut self, memory: Memory<'_>) {
        match (memory, self) {
            (Memory::Tick(tick), Self::Tick(copy)) => *tick = *copy,
            (Memory::Reader(cursor), Self::Reader(copy)) => cursor.return_to(*copy),
            (
                Memory::Value(value, id, _),
                Self::Value {
                    copier,
                    staged: Some(staged),
                    ..
                },
            ) if copier.type_id() == id => swap_erased(value, &mut **staged),
            _ => {}
        }
    }

    /// Returns true if the copy has the kind and type of a memory of a system.
    pub(super) fn fits(&self, memory: &Memory<'_>) -> bool {
        match (self, memory) {
            (Self::Tick(_), Memory::Tick(_)) | (Self::Reader(_), Memory::Reader(_)) => true,
            (Self::Value { copier, .. }, Memory::Value(_, id, _)) => copier.type_id() == *id,
            (Self::LeftOut, Memory::Value(..) | Memory::Unknown(_)) => true,
            _ => false,
        }
    }
}

impl Memory<'_> {
    /// Returns words for its kind.
    fn words(&self) -> String {
        match self {
            Self::Tick(_) => String::from(A_TICK),
            Self::Reader(_) => String::from(A_READER),
            Self::Value(_, _, name) | Self::Unknown(name) => format!("a `{name}`"),
            Self::Turns(_) | Self::Captured => String::new(),
        }
    }
}

const A_TICK: &str = "a tick";
const A_READER: &str = "a reader";

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
        self.systems.clear();
        for schedule in &mut *schedules {
            schedule.visit_systems(&mut |name| self.systems.push(Cow::Borrowed(name)));
            schedule.remembered(&mut |system, Remembered(memory)| {
                let known = self.memories.get_mut(count);
                let known = known.filter(|known| known.fits(system, &memory));
                let known = known.map(|known| &mut known.memory);
                let is_known = known.is_some();
                let copy = match (memory, known) {
                    (Memory::Value(from, ..), Some(MemoryCopy::Value { copier, value, .. })) => {
                        copier.copy_over(from, &mut **value);
                        count += 1;
                        return;
                    }
                    (memory, _) => match MemoryCopy::of(memory, values) {
                        Some(copy) => copy,
                        None => return,
                    },
                };
                match self.memories.get_mut(count) {
                    Some(known) if is_known => known.memory = copy,
                    other => {
                        let copy = SystemCopy {
                            system: system.into(),
                            memory: copy,
                        };
                        match other {
                            Some(other) => *other = copy,
                            None => self.memories.push(copy),
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

    /// Returns the first system that differs from the copy: its words in the schedules, and in the copy.
    pub(super) fn first_difference(&self, schedules: &mut [&mut Schedule]) -> Option<[String; 2]> {
        let differs = |here: Option<&str>, written: Option<&str>| {
            let words =
                |name: Option<&str>| name.map_or(String::from("none"), |name| format!("`{name}`"));
            (here != written).then(|| [words(here), words(written)])
        };
        let mut systems = Vec::new();
        let mut memories = Vec::new();
        for schedule in &mut *schedules {
            schedule.visit_systems(&mut |name| systems.push(name));
            schedule.remembered(&mut |system, Remembered(memory)| {
                if !memory.is_not_copied() {
                    let copy = self.memories.get(memories.len());
                    let fits = copy.is_some_and(|copy| copy.fits(system, &memory));
                    memories.push((format!("{system}` with {}", memory.words()), fits));
                }
            });
        }
        let names = 0..systems.len().max(self.systems.len());
        let mut names = names.filter_map(|index| {
            let here = systems.get(index).copied();
            differs(here, self.systems.get(index).map(|name| &**name))
        });
        if let Some(found) = names.next() {
            return Some(found);
        }
        let count = memories.len().max(self.memories.len());
        let first = (0..count).find(|&index| memories.get(index).is_none_or(|(_, fits)| !fits));
        if let Some(index) = first {
            let here = memories.get(index).map(|(words, _)| format!("`{words}"));
            let written = self
                .memories
                .get(index)
                .map(|SystemCopy { system, memory }| format!("`{system}` with {}", memory.words()));
            let words = |words: Option<String>| words.unwrap_or_else(|| String::from("none"));
            return Some([words(here), words(written)]);
        }
        let [here, written] =
            [schedules.len(), self.schedules].map(|count| format!("{count} schedules"));
        (here != written).then_some([here, written])
    }

    /// Clones the values that will be exchanged.
    ///
    /// # Panics
    /// If a `Clone` panics; in that case nothing has changed.
    pub(super) fn stage(&mut self) {
        for copy in &mut self.memories {
            copy.memory.stage();
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
                if let Some(copy) = copies.next() {
                    copy.memory.give_to(memory);
                }
            });
        }
    }
}
