//! The form of a packet.
//!
//! ```text
//! protocol: u64, number: u64
//! gone: [entity: u64], with the highest bit of its length set if a census follows
//! census: first: u32, last: u32, entities: [u64], which are all that there are with these indices
//! withheld: [kind: u16], which the packet says nothing about
//! entities: [(entity: u64, extent: u8, parts: [part])]
//! orders: [(kind: u16, target: u64, sources: [u64])]
//! part: (kind: u16, what: u8), and if there is a value:
//!       targets: u32, of a relation only, ids: [entity: u64], length: u32, bytes
//! ```
//! A list begins with its length, a `u32`. An extent is written by [`Extent`]. The content of a part is 0 for a removed value, or
//! the form of its bytes and 1. The ids are the targets', followed by the ids inside of the bytes, where their positions stand
//! for them. The sources of an order come last at the target, after its other sources. All numbers are little-endian.

use ecs_engine::Entity;

use super::ReplicatedKind;
use crate::codec::Form;
use crate::file::{FileError, FileInput};

/// The number of this form.
pub(super) const FORMAT: u32 = 3;

/// An entity's content for one component or relation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PacketPart {
    pub(super) form: Form,
    /// The number of targets, which are the first ids; 0 if it is not a relation.
    pub(super) targets: u32,
    pub(super) ids: Vec<Entity>,
    pub(super) bytes: Vec<u8>,
}

/// All entities with some indices.
pub(super) struct Census {
    pub(super) first: u32,
    /// The last index, not the one after it.
    pub(super) last: u32,
    pub(super) entities: Vec<Entity>,
}

/// The meaning of the parts of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// A part of the entity's content.
    Changes = 0,
    /// The entity's whole content, for the kinds in the packet.
    Whole = 1,
    /// A part of the content of an entity that may be new.
    Part = 2,
}

/// The bit in the number of despawned entities that says that a census follows.
const HAS_CENSUS: u32 = 1 << 31;

/// A packet that is being written.
pub(super) struct PacketWriter {
    bytes: Vec<u8>,
    /// The positions of the number of entities, and of the number of parts of the last entity.
    entities: (usize, u32),
    parts: (usize, u32),
}

/// The bytes of an empty packet, except for the list of missing kinds.
pub(super) const EMPTY: usize = 8 + 8 + 4 * 4;

/// The bytes of an entity without parts, of an order without sources, of a census without entities, and of a part without a
/// value.
pub(super) const ENTITY: usize = 8 + 1 + 4;
pub(super) const ORDER: usize = 2 + 8 + 4;
pub(super) const CENSUS: usize = 4 + 4 + 4;
pub(super) const PART: usize = 2 + 1;

/// The bytes of an id.
pub(super) const ID: usize = 8;

impl PacketPart {
    /// Returns the number of bytes that it takes in a packet.
    pub(super) fn len(&self) -> usize {
        let targets = if self.targets > 0 { 4 } else { 0 };
        targets + 4 + self.ids.len() * ID + 4 + self.bytes.len()
    }
}

impl PacketWriter {
    pub(super) fn new(
        protocol: u64,
        number: u64,
        gone: &[Entity],
        census: Option<&Census>,
        has: &[bool],
    ) -> Self {
        let mut bytes = Vec::new();
        bytes.extend(protocol.to_le_bytes());
        bytes.extend(number.to_le_bytes());
        let at = bytes.len();
        push_ids(&mut bytes, gone);
        if let Some(census) = census {
            let count = gone.len() as u32 | HAS_CENSUS;
            bytes[at..at + 4].copy_from_slice(&count.to_le_bytes());
            bytes.extend(census.first.to_le_bytes());
            bytes.extend(census.last.to_le_bytes());
            push_ids(&mut bytes, &census.entities);
        }
        let withheld = has.iter().filter(|has| !**has).count();
        bytes.extend((withheld as u32).to_le_bytes());
        for (kind, _) in has.iter().enumerate().filter(|(_, has)| !**has) {
            bytes.extend((kind as u16).to_le_bytes());
        }
        let at = bytes.len();
        bytes.extend([0; 4]);
        Self {
            bytes,
            entities: (at, 0),
            parts: (0, 0),
        }
    }

