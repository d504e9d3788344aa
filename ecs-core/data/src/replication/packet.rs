//! The form of a packet.
//!
//! ```text
//! protocol: u64, number: u64
//! gone: length << 1 | census follows: number, ids
//! census: first: number, last: number, entities: list of ids, which are all that there are with these indices
//! withheld: [kind], which the packet says nothing about
//! entities: id, whose bit says that a shape follows, then the values in the order of the shape; after the last entity: 0
//! shape: number of parts << 2 | extent, parts: [(kind, content, and if there is a value: targets of a relation, length)]
//! value: ids, bytes
//! orders: [(kind, target: id, sources: list of ids)]
//! ```
//! All numbers are written by [`put_number`], except for those with a type, which are little-endian; a list begins with its
//! length. [`DeltaIds`] writes ids. An entity without a shape has the one before, so neighbours that changed in the same way
//! take a byte each beside their values; no entity begins with 0, because none is twice in a packet. An extent is written by
//! [`Extent`]. The content of a part is 0 for a removed value, or 1 + (number of ids << 1 | form of the bytes). The ids are the
//! targets', followed by the ids inside of the bytes, where their positions stand for them. The sources of an order come last at
//! the target, after its other sources.

use ecs_engine::Entity;

use super::ReplicatedKind;
use super::delta_ids::{DeltaIds, list_len, number_len, put_list, read_count, read_list};
use crate::codec::Form;
use crate::file::{FileError, FileInput, put_number};

/// The number of this form.
pub(super) const FORMAT: u32 = 4;

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

/// A value of an entity for a packet, by the position in the protocol; `None` for a removed one.
pub(super) type PacketValue<'a> = (usize, Option<&'a PacketPart>);

/// A packet that is being written.
pub(super) struct PacketWriter {
    bytes: Vec<u8>,
    entities: DeltaIds,
    /// The shape of the last entity.
    shape: Vec<u8>,
    /// The shape of the next one, to reuse its memory.
    next: Vec<u8>,
}

/// The greatest number of parts in a shape that other entities repeat. A reader makes each part of an entity, so memory in
/// proportion to the packet's length requires a limit.
const MOST_REPEATED: usize = 8;

/// The most bytes of an empty packet, except for the list of missing kinds: two numbers, three lengths and the end of the entities.
pub(super) const EMPTY: usize = 8 + 8 + 5 + 5 + END;

/// The most bytes after the entities of a packet without orders.
pub(super) const END: usize = 1 + 5;

/// The most bytes of a kind, of an entity without parts, of an order without sources, of a census without entities, and of a part
/// without a value.
pub(super) const KIND: usize = 3;
pub(super) const ENTITY: usize = DeltaIds::MOST + 3;
pub(super) const ORDER: usize = KIND + DeltaIds::MOST + 5;
pub(super) const CENSUS: usize = 5 + 5 + 5;
pub(super) const PART: usize = KIND + 1;

impl PacketPart {
    /// Returns the most bytes that it takes in a packet, beside [`PART`].
    pub(super) fn len(&self) -> usize {
        let targets = number_len(self.targets.into());
        let ids = number_len(self.ids.len() as u64) + list_len(&self.ids);
        targets + ids + number_len(self.bytes.len() as u64) + self.bytes.len()
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
        put_number(
            &mut bytes,
            (gone.len() as u64) << 1 | u64::from(census.is_some()),
        );
        put_list(&mut bytes, gone);
        if let Some(census) = census {
            put_number(&mut bytes, census.first.into());
            put_number(&mut bytes, census.last.into());
            put_number(&mut bytes, census.entities.len() as u64);
            put_list(&mut bytes, &census.entities);
        }
        let withheld = has.iter().filter(|has| !**has).count();
        put_number(&mut bytes, withheld as u64);
        for (kind, _) in has.iter().enumerate().filter(|(_, has)| !**has) {
            put_number(&mut bytes, kind as u64);
        }
        Self {
            bytes,
            entities: DeltaIds::new(),
            shape: Vec::new(),
            next: Vec::new(),
        }
    }

