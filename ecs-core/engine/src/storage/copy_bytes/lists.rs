//! Lists of numbers in the bytes of a copy.
//!
//! ```text
//! length: u64, form: u8
//! form 0: [number]                 each in 4 or 8 bytes
//! form 1: [(number, more: u8)]     runs: a number, and how many others follow it, each greater than the last by a step
//! ```
//! The step is 1 for ids, because entities that are spawned together have consecutive indices, and 0 for ticks and counts. The
//! shorter form is written. A run has at most 256 numbers, so that few bytes cannot demand much memory. Before version 3 of the bytes,
//! all lists have the first form, and do not say so.

use alloc::vec::Vec;
use core::iter::repeat_n;

use super::{CopyInput, CopyOutput, CopyProblem, put_len, take_u8, take_u64};
use crate::entity::Entity;
use crate::tick::CompactTick;

/// The number of elements that are written at once, and the greatest length of a run.
const PIECE: usize = 256;

const PLAIN: u8 = 0;
const RUNS: u8 = 1;

const ID_STEP: u64 = 1;
const SAME: u64 = 0;

pub(crate) fn put_ids(out: &mut dyn CopyOutput, ids: &[Entity]) {
    put_list::<_, 8>(out, ids, ID_STEP, Entity::to_bits);
}

pub(crate) fn take_ids(input: &mut dyn CopyInput) -> Result<Vec<Entity>, CopyProblem> {
    let ids = take_list::<_, 8>(input, Entity::from_bits, count_up)?;
    ids.ok_or(CopyProblem::Malformed("no entity has this id"))
}

pub(in crate::storage) fn put_ticks(out: &mut dyn CopyOutput, ticks: &[CompactTick]) {
    put_list::<_, 4>(out, ticks, SAME, |tick| tick.to_number().into());
}

/// Reads the ticks of some rows.
pub(in crate::storage) fn take_ticks(
    input: &mut dyn CopyInput,
    rows: usize,
) -> Result<Vec<CompactTick>, CopyProblem> {
    let tick = |number| Some(CompactTick::of_number(number as u32));
    let ticks = take_list::<_, 4>(input, tick, repeat)?;
    let ticks = ticks.filter(|ticks| ticks.len() == rows);
    ticks.ok_or(CopyProblem::Malformed(
        "there are more or fewer ticks than values",
    ))
}

/// Writes small numbers that are often equal.
pub(crate) fn put_u32s(out: &mut dyn CopyOutput, numbers: &[u32]) {
    put_list::<_, 4>(out, numbers, SAME, u64::from);
}

pub(crate) fn take_u32s(input: &mut dyn CopyInput) -> Result<Vec<u32>, CopyProblem> {
    let numbers = take_list::<_, 4>(input, |number| Some(number as u32), repeat)?;
    Ok(numbers.unwrap_or_default())
}

/// Returns true if lists have forms.
pub(super) fn has_forms(input: &dyn CopyInput) -> bool {
    input.form() >= 3
}

/// Returns true if each number is greater than the one before by the step. Without a branch for each, and with one load, so that it
/// becomes few vector instructions.
fn is_run<T: Copy>(list: &[T], step: u64, number: impl Fn(T) -> u64) -> bool {
    let mut next = list.first().map_or(0, |first| number(*first));
    let difference = list.iter().fold(0, |difference, &one| {
        let expected = next;
        next = next.wrapping_add(step);
        difference | (number(one) ^ expected)
    });
    difference == 0
}

/// Writes a list of numbers of `N` bytes each.
fn put_list<T: Copy, const N: usize>(
    out: &mut dyn CopyOutput,
    list: &[T],
    step: u64,
    number: impl Fn(T) -> u64,
) {
    put_len(out, list.len());
    match runs(list, step, &number).filter(|runs| runs.len() * (N + 1) < list.len() * N) {
        Some(runs) => {
            out.put(&[RUNS]);
            for (first, more) in runs {
                out.put(&first.to_le_bytes()[..N]);
                out.put(&[more]);
            }
        }
        None => {
            out.put(&[PLAIN]);
            let mut piece = [[0; N]; PIECE];
            for part in list.chunks(PIECE) {
                for (place, element) in piece.iter_mut().zip(part) {
                    let bytes = number(*element).to_le_bytes();
                    *place = *bytes.first_chunk().expect("a number has at most 8 bytes");
                }
                out.put(piece[..part.len()].as_flattened());
            }
        }
    }
}

