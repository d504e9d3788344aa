//! This example shows the screens of a game as states: a menu, the game with a pause inside, and the end. Each of them
//! is a plugin that could be a crate of its own. The game can be saved in each of them, and goes on after a load.
//!
//! ```sh
//! cargo run -p ecs-examples --example menu_flow                   # keys from a script, and what happens is compared
//! cargo run -p ecs-examples --example menu_flow -- --play         # a line per frame: e(nter), j(ump), p(ause), r(estart), q(uit)
//! cargo run -p ecs-examples --features window --example menu_flow # in a window
//! ```
//!
//! `--headless` runs without the window. `--record FILE` records the keys of a run, and `--replay FILE` presses them again.

#[cfg(feature = "window")]
mod window;

use std::error::Error;
use std::io;

use ecs_core::app::{Exit, Last};
use ecs_core::data::Loader;
use ecs_core::prelude::*;
use ecs_core::record::Recorder;
use ecs_core::schedule::conditions::in_state;
use ecs_core::schedule::{DespawnOnExit, NextState};
use ecs_examples::{file_after, replay};
use serde::{Deserialize, Serialize};

/// The current screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Screen {
    Menu,
    Game,
    GameOver,
}

/// The pause: a state that exists only in `Screen::Game`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Play {
    Running,
    Paused,
}

/// A pressed key; an event.
///
/// Each screen reads the keys in a system with `in_state`, which sleeps in other states: it never sees the keys that are
/// pressed there. So the enter key that starts the game does not count again when the game ends.
#[derive(Event, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "menu.key")]
enum Key {
    Enter,
    Jump,
    Pause,
    Restart,
    Quit,
}

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "menu.log")]
struct Log(Vec<String>);

impl Log {
    fn note(&mut self, line: impl Into<String>) {
        self.0.push(line.into());
    }
}

/// Prints the new lines of the log.
#[system]
fn print(log: Res<Log>, mut printed: Local<usize>) {
    for line in log.0.iter().skip(*printed) {
        println!("{line}");
    }
    *printed = log.0.len();
}

/// A line on the screen.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "menu.text")]
struct Text(String);

mod menu {
    use super::*;

    pub(crate) fn plugin(app: &mut App) {
        app.on_enter(Screen::Menu, show);
        app.add_systems(Update, choose.run_if(in_state(Screen::Menu)));
    }

    #[system]
    fn show(mut commands: Commands, mut log: ResMut<Log>) {
        log.note("menu: start or quit?");
        for line in ["start", "quit"] {
            commands.spawn((Text(line.into()), DespawnOnExit(Screen::Menu)));
        }
    }

    #[system]
    fn choose(
        mut keys: EventReader<Key>,
        mut next: ResMut<NextState<Screen>>,
        mut exit: ResMut<Exit>,
    ) {
        for key in keys.read() {
            match key {
                Key::Enter => next.set(Screen::Game),
                Key::Quit => exit.success(),
                _ => {}
            }
        }
    }
}

mod game {
    use super::*;

    /// The rocks that the hero jumped over.
    #[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
    #[resource(data = "menu.score")]
    pub(crate) struct Score(pub(crate) u32);

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "menu.heart")]
    struct Heart;

    #[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
    #[component(data = "menu.hero")]
    struct Hero {
        is_in_the_air: bool,
    }

    /// A rock that rolls towards the hero.
    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "menu.rock")]
    struct Rock {
        distance: u32,
    }

    pub(crate) fn plugin(app: &mut App) {
        app.init_resource::<Score>();
        app.add_sub_state(Play::Running, Screen::Game);
        app.on_enter(Screen::Game, begin);
        app.on_exit(Screen::Game, end);
        app.add_systems(Update, (control, roll).run_if(in_state(Play::Running)));
    }

    #[system]
    fn begin(mut commands: Commands, mut score: ResMut<Score>, mut log: ResMut<Log>) {
        log.note("game: begins");
        score.0 = 0;
        let in_game = DespawnOnExit(Screen::Game);
        commands.spawn((Hero::default(), in_game.clone()));
        commands.spawn((Rock { distance: 2 }, in_game.clone()));
        for _ in 0..2 {
            commands.spawn((Heart, in_game.clone()));
        }
    }

    #[system]
    fn end(hearts: Comp<Heart>, mut log: ResMut<Log>) {
        log.note(format!("game: ends, hearts left: {}", hearts.len()));
    }

    #[system]
    fn control(
        mut keys: EventReader<Key>,
        mut heroes: CompMut<Hero>,
        mut next: ResMut<NextState<Screen>>,
    ) {
        for key in keys.read() {
            match key {
                Key::Jump => heroes.iter_mut().for_each(|hero| hero.is_in_the_air = true),
                Key::Restart => next.enter_again(Screen::Game),
                _ => {}
            }
        }
    }

    #[system]
    fn roll(
        mut heroes: CompMut<Hero>,
        mut rocks: CompMut<Rock>,
        hearts: Query<Entity, With<Heart>>,
        mut score: ResMut<Score>,
        mut log: ResMut<Log>,
        mut next: ResMut<NextState<Screen>>,
        mut commands: Commands,
    ) {
        for hero in heroes.iter_mut() {
            for rock in rocks.iter_mut() {
                rock.distance -= 1;
                if rock.distance > 0 {
                    continue;
                }
                rock.distance = 2;
                if hero.is_in_the_air {
                    score.0 += 1;
                    log.note("game: jumped over a rock");
                } else {
                    log.note("game: hit by a rock");
                    if let Some(heart) = hearts.iter().next() {
                        commands.despawn(heart);
                    }
                    if hearts.count() <= 1 {
                        next.set(Screen::GameOver);
                    }
                }
            }
            hero.is_in_the_air = false;
        }
    }
}