    /// The number of bytes so far.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds an entity, which the packet does not have yet.
    pub(super) fn entity(&mut self, entity: Entity, extent: Extent, parts: &[PacketValue<'_>]) {
        let shape = &mut self.next;
        shape.clear();
        put_number(shape, (parts.len() as u64) << 2 | extent as u64);
        for (kind, part) in parts {
            put_number(shape, *kind as u64);
            let Some(part) = part else {
                shape.push(0);
                continue;
            };
            let form = u64::from(part.form.byte());
            put_number(shape, ((part.ids.len() as u64) << 1 | form) + 1);
            if part.targets > 0 {
                put_number(shape, part.targets.into());
            }
            put_number(shape, part.bytes.len() as u64);
        }
        let is_other = parts.len() > MOST_REPEATED || self.next != self.shape;
        self.entities.put(&mut self.bytes, entity, is_other);
        if is_other {
            self.bytes.extend_from_slice(&self.next);
            std::mem::swap(&mut self.shape, &mut self.next);
        }
        for part in parts.iter().filter_map(|(_, part)| *part) {
            put_list(&mut self.bytes, &part.ids);
            self.bytes.extend_from_slice(&part.bytes);
        }
    }

    pub(super) fn finish(mut self, orders: &[(usize, Entity, Vec<Entity>)]) -> Vec<u8> {
        let bytes = &mut self.bytes;
        bytes.push(0);
        put_number(bytes, orders.len() as u64);
        let mut targets = DeltaIds::new();
        for (kind, target, sources) in orders {
            put_number(bytes, *kind as u64);
            targets.put(bytes, *target, false);
            put_number(bytes, sources.len() as u64);
            put_list(bytes, sources);
        }
        self.bytes
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
    for _ in 0..read_count(&mut input, 1)? {
        let kind = read_kind(&mut input, kinds)?;
        if withheld.last().is_some_and(|&last| last >= kind) {
            return Err(input.malformed(1, "a component is not behind those before"));
        }
        if kinds[kind].edges.is_some() {
            return Err(input.malformed(1, "there is no such component in the protocol"));
        }
        withheld.push(kind);
    }
    let mut entities = Vec::new();
    let (mut ids, mut shape) = (DeltaIds::new(), None);
    loop {
        let head = input.number()?;
        if head == 0 {
            break;
        }
        let (entity, has_shape) = ids.read_behind(head, &mut input)?;
        if has_shape {
            shape = Some(read_shape(&mut input, kinds)?);
        }
        let shape = shape
            .as_ref()
            .filter(|shape| has_shape || shape.parts.len() <= MOST_REPEATED)
            .ok_or_else(|| input.malformed(1, "an entity has no shape"))?;
        let mut parts = Vec::with_capacity(shape.parts.len());
        for (kind, part) in &shape.parts {
            let part = part.as_ref().map(|part| read_part(&mut input, part));
            parts.push((*kind, part.transpose()?));
        }
        entities.push(ReadEntity {
            entity,
            extent: shape.extent,
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
    let head = input.number()?;
    if head >> 1 > input.left() as u64 {
        return Err(input.malformed(1, "a list is longer than the packet"));
    }
    let gone = read_list(input, (head >> 1) as usize)?;
    if head & 1 == 0 {
        return Ok((gone, None));
    }
    let census = Census {
        first: read_u32(input)?,
        last: read_u32(input)?,
        entities: read_ids(input)?,
    };
    Ok((gone, Some(census)))
}

fn read_orders(
    input: &mut FileInput<'_>,
    kinds: &[ReplicatedKind],
) -> Result<Vec<(usize, Entity, Vec<Entity>)>, FileError> {
    let count = read_count(input, 3)?;
    let mut orders: Vec<(usize, Entity, Vec<Entity>)> = Vec::with_capacity(count);
    let mut targets = DeltaIds::new();
    for _ in 0..count {
        let kind = read_kind(input, kinds)?;
        if kinds[kind].edges.is_none() {
            return Err(input.malformed(1, "there is no such relation in the protocol"));
        }
        let (target, _) = targets.read(input)?;
        let last = orders.last().map(|order| (order.0, order.1));
        if last.is_some_and(|last| last >= (kind, target)) {
            return Err(input.malformed(1, "a target is not behind those before"));
        }
        orders.push((kind, target, read_ids(input)?));
    }
    Ok(orders)
}

/// The parts of entities, without their values.
struct ReadShape {
    extent: Extent,
    parts: Vec<(usize, Option<PartShape>)>,
}

/// A part without its value.
struct PartShape {
    form: u8,
    targets: usize,
    ids: usize,
    length: usize,
}

fn read_shape(input: &mut FileInput<'_>, kinds: &[ReplicatedKind]) -> Result<ReadShape, FileError> {
    let head = input.number()?;
    let extent = match head & 3 {
        0 => Extent::Changes,
        1 => Extent::Whole,
        2 => Extent::Part,
        _ => return Err(input.malformed(1, "there is no such extent of an entity")),
    };
    let count = head >> 2;
    if count > kinds.len() as u64 {
        return Err(input.malformed(1, "a component of an entity occurs twice"));
    }
    let mut parts: Vec<(usize, Option<PartShape>)> = Vec::new();
    for _ in 0..count {
        let kind = read_kind(input, kinds)?;
        if parts.iter().any(|&(other, _)| other == kind) {
            return Err(input.malformed(1, "a component of an entity occurs twice"));
        }
        let part = read_part_shape(input, kinds[kind].edges.is_some())?;
        parts.push((kind, part));
    }
    Ok(ReadShape { extent, parts })
}

fn read_part_shape(
    input: &mut FileInput<'_>,
    is_relation: bool,
) -> Result<Option<PartShape>, FileError> {
    let Some(content) = input.number()?.checked_sub(1) else {
        return Ok(None);
    };
    let targets = if is_relation { input.number()? } else { 0 };
    if targets > content >> 1 || (is_relation && targets == 0) {
        return Err(input.malformed(0, "a relation has another number of targets"));
    }
    let length = input.number()?;
    // The ids and the bytes follow.
    let left = input.left() as u64;
    if content >> 1 > left || length > left {
        return Err(input.ended());
    }
    Ok(Some(PartShape {
        form: (content & 1) as u8,
        targets: targets as usize,
        ids: (content >> 1) as usize,
        length: length as usize,
    }))
}

fn read_part<'a>(input: &mut FileInput<'a>, shape: &PartShape) -> Result<ReadPart<'a>, FileError> {
    Ok(ReadPart {
        form: shape.form,
        targets: shape.targets,
        ids: read_list(input, shape.ids)?,
        at: input.at(),
        bytes: input.take(shape.length)?,
    })
}

fn read_kind(input: &mut FileInput<'_>, kinds: &[ReplicatedKind]) -> Result<usize, FileError> {
    let kind = usize::try_from(input.number()?).ok();
    let kind = kind.filter(|&kind| kind < kinds.len());
    kind.ok_or_else(|| input.malformed(1, "there is no such component in the protocol"))
}

fn read_u32(input: &mut FileInput<'_>) -> Result<u32, FileError> {
    let number = u32::try_from(input.number()?);
    number.map_err(|_| input.malformed(1, "an index is too large"))
}

fn read_ids(input: &mut FileInput<'_>) -> Result<Vec<Entity>, FileError> {
    let count = read_count(input, 1)?;
    read_list(input, count)
}
