//! The names of the schedules of an app.

macro_rules! labels {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name;
    )*};
}

labels! {
    /// The schedule that runs once, before the first frame. Then the state of its systems is dropped, and events are no longer
    /// kept for their readers.
    Startup;
    /// The schedule at the start of each frame, where states change: first it runs the systems that were added to it, then
    /// those added by `on_exit`, `on_transition` and `on_enter`. So a state is the same for a whole frame.
    StateTransition;
    /// The first schedule of a frame after states have changed.
    First;
    /// The schedule for everything that `Update` builds on, such as input.
    PreUpdate;
    /// The schedule that runs at a [fixed rate](crate::App::fixed_step): 0, 1 or several times a frame.
    FixedUpdate;
    /// The schedule for most of a game.
    Update;
    /// The schedule for everything that builds on `Update`, such as a camera that follows.
    PostUpdate;
    /// The last schedule of a frame.
    Last;
}
