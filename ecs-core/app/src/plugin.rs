//! Plugins: functions that add to an app.

use crate::app::App;
use crate::error::Problem;
use crate::plugins::AddedPlugin;

/// Something that adds systems, resources, states and other plugins to an [`App`].
///
/// Any function or closure of a `&mut App` is one. For a plugin with settings, implement the trait for a struct.
///
/// Adding a plugin again does nothing, so a plugin adds the plugins that it needs. A plugin with data cannot be added
/// twice, because the second one's data would be lost: that is an error of [`App::build`] that names both places. A closure
/// that captures values, and a function pointer, are called each time.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Resource)]
/// struct Gravity(f32);
///
/// struct Physics { gravity: f32 }
///
/// impl Plugin for Physics {
///     fn build(self, app: &mut App) {
///         app.add_plugin(shapes).insert_resource(Gravity(self.gravity));
///     }
/// }
///
/// #[derive(Resource, Default)]
/// struct Shapes(u32);
///
/// fn shapes(app: &mut App) {
///     app.init_resource::<Shapes>();
/// }
///
/// let mut app = App::new();
/// app.add_plugin(shapes).add_plugin(Physics { gravity: 9.8 });
/// app.build()?;
/// # Ok::<(), ecs_core::app::AppError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plugin",
    label = "not a plugin",
    note = "a plugin is a function `fn physics(app: &mut App)`, a closure `|app: &mut App| ..` with the type written, or a type with `impl Plugin for Physics {{ fn build(self, app: &mut App) {{ .. }} }}`"
)]
pub trait Plugin: Sized + 'static {
    /// True if it can be added any number of times.
    #[doc(hidden)]
    const REPEATS: bool = false;

    /// Adds to the app. Called when the plugin is added.
    fn build(self, app: &mut App);
}

#[diagnostic::do_not_recommend]
impl<F: FnOnce(&mut App) + 'static> Plugin for F {
    const REPEATS: bool = size_of::<F>() > 0;

    fn build(self, app: &mut App) {
        self(app);
    }
}

/// A plugin, or `()`: a function that is called by mistake, `add_plugin(physics())`, has one error and not two.
///
/// Apart from [`Plugin`], whose method would be ambiguous in `().build()`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plugin",
    label = "not a plugin",
    note = "a plugin is a function `fn physics(app: &mut App)`, a closure `|app: &mut App| ..` with the type written, or a type with `impl Plugin for Physics {{ fn build(self, app: &mut App) {{ .. }} }}`"
)]
pub trait AddPlugin {
    #[doc(hidden)]
    #[track_caller]
    fn add_to(self, app: &mut App);
}

#[diagnostic::do_not_recommend]
impl<P: Plugin> AddPlugin for P {
    fn add_to(self, app: &mut App) {
        if app.is_new(&self) {
            self.build(app);
        }
    }
}

#[diagnostic::do_not_recommend]
impl AddPlugin for () {
    fn add_to(self, _: &mut App) {}
}

impl App {
    /// Adds a plugin, and calls it immediately; does nothing if a function or a struct without fields is added again.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// fn greeting(app: &mut App) {
    ///     app.add_systems(Startup, || println!("hello"));
    /// }
    ///
    /// let mut app = App::new();
    /// app.add_plugin(greeting);
    /// app.update();
    /// ```
    #[track_caller]
    #[doc(alias = "add_plugins")]
    #[doc(alias = "add_plugin_group")]
    #[doc(alias = "import")]
    pub fn add_plugin(&mut self, plugin: impl AddPlugin) -> &mut Self {
        plugin.add_to(self);
        self
    }

    #[track_caller]
    fn is_new<P: Plugin>(&mut self, _: &P) -> bool {
        let new = AddedPlugin::new::<P>();
        let old = self.plugins.added.iter().find(|added| added.id == new.id);
        match old {
            Some(_) if P::REPEATS => true,
            Some(old) => {
                if size_of::<P>() > 0 {
                    self.problems.push(Problem::PluginTwice {
                        plugin: new.name,
                        first: old.at,
                        second: new.at,
                    });
                }
                false
            }
            None => {
                self.plugins.added.push(new);
                true
            }
        }
    }

    /// Makes [`build`](Self::build) fail if nothing adds the plugin `P`.
    ///
    /// For a plugin with settings, which its user has to choose; a function or a struct without fields is just added.
    #[track_caller]
    pub fn require<P: Plugin>(&mut self) -> &mut Self {
        self.plugins.required.push(AddedPlugin::new::<P>());
        self
    }

    /// Calls a function after all plugins were added, before the first frame: to react to the additions of others, or to
    /// the settings that the game has chosen.
    ///
    /// The functions are called in the order they were added, and can add more of everything.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Resource, Default)]
    /// struct Lanes(usize);
    /// #[derive(Resource)]
    /// struct Road(Vec<f32>);
    ///
    /// fn road(app: &mut App) {
    ///     app.init_resource::<Lanes>();
    ///     app.finally(|app| {
    ///         let lanes = app.world().resource::<Lanes>().0;
    ///         app.insert_resource(Road(vec![0.0; lanes]));
    ///     });
    /// }
    ///
    /// let mut app = App::new();
    /// app.add_plugin(road).insert_resource(Lanes(3));
    /// app.update();
    /// assert_eq!(app.world().resource::<Road>().0.len(), 3);
    /// ```
    pub fn finally(&mut self, function: impl FnOnce(&mut App) + Send + 'static) -> &mut Self {
        self.finally.push_back(Box::new(function));
        self.is_ready = false;
        self
    }
}
