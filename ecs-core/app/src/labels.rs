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
    /// The schedule at the start of each frame, in which states change: what `on_exit`, `on_transition` and `on_enter` add
    /// runs here, after the systems that are added to it. So a state is the same for a whole frame.
    StateTransition;
    /// The first schedule of a frame after states have changed.
    First;
    /// The schedule for what `Update` builds on, such as input.
    PreUpdate;
    /// The schedule that runs at a [fixed rate](crate::App::fixed_step): 0, 1 or several times a frame.
    FixedUpdate;
    /// The schedule for most of a game.
    Update;
    /// The schedule for what builds on `Update`, such as a camera that follows.
    PostUpdate;
    /// The last schedule of a frame.
    Last;
}
