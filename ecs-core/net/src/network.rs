//! Everything that a game sends over the network.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ecs_data::{Protocol, SchemaHash};
use ecs_engine::component::{Component, ComponentId};
use ecs_engine::event::{DataEvent, EventCursor};
use ecs_engine::relation::Relation;
use ecs_engine::resource::Resource;
use ecs_engine::{Entity, World};

use crate::endpoint::{Endpoint, EndpointSettings};
use crate::kinds::{NetworkKinds, StateSettings};
use crate::messages::{
    ClientMessages, InputComponent, MessageKind, NetworkValue, OwnedMessages, PlainMessages,
};
use crate::online::NetworkRole;
use crate::peer::Delivery;
use crate::player::{ForEntity, Owner, PlayerId};
use crate::plugin::NetworkPlugin;
use crate::shown::{
    InterpolatedComponent, PastValues, PredictedComponent, PredictedLocals, PredictedResource,
};
use crate::transport::Transport;
use crate::visibility::{DistanceRule, FunctionRule, PrivateComponents, RoomRule, RuleValues};

/// Everything that the apps of a game send each other. A function returns it, and both the server and the clients call it.
///
/// ```
/// use ecs_core::net::{Delivery, FromClient, MemoryNetwork, Network, Online, Owner, PlayerJoined, ToClients};
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
/// use std::time::Duration;
///
/// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
/// #[component(data = "game.place", track)]
/// struct Place(f32);
///
/// #[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
/// #[component(data = "game.steer")]
/// struct Steer(i8);
///
/// fn network() -> Network {
///     Network::new()
///         .replicate::<Place>()
///         .input::<Steer>()
///         .predict::<Place>()
///         .interpolate::<Place>(|from, to, part| Place(from.0 + (to.0 - from.0) * part))
/// }
///
/// /// Runs at the server, and at each client for its own entities.
/// #[system(for_each)]
/// fn walk(place: &mut Place, steer: &Steer) {
///     place.0 += f32::from(steer.0);
/// }
///
/// #[system]
/// fn welcome(mut joined: EventReader<PlayerJoined>, mut commands: Commands) {
///     for event in joined.read() {
///         commands.spawn((Place(0.0), Owner(event.player)));
///     }
/// }
///
/// #[system]
/// fn keys(mut steers: Query<(&mut Steer, &Owner)>, online: Res<Online>) {
///     for (steer, owner) in &mut steers {
///         if online.is_mine(owner) {
///             steer.0 = 1;
///         }
///     }
/// }
///
/// fn game(app: &mut App) {
///     app.add_systems(FixedUpdate, walk).add_systems(Update, (welcome, keys));
/// }
///
/// let internet = MemoryNetwork::new(1);
/// let transport = internet.transport();
/// let address = ecs_core::net::Transport::address(&transport);
/// let (mut server, mut client) = (App::new(), App::new());
/// server.add_plugin(game).add_plugin(network().server(transport));
/// client.add_plugin(game).add_plugin(network().client(internet.transport(), address));
/// for _ in 0..60 {
///     internet.advance(Duration::from_millis(16));
///     server.update_by(Duration::from_millis(16));
///     client.update_by(Duration::from_millis(16));
/// }
/// let place = |app: &App| app.world().view::<Place>().iter().next().unwrap().0;
/// assert!(place(&client) > 40.0 && place(&client) >= place(&server));
/// ```
///
/// # Steps
/// `FixedUpdate` is what both sides simulate: the plugin runs it, at the rate of [`steps_per_second`](Self::steps_per_second), and
/// numbers its [steps](crate::Online::tick). Everything else runs as in any app.
///
/// # The same systems everywhere
/// A client runs the same systems on its copy. A system that changes what the client does not predict (hits, scores, spawns) asks
/// [`Online::has_authority`](crate::Online::has_authority) first, or only reads events that exist where the world is, such as [`PlayerJoined`](crate::PlayerJoined) and
/// [`FromClient`](crate::FromClient).
pub struct Network {
    kinds: NetworkKinds,
    /// A number for each type beside the protocol, in the order of their calls.
    schema: Vec<u64>,
    endpoint: EndpointSettings,
    steps_per_second: u32,
    /// The components that only work if the server sends them, and their mark.
    shown: Vec<(ComponentId, &'static str)>,
}

impl Default for Network {
    fn default() -> Self {
        Self::new()
    }
}

impl Network {
    /// Returns a network that sends nothing but owners.
    #[must_use]
    pub fn new() -> Self {
        Self {
            kinds: NetworkKinds {
                protocol: Protocol::new().with::<Owner>(),
                to_server: Vec::new(),
                to_clients: Vec::new(),
                input: None,
                predicted: Vec::new(),
                memories: Vec::new(),
                interpolated: Vec::new(),
                rules: Vec::new(),
                private: PrivateComponents::default(),
                settings: StateSettings { steps_per_state: 2 },
            },
            schema: Vec::new(),
            endpoint: EndpointSettings::default().max_incoming(64),
            steps_per_second: 60,
            shown: Vec::new(),
        }
    }

