//! Values of messages as bytes, with the ids of entities in the numbers of the server.
//!
//! ```text
//! value: the number of ids: varint, ids: [varint], then the value, in which their positions stand for them
//! ```

use std::any::type_name;
use std::cell::RefCell;
use std::fmt;

use ecs_data::__private::{Decoder, Encoder};
use ecs_engine::Entity;
use ecs_engine::entity::dead::dead_like;
use ecs_engine::entity::session::{ByIndex, IdForm, Others, Session};
use serde_core::Serialize;
use serde_core::de::DeserializeOwned;

use crate::peer::SendError;
use crate::player::PlayerId;
use crate::wire::{WireReader, put_varint};

/// Something that the network could not do; see [`Online::take_problems`](crate::Online::take_problems).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetworkProblem {
    /// A message or an input has no bytes, because its `Serialize` fails.
    Unwritable {
        /// The name of the type.
        name: &'static str,
        /// The error of `Serialize`.
        message: String,
    },
    /// A message or an input of a client names an entity that only the client has, and was not sent. One that is gone is no problem: it is
    /// a dead id at the server.
    NotOnServer {
        /// The name of the type.
        name: &'static str,
        /// The entity here.
        entity: Entity,
    },
    /// A message could not be sent.
    Unsent {
        /// The name of the type.
        name: &'static str,
        /// The reason.
        error: SendError,
    },
    /// A player has sent a message or an input for an entity of another one. It was dropped.
    NotOwner {
        /// The player.
        player: PlayerId,
        /// The name of the type.
        name: &'static str,
    },
    /// Components could not be sent.
    Replication {
        /// The error.
        message: String,
    },
}

impl fmt::Display for NetworkProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unwritable { name, message } => {
                write!(f, "a value of `{name}` cannot be sent: {message}")
            }
            Self::NotOnServer { name, entity } => write!(
                f,
                "a value of `{name}` names {entity}, which the server does not have; help: name entities that came from the server"
            ),
            Self::Unsent { name, error } => {
                write!(f, "a message of `{name}` was not sent: {error}")
            }
            Self::NotOwner { player, name } => write!(
                f,
                "{player} has sent a value of `{name}` for an entity of another player"
            ),
            Self::Replication { message } => {
                write!(f, "the world cannot be replicated: {message}")
            }
        }
    }
}

impl std::error::Error for NetworkProblem {}

/// Returns the bytes of a value. `server_id` returns the number of an entity here on the server.
pub(crate) fn write_value<T: Serialize>(
    value: &T,
    server_id: &dyn Fn(Entity) -> Option<Entity>,
) -> Result<Vec<u8>, NetworkProblem> {
    let name = type_name::<T>();
    let ids = RefCell::new(Vec::new());
    let session = Session::new(IdForm::Numbered {
        entities: &[],
        numbers: ByIndex::Dense(&[]),
        others: Others::Listed(&ids),
    });
    let mut encoder = Encoder::new();
    let written = session.run(|| encoder.value(value));
    let failed = session.take_error().map(|error| error.to_string());
    let failed = failed.or(written.err().map(|error| error.to_string()));
    if let Some(message) = failed {
        return Err(NetworkProblem::Unwritable { name, message });
    }
    let ids = ids.into_inner();
    let mut out = Vec::new();
    put_varint(&mut out, ids.len() as u64);
    for entity in ids {
        let id = server_id(entity).ok_or(NetworkProblem::NotOnServer { name, entity })?;
        put_varint(&mut out, id.to_bits());
    }
    out.extend_from_slice(encoder.bytes());
    Ok(out)
}

/// The error of bytes from a stranger that are not a value of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadValue;

/// Reads the entities that a value names, by their ids on the server; the rest is the value.
pub(crate) fn read_ids(input: &mut WireReader<'_>) -> Result<Vec<Entity>, BadValue> {
    let count = input.varint().map_err(|_| BadValue)?;
    if count > input.rest().len() as u64 {
        return Err(BadValue);
    }
    let mut ids = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let bits = input.varint().map_err(|_| BadValue)?;
        ids.push(Entity::from_bits(bits).ok_or(BadValue)?);
    }
    Ok(ids)
}

/// Reads a value to the end of the bytes. `local` returns the entity here of one of the server; others become dead ids.
pub(crate) fn read_value<T: DeserializeOwned>(
    bytes: &[u8],
    local: &dyn Fn(Entity) -> Option<Entity>,
) -> Result<T, BadValue> {
    let mut input = WireReader::new(bytes);
    let ids = read_ids(&mut input)?.into_iter();
    let entities: Vec<Entity> = ids
        .map(|id| local(id).unwrap_or_else(|| dead_like(id)))
        .collect();
    let session = Session::new(IdForm::Read {
        entities: &entities,
        others: &[],
    });
    let mut decoder = Decoder::of_bytes(input.rest());
    let value = session.run(|| decoder.value::<T>());
    if session.take_error().is_some() {
        return Err(BadValue);
    }
    let value = value.map_err(|_| BadValue)?;
    decoder.finish().map_err(|_| BadValue)?;
    Ok(value)
}
