//! Values of standard types as bytes: they have no codec of their own.

use alloc::boxed::Box;
use alloc::string::String;
use core::any::{Any, TypeId};
use core::time::Duration;

use crate::command::{DelayCounts, Delayed};
use crate::data_type::{DataType, DelayClock};
use crate::resource::ResourceCopier;
use crate::schedule::{FixedTime, FrameTime, PendingTransition};
use crate::storage::{
    CopyInput, CopyOutput, CopyProblem, put_len, put_text, put_u32, put_u64, take_bool, take_count,
    take_len, take_text, take_u8, take_u32, take_u64,
};

pub(super) type Value = dyn Any + Send + Sync;

/// Tells if the values of a type can become bytes.
pub(super) type WrittenFn = fn(&'static DataType) -> bool;

/// Returns true if the values of a copier's type are copied, by a snapshot that has to become bytes if there is a function.
pub(super) fn is_in_bytes(is_written: Option<WrittenFn>, copier: ResourceCopier) -> bool {
    let data = copier.data();
    is_written.is_none_or(|is_written| {
        is_plain(copier.type_id()) || is_written(data) || data.is_computed()
    })
}

/// A value of a standard type.
trait Plain: Send + Sync + Sized + 'static {
    fn put(&self, out: &mut dyn CopyOutput);

    fn take(input: &mut dyn CopyInput) -> Result<Self, CopyProblem>;
}

macro_rules! numbers {
    ($($ty:ty)*) => { $(
        impl Plain for $ty {
            fn put(&self, out: &mut dyn CopyOutput) {
                out.put(&self.to_le_bytes());
            }

            fn take(input: &mut dyn CopyInput) -> Result<Self, CopyProblem> {
                let bytes = input.take(size_of::<Self>())?;
                Ok(Self::from_le_bytes(bytes.try_into().expect("as many bytes as were taken")))
            }
        }
    )* };
}

numbers!(u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64);

macro_rules! sizes {
    ($($ty:ty as $wide:ty),*) => { $(
        impl Plain for $ty {
            fn put(&self, out: &mut dyn CopyOutput) {
                (*self as $wide).put(out);
            }

            fn take(input: &mut dyn CopyInput) -> Result<Self, CopyProblem> {
                let number = <$wide>::take(input)?.try_into();
                number.map_err(|_| CopyProblem::Malformed("a number does not fit this machine"))
            }
        }
    )* };
}

sizes!(usize as u64, isize as i64);

impl Plain for bool {
    fn put(&self, out: &mut dyn CopyOutput) {
        out.put(&[u8::from(*self)]);
    }

    fn take(input: &mut dyn CopyInput) -> Result<Self, CopyProblem> {
        take_bool(input)
    }
}

impl Plain for char {
    fn put(&self, out: &mut dyn CopyOutput) {
        put_u32(out, u32::from(*self));
    }

    fn take(input: &mut dyn CopyInput) -> Result<Self, CopyProblem> {
        let number = Self::from_u32(take_u32(input)?);
        number.ok_or(CopyProblem::Malformed("a number is not a character"))
    }
}

impl Plain for String {
    fn put(&self, out: &mut dyn CopyOutput) {
        put_text(out, self);
    }

    fn take(input: &mut dyn CopyInput) -> Result<Self, CopyProblem> {
        take_text(input)
    }
}

impl Plain for Duration {
    fn put(&self, out: &mut dyn CopyOutput) {
        put_u64(out, self.as_secs());
        put_u32(out, self.subsec_nanos());
    }

    fn take(input: &mut dyn CopyInput) -> Result<Self, CopyProblem> {
        let (secs, nanos) = (take_u64(input)?, take_u32(input)?);
        match nanos < 1_000_000_000 {
            true => Ok(Self::new(secs, nanos)),
            false => Err(CopyProblem::Malformed("a second has fewer nanoseconds")),
        }
    }
}

impl Plain for FrameTime {
    fn put(&self, out: &mut dyn CopyOutput) {
        self.delta.put(out);
    }

