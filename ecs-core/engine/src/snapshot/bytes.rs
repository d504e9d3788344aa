//! Snapshots as bytes: the parts for the package `ecs-data`, which knows the codecs of values and the form of files.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;
use core::any::{Any, TypeId};

use super::RestoreError;
use super::outside::{Outside, OutsideCopy, OutsideSystem};
use super::plain;
use super::plain::Value;
use super::schedules::{MemoryCopy, SchedulesCopy, SystemCopy, standard_named};
use super::snapshotter::{Snapshot, Snapshotter};
use crate::command::{Delayed, DelayedFunction};
use crate::component::ComponentId;
use crate::data_type::{DataType, DataTypeOf};
use crate::log::CursorCopy;
use crate::resource::{ResourceCopier, ResourcesCopy};
use crate::schedule::{FixedTime, FrameTime, LastLoad, PendingTransition, Schedule};
use crate::storage::{
    Copiers, StorageCopy, put_len, put_text, put_u64, take_bool, take_count, take_len, take_text,
    take_u8, take_u64,
};
use crate::tick::Tick;
use crate::type_name::type_name;
use crate::world::World;

pub use super::error::CalledMemory;
pub use crate::storage::{CopyInput, CopyOutput, CopyProblem, Run};

/// The parts of a snapshot that cannot be written.
#[derive(Debug, Default)]
pub struct Unwritten {
    /// The names of components with values.
    pub components: Vec<&'static str>,
    /// The names of resources.
    pub resources: Vec<&'static str>,
    /// Remembered values: the name of the system, and the type.
    pub remembered: Vec<(String, &'static str)>,
    /// The names of systems that were called as functions and remember something.
    pub called: Vec<&'static str>,
    /// The functions of delayed commands.
    pub delayed: Vec<DelayedFunction>,
    /// Components with the same name: the name, and the paths of both types.
    pub same_name: Option<(&'static str, [&'static str; 2])>,
    /// True if the snapshot is not complete, or not one of a whole world.
    pub is_partial: bool,
}

