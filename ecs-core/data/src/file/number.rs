//! Numbers in as many bytes as they need: groups of seven bits, the lowest first.

/// Appends a number.
pub fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number, byte after byte; `None` if it is too long.
///
/// # Errors
/// The errors of `next`.
pub fn read_number<E>(mut next: impl FnMut() -> Result<u8, E>) -> Result<Option<u64>, E> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = next()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(Some(number));
        }
    }
    Ok(None)
}
