//! This example shows scripts: `async` functions that do one thing after another, over many frames.
//!
//! A lift waits for calls, moves a floor at a time, and holds its door open, longer if something is in it. As a system it
//! would be a state machine with a timer.

use std::time::Duration;

use ecs_core::app::script::{Script, ScriptContext, first_of, run_scripts};
use ecs_core::prelude::*;

#[derive(Component)]
struct Lift {
    floor: i32,
}

/// A button was pressed.
#[derive(Clone)]
struct Call {
    floor: i32,
}

/// Something is in the door.
#[derive(Clone)]
struct Blocked;

async fn lift(script: ScriptContext) {
    // The reader sees each call once, also those that come while the lift moves.
    let mut calls = script.events::<Call>().await;
    loop {
        let Call { floor } = calls.next_event().await;
        while move_towards(&script, floor).await {
            script.time(Duration::from_millis(300)).await;
        }
        println!("  the door opens");
        while is_blocked(&script).await {
            println!("  the door opens again");
        }
        println!("  the door closes");
    }
}

/// Moves by one floor; returns false if the lift is there.
async fn move_towards(script: &ScriptContext, floor: i32) -> bool {
    let me = script.entity();
    let moved = script.world(move |world| {
        let mut lifts = world.view_mut::<Lift>();
        let lift = lifts.get_mut(me)?;
        let step = (floor - lift.floor).signum();
        lift.floor += step;
        (step != 0).then_some(lift.floor)
    });
    let now = moved.await;
    if let Some(floor) = now {
        println!("  the lift is at floor {floor}");
    }
    now.is_some()
}

/// Waits until something is in the door, or half a second is over.
async fn is_blocked(script: &ScriptContext) -> bool {
    let blocked = async {
        script.event::<Blocked>().await;
        true
    };
    let in_time = async {
        script.time(Duration::from_millis(500)).await;
        false
    };
    first_of(blocked, in_time).await
}

fn main() {
    let mut app = App::new();
    app.add_event::<Call>()
        .add_event::<Blocked>()
        .add_systems(Update, run_scripts);
    let lift = app
        .world_mut()
        .spawn((Lift { floor: 0 }, Script::new(lift)));
    for frame in 0..30 {
        app.update_by(Duration::from_millis(100));
        let world = app.world_mut();
        match frame {
            0 => world.send_event(Call { floor: 2 }),
            3 => world.send_event(Call { floor: 1 }),
            10 => world.send_event(Blocked),
            _ => {}
        }
    }
    assert_eq!(app.world().get::<Lift>(lift).unwrap().floor, 1);
    // The script ends with its entity.
    app.world_mut().despawn(lift).unwrap();
    app.update();
}
