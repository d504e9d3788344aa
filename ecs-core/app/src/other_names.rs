//! Methods by the names that other libraries have for them: calling one is an error with the words to write here.

use crate::app::App;
use crate::labels::Update;

ecs_engine::__other_names! { [] App {
    add_message() "write `add_event`";
    add_observer(observer) "write `observe`";
    add_plugins(plugin) "write `add_plugin`, once for each";
    add_resource(resource) "write `insert_resource`";
    add_startup_system(system) "write `add_systems(Startup, ..)`";
    add_system(system) "write `add_systems(Update, ..)`";
    configure_sets(schedule, sets) "write `configure` for one set, or `chain_sets` for their order";
    despawn(entity) "write `world_mut().despawn(..)`";
    init_schedule(schedule) "write `add_schedule`";
    insert_state(state) "write `add_state`";
    register_type() "needs no call: `#[component(data = \"..\")]` makes a type known";
    resource() "write `world().resource`";
    resource_mut() "write `world_mut().resource_mut`";
    spawn(bundle) "an app has its entities in a world: write `world_mut().spawn(..)`";
} }

#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "states have no such schedules",
    label = "write `app.on_enter(Screen::Game, systems)`, or `on_exit`"
)]
pub trait StatesHaveMethods<'a> {}

macro_rules! schedules_of_states {
    ($($name:ident),+) => {
        $(
            #[doc(hidden)]
            #[allow(non_snake_case, reason = "the name is that of another library")]
            pub fn $name(_: impl Sized) -> Update
            where
                for<'a> (): StatesHaveMethods<'a>,
            {
                Update
            }
        )+
    };
}

schedules_of_states!(OnEnter, OnExit);