/// Tells if values of a type can be written.
pub type IsWritten<'a> = &'a dyn Fn(&'static DataType) -> bool;

impl Snapshot {
    /// Returns the parts that cannot be written; `None` if everything can.
    #[doc(hidden)]
    #[must_use]
    pub fn unwritten(&self, is_written: IsWritten<'_>) -> Option<Unwritten> {
        let is_whole = self.written.is_none() && self.entities.is_empty();
        if !self.is_complete() || !is_whole {
            return Some(Unwritten {
                is_partial: true,
                ..Unwritten::default()
            });
        }
        let components = self.storage.unwritten(&|component| {
            let data = component.data().or_else(|| component.relation());
            is_sources(component) || data.is_some_and(is_written)
        });
        let is_value_written = |copier: &ResourceCopier| {
            let data = copier.data();
            plain::is_plain(copier.type_id()) || is_written(data) || data.is_computed()
        };
        let resources = self.resources.iter();
        let resources = resources.filter(|(copier, ..)| !is_value_written(copier));
        let mut delayed = self.resources.iter();
        let delayed = delayed.find_map(|(.., value)| value.downcast_ref::<Delayed>());
        let mut unwritten = Unwritten {
            delayed: delayed.map(Delayed::functions).unwrap_or_default(),
            components: components.into_iter().map(ComponentId::name).collect(),
            same_name: self.storage.same_name(),
            resources: resources.map(|(_, name, ..)| name).collect(),
            ..Unwritten::default()
        };
        let mut is_in_transition = false;
        let scheduled = self.schedules.memories.iter();
        let scheduled = scheduled.map(|SystemCopy { system, memory }| (&**system, memory));
        let outside = self.outside.systems.iter().flatten();
        let outside = outside.flat_map(|system| {
            let memories = system.memories.iter().flatten();
            memories.map(|memory| (system.name, memory))
        });
        for (system, memory) in scheduled.chain(outside) {
            let MemoryCopy::Value {
                copier,
                name,
                value,
                ..
            } = memory
            else {
                continue;
            };
            if let Some(pending) = value.downcast_ref::<PendingTransition>() {
                is_in_transition = pending.parts().len() > 0;
            }
            // Of a computed state, only the rest of a transition is of use.
            if !is_value_written(copier) || copier.data().is_computed() && is_in_transition {
                unwritten.remembered.push((String::from(system), *name));
            }
        }
        for system in self.outside.systems.iter().flatten() {
            if matches!(system.id, Outside::Called(_)) && system.memories.is_some() {
                unwritten.called.push(system.name);
            }
        }
        let is_complete = unwritten.same_name.is_none()
            && unwritten.components.is_empty()
            && unwritten.resources.is_empty()
            && unwritten.remembered.is_empty()
            && unwritten.called.is_empty()
            && unwritten.delayed.is_empty();
        (!is_complete).then_some(unwritten)
    }

    /// Returns roughly how many bytes are written.
    #[doc(hidden)]
    #[must_use]
    pub fn size(&self) -> usize {
        self.storage.size() + 4096
    }

    /// Writes everything. Returns false if that is not possible although nothing is [unwritten](Self::unwritten).
    #[doc(hidden)]
    #[must_use]
    pub fn write(&self, out: &mut dyn CopyOutput) -> bool {
        self.storage.write(out)
            && write_resources(&self.resources, out)
            && write_computed(&self.resources, out)
            && write_schedules(&self.schedules, out)
            && write_outside(&self.outside, out)
            && self.write_last_load(out)
    }
}

impl Snapshot {
    /// Writes the last load, which steps may still have to follow. Its resources are positions in the list of resources.
    fn write_last_load(&self, out: &mut dyn CopyOutput) -> bool {
        let (number, load) = &self.last_load;
        let (types, enters, fixed) = load.parts();
        put_u64(out, *number);
        out.put(&[u8::from(enters), u8::from(fixed.is_some())]);
        if let Some(fixed) = fixed {
            plain::put(&fixed, out);
        }
        let resources = self.resources.iter();
        let resources = (0..).zip(resources.filter(|(copier, ..)| !copier.data().is_computed()));
        let is_loaded = |copier: &ResourceCopier| types.contains(&copier.type_id());
        let loaded = resources.filter(|(_, (copier, ..))| is_loaded(copier));
        let loaded: Vec<u64> = loaded.map(|(position, _)| position).collect();
        put_len(out, loaded.len());
        loaded.iter().for_each(|position| put_u64(out, *position));
        true
    }

    fn read_last_load(&mut self, input: &mut dyn CopyInput) -> Result<(), CopyProblem> {
        let number = take_count(input)?;
        let (enters, has_fixed) = (take_bool(input)?, take_bool(input)?);
        let fixed = match has_fixed {
            true => plain::take(TypeId::of::<FixedTime>(), input).transpose()?,
            false => None,
        };
        let fixed = fixed.and_then(|fixed| fixed.downcast_ref::<FixedTime>().copied());
        let resources: Vec<TypeId> = self
            .resources
            .iter()
            .map(|(copier, ..)| copier.type_id())
            .collect();
        let mut types = Vec::new();
        for _ in 0..take_len(input, 8)? {
            let position = usize::try_from(take_u64(input)?).unwrap_or(usize::MAX);
            let loaded = resources.get(position).copied();
            types.push(loaded.ok_or(CopyProblem::Malformed("a load has no such resource"))?);
        }
        self.last_load = (number, LastLoad::of_parts(types, enters, fixed));
        LastLoad::reach(number);
        Ok(())
    }
}

impl Snapshot {
    /// Adds the resources that follow from others.
    ///
    /// # Errors
    /// If the schedules do not compute one.
    ///
    /// # Panics
    /// If the function that computes a state panics; nothing has changed then.
    pub(super) fn compute(&mut self, schedules: &mut [&mut Schedule]) -> Result<(), RestoreError> {
        while !self.computed.is_empty() {
            let left = self.computed.len();
            let mut index = 0;
            while let Some(&(copier, ticks)) = self.computed.get(index) {
                let find = |id| {
                    let mut resources = self.resources.iter();
                    let found = resources.find(|(copier, ..)| copier.type_id() == id);
                    found.map(|(.., value)| value as &dyn Any)
                };
                let mut schedules = schedules.iter_mut();
                let id = copier.type_id();
                let value = schedules.find_map(|schedule| schedule.computed(id, &find));
                match value {
                    Some(value) => {
                        self.resources.add(copier, ticks, value);
                        self.computed.swap_remove(index);
                    }
                    None => index += 1,
                }
            }
            if self.computed.len() == left {
                return Err(RestoreError::OtherSchedules);
            }
        }
        Ok(())
    }
}

impl Snapshot {
    /// Lets a world that has nothing yet return to the snapshot, in place of the world that it is of. The snapshot was taken of the
    /// whole world, without schedules.
    #[doc(hidden)]
    pub fn give_to(&mut self, world: &World) {
        self.storage.part_from_storage();
        self.world = Some(world.id());
    }
}

impl Snapshotter {
    /// Copies a resource that the world may not know, by the description of its type.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn resource_of(mut self, data: &'static DataType) -> Self {
        self.resources.extend(ResourceCopier::of(data));
        self
    }

    /// Returns the first system of some schedules that differs from a snapshot that was read: its words in the
    /// schedules, and in the snapshot.
    #[doc(hidden)]
    #[must_use]
    pub fn first_difference(
        &self,
        snapshot: &Snapshot,
        schedules: &mut [&mut Schedule],
    ) -> Option<[String; 2]> {
        snapshot.schedules.first_difference(schedules)
    }

    /// Reads a snapshot, for a return of a world.
    ///
    /// # Errors
    /// The reason why the bytes are not a snapshot of such a world.
    #[doc(hidden)]
    pub fn read(&self, world: &World, input: &mut dyn CopyInput) -> Result<Snapshot, CopyProblem> {
        for data in world.data_types() {
            // Components have names in the process from here on, and so have both ends of relations.
            let link = data
                .component_id()
                .and_then(|component| component.info().link);
            let _ = link.map(|link| link.other());
        }
        let mut snapshot = Snapshot::new();
        let copiers = |components: &[ComponentId]| {
            let mut copiers = Copiers::default();
            self.find_copiers(components.iter().copied(), &mut copiers);
            copiers
        };
        let registered = world.registered_components();
        let named = world.data_types().into_iter();
        let named: Vec<ComponentId> = named.filter_map(DataType::component_id).collect();
        let is_known = |component| registered.contains(&component) || named.contains(&component);
        snapshot.storage = StorageCopy::read(input, &is_known, &copiers)?;
        snapshot.resources = self.read_resources(world, input)?;
        snapshot.computed = self.read_computed(world, input)?;
        snapshot.schedules = self.read_schedules(world, input)?;
        snapshot.outside = self.read_outside(world, input)?;
        snapshot.read_last_load(input)?;
        if input.left() > 0 {
            return Err(CopyProblem::Malformed("there is more after the end"));
        }
        snapshot.world = Some(world.id());
        Ok(snapshot)
    }

    /// Copies the values of a `Local` that the description made by [`value_data`](Self::value_data) is for.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn local_of<T: 'static>(mut self, data: &'static DataType) -> Self {
        if let Some(copier) = ResourceCopier::of(data) {
            self.locals.push(copier);
            self.named_locals.push((type_name::<T>(), copier));
        }
        self
    }

    /// Limits snapshots to values that can become bytes.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn only_written(mut self, is_written: fn(&'static DataType) -> bool) -> Self {
        self.is_written = Some(is_written);
        self
    }

    /// Describes values for [`local_of`](Self::local_of).
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub const fn value_data<T: Send + Sync + 'static>(data: DataTypeOf<T>) -> DataType {
        data.of_resources().erased()
    }

    fn read_resources(
        &self,
        world: &World,
        input: &mut dyn CopyInput,
    ) -> Result<ResourcesCopy, CopyProblem> {
        let mut copy = ResourcesCopy::default();
        copy.writes = take_count(input)?;
        for _ in 0..take_len(input, 25)? {
            let copier = match take_u8(input)? {
                DATA => {
                    let name = take_text(input)?;
                    let known = world.copied_types().named(&name);
                    let known = known.and_then(ResourceCopier::of);
                    known.ok_or(CopyProblem::UnknownResource(name))?
                }
                kind => match kind {
                    FRAME_TIME => ResourceCopier::of_type::<FrameTime>(),
                    FIXED_TIME => ResourceCopier::of_type::<FixedTime>(),
                    DELAYED => ResourceCopier::of_type::<Delayed>(),
                    _ => return Err(CopyProblem::Malformed("there is no such kind of resource")),
                },
            };
            if self.without_resources.contains(&copier.type_id()) {
                return Err(CopyProblem::Malformed("a resource is left out"));
            }
            let ticks = [take_count(input)?, take_count(input)?];
            let mut value = take_value(copier, input)?;
            if let Some(events) = copier.data().events() {
                (events.set_first)(&mut *value, take_count(input)?);
            }
            if !copy.add(copier, ticks, value) {
                return Err(CopyProblem::Malformed("a resource occurs twice"));
            }
        }
        Ok(copy)
    }

    /// Reads the types and ticks of resources that follow from others.
    fn read_computed(
        &self,
        world: &World,
        input: &mut dyn CopyInput,
    ) -> Result<Vec<(ResourceCopier, [u64; 2])>, CopyProblem> {
        let mut computed = Vec::new();
        for _ in 0..take_len(input, 24)? {
            let name = take_text(input)?;
            let ticks = [take_count(input)?, take_count(input)?];
            let known = world.copied_types().named(&name);
            let known = known.filter(|data| data.is_computed());
            let Some(copier) = known.and_then(ResourceCopier::of) else {
                return Err(CopyProblem::UnknownResource(name));
            };
            if self.without_resources.contains(&copier.type_id()) {
                return Err(CopyProblem::Malformed("a resource is left out"));
            }
            computed.push((copier, ticks));
        }
        Ok(computed)
    }

    /// Returns the name and the copier of a type that systems remember, by its name in bytes.
    fn local_named(&self, world: &World, name: &str) -> Option<(&'static str, ResourceCopier)> {
        let mut named = self.named_locals.iter();
        if let Some(known) = named.find(|(known, _)| *known == name) {
            return Some(*known);
        }
        if let Some(standard) = standard_named(name) {
            return Some(standard);
        }
        let data = world.copied_types().named(name)?;
        Some((data.name_in_snapshots(), ResourceCopier::of(data)?))
    }

    fn read_schedules(
        &self,
        world: &World,
        input: &mut dyn CopyInput,
    ) -> Result<SchedulesCopy, CopyProblem> {
        let schedules = usize::try_from(take_count(input)?).unwrap_or(usize::MAX);
        let mut copy = SchedulesCopy {
            schedules,
            ..SchedulesCopy::default()
        };
        for _ in 0..take_len(input, 8)? {
            copy.systems.push(take_text(input)?.into());
        }
        for _ in 0..take_len(input, 10)? {
            let system = take_text(input)?;
            let memory = self.read_memory(world, &system, input)?;
            let system = system.into();
            copy.memories.push(SystemCopy { system, memory });
        }
        Ok(copy)
    }

    fn read_memory(
        &self,
        world: &World,
        system: &str,
        input: &mut dyn CopyInput,
    ) -> Result<MemoryCopy, CopyProblem> {
        Ok(match take_u8(input)? {
            0 => MemoryCopy::Tick(Tick::new(take_count(input)?)),
            1 => {
                let position = match take_bool(input)? {
                    true => Some(take_count(input)?),
                    false => None,
                };
                MemoryCopy::Reader(CursorCopy::anywhere(position))
            }
            2 => {
                let name = take_text(input)?;
                let Some((type_name, copier)) = self.local_named(world, &name) else {
                    return Err(CopyProblem::UnknownMemory {
                        system: system.into(),
                        name,
                    });
                };
                MemoryCopy::Value {
                    copier,
                    name: type_name,
                    value: take_value(copier, input)?,
                    staged: None,
                }
            }
            3 => MemoryCopy::LeftOut,
            _ => return Err(CopyProblem::Malformed("systems remember no such thing")),
        })
    }

    /// Reads the memory of observers and registered systems, which this world has by the same names.
    fn read_outside(
        &self,
        world: &World,
        input: &mut dyn CopyInput,
    ) -> Result<OutsideCopy, CopyProblem> {
        let mut copy = OutsideCopy::default();
        if input.form() < 4 || !take_bool(input)? {
            return Ok(copy);
        }
        // By name, because there may be many.
        let mut known = BTreeMap::<&str, VecDeque<(Outside, &'static str)>>::new();
        for (id, name) in Outside::of_world(world) {
            known.entry(name).or_default().push_back((id, name));
        }
        let mut systems = Vec::new();
        for _ in 0..take_len(input, 10)? {
            let (kind, name) = (take_u8(input)?, take_text(input)?);
            let memories = match take_bool(input)? {
                true => {
                    let mut memories = Vec::new();
                    for number in 0..take_len(input, 9)? {
                        if take_u64(input)? != number as u64 {
                            return Err(CopyProblem::Malformed("a memory has another number"));
                        }
                        memories.push(self.read_memory(world, &name, input)?);
                    }
                    Some(memories)
                }
                false => None,
            };
            let found = known.get_mut(&*name).and_then(|known| {
                let index = known.iter().position(|(id, _)| id.kind() == Some(kind))?;
                known.remove(index)
            });
            match found {
                Some((id, name)) => systems.push(OutsideSystem { id, name, memories }),
                None if memories
                    .into_iter()
                    .flatten()
                    .all(|memory| memory.is_tick()) => {}
                None => return Err(CopyProblem::UnknownSystem(name)),
            }
        }
        copy.set(systems);
        Ok(copy)
    }
}