    /// Sends a component to clients, with every entity that has one. Mark it with `track`, so that only changed values are looked at.
    ///
    /// # Panics
    /// If it is not `data`.
    #[must_use]
    #[track_caller]
    pub fn replicate<C: Component>(mut self) -> Self {
        self.kinds.protocol = self.kinds.protocol.with::<C>();
        self
    }

    /// Sends a component to the [`Owner`] of an entity only.
    ///
    /// # Panics
    /// If it is not `data`, or the network has more than 63 components before it.
    #[must_use]
    #[track_caller]
    pub fn replicate_to_owner<C: Component>(mut self) -> Self {
        self.kinds.protocol = self.kinds.protocol.with::<C>();
        self.kinds.private.add_for_owner(ComponentId::of::<C>());
        self
    }

    /// Sends a component to the players for whom a function returns true, of entities that they see. If it no longer does, the component is
    /// removed there.
    ///
    /// The function may depend on everything, so it is asked about each entity, for each player, whenever the server sends.
    ///
    /// ```
    /// use ecs_core::net::{Network, Owner};
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.health", track)]
    /// struct Health(u8);
    ///
    /// #[derive(Component, PartialEq)]
    /// struct Team(u8);
    ///
    /// /// Players see the health of their team.
    /// fn network() -> Network {
    ///     Network::new().replicate_if::<Health>(|world, player, entity| {
    ///         let teams = world.query::<(&Owner, &Team)>();
    ///         let own = teams.iter().find(|(owner, _)| owner.0 == player);
    ///         own.is_some_and(|(_, team)| world.get::<Team>(entity).is_some_and(|of| *of == *team))
    ///     })
    /// }
    /// # network();
    /// ```
    ///
    /// # Panics
    /// If it is not `data`, the network has more than 63 components before it, or eight with such a function.
    #[must_use]
    #[track_caller]
    pub fn replicate_if<C: Component>(
        mut self,
        sees: impl Fn(&World, PlayerId, Entity) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.kinds.protocol = self.kinds.protocol.with::<C>();
        let component = ComponentId::of::<C>();
        self.kinds.private.add(component, Arc::new(sees));
        self
    }

    /// Sends a relation to clients.
    ///
    /// # Panics
    /// If it is not `data`.
    #[must_use]
    #[track_caller]
    pub fn replicate_relation<R: Relation>(mut self) -> Self {
        self.kinds.protocol = self.kinds.protocol.with_relation::<R>();
        self
    }

    /// Only sends entities that have this component.
    #[must_use]
    pub fn only<C: Component>(mut self) -> Self {
        self.kinds.protocol = self.kinds.protocol.only::<C>();
        self
    }