    fn take(input: &mut dyn CopyInput) -> Result<Self, CopyProblem> {
        let delta = Duration::take(input)?;
        Ok(Self { delta })
    }
}

impl Plain for FixedTime {
    fn put(&self, out: &mut dyn CopyOutput) {
        let (steps, times) = self.parts();
        put_u64(out, steps);
        times.iter().for_each(|time| time.put(out));
    }

    fn take(input: &mut dyn CopyInput) -> Result<Self, CopyProblem> {
        let steps = take_u64(input)?;
        let mut times = [Duration::ZERO; 3];
        for time in &mut times {
            *time = Duration::take(input)?;
        }
        Self::of_parts(steps, times).ok_or(CopyProblem::Malformed("there are no such fixed steps"))
    }
}

/// The part of a transition that a panic has left.
impl Plain for PendingTransition {
    fn put(&self, out: &mut dyn CopyOutput) {
        put_len(out, self.parts().len());
        for (kind, position) in self.parts() {
            out.put(&[kind]);
            put_u64(out, position);
        }
    }

    fn take(input: &mut dyn CopyInput) -> Result<Self, CopyProblem> {
        let mut pending = Self::default();
        for _ in 0..take_len(input, 9)? {
            let part = (take_u8(input)?, take_u64(input)?);
            if !pending.push_part(part) {
                return Err(CopyProblem::Malformed("a transition has no such task"));
            }
        }
        Ok(pending)
    }
}

/// Without the functions that wait, which [`Unwritten`](super::bytes::Unwritten) lists.
impl Plain for Delayed {
    fn put(&self, out: &mut dyn CopyOutput) {
        let counts = self.counts();
        put_u64(out, counts.now.runs);
        counts.now.time.put(out);
        match counts.read {
            None => out.put(&[0]),
            Some(None) => out.put(&[1]),
            Some(Some(time)) => {
                out.put(&[2]);
                time.put(out);
            }
        }
        counts.by_hand.put(out);
        // Events that wait get new numbers when they are read, from 0 on.
        put_u64(out, 0);
    }

    fn take(input: &mut dyn CopyInput) -> Result<Self, CopyProblem> {
        let counts = DelayCounts {
            now: DelayClock {
                runs: take_count(input)?,
                time: Duration::take(input)?,
            },
            read: match take_u8(input)? {
                0 => None,
                1 => Some(None),
                2 => Some(Some(Duration::take(input)?)),
                _ => return Err(CopyProblem::Malformed("there is no such clock")),
            },
            by_hand: take_bool(input)?,
            count: take_count(input)?,
        };
        Ok(Self::of_counts(counts))
    }
}

macro_rules! all {
    ($with:ident) => {
        $with!(
            bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String Duration
            FrameTime FixedTime PendingTransition Delayed
        )
    };
}

/// Returns true if the values of a type can be written and read here.
pub(super) fn is_plain(id: TypeId) -> bool {
    macro_rules! any {
        ($($ty:ty)*) => { $(id == TypeId::of::<$ty>())||* };
    }
    all!(any)
}

/// Writes a value. Returns false if its type is none of these.
pub(super) fn put(value: &Value, out: &mut dyn CopyOutput) -> bool {
    macro_rules! put {
        ($($ty:ty)*) => { $(
            if let Some(value) = value.downcast_ref::<$ty>() {
                value.put(out);
                return true;
            }
        )* };
    }
    all!(put);
    false
}

/// Reads a value of a type; `None` if it is none of these.
pub(super) fn take(
    id: TypeId,
    input: &mut dyn CopyInput,
) -> Option<Result<Box<Value>, CopyProblem>> {
    macro_rules! take {
        ($($ty:ty)*) => { $(
            if id == TypeId::of::<$ty>() {
                let value = <$ty>::take(input);
                return Some(value.map(|value| Box::new(value) as Box<Value>));
            }
        )* };
    }
    all!(take);
    None
}