/// The name of the data types that [`Snapshotter::local_of`] is given.
pub const LOCAL: &str = "a local";

/// The kind of a resource that is data.
const DATA: u8 = 0;

/// The resources that are not data, and their kinds.
const ENGINE: [(TypeId, u8); 3] = [
    (TypeId::of::<FrameTime>(), FRAME_TIME),
    (TypeId::of::<FixedTime>(), FIXED_TIME),
    (TypeId::of::<Delayed>(), DELAYED),
];

const FRAME_TIME: u8 = 1;
const FIXED_TIME: u8 = 2;
const DELAYED: u8 = 3;

fn is_sources(component: ComponentId) -> bool {
    component.is_end() && component.relation_of_sources().is_none()
}

/// Writes the types and ticks of resources that follow from others.
fn write_computed(copy: &ResourcesCopy, out: &mut dyn CopyOutput) -> bool {
    let computed = || {
        copy.iter()
            .filter(|(copier, ..)| copier.data().is_computed())
    };
    put_len(out, computed().count());
    for (copier, _, [added, changed], _) in computed() {
        put_text(out, copier.data().name_in_snapshots());
        put_u64(out, added);
        put_u64(out, changed);
    }
    true
}

fn write_resources(copy: &ResourcesCopy, out: &mut dyn CopyOutput) -> bool {
    put_u64(out, copy.writes);
    let written = || {
        copy.iter()
            .filter(|(copier, ..)| !copier.data().is_computed())
    };
    put_len(out, written().count());
    written().all(|(copier, _, [added, changed], value)| {
        let mut kinds = ENGINE.iter();
        match kinds.find(|(id, _)| *id == copier.type_id()) {
            Some((_, kind)) => out.put(&[*kind]),
            None => {
                out.put(&[DATA]);
                put_text(out, copier.data().name_in_snapshots());
            }
        }
        put_u64(out, added);
        put_u64(out, changed);
        let is_written = put_value(copier, value, out);
        if let Some(events) = copier.data().events() {
            put_u64(out, (events.first)(value));
        }
        is_written
    })
}

