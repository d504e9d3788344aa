//! Players, owners of entities, and the events of the network.

use std::fmt;

use ecs_data::__private::Saved;
use ecs_engine::Entity;
use ecs_engine::component::{Component, IdSlot, Untracked};
use ecs_engine::data_type::{DataType, DataTypeOf};
use ecs_engine::meta::ConstTypeIdOf;
use serde_core::de::DeserializeOwned;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use crate::peer::DisconnectReason;

/// A player, on all machines. The server gives the numbers, and never gives one twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerId(pub u32);

impl PlayerId {
    /// The player at the machine with the world: of a [listen server](crate::Network::listen), or [alone](crate::Network::alone).
    pub const HOST: Self = Self(0);
}

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "player {}", self.0)
    }
}

/// The player that an entity belongs to: a component that the server gives. It is always replicated.
///
/// Only the owner's machine sends inputs and [messages](crate::ForEntity) for it, and predicts it. The owner always sees it. The server may
/// give it to another player: the machine of the old one then loses its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Owner(pub PlayerId);

/// Makes the server's copy of an entity and the one that a client has spawned ahead one entity: a component that the same system
/// spawns both with, on both machines, next to an [`Owner`].
///
/// The number must be the same on both machines, and different for each entity of the owner: for example the
/// [tick](crate::Online::tick) of the shot. The client keeps its entity, with everything that is attached to it there, and receives the
/// server's values from then on. If the server spawns no such entity within a second, the client despawns its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpawnKey(pub u64);

/// Implements a component, or its parts, that is a number in saves and packets.
macro_rules! number_component {
    ($ty:ident, $number:ty, $name:literal, |$it:ident| $get:expr, $make:expr) => {
        impl Serialize for $ty {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $it = self;
                <$number>::serialize(&$get, serializer)
            }
        }

        impl<'de> Deserialize<'de> for $ty {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$number>::deserialize(deserializer).map($make)
            }
        }

        // Lists of components in errors do not name it.
        #[diagnostic::do_not_recommend]
        impl Component for $ty {
            const IDENTITY: ConstTypeIdOf<Self> =
                ConstTypeIdOf::exact(concat!("ecs_net::", stringify!($ty)), stringify!($ty))
                    .with_data(const { &[described::<Self>($name)] });
            type Tracking = Untracked;

            fn id_slot() -> Option<&'static IdSlot<Self>> {
                static SLOT: IdSlot<$ty> = IdSlot::new();
                Some(&SLOT)
            }
        }
    };
}

number_component!(Owner, u32, "ecs.owner", |owner| owner.0.0, |number| Self(
    PlayerId(number)
));
number_component!(SpawnKey, u64, "ecs.spawn_key", |key| key.0, Self);

const fn described<T>(name: &'static str) -> DataType
where
    T: Component + Clone + fmt::Debug + Serialize + DeserializeOwned,
{
    let saved = const { &Saved::of::<T>() };
    let data = DataTypeOf::<T>::new(name, 1).component().cloned().printed();
    data.without_ids(true).coded(saved).erased()
}

/// A player has joined: an event at the app that has the world, which then spawns an entity for the player, say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerJoined {
    /// The player.
    pub player: PlayerId,
}

/// A player has left: an event at the app that has the world. The entities of the player are still there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerLeft {
    /// The player.
    pub player: PlayerId,
    /// The reason.
    pub reason: DisconnectReason,
}

/// A message that a player has sent: an event at the app that has the world; see [`Network::to_server`](crate::Network::to_server).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromClient<M> {
    /// The sender. A client cannot forge it.
    pub player: PlayerId,
    /// The message.
    pub message: M,
}

/// A message for an entity, which only its [`Owner`] can send; see [`Network::to_server_for`](crate::Network::to_server_for).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForEntity<M> {
    /// The entity.
    pub entity: Entity,
    /// The message.
    pub message: M,
}

/// A message to players: an event that the app with the world sends; see [`Network::to_clients`](crate::Network::to_clients).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToClients<M> {
    /// The receivers.
    pub to: Receivers,
    /// The message, which is an event at each receiver.
    pub message: M,
}

/// The receivers of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receivers {
    /// All players.
    All,
    /// One player.
    Only(PlayerId),
    /// All players but one.
    Except(PlayerId),
}

impl Receivers {
    /// Returns true if a player is one of them.
    #[must_use]
    pub fn contains(self, player: PlayerId) -> bool {
        match self {
            Self::All => true,
            Self::Only(one) => player == one,
            Self::Except(one) => player != one,
        }
    }
}