/// Returns the runs of a list: the first number of each, and how many follow. `None` if there are so many that they would be longer
/// than the list. O(elements).
fn runs<T: Copy>(list: &[T], step: u64, number: impl Fn(T) -> u64) -> Option<Vec<(u64, u8)>> {
    let mut runs = Vec::new();
    for part in list.chunks(PIECE) {
        if is_run(part, step, &number) {
            runs.push((number(part[0]), (part.len() - 1) as u8));
            continue;
        }
        let mut rest = part;
        while let Some(&first) = rest.first() {
            let ends = rest.windows(2).position(|two| !is_run(two, step, &number));
            let len = ends.map_or(rest.len(), |end| end + 1);
            runs.push((number(first), (len - 1) as u8));
            rest = &rest[len..];
        }
        if runs.len() > list.len() / 2 {
            return None;
        }
    }
    Some(runs)
}

/// Appends more of the last element.
fn repeat<T: Copy>(list: &mut Vec<T>, more: u32) -> bool {
    let last = list.last().copied();
    list.extend(
        last.into_iter()
            .flat_map(|last| repeat_n(last, more as usize)),
    );
    true
}

/// Appends the ids of the next indices.
fn count_up(ids: &mut Vec<Entity>, more: u32) -> bool {
    let Some(&last) = ids.last() else {
        return false;
    };
    let end = last.index().saturating_add(more);
    // Empty if the last index is the first one.
    ids.extend((last.index() + 1..=end).map(|index| last.with_index(index)));
    end != u32::MAX
}

