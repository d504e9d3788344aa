//! Random programs go on from bytes as they would without.

use proptest::prelude::*;

use super::*;

fn steps(len: usize) -> impl Strategy<Value = Vec<Step>> {
    // Half of the steps run the schedule.
    proptest::collection::vec((0..2 * KINDS, 0..40_usize, 0..1000_u32), 0..len)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ecs_tests::worlds(120), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_program_has_the_same_results_after_a_return_to_bytes(
        past in steps(60),
        other in steps(30),
        future in steps(40),
    ) {
        let mut straight = game();
        run(&mut straight, &past);
        let bytes = bytes_of(&mut straight.0, &mut straight.1);
        let now = dump(&mut straight.0);
        let expected = run(&mut straight, &future);
        // A new world, one that has run, and the world itself.
        let mut used = game();
        run(&mut used, &other);
        for mut game in [game(), used, straight] {
            return_to(&mut game.0, &mut game.1, &bytes);
            prop_assert_eq!(&dump(&mut game.0), &now);
            let again = bytes_of(&mut game.0, &mut game.1);
            prop_assert_eq!(run(&mut game, &future), &expected[..]);
            // Bytes of the world that has returned do the same.
            return_to(&mut game.0, &mut game.1, &again);
            prop_assert_eq!(run(&mut game, &future), &expected[..]);
        }
    }
}