    /// The number of bytes so far.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn entity(&mut self, entity: Entity, extent: Extent) {
        self.bytes.extend(entity.to_bits().to_le_bytes());
        self.bytes.push(extent as u8);
        self.parts = (self.bytes.len(), 0);
        self.bytes.extend([0; 4]);
        count(&mut self.bytes, &mut self.entities);
    }

    /// Adds a part to the last entity.
    pub(super) fn part(&mut self, kind: usize, part: Option<&PacketPart>) {
        let bytes = &mut self.bytes;
        bytes.extend((kind as u16).to_le_bytes());
        match part {
            None => bytes.push(0),
            Some(part) => {
                bytes.push(part.form.byte() + 1);
                if part.targets > 0 {
                    bytes.extend(part.targets.to_le_bytes());
                }
                push_ids(bytes, &part.ids);
                bytes.extend((part.bytes.len() as u32).to_le_bytes());
                bytes.extend(&part.bytes);
            }
        }
        count(&mut self.bytes, &mut self.parts);
    }

    pub(super) fn finish(mut self, orders: &[(usize, Entity, Vec<Entity>)]) -> Vec<u8> {
        let bytes = &mut self.bytes;
        bytes.extend((orders.len() as u32).to_le_bytes());
        for (kind, target, sources) in orders {
            bytes.extend((*kind as u16).to_le_bytes());
            bytes.extend(target.to_bits().to_le_bytes());
            push_ids(bytes, sources);
        }
        self.bytes
    }
}

fn count(bytes: &mut [u8], (at, count): &mut (usize, u32)) {
    *count += 1;
    bytes[*at..*at + 4].copy_from_slice(&count.to_le_bytes());
}

fn push_ids(bytes: &mut Vec<u8>, ids: &[Entity]) {
    bytes.extend((ids.len() as u32).to_le_bytes());
    for id in ids {
        bytes.extend(id.to_bits().to_le_bytes());
    }
}

/// A packet that was read; only its structure has been checked.
pub(super) struct Packet<'a> {
    pub(super) number: u64,
    pub(super) gone: Vec<Entity>,
    pub(super) census: Option<Census>,
    /// The kinds that it lacks, by the position in the protocol.
    pub(super) withheld: Vec<usize>,
    pub(super) entities: Vec<ReadEntity<'a>>,
    /// Sources that come last, by the position of the relation in the protocol and the target, which increase.
    pub(super) orders: Vec<(usize, Entity, Vec<Entity>)>,
}

/// An entity that was read.
pub(super) struct ReadEntity<'a> {
    pub(super) entity: Entity,
    pub(super) extent: Extent,
    /// By the position in the protocol; none for a removed value.
    pub(super) parts: Vec<(usize, Option<ReadPart<'a>>)>,
}

impl<'a> ReadEntity<'a> {
    /// Returns the packet's part for a component.
    pub(super) fn part(&self, kind: usize) -> Option<&Option<ReadPart<'a>>> {
        let found = self.parts.iter().find(|part| part.0 == kind);
        found.map(|(_, part)| part)
    }
}

/// A part that was read.
pub(super) struct ReadPart<'a> {
    pub(super) form: u8,
    pub(super) targets: usize,
    pub(super) ids: Vec<Entity>,
    /// The position of the bytes in the packet.
    pub(super) at: usize,
    pub(super) bytes: &'a [u8],
}

/// Returns the number of the protocol of a packet.
pub(super) fn protocol(bytes: &[u8]) -> Result<u64, FileError> {
    FileInput::new(bytes).u64()
}