/// Reads a list of numbers of `N` bytes each; `None` if one is not an element. `extend` appends more elements of a run to a list that
/// has the first one, and returns false if that is not possible.
#[inline(always)]
fn take_list<T, const N: usize>(
    input: &mut dyn CopyInput,
    element: impl Fn(u64) -> Option<T>,
    extend: impl Fn(&mut Vec<T>, u32) -> bool,
) -> Result<Option<Vec<T>>, CopyProblem> {
    let number = |bytes: &[u8]| {
        let mut all = [0; 8];
        all[..N].copy_from_slice(bytes);
        u64::from_le_bytes(all)
    };
    let len = usize::try_from(take_u64(input)?).unwrap_or(usize::MAX);
    let form = match has_forms(input) {
        true => take_u8(input)?,
        false => PLAIN,
    };
    match form {
        PLAIN => {
            if len > input.left() / N {
                return Err(CopyProblem::Truncated);
            }
            let (numbers, _) = input.take(len * N)?.as_chunks::<N>();
            let mut list = Vec::with_capacity(len);
            for of in numbers {
                let Some(element) = element(number(of)) else {
                    return Ok(None);
                };
                list.push(element);
            }
            Ok(Some(list))
        }
        RUNS => {
            if len.div_ceil(PIECE) > input.left() / (N + 1) {
                return Err(CopyProblem::Truncated);
            }
            let mut list = Vec::with_capacity(len);
            while list.len() < len {
                let run = input.take(N + 1)?;
                let (first, more) = (number(&run[..N]), u32::from(run[N]));
                if more as usize >= len - list.len() {
                    return Err(CopyProblem::Malformed("a run is longer than its list"));
                }
                let Some(element) = element(first) else {
                    return Ok(None);
                };
                list.push(element);
                if !extend(&mut list, more) {
                    return Ok(None);
                }
            }
            Ok(Some(list))
        }
        _ => Err(CopyProblem::Malformed("a list has no such form")),
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::vec;
    use core::any::Any;

    use super::*;
    use crate::data_type::DataType;
    use crate::storage::ErasedColumn;
    use crate::storage::copy_bytes::Run;

    impl CopyOutput for Vec<u8> {
        fn put(&mut self, bytes: &[u8]) {
            self.extend_from_slice(bytes);
        }

        unsafe fn put_values(&mut self, _: &'static DataType, _: &[Run]) -> bool {
            false
        }
    }

    /// Bytes of a form.
    struct Bytes<'a>(&'a [u8], u32);

    impl CopyInput for Bytes<'_> {
        fn take(&mut self, len: usize) -> Result<&[u8], CopyProblem> {
            let (taken, rest) = self.0.split_at_checked(len).ok_or(CopyProblem::Truncated)?;
            self.0 = rest;
            Ok(taken)
        }

        fn left(&self) -> usize {
            self.0.len()
        }

        fn form(&self) -> u32 {
            self.1
        }

        unsafe fn take_values(
            &mut self,
            _: &'static DataType,
            _: usize,
            _: &mut ErasedColumn,
        ) -> Result<(), CopyProblem> {
            Err(CopyProblem::Value)
        }

        fn take_boxed(
            &mut self,
            _: &'static DataType,
        ) -> Result<Box<dyn Any + Send + Sync>, CopyProblem> {
            Err(CopyProblem::Value)
        }
    }

    fn ids(bits: impl IntoIterator<Item = u64>) -> Vec<Entity> {
        let ids = bits
            .into_iter()
            .map(|bits| Entity::from_bits(1 << 32 | bits));
        ids.map(Option::unwrap).collect()
    }

    fn of_ids(ids: &[Entity]) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_ids(&mut bytes, ids);
        bytes
    }

    fn of_numbers(numbers: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_u32s(&mut bytes, numbers);
        bytes
    }

    #[test]
    fn lists_are_read_back_in_the_shorter_form() {
        let lists = [
            ids([]),
            ids([7]),
            ids(0..2),
            ids(0..256),
            ids(5..262),
            ids(0..1000),
            ids((0..1000).rev()),
            ids((0..1000).map(|n| n * 2)),
            ids((0..1000).map(|n| n + u64::from(n > 300) + (n / 500) * 9000)),
            ids([u64::from(u32::MAX) - 2, u64::from(u32::MAX) - 1]),
            // The next id of the last index is one of another generation.
            ids([u64::from(u32::MAX) - 1, u64::from(u32::MAX) + 1]),
        ];
        for list in lists {
            let bytes = of_ids(&list);
            assert!(bytes.len() <= 9 + list.len() * 8);
            let mut input = Bytes(&bytes, 3);
            assert_eq!(take_ids(&mut input), Ok(list));
            assert_eq!(input.left(), 0);
        }
        assert_eq!(of_ids(&ids(0..1000)).len(), 9 + 4 * 9);
        for list in [vec![], vec![3; 1000], (0..1000).collect(), vec![1, 1, 2]] {
            let bytes = of_numbers(&list);
            assert!(bytes.len() <= 9 + list.len() * 4);
            let mut input = Bytes(&bytes, 3);
            assert_eq!(take_u32s(&mut input), Ok(list));
            assert_eq!(input.left(), 0);
        }
        assert_eq!(of_numbers(&[3; 1000]).len(), 9 + 4 * 5);
    }

    #[test]
    fn a_list_has_these_bytes_on_each_machine() {
        let list = ids([2, 3, 4, 9]);
        let run = [4, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 2];
        let alone = [9, 0, 0, 0, 1, 0, 0, 0, 0];
        assert_eq!(of_ids(&list), [&run[..], &alone].concat());
        let two = [2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 3, 0, 0];
        assert_eq!(of_numbers(&[0x201, 0x300]), two);
    }

    #[test]
    fn lists_of_form_2_are_read() {
        let bytes = [
            2, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0,
        ];
        assert_eq!(take_ids(&mut Bytes(&bytes, 2)), Ok(ids([7, 9])));
        let numbers = [7, 1, 9, 1];
        assert_eq!(
            take_u32s(&mut Bytes(&[&[4][..], &bytes[1..]].concat(), 2)),
            Ok(numbers.to_vec())
        );
    }

    #[test]
    fn lists_that_are_none_are_refused() {
        let refused = |bytes: &[u8]| {
            assert!(take_ids(&mut Bytes(bytes, 3)).is_err(), "{bytes:?}");
        };
        let bytes = of_ids(&ids(0..600));
        for end in 0..bytes.len() {
            refused(&bytes[..end]);
        }
        let changed = |at: usize, byte: u8| {
            let mut bytes = bytes.clone();
            bytes[at] = byte;
            refused(&bytes);
        };
        // A list of 2^56 ids, of another form, and of more and fewer ids than its runs have.
        changed(7, 1);
        changed(8, 2);
        changed(0, 0x59);
        changed(0, 0x57);
        // The generation is 0.
        changed(13, 0);
        // A run goes on after the last index.
        let mut last = of_ids(&ids((0..4).map(|n| u64::from(u32::MAX) - 4 + n)));
        take_ids(&mut Bytes(&last, 3)).unwrap();
        (last[0], last[17]) = (5, 4);
        refused(&last);
        (last[0], last[17]) = (255, 254);
        refused(&last);
        // An id that is written alone.
        refused(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 1, 0, 0, 0]);
        let ticks = of_numbers(&[3; 10]);
        assert!(take_ticks(&mut Bytes(&ticks, 3), 10).is_ok());
        assert!(take_ticks(&mut Bytes(&ticks, 3), 9).is_err());
    }
}
