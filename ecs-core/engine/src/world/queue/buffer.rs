//! Commands of different types behind each other in one buffer of bytes.
//!
//! ```text
//! bytes:  .. taken .. | &CommandVtable of A | A | &CommandVtable of B | B | &CommandVtable of C | C |
//!                     ^ start                                            ^ bytes.len()
//! ```
//!
//! There is no padding: headers and values are written and read unaligned, and a value is moved to the stack before
//! anything is done to it. So any alignment will do, and records can be moved as plain bytes.

use core::any::{Any, TypeId};
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use super::{Command, World};
use crate::invariant::Invariant;

/// What remains known of a command's type.
struct CommandVtable {
    id: TypeId,
    size: usize,
    apply: unsafe fn(*const MaybeUninit<u8>, &mut World),
    /// Applies the value, which was taken out of the queue, and perhaps the commands of the same type that come next.
    apply_run: unsafe fn(*const MaybeUninit<u8>, &mut CommandBuffer, &mut World),
    drop: unsafe fn(*const MaybeUninit<u8>),
}

impl CommandVtable {
    const fn of<C: Command>() -> &'static Self {
        const {
            &Self {
                id: TypeId::of::<C>(),
                size: size_of::<C>(),
                apply: apply::<C>,
                apply_run: apply_run::<C>,
                drop: drop_unapplied::<C>,
            }
        }
    }
}

/// # Safety
/// `value` points to the bytes of a `C`, not necessarily aligned, that the caller gives away.
unsafe fn apply<C: Command>(value: *const MaybeUninit<u8>, world: &mut World) {
    // SAFETY: the caller promises the bytes of a `C`, and gives it away.
    let command = unsafe { value.cast::<C>().read_unaligned() };
    command.apply(world);
}

/// # Safety
/// As for [`apply`].
unsafe fn apply_run<C: Command>(
    value: *const MaybeUninit<u8>,
    queue: &mut CommandBuffer,
    world: &mut World,
) {
    // SAFETY: the caller promises the bytes of a `C`, and gives it away.
    let command = unsafe { value.cast::<C>().read_unaligned() };
    let of = PhantomData;
    command.apply_run(&mut CommandRun { queue, of }, world);
}

/// The commands that come next in a queue, as far as they are `C`s.
pub struct CommandRun<'q, C> {
    queue: &'q mut CommandBuffer,
    of: Invariant<C>,
}

impl<C: Command> CommandRun<'_, C> {
    /// Takes the next command out, if it is a `C` and `fits`.
    #[inline]
    pub(super) fn next_if(&mut self, fits: impl FnOnce(&C) -> bool) -> Option<C> {
        let (vtable, value) = self.queue.first_of(TypeId::of::<C>())?;
        // SAFETY: the value is one of the vtable, which is that of `C`. It still belongs to the queue.
        let command = ManuallyDrop::new(unsafe { value.cast::<C>().read_unaligned() });
        if !fits(&command) {
            return None;
        }
        self.queue.forget_first(vtable);
        Some(ManuallyDrop::into_inner(command))
    }
}

/// # Safety
/// As for [`apply`].
unsafe fn drop_unapplied<C: Command>(value: *const MaybeUninit<u8>) {
    // SAFETY: the caller promises the bytes of a `C`, and gives it away.
    let command = unsafe { value.cast::<C>().read_unaligned() };
    drop(command);
}

const HEADER: usize = size_of::<&'static CommandVtable>();

/// A first-in, first-out queue of commands.
#[derive(Default)]
pub(super) struct CommandBuffer {
    /// Invariant 1: `bytes[start..]` consists of `len` records, each a `&'static CommandVtable` followed by the bytes of a value
    /// of that vtable which this queue owns.
    ///
    /// `Send` and `Sync` follow from the fields although they know nothing of the commands, and rightly so: commands
    /// are `Send`, and nobody reaches one through a shared reference.
    bytes: Vec<MaybeUninit<u8>>,
    start: usize,
    len: usize,
}

