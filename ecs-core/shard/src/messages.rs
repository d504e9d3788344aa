//! Messages from entities to entities, wherever these live: `Outbox` and `Inbox`.

use std::any::type_name;
use std::sync::{Mutex, PoisonError};

use ecs_data::__private::{Decoder, Encoder};
use ecs_engine::World;
use ecs_engine::entity::session::{IdForm, KeyFn, Session};
use ecs_engine::meta::ConstTypeIdOf;
use ecs_engine::resource::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::ShardError;
use crate::gid::Gid;
use crate::known::GidMap;
use crate::packet::{PacketReader, ShardPacket};

/// A value on its way from one entity to another.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardMessage<T> {
    /// The receiver.
    pub to: Gid,
    /// The sender.
    pub from: Gid,
    /// The value.
    pub value: T,
}

/// The messages of one type that systems have sent since the last delivery: a resource that
/// [`deliver`](crate::Shards::deliver) declares.
pub struct Outbox<T>(Mutex<Vec<ShardMessage<T>>>);

impl<T: Send + 'static> Resource for Outbox<T> {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::generic("ecs_shard::Outbox", "Outbox");
}

impl<T> Default for Outbox<T> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<T> Outbox<T> {
    /// Sends a message to an entity of any shard. The next [delivery](crate::Shards::deliver) brings it. If the receiver is dead
    /// by then, the message is dropped.
    ///
    /// It takes `&self`, so parallel loops can send too.
    #[inline]
    pub fn send(&self, from: Gid, to: Gid, value: T) {
        let mut messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        messages.push(ShardMessage { to, from, value });
    }

    pub(crate) fn take(&mut self) -> Vec<ShardMessage<T>> {
        let messages = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(messages)
    }
}

/// The messages of one type that were delivered in this tick to entities of this shard: a resource that
/// [`deliver`](crate::Shards::deliver) declares. The end of the tick empties it.
///
/// They are sorted by receiver, then by sender, then by their values as bytes.
pub struct Inbox<T> {
    messages: Vec<ShardMessage<T>>,
    /// By receiver: the index of its first message, and one past its last.
    of: GidMap<(u32, u32)>,
}

impl<T: Send + Sync + 'static> Resource for Inbox<T> {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::generic("ecs_shard::Inbox", "Inbox");
}

impl<T> Default for Inbox<T> {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            of: GidMap::default(),
        }
    }
}