fn write_schedules(copy: &SchedulesCopy, out: &mut dyn CopyOutput) -> bool {
    put_len(out, copy.schedules);
    put_len(out, copy.systems.len());
    copy.systems.iter().for_each(|name| put_text(out, name));
    put_len(out, copy.memories.len());
    copy.memories.iter().all(|SystemCopy { system, memory }| {
        put_text(out, system);
        write_memory(memory, out)
    })
}

/// Writes the memory of observers of all entities and of registered systems, in the order of registration.
fn write_outside(copy: &OutsideCopy, out: &mut dyn CopyOutput) -> bool {
    let systems = copy.systems.as_deref();
    out.put(&[u8::from(systems.is_some())]);
    let Some(systems) = systems else {
        return true;
    };
    let written = || {
        let kinds = systems.iter().map(|system| (system.id.kind(), system));
        kinds.filter_map(|(kind, system)| Some((kind?, system)))
    };
    put_len(out, written().count());
    written().all(|(kind, OutsideSystem { name, memories, .. })| {
        out.put(&[kind]);
        put_text(out, name);
        out.put(&[u8::from(memories.is_some())]);
        memories.as_ref().is_none_or(|memories| {
            put_len(out, memories.len());
            (0..).zip(memories).all(|(number, memory)| {
                put_u64(out, number);
                write_memory(memory, out)
            })
        })
    })
}