    /// Sends the events of a type from clients to the app with the world, where each is a [`FromClient`](crate::FromClient).
    ///
    /// So is an event of the player at that machine, in the next frame. Each machine has its own ids in the message; an entity that is gone is a
    /// dead id, and a message about one that only the client has is a [problem](crate::NetworkProblem::NotOnServer). A type may go
    /// [to clients](Self::to_clients), too: events that have come from there are not sent back.
    ///
    /// # Panics
    /// If the type is not data.
    #[must_use]
    #[track_caller]
    pub fn to_server<M: NetworkValue + DataEvent>(mut self, delivery: Delivery) -> Self {
        self.add_message::<M>(1, delivery);
        let messages = Box::new(PlainMessages::<M>(EventCursor::default()));
        let kinds = &mut self.kinds.to_server;
        kinds.push(MessageKind::of::<M>(delivery, messages));
        self
    }

    /// Sends messages for entities from clients to the app with the world: a client writes [`ForEntity<M>`](crate::ForEntity) events, and the
    /// app with the world reads `FromClient<ForEntity<M>>`. Messages for entities of other players are dropped there, and
    /// [noted](crate::NetworkProblem::NotOwner); those for entities that are gone are dropped.
    ///
    /// # Panics
    /// If the type is not data.
    #[must_use]
    #[track_caller]
    pub fn to_server_for<M: NetworkValue + DataEvent>(mut self, delivery: Delivery) -> Self {
        self.add_message::<M>(2, delivery);
        let messages = Box::new(OwnedMessages::<M>(EventCursor::default()));
        self.kinds.to_server.push(MessageKind {
            ty: TypeId::of::<ForEntity<M>>(),
            ..MessageKind::of::<M>(delivery, messages)
        });
        self
    }

    /// Sends messages from the app with the world to clients: it writes [`ToClients<M>`](crate::ToClients) events, and each receiver reads
    /// `M`. The player at that machine is a receiver, too.
    ///
    /// A message that names an entity waits at the client until that is there, a second at most, and ordered ones wait behind it. Entities that
    /// the player does not see are dead ids in it.
    ///
    /// # Panics
    /// If the type is not data.
    #[must_use]
    #[track_caller]
    pub fn to_clients<M: NetworkValue + DataEvent>(mut self, delivery: Delivery) -> Self {
        self.add_message::<M>(3, delivery);
        let messages = Box::new(ClientMessages::<M>(EventCursor::default()));
        let kinds = &mut self.kinds.to_clients;
        kinds.push(MessageKind::of::<M>(delivery, messages));
        self
    }

    fn add_message<M: DataEvent>(&mut self, way: u64, delivery: Delivery) {
        let ty = SchemaHash::new().with_events::<M>().id();
        self.schema.extend([ty, way, delivery as u64]);
    }

    /// Sets the component that is the input of a player's entities. Each entity with an [`Owner`] gets one, except
    /// those with a [`SpawnKey`](crate::SpawnKey), such as shots.
    ///
    /// The owner's machine writes it in any schedule but `FixedUpdate`, and systems of `FixedUpdate` read it. The server gets the value of
    /// each step, and gives it to the entity for the same step. If it is late, the last one counts.
    ///
    /// # Panics
    /// If it is not `data`, or there is one already.
    #[must_use]
    #[track_caller]
    pub fn input<I: Component + NetworkValue + Default>(mut self) -> Self {
        assert!(
            self.kinds.input.is_none(),
            "a network has one type of inputs; help: make it an enum, or a struct with several fields"
        );
        self.schema.push(SchemaHash::new().with::<I>().id());
        self.kinds.input = Some(Box::new(InputComponent::<I>::default()));
        self
    }

