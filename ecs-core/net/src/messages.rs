//! Messages and inputs of the user's types, without the types.

use std::any::{TypeId, type_name};

use ecs_engine::component::{Component, ComponentId};
use ecs_engine::event::{EventCursor, Events};
use ecs_engine::{Entity, World};
use serde_core::Serialize;
use serde_core::de::DeserializeOwned;

use crate::codec::{BadValue, NetworkProblem, read_value, write_value};
use crate::peer::Delivery;
use crate::player::{ForEntity, FromClient, Owner, PlayerId, Receivers, ToClients};
use crate::wire::put_varint;

/// Returns the id on the server of an entity here, or the other way round.
pub(crate) type IdMap<'a> = &'a dyn Fn(Entity) -> Option<Entity>;

/// The bytes of messages, or the reasons why there are none.
pub(crate) type Written = Result<Vec<u8>, NetworkProblem>;

/// A type of messages, without the type.
pub(crate) struct MessageKind<K: ?Sized> {
    /// The type of the events that are sent.
    pub(crate) ty: TypeId,
    pub(crate) name: &'static str,
    pub(crate) delivery: Delivery,
    pub(crate) messages: Box<K>,
}

impl<K: ?Sized> MessageKind<K> {
    pub(crate) fn of<M: 'static>(delivery: Delivery, messages: Box<K>) -> Self {
        Self {
            ty: TypeId::of::<M>(),
            name: type_name::<M>(),
            delivery,
            messages,
        }
    }
}

/// Returns the bytes of a message after the number of its kind.
pub(crate) fn numbered(kind: u64, message: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_varint(&mut bytes, kind);
    bytes.extend_from_slice(message);
    bytes
}

/// Messages of a type to the server.
pub(crate) trait ToServerKind: Send {
    fn register(&self, world: &mut World);
    /// At a client: returns the messages that were sent since the last call.
    fn take(&mut self, world: &World, server_id: IdMap<'_>) -> Vec<Written>;
    /// Leaves out the events that were sent since the last call: they have come from the network.
    fn skip(&mut self, world: &World);
    /// At the app with the world: passes on the messages of the player at this machine.
    fn pass(&mut self, world: &mut World);
    /// Reads the message of a player, and passes it on. Returns false if it was refused.
    fn receive(&self, world: &mut World, player: PlayerId, bytes: &[u8]) -> Result<bool, BadValue>;
}

/// Messages of a type to clients.
pub(crate) trait ToClientsKind: Send {
    fn register(&self, world: &mut World);
    /// At the app with the world: returns the messages that were sent since the last call, and passes on those for the host.
    fn take(&mut self, world: &mut World, host: Option<PlayerId>) -> Vec<(Receivers, Written)>;
    /// At a client: reads a message, and passes it on.
    fn receive(&self, world: &mut World, bytes: &[u8], local: IdMap<'_>) -> Result<(), BadValue>;
}

/// A message or an input: any type with these traits. You don't implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent over the network",
    label = "not a message",
    note = "add `#[derive(Clone, Serialize, Deserialize)]` to the type"
)]
pub trait NetworkValue: Serialize + DeserializeOwned + Clone + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static> NetworkValue for T {}

/// Returns true if a player may send a value for an entity.
fn owns(world: &World, player: PlayerId, entity: Entity) -> bool {
    world
        .get::<Owner>(entity)
        .is_some_and(|owner| owner.0 == player)
}

/// Returns the events that were sent since the last call.
fn new_events<E: Clone + Send + Sync + 'static>(
    cursor: &mut EventCursor<E>,
    world: &World,
) -> Vec<E> {
    let Some(events) = world.get_resource::<Events<E>>() else {
        return Vec::new();
    };
    cursor.on(&events).read().cloned().collect()
}

/// Messages of a type, from any player.
pub(crate) struct PlainMessages<M>(pub(crate) EventCursor<M>);

impl<M: NetworkValue> ToServerKind for PlainMessages<M> {
    fn register(&self, world: &mut World) {
        world.add_event::<M>();
        world.add_event::<FromClient<M>>();
    }

    fn take(&mut self, world: &World, server_id: IdMap<'_>) -> Vec<Written> {
        let messages = new_events(&mut self.0, world);
        let written = messages.iter();
        written
            .map(|message| write_value(message, server_id))
            .collect()
    }

    fn skip(&mut self, world: &World) {
        new_events(&mut self.0, world);
    }

    fn pass(&mut self, world: &mut World) {
        for message in new_events(&mut self.0, world) {
            world.send_event(FromClient {
                player: PlayerId::HOST,
                message,
            });
        }
    }

    fn receive(&self, world: &mut World, player: PlayerId, bytes: &[u8]) -> Result<bool, BadValue> {
        let message = read_value::<M>(bytes, &|id| world.contains(id).then_some(id))?;
        world.send_event(FromClient { player, message });
        Ok(true)
    }
}

/// Messages of a type for entities, from their owners.
pub(crate) struct OwnedMessages<M>(pub(crate) EventCursor<ForEntity<M>>);