/// Writes a memory. Returns false if that is not possible.
fn write_memory(memory: &MemoryCopy, out: &mut dyn CopyOutput) -> bool {
    match memory {
        MemoryCopy::Tick(tick) => {
            out.put(&[0]);
            put_u64(out, tick.get());
            true
        }
        MemoryCopy::Reader(cursor) => {
            let position = cursor.position();
            out.put(&[1, u8::from(position.is_some())]);
            position
                .into_iter()
                .for_each(|position| put_u64(out, position));
            true
        }
        MemoryCopy::Value { copier, .. } if copier.data().is_computed() => {
            out.put(&[3]);
            true
        }
        MemoryCopy::Value {
            copier,
            name,
            value,
            ..
        } => {
            out.put(&[2]);
            // `local_of` gives all types the same name.
            let known = copier.data().name_in_snapshots();
            let is_named = !known.is_empty() && known != LOCAL;
            put_text(out, if is_named { known } else { name });
            put_value(*copier, &**value, out)
        }
        MemoryCopy::LeftOut => {
            out.put(&[3]);
            true
        }
    }
}

/// Writes a value. Returns false if that is not possible.
fn put_value(copier: ResourceCopier, value: &Value, out: &mut dyn CopyOutput) -> bool {
    let data = copier.data();
    if plain::put(value, out) {
        return true;
    }
    if (*value).type_id() != data.type_id() {
        return false;
    }
    // SAFETY: it is a value of the type that the data describes, see above, which nothing changes.
    unsafe { out.put_values(data, &[(core::ptr::from_ref(value).cast(), 1)]) }
}

fn take_value(
    copier: ResourceCopier,
    input: &mut dyn CopyInput,
) -> Result<Box<Value>, CopyProblem> {
    match plain::take(copier.type_id(), input) {
        Some(value) => value,
        None => input.take_boxed(copier.data()),
    }
}
