use std::sync::Mutex;
use std::sync::atomic::Ordering;

use super::*;

#[test]
fn a_hook_with_a_bell_is_called_when_it_rings_and_not_while_only_it_needs_the_door() {
    let (bell, calls) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(0)));
    let called = || std::mem::take(&mut *calls.lock().unwrap());
    let mut app = App::new();
    let count = calls.clone();
    app.between_frames_when(bell.clone(), move |app| {
        *count.lock().unwrap() += 1;
        assert!(app.door.as_ref().unwrap().asleep.is_none());
    });
    let frames = |app: &mut App, count: u32| app.update_times(count, Duration::from_millis(1));
    // The first frame finds out that there is no other hook.
    frames(&mut app, 3);
    assert_eq!(called(), 1);
    bell.store(1, Ordering::Relaxed);
    frames(&mut app, 3);
    assert_eq!(called(), 3);
    bell.store(0, Ordering::Relaxed);
    frames(&mut app, 3);
    assert_eq!(called(), 0);
    // A pause keeps the door open, and frames do not run.
    app.pause();
    frames(&mut app, 3);
    assert_eq!(called(), 3);
    // The next frame gets the time that has passed meanwhile.
    app.resume();
    frames(&mut app, 3);
    assert_eq!(called(), 1);
    app.step_system();
    assert!(app.is_paused());
    frames(&mut app, 1);
    assert_eq!(called(), 1);
    app.resume();
    frames(&mut app, 2);
    // So does another hook, until it goes.
    app.after_frame(|_| std::ops::ControlFlow::Break(()));
    called();
    frames(&mut app, 3);
    assert_eq!(called(), 1);
    app.between_frames(|_| ());
    frames(&mut app, 3);
    assert_eq!(called(), 3);
}
