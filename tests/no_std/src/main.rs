//! Plays the game on this machine without the standard library; ends with 0 if the result is right. If any crate linked the
//! standard library, the program would have two panic handlers and not compile.

#![no_std]
#![no_main]

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::{c_int, c_void};
use core::panic::PanicInfo;

use ecs_no_std::{EXPECTED, board, play};

// The C library, which every program on this machine is linked with.
#[link(name = "c")]
unsafe extern "C" {
    fn aligned_alloc(align: usize, size: usize) -> *mut c_void;
    fn free(pointer: *mut c_void);
    fn _exit(status: c_int) -> !;
}

struct Malloc;

// SAFETY: `aligned_alloc` returns null, or memory of that size and alignment, which belongs to its caller until it is
// freed.
unsafe impl GlobalAlloc for Malloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let align = layout.align().max(size_of::<usize>());
        // SAFETY: a power of two that is at least a pointer's size, and a multiple of it.
        unsafe { aligned_alloc(align, layout.size().next_multiple_of(align)).cast() }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, _: Layout) {
        // SAFETY: the pointer comes from `alloc`, and is not used any more (caller's contract).
        unsafe { free(pointer.cast()) }
    }
}

#[global_allocator]
static MALLOC: Malloc = Malloc;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: ends the process, whatever its state.
    unsafe { _exit(101) }
}

/// The tables of the installed `alloc` name it, because that was compiled for programs that unwind. This program does
/// not unwind.
// SAFETY: no other item of the program has this name.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// The same tables name it.
// SAFETY: no other item of the program has this name.
#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() {}

/// Called by the C library.
// SAFETY: no other item of the program has this name.
#[unsafe(no_mangle)]
extern "C" fn main(_: c_int, _: *const *const u8) -> c_int {
    let is_right = play().is_ok_and(|score| score == EXPECTED) && board::weighted_sum() == 10_100;
    c_int::from(!is_right)
}
