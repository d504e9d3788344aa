//! A buffer of bytes that stores commands of different types one after the other.
//!
//! ```text
//! bytes:  .. taken .. | &vtable of A | A | &vtable of B | B | &vtable of C | C |
//!                     ^ start                                                  ^ bytes.len()
//! ```
//!
//! There is no padding: headers and values are written and read unaligned, and a value is moved to the stack before it is
//! used. So types of any alignment can be stored, and records can be moved as plain bytes.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};

use super::{Command, World};
use crate::invariant::Invariant;
use crate::unwind::{AssertUnwindSafe, catch_unwind, is_panicking, resume_unwind};

/// The size and functions of a command type.
struct Vtable {
    id: TypeId,
    size: usize,
    apply: unsafe fn(*const MaybeUninit<u8>, &mut World),
    /// Applies the value, which was taken out of the queue, and possibly the next commands of the same type.
    apply_run: unsafe fn(*const MaybeUninit<u8>, &mut CommandBuffer, &mut World),
    drop: unsafe fn(*const MaybeUninit<u8>),
}

impl Vtable {
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

/// Applies a command.
///
/// # Safety
/// `value` points to the bytes of an initialised `C`, not necessarily aligned, which the caller does not use again.
unsafe fn apply<C: Command>(value: *const MaybeUninit<u8>, world: &mut World) {
    // SAFETY: by the caller's contract `value` points to the bytes of a `C`, which the caller does not use again.
    let command = unsafe { value.cast::<C>().read_unaligned() };
    command.apply(world);
}

/// Applies a command, and possibly the next ones of its type in the queue.
///
/// # Safety
/// `value` points to the bytes of an initialised `C`, not necessarily aligned, which the caller does not use again.
unsafe fn apply_run<C: Command>(
    value: *const MaybeUninit<u8>,
    queue: &mut CommandBuffer,
    world: &mut World,
) {
    // SAFETY: by the caller's contract `value` points to the bytes of a `C`, which the caller does not use again.
    let command = unsafe { value.cast::<C>().read_unaligned() };
    let of = PhantomData;
    command.apply_run(&mut CommandRun { queue, of }, world);
}

/// The next commands of a queue, for as long as they are `C`s.
pub struct CommandRun<'q, C> {
    queue: &'q mut CommandBuffer,
    of: Invariant<C>,
}

impl<C: Command> CommandRun<'_, C> {
    /// Removes and returns the next command if it is a `C` and `fits` accepts it.
    #[inline]
    pub(super) fn next_if(&mut self, fits: impl FnOnce(&C) -> bool) -> Option<C> {
        let (vtable, value) = self.queue.first_of(TypeId::of::<C>())?;
        // SAFETY: by `first_of` the record has the type `C`, so by invariant 1 of `CommandBuffer` the value is a `C`. The
        // copy is a `ManuallyDrop`, because the value still belongs to the queue.
        let command = ManuallyDrop::new(unsafe { value.cast::<C>().read_unaligned() });
        if !fits(&command) {
            return None;
        }
        self.queue.forget_first(vtable);
        Some(ManuallyDrop::into_inner(command))
    }
}

/// Drops a command.
///
/// # Safety
/// `value` points to the bytes of an initialised `C`, not necessarily aligned, which the caller does not use again.
unsafe fn drop_unapplied<C: Command>(value: *const MaybeUninit<u8>) {
    // SAFETY: by the caller's contract `value` points to the bytes of a `C`, which the caller does not use again.
    let command = unsafe { value.cast::<C>().read_unaligned() };
    drop(command);
}

const HEADER: usize = size_of::<&'static Vtable>();