/// Reads a packet of a protocol with these kinds. O(bytes), in time and memory.
pub(super) fn read<'a>(bytes: &'a [u8], kinds: &[ReplicatedKind]) -> Result<Packet<'a>, FileError> {
    let mut input = FileInput::new(bytes);
    input.u64()?;
    let number = input.u64()?;
    let (gone, census) = read_gone(&mut input)?;
    let mut withheld = Vec::new();
    for _ in 0..input.length(2)? {
        let kind = read_kind(&mut input)?;
        if withheld.last().is_some_and(|&last| last >= kind) {
            return Err(input.malformed(2, "a component is not behind those before"));
        }
        if kinds.get(kind).is_none_or(|kind| kind.edges.is_some()) {
            return Err(input.malformed(2, "there is no such component in the protocol"));
        }
        withheld.push(kind);
    }
    let count = input.length(13)?;
    let mut entities = Vec::with_capacity(count);
    for _ in 0..count {
        let entity = id(&mut input)?;
        let extent = match input.u8()? {
            0 => Extent::Changes,
            1 => Extent::Whole,
            2 => Extent::Part,
            _ => return Err(input.malformed(1, "there is no such extent of an entity")),
        };
        let count = input.length(3)?;
        let mut parts = Vec::with_capacity(count.min(kinds.len()));
        for _ in 0..count {
            let position = read_kind(&mut input)?;
            let Some(kind) = kinds.get(position) else {
                return Err(input.malformed(2, "there is no such component in the protocol"));
            };
            if parts.iter().any(|&(other, _)| other == position) {
                return Err(input.malformed(2, "a component of an entity occurs twice"));
            }
            let part = match input.u8()? {
                0 => None,
                form => Some(read_part(&mut input, form - 1, kind.edges.is_some())?),
            };
            parts.push((position, part));
        }
        entities.push(ReadEntity {
            entity,
            extent,
            parts,
        });
    }
    let orders = read_orders(&mut input, kinds)?;
    if input.left() > 0 {
        return Err(input.malformed(0, "there is more after the end"));
    }
    Ok(Packet {
        number,
        gone,
        census,
        withheld,
        entities,
        orders,
    })
}

/// Reads entities that are gone, and the census after them.
fn read_gone(input: &mut FileInput<'_>) -> Result<(Vec<Entity>, Option<Census>), FileError> {
    let count = input.u32()?;
    let has_census = count & HAS_CENSUS != 0;
    let count = (count & !HAS_CENSUS) as usize;
    if count > input.left() / ID {
        return Err(input.malformed(4, "a list is longer than the packet"));
    }
    let gone: Vec<Entity> = (0..count).map(|_| id(input)).collect::<Result<_, _>>()?;
    if !has_census {
        return Ok((gone, None));
    }
    let census = Census {
        first: input.u32()?,
        last: input.u32()?,
        entities: read_ids(input)?,
    };
    Ok((gone, Some(census)))
}

fn read_orders(
    input: &mut FileInput<'_>,
    kinds: &[ReplicatedKind],
) -> Result<Vec<(usize, Entity, Vec<Entity>)>, FileError> {
    let count = input.length(14)?;
    let mut orders: Vec<(usize, Entity, Vec<Entity>)> = Vec::with_capacity(count);
    for _ in 0..count {
        let kind = read_kind(input)?;
        if kinds.get(kind).is_none_or(|kind| kind.edges.is_none()) {
            return Err(input.malformed(2, "there is no such relation in the protocol"));
        }
        let target = id(input)?;
        let last = orders.last().map(|order| (order.0, order.1));
        if last.is_some_and(|last| last >= (kind, target)) {
            return Err(input.malformed(8, "a target is not behind those before"));
        }
        orders.push((kind, target, read_ids(input)?));
    }
    Ok(orders)
}

fn read_part<'a>(
    input: &mut FileInput<'a>,
    form: u8,
    is_relation: bool,
) -> Result<ReadPart<'a>, FileError> {
    let targets = if is_relation {
        input.u32()? as usize
    } else {
        0
    };
    let ids = read_ids(input)?;
    if targets > ids.len() || (is_relation && targets == 0) {
        return Err(input.malformed(0, "a relation has another number of targets"));
    }
    let length = input.length(1)?;
    Ok(ReadPart {
        form,
        targets,
        ids,
        at: input.at(),
        bytes: input.take(length)?,
    })
}

fn read_kind(input: &mut FileInput<'_>) -> Result<usize, FileError> {
    Ok(u16::from_le_bytes([input.u8()?, input.u8()?]).into())
}

fn read_ids(input: &mut FileInput<'_>) -> Result<Vec<Entity>, FileError> {
    let count = input.length(8)?;
    (0..count).map(|_| id(input)).collect()
}

fn id(input: &mut FileInput<'_>) -> Result<Entity, FileError> {
    let bits = input.u64()?;
    Entity::from_bits(bits).ok_or_else(|| input.malformed(8, "it is not the id of an entity"))
}
