//! The speed of the games in windows.

use ecs_examples::FramePace;

#[test]
fn screens_of_any_speed_run_sixty_frames_a_second() {
    for screen in [20_u32, 30, 60, 75, 144, 1000] {
        let mut pace = FramePace::default();
        let frames: u32 = (0..10 * screen)
            .map(|_| pace.due(1.0 / screen as f32))
            .sum();
        assert!((599..=600).contains(&frames), "{frames} at {screen}");
    }
}

#[test]
fn a_game_does_not_catch_up_after_a_pause() {
    let mut pace = FramePace::default();
    assert!((3..=4).contains(&pace.due(60.0)));
    assert_eq!(pace.due(0.0), 0);
}
