//! Types of the standard library that are resources without a derive.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicIsize, AtomicU32, AtomicUsize};
#[cfg(target_has_atomic = "64")]
use core::sync::atomic::{AtomicI64, AtomicU64};
use core::time::Duration;
#[cfg(feature = "std")]
use std::collections::{HashMap, HashSet};
#[cfg(feature = "std")]
use std::path::PathBuf;
#[cfg(feature = "std")]
use std::sync::{Mutex, OnceLock, RwLock};
#[cfg(feature = "std")]
use std::time::{Instant, SystemTime};

use super::Resource;
use crate::meta::ConstTypeIdOf;

macro_rules! plain {
    ($($ty:ident)*) => {$(
        impl Resource for $ty {
            const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact(concat!("std::", stringify!($ty)), stringify!($ty));
        }
    )*};
}

plain!(bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);
plain!(NonZeroU32 NonZeroU64 NonZeroUsize);
plain!(AtomicBool AtomicI32 AtomicIsize AtomicU32 AtomicUsize);
#[cfg(target_has_atomic = "64")]
plain!(AtomicI64 AtomicU64);
plain!(String Duration);
#[cfg(feature = "std")]
plain!(PathBuf Instant SystemTime);

macro_rules! generic {
    ($($ty:ident<$($arg:ident $(: ?$sized:ident)?),*>)*) => {$(
        impl<$($arg $(: ?$sized)?),*> Resource for $ty<$($arg),*>
        where
            Self: Send + Sync + 'static,
        {
            const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::generic(concat!("std::", stringify!($ty)), stringify!($ty));
        }
    )*};
}

generic!(Option<T> Result<T, E> Box<T: ?Sized> Arc<T: ?Sized> Vec<T> VecDeque<T> BinaryHeap<T> BTreeSet<T> BTreeMap<K, V>);
#[cfg(feature = "std")]
generic!(HashSet<T, S> HashMap<K, V, S> OnceLock<T> Mutex<T> RwLock<T>);
