//! States that several plugins share.

use ecs_core::app::First;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::in_state;
use ecs_core::schedule::{DespawnOnExit, NextState, State, Transitions};

use crate::{app, log, note};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Screen {
    Menu,
    Game,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Pause {
    Running,
    Paused,
}

/// Requests a state in the same way as a system.
fn go<S: ecs_core::schedule::StateValue>(app: &mut App, state: S) {
    app.world_mut().resource_mut::<NextState<S>>().set(state);
}

fn ui(app: &mut App) {
    app.on_enter(Screen::Menu, note!("ui: menu"));
    app.on_exit(Screen::Menu, note!("ui: away"));
    app.add_systems(Update, note!("clicks").run_if(in_state(Screen::Menu)));
}

fn game(app: &mut App) {
    app.on_enter(Screen::Game, note!("game: start"));
    app.on_enter(Screen::Menu, note!("game: music"));
    app.on_enter(Pause::Running, note!("game: go"));
    app.on_exit(Pause::Running, note!("game: halt"));
    app.add_sub_state(Pause::Running, Screen::Game);
    app.add_systems(Update, note!("move").run_if(in_state(Pause::Running)));
}

#[test]
fn any_plugin_adds_handlers_before_and_after_the_state_is_added() {
    let mut app = app();
    app.add_plugin(ui);
    app.add_state(Screen::Menu).add_state(Screen::Menu);
    app.add_plugin(game);
    app.add_systems(Startup, note!("startup"));
    app.add_systems(First, note!("first"));
    app.update();
    assert_eq!(log(&mut app), "startup ui: menu game: music first clicks");
    go(&mut app, Screen::Game);
    app.update();
    assert_eq!(log(&mut app), "ui: away game: start game: go first move");
    go(&mut app, Pause::Paused);
    app.update();
    assert_eq!(log(&mut app), "game: halt first");
    go(&mut app, Screen::Menu);
    app.update();
    assert_eq!(log(&mut app), "ui: menu game: music first clicks");
    assert!(!app.world().contains_resource::<State<Pause>>());
}

#[test]
fn a_state_is_the_same_for_a_whole_frame() {
    let mut app = app();
    app.add_state(Screen::Menu);
    app.add_systems(PreUpdate, |mut next: ResMut<NextState<Screen>>| {
        next.set(Screen::Game);
    });
    app.add_systems(Update, note!("menu").run_if(in_state(Screen::Menu)));
    app.add_systems(Update, note!("game").run_if(in_state(Screen::Game)));
    app.update();
    assert_eq!(log(&mut app), "menu");
    app.update();
    assert_eq!(log(&mut app), "game");
}

#[test]
fn systems_of_the_schedule_of_transitions_may_decide_what_comes() {
    let mut app = app();
    app.add_state(Screen::Menu);
    app.add_systems(
        ecs_core::app::StateTransition,
        |mut next: ResMut<NextState<Screen>>| next.set(Screen::Game),
    );
    app.on_enter(Screen::Game, note!("game"));
    app.update();
    assert_eq!(log(&mut app), "game");
}

#[test]
fn entities_go_with_the_state_that_they_belong_to() {
    let mut app = app();
    app.add_state(Screen::Menu);
    app.on_enter(Screen::Menu, |mut commands: Commands| {
        commands.spawn(DespawnOnExit(Screen::Menu));
        commands.spawn(DespawnOnExit(Screen::Game));
    });
    app.update();
    assert_eq!(app.world().len(), 2);
    go(&mut app, Screen::Game);
    app.update();
    assert_eq!(app.world().len(), 1);
    go(&mut app, Screen::Menu);
    app.update();
    assert_eq!(app.world().len(), 2);
}

#[test]
fn two_first_values_and_handlers_without_a_state_are_errors_with_places() {
    let mut app = app();
    app.add_state(Screen::Menu).add_state(Screen::Game);
    app.on_enter(Pause::Paused, note!("never"));
    let error = app.build().unwrap_err();
    assert_eq!(error.problems().len(), 2, "{error}");
    let error = error.to_string();
    assert_eq!(error.matches("states.rs").count(), 3, "{error}");
    assert!(error.contains("Pause"), "{error}");
}

#[test]
fn a_state_that_the_world_has_needs_no_other_first_value() {
    let mut app = app();
    app.world_mut().add_state(Screen::Game);
    app.on_enter(Screen::Game, note!("game"));
    app.update();
    assert_eq!(log(&mut app), "game");
}

#[test]
fn handlers_come_too_late_after_the_first_frame() {
    let mut app = app();
    app.add_state(Screen::Menu);
    app.update();
    app.on_enter(Screen::Game, note!("late"));
    let error = app.build().unwrap_err().to_string();
    assert!(
        error.contains("something was added to `Game` at"),
        "{error}"
    );
}

#[test]
fn the_transitions_of_a_state_are_made_in_one_schedule() {
    let again = || {
        let mut states = Transitions::new();
        states.add_state(Screen::Menu);
        let mut inside = Schedule::named("inside");
        inside.add(states);
        inside
    };
    let mut app = app();
    app.add_state(Screen::Menu)
        .add_systems(Startup, again())
        .add_schedule("by hand")
        .add_systems("by hand", again());
    let error = app.build().unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 2, "{error}");
    for (line, start) in lines.iter().zip([
        "in `Startup`: in `inside`: ",
        "in `\"by hand\"`: in `inside`: ",
    ]) {
        assert!(line.starts_with(start), "{error}");
        assert!(line.contains("two `Transitions`"), "{error}");
    }
}