/// The pause knows the states, but nothing of the game.
mod pause {
    use super::*;

    pub(crate) fn plugin(app: &mut App) {
        app.on_enter(Play::Paused, show);
        app.on_exit(Play::Paused, hide);
        app.add_systems(
            Update,
            (
                pause.run_if(in_state(Play::Running)),
                paused.run_if(in_state(Play::Paused)),
            ),
        );
    }

    #[system]
    fn show(mut commands: Commands, mut log: ResMut<Log>) {
        log.note("pause: begins");
        commands.spawn((Text("paused".into()), DespawnOnExit(Play::Paused)));
    }

    #[system]
    fn hide(mut log: ResMut<Log>) {
        log.note("pause: ends");
    }

    #[system]
    fn pause(mut keys: EventReader<Key>, mut next: ResMut<NextState<Play>>) {
        if keys.read().any(|key| *key == Key::Pause) {
            next.set(Play::Paused);
        }
    }

    /// Continues the game, or leaves it together with the pause.
    #[system]
    fn paused(
        mut keys: EventReader<Key>,
        mut play: ResMut<NextState<Play>>,
        mut screen: ResMut<NextState<Screen>>,
    ) {
        for key in keys.read() {
            match key {
                Key::Pause => play.set(Play::Running),
                Key::Quit => screen.set(Screen::Menu),
                _ => {}
            }
        }
    }
}

mod game_over {
    use super::*;

    pub(crate) fn plugin(app: &mut App) {
        app.on_enter(Screen::GameOver, show);
        app.add_systems(Update, back.run_if(in_state(Screen::GameOver)));
    }

    #[system]
    fn show(score: Res<game::Score>, mut commands: Commands, mut log: ResMut<Log>) {
        log.note(format!("game over: jumped over {}", score.0));
        commands.spawn((Text("game over".into()), DespawnOnExit(Screen::GameOver)));
    }

    #[system]
    fn back(mut keys: EventReader<Key>, mut next: ResMut<NextState<Screen>>) {
        if keys.read().any(|key| *key == Key::Enter) {
            next.set(Screen::Menu);
        }
    }
}

/// Presses the keys of a script: one in each frame, or none.
struct Script(Vec<Option<Key>>);

impl Plugin for Script {
    fn build(self, app: &mut App) {
        let mut keys = self.0.into_iter();
        app.before_frame(move |app| {
            let pressed = keys.next().flatten();
            if let Some(key) = pressed {
                app.world_mut().send_event(key);
            }
        });
    }
}

/// Shows the screen before each frame, and reads its keys from a line. No system does that, so a replay needs no keyboard.
fn type_keys(app: &mut App) {
    let world = app.world_mut();
    let screen: Vec<String> = world
        .view::<Text>()
        .iter()
        .map(|text| text.0.clone())
        .collect();
    println!("[{}]", screen.join(" | "));
    let mut line = String::new();
    if io::stdin().read_line(&mut line).unwrap_or(0) == 0 {
        world.resource_mut::<Exit>().success();
    }
    let keys = line.chars().filter_map(|letter| match letter {
        'e' => Some(Key::Enter),
        'j' => Some(Key::Jump),
        'p' => Some(Key::Pause),
        'r' => Some(Key::Restart),
        'q' => Some(Key::Quit),
        _ => None,
    });
    keys.for_each(|key| world.send_event(key));
}

