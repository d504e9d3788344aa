//! A text that the browser keeps for a page, also while it is closed. `page.html` has the other side.

unsafe extern "C" {
    /// Keeps a text in the place of the last one. Returns 0 if the browser refuses.
    fn keep_text(start: *const u8, length: usize) -> u32;
    /// Writes the text that was kept, if there is room for it, and returns its length.
    fn kept_text(start: *mut u8, room: usize) -> usize;
}

/// Keeps a text in the place of the last one. Returns false if the browser refuses.
pub(crate) fn keep(text: &str) -> bool {
    // SAFETY: the page reads so many bytes from there, which are borrowed.
    let kept = unsafe { keep_text(text.as_ptr(), text.len()) };
    kept != 0
}

/// Returns the text that was kept; `None` if there is none.
pub(crate) fn kept() -> Option<String> {
    // SAFETY: there is no room, so the page writes nothing.
    let length = unsafe { kept_text(std::ptr::null_mut(), 0) };
    let mut bytes = vec![0; length];
    // SAFETY: the page writes as many bytes as there is room for, into memory that is borrowed.
    unsafe { kept_text(bytes.as_mut_ptr(), bytes.len()) };
    String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.is_empty())
}