impl<M: NetworkValue> ToServerKind for OwnedMessages<M> {
    fn register(&self, world: &mut World) {
        world.add_event::<ForEntity<M>>();
        world.add_event::<FromClient<ForEntity<M>>>();
    }

    fn take(&mut self, world: &World, server_id: IdMap<'_>) -> Vec<Written> {
        let messages = new_events(&mut self.0, world);
        let written = messages.iter();
        written
            .map(|ForEntity { entity, message }| write_value(&(*entity, message), server_id))
            .collect()
    }

    fn skip(&mut self, world: &World) {
        new_events(&mut self.0, world);
    }

    fn pass(&mut self, world: &mut World) {
        for message in new_events(&mut self.0, world) {
            if owns(world, PlayerId::HOST, message.entity) {
                let player = PlayerId::HOST;
                world.send_event(FromClient { player, message });
            }
        }
    }

    fn receive(&self, world: &mut World, player: PlayerId, bytes: &[u8]) -> Result<bool, BadValue> {
        let of_world = |id| world.contains(id).then_some(id);
        let (entity, message) = read_value::<(Entity, M)>(bytes, &of_world)?;
        if !owns(world, player, entity) {
            // One that is gone may have been the player's.
            return Ok(!world.contains(entity));
        }
        let message = ForEntity { entity, message };
        world.send_event(FromClient { player, message });
        Ok(true)
    }
}

/// Messages of a type to players.
pub(crate) struct ClientMessages<M>(pub(crate) EventCursor<ToClients<M>>);

impl<M: NetworkValue> ToClientsKind for ClientMessages<M> {
    fn register(&self, world: &mut World) {
        world.add_event::<M>();
        world.add_event::<ToClients<M>>();
    }

    fn take(&mut self, world: &mut World, host: Option<PlayerId>) -> Vec<(Receivers, Written)> {
        let messages = new_events(&mut self.0, world);
        let mut written = Vec::with_capacity(messages.len());
        for ToClients { to, message } in messages {
            written.push((to, write_value(&message, &Some)));
            if host.is_some_and(|host| to.contains(host)) {
                world.send_event(message);
            }
        }
        written
    }

    fn receive(&self, world: &mut World, bytes: &[u8], local: IdMap<'_>) -> Result<(), BadValue> {
        let message = read_value::<M>(bytes, local)?;
        world.send_event(message);
        Ok(())
    }
}

/// The type of the inputs.
pub(crate) trait PlayerInputs: Send {
    fn name(&self) -> &'static str;
    fn component(&self) -> ComponentId;
    /// Returns the input of an entity.
    fn read(&self, world: &World, entity: Entity, server_id: IdMap<'_>) -> Written;
    /// Gives an entity an input.
    fn set(
        &self,
        world: &mut World,
        entity: Entity,
        bytes: &[u8],
        local: IdMap<'_>,
    ) -> Result<(), BadValue>;
    /// Gives an entity an input if it has none.
    fn ensure(&self, world: &mut World, entity: Entity);
    /// Takes the input from an entity.
    fn remove(&self, world: &mut World, entity: Entity);
    /// Remembers the inputs of entities.
    fn keep(&mut self, world: &World, entities: &[Entity]);
    /// Gives entities the inputs that were remembered.
    fn put_back(&mut self, world: &mut World);
}

/// Inputs that are components of a type.
pub(crate) struct InputComponent<I> {
    kept: Vec<(Entity, I)>,
}

impl<I> Default for InputComponent<I> {
    fn default() -> Self {
        Self { kept: Vec::new() }
    }
}

impl<I: Component + NetworkValue + Default> PlayerInputs for InputComponent<I> {
    fn name(&self) -> &'static str {
        type_name::<I>()
    }

    fn component(&self) -> ComponentId {
        ComponentId::of::<I>()
    }

    fn read(&self, world: &World, entity: Entity, server_id: IdMap<'_>) -> Written {
        let input = world.get::<I>(entity).map(|input| I::clone(&input));
        write_value(&input.unwrap_or_default(), server_id)
    }

    fn set(
        &self,
        world: &mut World,
        entity: Entity,
        bytes: &[u8],
        local: IdMap<'_>,
    ) -> Result<(), BadValue> {
        let input = read_value::<I>(bytes, local)?;
        // An entity that is gone has no use for it.
        _ = world.insert(entity, input);
        Ok(())
    }

    fn ensure(&self, world: &mut World, entity: Entity) {
        if !world.has::<I>(entity) {
            _ = world.insert(entity, I::default());
        }
    }

    fn remove(&self, world: &mut World, entity: Entity) {
        // An entity that is gone has none.
        _ = world.remove::<I>(entity);
    }

    fn keep(&mut self, world: &World, entities: &[Entity]) {
        let inputs = entities.iter().filter_map(|&entity| {
            let input = world.get::<I>(entity)?;
            Some((entity, I::clone(&input)))
        });
        self.kept.extend(inputs);
    }

    fn put_back(&mut self, world: &mut World) {
        for (entity, input) in self.kept.drain(..) {
            // An entity that is gone has no use for it.
            _ = world.insert(entity, input);
        }
    }
}