impl CommandBuffer {
    pub(super) const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            start: 0,
            len: 0,
        }
    }

    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[cfg(test)]
    pub(super) const fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    #[inline]
    pub(super) fn push<C: Command>(&mut self, command: C) {
        let header = self.reserve(size_of::<C>());
        // SAFETY: `HEADER` bytes were reserved, or more.
        let value = unsafe { header.add(HEADER) };
        // SAFETY: `size_of::<C>()` bytes behind the header were reserved.
        unsafe { value.cast::<C>().write_unaligned(command) };
        // SAFETY: the value was written above.
        unsafe { self.record(header, CommandVtable::of::<C>()) };
    }

    /// Makes room for a record whose value has this size, and says where it begins.
    #[inline]
    fn reserve(&mut self, size: usize) -> *mut MaybeUninit<u8> {
        self.reuse_taken();
        self.bytes.reserve(HEADER + size);
        let end = self.bytes.len();
        // SAFETY: `end` is within the capacity.
        unsafe { self.bytes.as_mut_ptr().add(end) }
    }

    /// Adds a record, whose value is in its place.
    ///
    /// # Safety
    /// `header` is where [`reserve`](Self::reserve) said, for the size of the vtable, and a value of it was written behind.
    #[inline]
    unsafe fn record(&mut self, header: *mut MaybeUninit<u8>, vtable: &'static CommandVtable) {
        // SAFETY: `HEADER` bytes were reserved there.
        unsafe {
            header
                .cast::<&'static CommandVtable>()
                .write_unaligned(vtable)
        };
        // SAFETY: the capacity is there, and `MaybeUninit` bytes need no initialisation. Invariant 1: the header was written
        // above, and the value by the caller.
        unsafe { self.bytes.set_len(self.bytes.len() + HEADER + vtable.size) };
        self.len += 1;
    }

    pub(super) fn append(&mut self, other: &mut Self) {
        if self.is_empty() {
            core::mem::swap(self, other);
        } else {
            self.bytes.extend_from_slice(&other.bytes[other.start..]);
            self.len += other.len;
            // The bytes in `other` are a mere copy now; see invariant 1.
            other.len = 0;
        }
        other.reuse_taken();
    }

    /// Takes out all commands but the first `count`. O(count + bytes that are taken out), O(1) if it is 0.
    pub(super) fn split_off(&mut self, count: usize) -> Self {
        if count == 0 {
            return core::mem::take(self);
        }
        let (mut start, count) = (self.start, count.min(self.len));
        for _ in 0..count {
            // SAFETY: by invariant 1 there are `len` records, of which so many were not passed yet.
            let (vtable, _) = unsafe { self.record_at(start) };
            start += HEADER + vtable.size;
        }
        let rest = Self {
            bytes: self.bytes[start..].to_vec(),
            start: 0,
            len: self.len - count,
        };
        self.bytes.truncate(start);
        self.len = count;
        rest
    }

    /// Takes the first command out and applies it; `false` if there was none.
    #[inline]
    pub(super) fn apply_first(&mut self, world: &mut World) -> bool {
        let Some((vtable, value)) = self.take_first() else {
            return false;
        };
        // Only a hint: the same vtable may be there twice.
        let goes_on = self
            .first()
            .is_some_and(|(next, _)| core::ptr::eq(vtable, next));
        if goes_on {
            // SAFETY: `take_first` gave away a value of the vtable.
            unsafe { (vtable.apply_run)(value, self, world) };
        } else {
            // SAFETY: `take_first` gave away a value of the vtable.
            unsafe { (vtable.apply)(value, world) };
        }
        true
    }

    /// Drops all commands in order, whatever their destructors do, and hands back the first panic of one.
    pub(super) fn drop_all(&mut self) -> Option<Box<dyn Any + Send>> {
        let mut first = None;
        while !self.is_empty() {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                while let Some((vtable, value)) = self.take_first() {
                    // SAFETY: `take_first` gave away a value of the vtable.
                    unsafe { (vtable.drop)(value) };
                }
            }));
            if let Err(panic) = outcome {
                first.get_or_insert(panic);
            }
        }
        first
    }

    /// Gives the first record away: its vtable, and a pointer to its value that is valid until the queue is changed.
    ///
    /// The queue has forgotten the value before anybody runs code of it, which may panic.
    #[inline]
    fn take_first(&mut self) -> Option<(&'static CommandVtable, *const MaybeUninit<u8>)> {
        let (vtable, value) = self.first()?;
        self.forget_first(vtable);
        Some((vtable, value))
    }

    /// Counts the first record, which is of this vtable, as given away.
    #[inline]
    fn forget_first(&mut self, vtable: &'static CommandVtable) {
        self.start += HEADER + vtable.size;
        self.len -= 1;
    }

    /// The vtable of the first record, and a pointer to its value.
    #[inline]
    fn first(&self) -> Option<(&'static CommandVtable, *const MaybeUninit<u8>)> {
        if self.is_empty() {
            return None;
        }
        // SAFETY: by invariant 1 there is a record at `start`.
        Some(unsafe { self.record_at(self.start) })
    }

    /// The vtable of the record that begins at a byte, and a pointer to its value.
    ///
    /// # Safety
    /// One does.
    #[inline]
    unsafe fn record_at(&self, start: usize) -> (&'static CommandVtable, *const MaybeUninit<u8>) {
        // SAFETY: the caller promises a record there, which is inside the buffer.
        let header = unsafe { self.bytes.as_ptr().add(start) };
        // SAFETY: by invariant 1 a record starts with its vtable.
        let vtable = unsafe { header.cast::<&'static CommandVtable>().read_unaligned() };
        // SAFETY: by invariant 1 the value lies behind the header.
        let value = unsafe { header.add(HEADER) };
        (vtable, value)
    }

    /// As [`first`](Self::first), if it is of this type.
    #[inline]
    fn first_of(&self, id: TypeId) -> Option<(&'static CommandVtable, *const MaybeUninit<u8>)> {
        self.first().filter(|(vtable, _)| vtable.id == id)
    }

    /// Frees the room of commands that were taken, if all of them were.
    ///
    /// Not done when the last one is taken, whose bytes are still to be read then.
    #[inline]
    fn reuse_taken(&mut self) {
        if self.is_empty() {
            self.bytes.clear();
            self.start = 0;
        }
    }
}

impl Drop for CommandBuffer {
    #[inline]
    fn drop(&mut self) {
        if !self.is_empty() {
            self.drop_rest();
        }
    }
}

impl CommandBuffer {
    #[cold]
    fn drop_rest(&mut self) {
        if let Some(panic) = self.drop_all()
            && !thread::panicking()
        {
            resume_unwind(panic);
        }
    }
}