impl<T> Inbox<T> {
    /// Returns the messages for an entity: ask for the one that the system visits, because messages for others may be on another
    /// shard. O(1).
    #[inline]
    #[must_use]
    pub fn of(&self, to: Gid) -> &[ShardMessage<T>] {
        if self.of.is_empty() {
            return &[];
        }
        match self.of.get(&to) {
            Some(&(start, end)) => &self.messages[start as usize..end as usize],
            None => &[],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.messages.clear();
        self.of.clear();
    }
}

/// The shards that get a message.
pub(crate) enum Address {
    Here,
    Shard(usize),
    /// All of them, because none knows where every entity lives. The shard of the receiver keeps it, the others drop it.
    Everybody,
}

/// The functions for messages of one type.
#[derive(Clone, Copy)]
pub(crate) struct MessageFns {
    pub(crate) name: &'static str,
    pub(crate) register: fn(&mut World),
    /// Takes the messages out of the outbox, and writes each into the packets of its shards.
    pub(crate) pack: Pack,
    /// Fills the inbox; returns the number of messages.
    pub(crate) unpack: Unpack,
    pub(crate) clear: fn(&mut World),
    /// Writes and reads the messages that wait for a delivery.
    pub(crate) save: fn(&World) -> Result<Vec<u8>, ShardError>,
    pub(crate) load: Load,
    pub(crate) append: Load,
}

type Load = fn(&mut World, &mut PacketReader<'_>) -> Result<(), ShardError>;

type Pack = fn(
    &mut World,
    me: usize,
    out: &mut [ShardPacket],
    address: &mut dyn FnMut(Gid) -> Address,
) -> Result<usize, ShardError>;

type Unpack = fn(
    &mut World,
    packets: &mut [PacketReader<'_>],
    lives_here: &dyn Fn(Gid) -> bool,
) -> Result<usize, ShardError>;

impl MessageFns {
    pub(crate) fn of<T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static>() -> Self {
        Self {
            name: type_name::<T>(),
            register: |world| {
                world.insert_resource(Outbox::<T>::default());
                world.insert_resource(Inbox::<T>::default());
            },
            pack: pack::<T>,
            unpack: unpack::<T>,
            clear: |world| world.resource_mut::<Inbox<T>>().clear(),
            save: |world| {
                let outbox = world.resource::<Outbox<T>>();
                let messages = outbox.0.lock().unwrap_or_else(PoisonError::into_inner);
                let mut messages = messages.clone();
                sort(&mut messages)?;
                let mut packet = ShardPacket::default();
                write(&mut packet, &messages)?;
                Ok(packet.into_bytes())
            },
            load: |world, input| {
                let messages = read::<T>(input)?;
                *world.resource_mut::<Outbox<T>>() = Outbox(Mutex::new(messages));
                Ok(())
            },
            append: |world, input| {
                let messages = read::<T>(input)?;
                let outbox = world.resource::<Outbox<T>>();
                let mut waiting = outbox.0.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.extend(messages);
                Ok(())
            },
        }
    }
}

fn pack<T: Serialize + Clone + Send + Sync + 'static>(
    world: &mut World,
    me: usize,
    out: &mut [ShardPacket],
    address: &mut dyn FnMut(Gid) -> Address,
) -> Result<usize, ShardError> {
    let messages = world.resource_mut::<Outbox<T>>().take();
    let count = messages.len();
    let mut lists: Vec<Vec<ShardMessage<T>>> = out.iter().map(|_| Vec::new()).collect();
    for message in messages {
        match address(message.to) {
            Address::Here => lists[me].push(message),
            Address::Shard(shard) => lists[shard].push(message),
            Address::Everybody => lists.iter_mut().for_each(|list| list.push(message.clone())),
        }
    }
    for (packet, list) in out.iter_mut().zip(lists) {
        write(packet, &list)?;
    }
    Ok(count)
}

fn unpack<T: Serialize + DeserializeOwned + Send + Sync + 'static>(
    world: &mut World,
    packets: &mut [PacketReader<'_>],
    lives_here: &dyn Fn(Gid) -> bool,
) -> Result<usize, ShardError> {
    let mut all = Vec::new();
    for packet in packets {
        all.extend(read::<T>(packet)?);
    }
    all.retain(|message| lives_here(message.to));
    sort(&mut all)?;
    let mut inbox = world.resource_mut::<Inbox<T>>();
    inbox.clear();
    let mut start = 0;
    for of_one in all.chunk_by(|one, next| one.to == next.to) {
        let end = start + of_one.len() as u32;
        inbox.of.insert(of_one[0].to, (start, end));
        start = end;
    }
    inbox.messages = all;
    Ok(inbox.messages.len())
}

/// Sorts messages so that their order does not depend on where, or by which thread, they were sent.
fn sort<T: Serialize>(messages: &mut [ShardMessage<T>]) -> Result<(), ShardError> {
    messages.sort_by_key(|message| (message.to, message.from));
    let mut start = 0;
    while start < messages.len() {
        let key = (messages[start].to, messages[start].from);
        let rest = &mut messages[start..];
        let len = rest.partition_point(|message| (message.to, message.from) == key);
        if len > 1 {
            let bytes = rest[..len].iter().map(|message| bytes_of(&message.value));
            let bytes = bytes.collect::<Result<Vec<_>, _>>()?;
            let mut order: Vec<usize> = (0..len).collect();
            order.sort_by_key(|&at| &bytes[at]);
            permute(&mut rest[..len], order);
        }
        start += len;
    }
    Ok(())
}

/// Puts `items[order[n]]` at the place `n`.
fn permute<I>(items: &mut [I], mut order: Vec<usize>) {
    for start in 0..items.len() {
        let mut at = start;
        while order[at] != start {
            let from = order[at];
            items.swap(at, from);
            order[at] = at;
            at = from;
        }
        order[at] = at;
    }
}

fn bytes_of<T: Serialize>(value: &T) -> Result<Vec<u8>, ShardError> {
    let mut encoder = Encoder::new();
    encoder
        .value(value)
        .map_err(|error| ShardError::message(type_name::<T>(), &error))?;
    Ok(encoder.into_bytes())
}

fn write<T: Serialize>(
    packet: &mut ShardPacket,
    messages: &[ShardMessage<T>],
) -> Result<(), ShardError> {
    packet.put_list(messages, |message| message.to.0);
    packet.put_list(messages, |message| message.from.0);
    let mut encoder = Encoder::new();
    let session = Session::new(IdForm::Keyed(KeyFn(&|_| None)));
    let written = session.run(|| {
        let mut values = messages.iter().map(|message| &message.value);
        values.try_for_each(|value| encoder.value(value))
    });
    if session.take_error().is_some() {
        return Err(ShardError::EntityInValue {
            name: type_name::<T>(),
        });
    }
    written.map_err(|error| ShardError::message(type_name::<T>(), &error))?;
    packet.put_bytes(encoder.bytes());
    Ok(())
}

fn read<T: DeserializeOwned>(
    packet: &mut PacketReader<'_>,
) -> Result<Vec<ShardMessage<T>>, ShardError> {
    let to = packet.list()?;
    let from = packet.list()?;
    if to.len() != from.len() {
        return Err(packet.malformed("messages have as many senders as receivers"));
    }
    let bytes = packet.bytes()?;
    let mut decoder = Decoder::of_bytes(bytes);
    let mut messages = Vec::new();
    for (to, from) in to.zip(from) {
        let value = decoder.value();
        let value = value.map_err(|error| ShardError::message(type_name::<T>(), &error))?;
        let (to, from) = (Gid(to), Gid(from));
        messages.push(ShardMessage { to, from, value });
    }
    match decoder.finish() {
        Ok(()) => Ok(messages),
        Err(error) => Err(ShardError::message(type_name::<T>(), &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_one_order_whoever_sent_them_first() {
        let message = |to, from, value: u32| ShardMessage {
            to: Gid(to),
            from: Gid(from),
            value,
        };
        let sorted = [
            message(1, 5, 3),
            message(1, 7, 1),
            message(1, 7, 2),
            message(1, 7, 9),
            message(2, 1, 0),
        ];
        for shuffle in 0..100_u64 {
            let mut messages = sorted.to_vec();
            messages.sort_by_key(|m| {
                Gid(m.to.0 * 100 + m.from.0 * 10 + u64::from(m.value)).random(shuffle)
            });
            sort(&mut messages).unwrap();
            assert_eq!(messages, sorted);
        }
    }
}