/// A first-in, first-out queue of commands.
#[derive(Default)]
pub(super) struct CommandBuffer {
    /// Invariant 1: `bytes[start..]` consists of `len` records, each a `&'static Vtable` followed by the bytes of a
    /// value of its type, which this queue owns.
    ///
    /// The automatic `Send` and `Sync` are sound although the bytes do not depend on the types of the commands: commands are
    /// `Send`, and no shared reference reaches one.
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
        // SAFETY: `reserve` has reserved `HEADER` bytes, and the bytes of the value.
        let value = unsafe { header.add(HEADER) };
        // SAFETY: `reserve` has reserved `size_of::<C>()` bytes after the header.
        unsafe { value.cast::<C>().write_unaligned(command) };
        // SAFETY: `header` is from `reserve` for the size of `C`, and a `C` was written after it.
        unsafe { self.record(header, Vtable::of::<C>()) };
    }

    /// Makes room for a record whose value has this size, and returns its start.
    #[inline]
    fn reserve(&mut self, size: usize) -> *mut MaybeUninit<u8> {
        self.reuse_taken();
        self.bytes.reserve(HEADER + size);
        let end = self.bytes.len();
        // SAFETY: `end` is the length of `bytes`, which is at most the capacity.
        unsafe { self.bytes.as_mut_ptr().add(end) }
    }

    /// Adds a record whose value was already written.
    ///
    /// # Safety
    /// `header` was returned by [`reserve`](Self::reserve) for the size in `vtable`, and a value of the vtable's type was
    /// written after the header.
    #[inline]
    unsafe fn record(&mut self, header: *mut MaybeUninit<u8>, vtable: &'static Vtable) {
        // SAFETY: by the caller's contract `HEADER` bytes were reserved at `header`.
        unsafe { header.cast::<&'static Vtable>().write_unaligned(vtable) };
        // SAFETY: by the caller's contract this much capacity was reserved, and `MaybeUninit` bytes need no initialisation.
        // Invariant 1 holds: the header was written above, and the value by the caller.
        unsafe { self.bytes.set_len(self.bytes.len() + HEADER + vtable.size) };
        self.len += 1;
    }

    pub(super) fn append(&mut self, other: &mut Self) {
        if self.is_empty() {
            core::mem::swap(self, other);
        } else {
            self.bytes.extend_from_slice(&other.bytes[other.start..]);
            self.len += other.len;
            // `self` owns the values now. For invariant 1, `other` no longer has any records.
            other.len = 0;
        }
        other.reuse_taken();
    }

    /// Removes and returns all commands but the first `count`. O(count + removed bytes), O(1) if `count` is 0.
    pub(super) fn split_off(&mut self, count: usize) -> Self {
        if count == 0 {
            return core::mem::take(self);
        }
        let (mut start, count) = (self.start, count.min(self.len));
        for _ in 0..count {
            // SAFETY: by invariant 1 there are `len` records from `self.start` on, and fewer than `len` were passed.
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

    /// Removes the first command and applies it; returns false if there was none.
    #[inline]
    pub(super) fn apply_first(&mut self, world: &mut World) -> bool {
        let Some((vtable, value)) = self.take_first() else {
            return false;
        };
        // Only a hint: a type may have several vtables.
        let may_continue = self
            .first()
            .is_some_and(|(next, _)| core::ptr::eq(vtable, next));
        if may_continue {
            // SAFETY: `take_first` returned a value of the vtable's type, which the queue no longer owns.
            unsafe { (vtable.apply_run)(value, self, world) };
        } else {
            // SAFETY: `take_first` returned a value of the vtable's type, which the queue no longer owns.
            unsafe { (vtable.apply)(value, world) };
        }
        true
    }

    /// Drops all commands in order, even if destructors panic, and returns the first panic.
    pub(super) fn drop_all(&mut self) -> Option<Box<dyn Any + Send>> {
        let mut first = None;
        while !self.is_empty() {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                while let Some((vtable, value)) = self.take_first() {
                    // SAFETY: `take_first` returned a value of the vtable's type, which the queue no longer owns.
                    unsafe { (vtable.drop)(value) };
                }
            }));
            if let Err(panic) = outcome {
                first.get_or_insert(panic);
            }
        }
        first
    }

    /// Removes the first record. Returns its vtable, and a pointer to its value that is valid until the queue changes.
    ///
    /// The record is removed before its functions run, because they may panic.
    #[inline]
    fn take_first(&mut self) -> Option<(&'static Vtable, *const MaybeUninit<u8>)> {
        let (vtable, value) = self.first()?;
        self.forget_first(vtable);
        Some((vtable, value))
    }

    /// Removes the first record, which has this vtable, without dropping its value.
    #[inline]
    fn forget_first(&mut self, vtable: &'static Vtable) {
        self.start += HEADER + vtable.size;
        self.len -= 1;
    }

    /// Returns the vtable of the first record, and a pointer to its value.
    #[inline]
    fn first(&self) -> Option<(&'static Vtable, *const MaybeUninit<u8>)> {
        if self.is_empty() {
            return None;
        }
        // SAFETY: by invariant 1 there is a record at `start`.
        Some(unsafe { self.record_at(self.start) })
    }

    /// Returns the vtable of the record at byte `start`, and a pointer to its value.
    ///
    /// # Safety
    /// `start` is the first byte of one of the records of invariant 1.
    #[inline]
    unsafe fn record_at(&self, start: usize) -> (&'static Vtable, *const MaybeUninit<u8>) {
        // SAFETY: by the caller's contract there is a record at `start`, so `start` is inside the buffer.
        let header = unsafe { self.bytes.as_ptr().add(start) };
        // SAFETY: by invariant 1 a record begins with a `&'static Vtable`.
        let vtable = unsafe { header.cast::<&'static Vtable>().read_unaligned() };
        // SAFETY: by invariant 1 the value follows the header, inside the buffer.
        let value = unsafe { header.add(HEADER) };
        (vtable, value)
    }

    /// Returns the [first](Self::first) record, if it is of this type.
    #[inline]
    fn first_of(&self, id: TypeId) -> Option<(&'static Vtable, *const MaybeUninit<u8>)> {
        self.first().filter(|(vtable, _)| vtable.id == id)
    }

    /// Clears the bytes if all commands were taken.
    ///
    /// Taking the last command does not do this itself, because its bytes are still read afterwards.
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
            && !is_panicking()
        {
            resume_unwind(panic);
        }
    }
}
