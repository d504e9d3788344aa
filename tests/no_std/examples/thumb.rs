//! The game on a microcontroller: a Cortex-M4 with 4 MB of memory, which QEMU emulates (`mps2-an386`). There is no operating system,
//! no C library and no runtime: this file and `thumb.ld` are all that is below the game.

#![no_std]
#![no_main]

use core::alloc::{GlobalAlloc, Layout};
use core::arch::asm;
use core::cell::UnsafeCell;
use core::panic::PanicInfo;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

use ecs_no_std::{EXPECTED, board, play};

/// The first words of the memory: the processor begins with them.
#[repr(C)]
struct Vectors {
    /// The end of the memory: the stack grows down from there.
    stack: usize,
    reset: extern "C" fn() -> !,
}

// SAFETY: the linker script places nothing else in this section, which is read by the processor alone.
#[unsafe(link_section = ".vectors")]
#[used]
static VECTORS: Vectors = Vectors {
    stack: 0x2040_0000,
    reset,
};

extern "C" fn reset() -> ! {
    let is_right = play().is_ok_and(|score| score == EXPECTED) && board::weighted_sum() == 10_100;
    if is_right {
        print(c"the game ran on a Cortex-M4\n");
    }
    exit(is_right)
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    print(c"the game panicked\n");
    exit(false)
}

/// Memory that is never freed. The game needs little.
struct Heap {
    bytes: UnsafeCell<[u8; SIZE]>,
    used: AtomicUsize,
}

const SIZE: usize = 3 << 20;

// SAFETY: each part of the bytes is given to one caller, by `used`.
unsafe impl Sync for Heap {}

#[global_allocator]
static HEAP: Heap = Heap {
    bytes: UnsafeCell::new([0; SIZE]),
    used: AtomicUsize::new(0),
};

// SAFETY: no part of the memory is returned twice, and each is within the bytes, and aligned.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let begin = self.bytes.get().cast::<u8>();
        let used = self.used.load(Ordering::Relaxed);
        let at = (begin.addr() + used).next_multiple_of(layout.align()) - begin.addr();
        match at.checked_add(layout.size()) {
            Some(end) if end <= SIZE => {
                // There is one core, and no interrupt.
                self.used.store(end, Ordering::Relaxed);
                begin.wrapping_add(at)
            }
            _ => ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

/// Prints a text by semihosting: a breakpoint that the emulator takes as a call.
fn print(text: &core::ffi::CStr) {
    // SAFETY: operation 4 reads a text up to its zero.
    unsafe { call(4, text.as_ptr().addr()) };
}

fn exit(is_right: bool) -> ! {
    // The two reasons are "application exit" and "run-time error".
    // SAFETY: operation 0x18 ends the emulator, and accesses no memory.
    unsafe { call(0x18, if is_right { 0x20026 } else { 0x20023 }) };
    loop {}
}

/// # Safety
/// The operation accesses only memory that it may.
unsafe fn call(operation: usize, argument: usize) {
    // SAFETY: by the caller's contract. The operation returns in `r0`.
    unsafe { asm!("bkpt 0xab", inout("r0") operation => _, in("r1") argument) };
}
