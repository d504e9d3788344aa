use super::*;
use crate::test_components::Position;

/// Lists bundle types, each of which contains the one before.
macro_rules! nest {
    ($list:ident, $bundle:ty;) => {};
    ($list:ident, $bundle:ty; $first:tt $($rest:tt)*) => {
        $list.extend([Bundles::info::<$bundle> as InfoFn]);
        nest!($list, ($bundle,); $($rest)*);
    };
}

#[test]
fn bundles_are_found_again_although_they_share_entries_of_the_cache() {
    let mut all: Vec<InfoFn> = Vec::new();
    nest!(all, Position;
        - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
        - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -);
    assert!(all.len() > RECENT, "some of them share an entry");
    let (mut bundles, mut storage) = (Bundles::default(), Storage::default());
    for _ in 0..3 {
        for (number, info) in all.iter().enumerate() {
            let found = info(&mut bundles, &mut storage).index();
            assert_eq!(found.0 as usize, number);
        }
    }
    assert_eq!(bundles.infos.len(), all.len(), "each is registered once");
}
