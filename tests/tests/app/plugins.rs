//! Plugins: added twice, missing, and the order of calls.

use ecs_core::prelude::*;

use crate::{app, log, note};

fn base(app: &mut App) {
    app.add_plugin(top);
    app.add_systems(Update, note!("base"));
}

fn top(app: &mut App) {
    app.add_plugin(base);
    app.add_systems(Update, note!("top"));
}

#[test]
fn plugins_that_add_each_other_are_added_once() {
    let mut app = app();
    app.add_plugin(base).add_plugin(top).add_plugin(base);
    app.update();
    assert_eq!(log(&mut app), "top base");
}

struct Settings {
    word: &'static str,
}

impl Plugin for Settings {
    fn build(self, app: &mut App) {
        app.world_mut()
            .resource_mut::<crate::Log>()
            .0
            .push(self.word);
    }
}

struct Unit;

impl Plugin for Unit {
    fn build(self, app: &mut App) {
        app.world_mut().resource_mut::<crate::Log>().0.push("unit");
    }
}

#[test]
fn a_plugin_with_data_cannot_be_added_twice() {
    let mut app = app();
    app.add_plugin(Settings { word: "a" });
    app.add_plugin(Settings { word: "b" });
    assert_eq!(log(&mut app), "a");
    let error = app.build().unwrap_err();
    assert_eq!(error.problems().len(), 1);
    let error = error.to_string();
    assert!(
        error.contains("plugins::Settings` was added twice, at "),
        "{error}"
    );
    assert_eq!(error.matches("plugins.rs").count(), 2, "{error}");
}

#[test]
fn a_unit_struct_is_added_once_and_a_closure_with_data_each_time() {
    let mut app = app();
    app.add_plugin(Unit).add_plugin(Unit);
    for word in ["a", "b"] {
        app.add_plugin(move |app: &mut App| {
            app.world_mut().resource_mut::<crate::Log>().0.push(word);
        });
    }
    app.build().unwrap();
    assert_eq!(log(&mut app), "unit a b");
}

#[test]
fn a_plugin_that_is_required_and_missing_is_an_error() {
    let mut app = app();
    app.require::<Settings>().require::<Unit>();
    app.add_plugin(Unit);
    let error = app.build().unwrap_err();
    assert_eq!(error.problems().len(), 1);
    assert!(
        error
            .to_string()
            .contains("plugins::Settings` is missing, which is required at ")
    );

    let mut app = self::app();
    app.require::<Settings>();
    app.add_plugin(Settings { word: "later" });
    app.build().unwrap();
}

#[test]
fn finally_comes_after_all_plugins_and_may_add_more() {
    let mut app = app();
    app.finally(|app| {
        app.add_systems(Update, note!("finally 1"));
        app.finally(|app| {
            app.add_systems(Update, note!("finally 3"));
        });
    });
    app.finally(|app| {
        app.add_systems(Update, note!("finally 2"));
        app.add_plugin(Unit);
    });
    app.add_systems(Update, note!("game"));
    assert_eq!(log(&mut app), "");
    app.update();
    assert_eq!(log(&mut app), "unit game finally 1 finally 2 finally 3");
}

#[derive(Resource, Default, Debug, PartialEq)]
struct Volume(u32);

#[test]
fn a_default_never_replaces_what_the_game_sets() {
    let sound = |app: &mut App| {
        app.init_resource::<Volume>();
    };
    let mut before = app();
    before.insert_resource(Volume(7)).add_plugin(sound);
    let mut after = app();
    after.add_plugin(sound).insert_resource(Volume(7));
    for app in [&before, &after] {
        assert_eq!(*app.world().resource::<Volume>(), Volume(7));
    }
    let mut neither = app();
    neither.add_plugin(sound);
    neither.init_resource_with(|_| Volume(9));
    assert_eq!(*neither.world().resource::<Volume>(), Volume(0));
}

#[test]
fn plugins_order_against_sets_of_others_that_may_be_missing() {
    fn camera(app: &mut App) {
        app.add_systems(Update, note!("camera").after("physics").before("draw"));
    }
    fn physics(app: &mut App) {
        app.add_systems(Update, note!("physics").in_set("physics"));
    }
    let mut alone = app();
    alone.add_plugin(camera);
    alone.update();
    assert_eq!(log(&mut alone), "camera");
    let mut both = app();
    both.add_plugin(camera).add_plugin(physics);
    both.update();
    assert_eq!(log(&mut both), "physics camera");
}
