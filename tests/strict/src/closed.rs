use ecs_core::statics::{component, spawn, system, world};

/// A position.
#[derive(Clone, Copy, Debug)]
pub struct Place(pub i32);

/// A speed.
#[derive(Clone, Copy, Debug)]
pub struct Speed(pub i32);

world! {
    /// A closed world.
    pub Game {
        /// Places.
        Place,
        Speed,
    }
}

/// Moves everything.
#[must_use]
#[inline]
pub fn step() -> i32 {
    let mut game = Game::new();
    let _: ecs_core::Entity = spawn!(game; Place(1), Speed(2));
    system!(game, |place: &mut Place, speed: &Speed| {
        place.0 = place.0.wrapping_add(speed.0);
    });
    system!(game, |id, place: &Place, old: Speed| -> Speed {
        let _: ecs_core::Entity = id;
        Speed(place.0.wrapping_sub(old.0))
    });
    component!(game, Speed).iter().map(|speed| speed.0).sum()
}