    /// Lets each client predict a component of its own entities: systems of `FixedUpdate` change it there at once. When a state of the server
    /// arrives, the client continues from its values, and runs the steps since then again. Steps may insert and remove the component, too;
    /// its hooks are called in replays as well.
    ///
    /// The systems have to do the same with the same values. They may depend on predicted components and inputs of the entity, and on
    /// what does not change; on resources and `Local`s if these are [predicted](Self::predict_resource), [too](Self::predict_local). If they
    /// depend on anything else, the prediction is corrected more often. If they change the component of entities of others, it returns to
    /// the server's value with each state, and goes on from there.
    #[must_use]
    pub fn predict<C: Component + Clone + PartialEq>(mut self) -> Self {
        self.shown.push((ComponentId::of::<C>(), "predicted"));
        let kind = PredictedComponent::<C>::default();
        self.kinds.predicted.push(Box::new(kind));
        self
    }

    /// Lets a replay begin with the resource as it was after the step that the state of the server is of. Without this, steps
    /// that run again change it again.
    ///
    /// The server does not send it: each machine has its own. Only systems of `FixedUpdate` change it, also in
    /// [replays](crate::Online::is_replay): all other changes are gone after the next replay.
    ///
    /// ```
    /// use ecs_core::net::Network;
    /// use ecs_core::prelude::*;
    ///
    /// /// The steps of the wind so far.
    /// #[derive(Resource, Clone, Default)]
    /// struct Wind(u32);
    ///
    /// /// The steps until the next shot, in a `Local` of a system.
    /// #[derive(Clone, Default)]
    /// struct Cooldown(u8);
    ///
    /// fn network() -> Network {
    ///     Network::new().predict_resource::<Wind>().predict_local::<Cooldown>()
    /// }
    /// # network();
    /// ```
    #[must_use]
    pub fn predict_resource<R: Resource + Clone>(mut self) -> Self {
        let memory = PredictedResource::<R>(PastValues::default());
        self.kinds.memories.push(Box::new(memory));
        self
    }

    /// Lets a replay begin with the `Local<T>`s of systems in `FixedUpdate` as they were after the step that the state of the server
    /// is of, as [`predict_resource`](Self::predict_resource) does.
    #[must_use]
    pub fn predict_local<T: Clone + Send + 'static>(mut self) -> Self {
        let memory = PredictedLocals::<T>(PastValues::default());
        self.kinds.memories.push(Box::new(memory));
        self
    }

    /// Lets clients show a component of other players' entities, and of entities without an owner, between two states, by a function of
    /// both values and a number from 0 to 1. So they move evenly, some steps behind the server.
    #[must_use]
    pub fn interpolate<C: Component + Clone + PartialEq>(
        mut self,
        between: fn(&C, &C, f32) -> C,
    ) -> Self {
        self.shown.push((ComponentId::of::<C>(), "interpolated"));
        self.kinds
            .interpolated
            .push(Box::new(InterpolatedComponent {
                between,
                received: BTreeMap::new(),
            }));
        self
    }

    /// Adds a rule: `None` if a player does not see an entity, or else its priority, usually 1. An entity has to be visible by all
    /// rules, and its priorities are multiplied: one of 3 is sent three times as often as one of 1, if not everything fits. Players
    /// always see their own entities.
    ///
    /// The rule may depend on everything, so it is asked about each entity, for each player, whenever the server sends.
    /// [`see_by_rooms`](Self::see_by_rooms) and [`see_within`](Self::see_within) cost nothing while nothing moves.
    #[must_use]
    pub fn see(
        mut self,
        rule: impl Fn(&World, PlayerId, Entity) -> Option<f32> + Send + Sync + 'static,
    ) -> Self {
        let rule = FunctionRule(Arc::new(rule));
        self.kinds.rules.push(Box::new(rule));
        self
    }

    /// Adds the rule that players see entities that are [`InRoom`](crate::InRoom) one of their [`Rooms`](crate::Rooms), and those without a room.
    #[must_use]
    pub fn see_by_rooms(mut self) -> Self {
        self.kinds.rules.push(Box::<RoomRule>::default());
        self
    }

    /// Adds the rule that players see entities up to a distance from one of their own, near ones up to four times as often as far ones.
    /// Entities without the component are seen everywhere.
    #[must_use]
    pub fn see_within<C: Component>(mut self, distance: f32, place: fn(&C) -> [f32; 3]) -> Self {
        self.kinds.rules.push(Box::new(DistanceRule {
            radius: distance,
            place,
            known: RuleValues::default(),
        }));
        self
    }

