use super::*;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::MaybeUninit;

#[derive(Clone, Copy, Debug)]
struct Small(u32);

#[derive(Debug)]
struct Counted(Arc<()>, bool);

impl Clone for Counted {
    fn clone(&self) -> Self {
        assert!(!self.1, "this one cannot be cloned");
        Self(self.0.clone(), self.1)
    }
}

#[test]
fn only_copy_types_have_a_proof() {
    assert_eq!(Small(7).0, 7);
    assert!(CopyProbe::<Small>::COPY.is_some());
    assert!(CopyProbe::<Counted>::COPY.is_none());
}

#[test]
fn only_floats_and_truth_values_are_known_to_be_without_ids() {
    let known = [IdProbe::<f32>::WITHOUT, IdProbe::<[[f64; 3]; 2]>::WITHOUT];
    assert_eq!((known, IdProbe::<bool>::WITHOUT), ([true; 2], true));
    let unknown = [IdProbe::<[Small; 2]>::WITHOUT, IdProbe::<u64>::WITHOUT];
    assert_eq!(unknown, [false; 2]);
    let data = DataTypeOf::<Small>::new("small", 1);
    assert!(!data.erased().is_without_ids());
    assert!(data.without_ids(true).erased().is_without_ids());
}

#[test]
fn a_panicking_clone_leaves_no_values_behind() {
    const DATA: DataType = DataTypeOf::<Counted>::new("counted", 1).cloned().erased();
    let count = Arc::new(());
    let values: Vec<Counted> = (0..4).map(|i| Counted(count.clone(), i == 2)).collect();
    let mut target: [MaybeUninit<Counted>; 4] = [const { MaybeUninit::uninit() }; 4];
    let mut clone = |len| {
        // SAFETY: `values` has as many values, and `target` memory for as many.
        unsafe { DATA.clone_values(values.as_ptr().cast(), target.as_mut_ptr().cast(), len) };
    };
    let caught = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| clone(4)));
    assert!(caught.is_err());
    assert_eq!(Arc::strong_count(&count), 5, "the two clones are dropped");
}

#[test]
fn values_are_cloned_over_others() {
    const DATA: DataType = DataTypeOf::<Vec<u8>>::new("bytes", 1).cloned().erased();
    let from = [Vec::from([1_u8, 2])];
    let mut to: [Vec<u8>; 1] = [Vec::with_capacity(64)];
    // SAFETY: both are one value of the type.
    unsafe { DATA.clone_values_from(from.as_ptr().cast(), to.as_mut_ptr().cast(), 1) };
    assert_eq!(to[0], [1, 2]);
    assert!(to[0].capacity() >= 64, "its memory was reused");
}

#[test]
fn a_value_without_debug_prints_as_dots() {
    struct Shown(DataType, u32);
    impl fmt::Debug for Shown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            // SAFETY: the value has the layout of `Small`, which is the layout of its one field.
            unsafe {
                self.0
                    .debug_value(core::ptr::from_ref(&Small(self.1)).cast(), f)
            }
        }
    }
    let data = DataTypeOf::<Small>::new("small", 1);
    assert_eq!(alloc::format!("{:?}", Shown(data.erased(), 7)), "..");
    assert_eq!(
        alloc::format!("{:?}", Shown(data.printed().erased(), 7)),
        "Small(7)"
    );
}