/// Returns the game, whose types are all data.
fn game() -> App {
    let mut app = App::new();
    app.init_resource::<Log>()
        .add_event::<Key>()
        .add_state(Screen::Menu)
        .add_plugin(menu::plugin)
        .add_plugin(game::plugin)
        .add_plugin(pause::plugin)
        .add_plugin(game_over::plugin);
    let world = app.world_mut();
    world.register_data_state::<Screen>("menu.screen");
    world.register_data_state::<Play>("menu.play");
    // Only bundles of commands name it.
    world.register::<Text>();
    app
}

fn main() -> Result<AppExit, Box<dyn Error>> {
    let new = || {
        let mut app = game();
        app.add_systems(Last, print);
        app
    };
    if let Some(path) = file_after("--replay") {
        println!("{}", replay(&path, new)?);
        return Ok(AppExit::Success);
    }
    let mut app = new();
    if let Some(path) = file_after("--record") {
        app.add_plugin(Recorder::new(path).hash_every(1));
    }
    if std::env::args().any(|argument| argument == "--play") {
        return Ok(app.before_frame(type_keys).run());
    }
    #[cfg(feature = "window")]
    if !std::env::args().any(|argument| argument == "--headless") {
        return Ok(window::play(&mut app));
    }

    let script = [
        // A game whose pause keeps the rock in its place, and that the player gives up.
        Some(Key::Enter),
        Some(Key::Pause),
        None,
        Some(Key::Jump),
        Some(Key::Pause),
        Some(Key::Jump),
        Some(Key::Pause),
        Some(Key::Quit),
        // A game that starts anew after a hit, and is then lost.
        Some(Key::Enter),
        None,
        None,
        Some(Key::Restart),
        None,
        Some(Key::Jump),
        None,
        None,
        None,
        None,
        // From the end back to the menu, and out.
        Some(Key::Enter),
        Some(Key::Quit),
    ];
    app.add_plugin(Script(script.into()));
    let exit = run(&mut app, script.len()).expect("the script quits the game");
    check(app.world());
    // The game can be saved in any frame, and goes on in another app.
    for frame in 0..script.len() {
        let mut app = game();
        app.add_plugin(Script(script[..frame].into()));
        run(&mut app, frame);
        let save = app.world().save().to_vec().expect("everything is data");
        let mut other = game();
        other.add_plugin(Script(script[frame..].into()));
        let loaded = Loader::new().load_bytes(other.world_mut(), &save);
        loaded.expect("the game knows its own types");
        run(&mut other, script.len() - frame);
        check(other.world());
    }
    Ok(exit)
}

#[test]
fn systems_touch_what_access_lock_says() {
    let text = game().access_text().unwrap();
    ecs_core::schedule::assert_access_lock("menu_flow/access.lock", &text);
}

#[test]
fn from_any_frame_the_game_is_the_same() {
    let keys = [Key::Enter, Key::Pause, Key::Jump, Key::Restart, Key::Quit];
    let press = |app: &mut App, frame: usize| {
        if let Some(key) = keys.get(frame * frame / 3 % 9) {
            app.world_mut().send_event(*key);
        }
    };
    ecs_examples::assert_same_from_any_frame(game, 80, press);
}

/// Runs frames until the app ends.
fn run(app: &mut App, frames: usize) -> Option<AppExit> {
    (0..frames).find_map(|_| app.update())
}

/// Asserts the effects of the script.
fn check(world: &World) {
    assert_eq!(
        world.resource::<Log>().0,
        [
            "menu: start or quit?",
            "game: begins",
            "pause: begins",
            "pause: ends",
            "game: jumped over a rock",
            "pause: begins",
            "pause: ends",
            "game: ends, hearts left: 2",
            "menu: start or quit?",
            "game: begins",
            "game: hit by a rock",
            "game: ends, hearts left: 1",
            "game: begins",
            "game: jumped over a rock",
            "game: hit by a rock",
            "game: hit by a rock",
            "game: ends, hearts left: 0",
            "game over: jumped over 1",
            "menu: start or quit?",
        ]
    );
    // Everything that belonged to other screens is gone.
    let texts: Vec<String> = world
        .view::<Text>()
        .iter()
        .map(|text| text.0.clone())
        .collect();
    assert_eq!(texts, ["start", "quit"]);
    assert_eq!(world.len(), texts.len());
}