    /// Sets the number of steps of `FixedUpdate` a second; 60 without this. All apps of the game have the same.
    ///
    /// # Panics
    /// If it is 0.
    #[must_use]
    #[track_caller]
    pub fn steps_per_second(mut self, steps: u32) -> Self {
        assert!(steps > 0, "a game runs at least one step a second");
        self.steps_per_second = steps;
        self
    }

    /// Sets the number of steps between two states that the server sends; 2 without this. All apps of the game have the same.
    ///
    /// # Panics
    /// If it is 0.
    #[must_use]
    #[track_caller]
    pub fn steps_per_state(mut self, steps: u32) -> Self {
        assert!(steps > 0, "there is at least one step between two states");
        self.kinds.settings.steps_per_state = steps.into();
        self
    }

    /// Sets the limits of connections; a server allows 64 without this.
    #[must_use]
    pub fn endpoint(mut self, settings: EndpointSettings) -> Self {
        self.endpoint = settings;
        self
    }

    /// Returns the number that two programs must have in common to connect: of all types, their order, and the rates.
    #[must_use]
    pub fn id(&self) -> u64 {
        let mut id = self.kinds.protocol.id();
        let rates = [
            self.steps_per_second.into(),
            self.kinds.settings.steps_per_state,
        ];
        for &number in self.schema.iter().chain(&rates) {
            id = (id ^ number)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .rotate_left(23);
        }
        id
    }

    /// Returns the plugin of an app that has the world, and no player.
    ///
    /// # Panics
    /// If a component is predicted or interpolated, and not replicated.
    #[track_caller]
    pub fn server(self, transport: impl Transport + 'static) -> NetworkPlugin {
        let endpoint = Endpoint::new(transport, self.id(), self.endpoint);
        self.plugin(NetworkRole::Server, Some(endpoint), None)
    }

    /// Returns the plugin of an app that has the world and a player: [`PlayerId::HOST`].
    ///
    /// # Panics
    /// If a component is predicted or interpolated, and not replicated.
    #[track_caller]
    pub fn listen(self, transport: impl Transport + 'static) -> NetworkPlugin {
        let endpoint = Endpoint::new(transport, self.id(), self.endpoint);
        self.plugin(NetworkRole::Listen, Some(endpoint), None)
    }

    /// Returns the plugin of an app that has the world and the only player: [`PlayerId::HOST`]. It needs no network.
    ///
    /// # Panics
    /// If a component is predicted or interpolated, and not replicated.
    #[track_caller]
    pub fn alone(self) -> NetworkPlugin {
        self.plugin(NetworkRole::Alone, None, None)
    }

    /// Returns the plugin of an app that connects to a server.
    ///
    /// # Panics
    /// If a component is predicted or interpolated, and not replicated.
    #[track_caller]
    pub fn client(self, transport: impl Transport + 'static, server: SocketAddr) -> NetworkPlugin {
        let settings = self.endpoint.max_incoming(0);
        let endpoint = Endpoint::new(transport, self.id(), settings);
        self.plugin(NetworkRole::Client, Some(endpoint), Some(server))
    }

    #[track_caller]
    fn plugin(
        self,
        role: NetworkRole,
        endpoint: Option<Endpoint>,
        server: Option<SocketAddr>,
    ) -> NetworkPlugin {
        for (component, mark) in &self.shown {
            assert!(
                self.kinds.protocol.includes(*component),
                "the component `{}` is {mark}, and not replicated; help: add it by `Network::replicate`",
                component.name()
            );
        }
        NetworkPlugin {
            kinds: self.kinds,
            role,
            endpoint,
            server,
            step: Duration::from_secs(1) / self.steps_per_second,
        }
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("protocol", &self.kinds.protocol)
            .finish_non_exhaustive()
    }
}
