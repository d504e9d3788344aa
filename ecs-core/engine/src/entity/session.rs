//! The form of ids inside of values during a call: `Serialize` and `Deserialize` of an [`Entity`] look it up here because no
//! serializer can pass anything on to them.

use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::fmt;
use core::num::NonZeroU32;
use core::ptr;

use super::Entity;
use super::dead::NEVER;

/// Decides how ids are written and read.
#[derive(Debug)]
pub struct Session<'a> {
    ids: IdForm<'a>,
    /// The first error, which a format may swallow: `#[serde(untagged)]` tries the next variant.
    error: Cell<Option<IdError>>,
    found: Cell<bool>,
}

/// The forms of ids.
#[derive(Debug)]
pub enum IdForm<'a> {
    /// Written as 0, to find out if there are any, and read as a [dead](dead) one.
    Scanned,
    /// Read from any number as the id of no entity, and written as that number again.
    Echoed,
    /// Written as the numbers that [`Entity::to_bits`] returns, and read from them, even if there is no such entity. It is inside
    /// of a newtype struct, as in [`Tree`](Self::Tree).
    Bits,
    /// Written like [`Bits`](Self::Bits), with the number that a function returns; it is an error if there is none.
    Keyed(KeyFn<'a>),
    /// Written in its printed form, such as `7v1`, and read from that text, even if there is no such entity.
    Text,
    /// Written like [`Text`](Self::Text) inside of a newtype struct named [`NEWTYPE`], so that the writer of a tree can tell it from
    /// a text; read like `Text`.
    Tree,
    /// Written as the number of the entity in a list.
    Numbered {
        /// The entities by number.
        entities: &'a [Entity],
        /// The number by the entity's index.
        numbers: ByIndex<'a>,
        /// The treatment of entities that are not in the list.
        others: Others<'a>,
    },
    /// Read from numbers.
    Read {
        /// The entities by number.
        entities: &'a [Entity],
        /// The entities that follow them.
        others: &'a [Entity],
    },
}

/// The name of the newtype struct that an id is for the writers of trees, and for code that searches for ids.
pub const NEWTYPE: &str = "ecs.Entity";

/// A function that returns the number of an entity in all worlds.
#[derive(Clone, Copy)]
pub struct KeyFn<'a>(pub &'a dyn Fn(Entity) -> Option<u64>);

impl fmt::Debug for KeyFn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyFn(..)")
    }
}

/// The treatment of ids of entities that are not written.
pub enum Others<'a> {
    /// An error.
    Refused,
    /// The entity is appended to a list, and gets the number after the list before it.
    Listed(&'a RefCell<Vec<Entity>>),
    /// The id is written as the number that a function returns; it is an error if there is none.
    Numbered(&'a dyn Fn(Entity) -> Option<u32>),
}

impl fmt::Debug for Others<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused => "Refused",
            Self::Listed(_) => "Listed(..)",
            Self::Numbered(_) => "Numbered(..)",
        })
    }
}

/// The numbers of entities by their indices.
#[derive(Clone, Copy, Debug)]
pub enum ByIndex<'a> {
    /// By index, the number; entities that are not in the list may have any number.
    Dense(&'a [u32]),
    /// Indices with numbers, sorted: for few entities of a large world.
    Sorted(&'a [(u32, u32)]),
}

impl ByIndex<'_> {
    /// Returns the number of the entity with an index, if it has one; otherwise perhaps another entity's number.
    #[must_use]
    #[inline]
    pub fn of(self, index: u32) -> Option<u32> {
        match self {
            Self::Dense(numbers) => numbers.get(index as usize).copied(),
            Self::Sorted(pairs) => {
                let found = pairs.binary_search_by_key(&index, |&(index, _)| index);
                found.ok().map(|position| pairs[position].1)
            }
        }
    }
}

/// The first number that stands for no entity, and the highest one. A world never has that many entities.
const DEAD: core::ops::RangeInclusive<u32> = 0xF000_0000..=u32::MAX;

/// Returns true if a number stands for an entity that is not written.
#[inline]
#[must_use]
pub const fn is_dead(number: u32) -> bool {
    number >= *DEAD.start()
}

/// Returns the id that is read for a [number of no entity](is_dead), or for any other number without an entity. No entity
/// ever has this id, in any world. Different numbers have different ids.
#[inline]
#[must_use]
pub const fn dead(number: u32) -> Entity {
    let generation = NonZeroU32::new(number | NEVER);
    Entity::new(u32::MAX - 1, generation.expect("a bit is set"))
}

/// The written form of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A number in a list.
    Dense(u32),
    /// The bits of the id.
    Bits(u64),
    /// The id as it is printed.
    Text(Entity),
    /// The same, inside of a newtype struct.
    Newtype(Entity),
}

/// An id that cannot be written or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdError {
    /// There is no session.
    Outside,
    /// The session writes and does not read, or the other way round.
    Direction,
    /// The entity is not among those that are written.
    NotWritten(Entity),
    /// There is no entity of the number.
    NoSuchNumber(u32),
    /// The text is not an id.
    NoText,
    /// No id has these bits.
    NoBits(u64),
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside | Self::Direction => f.write_str(
                "an entity id means nothing outside of its world; help: serialise it as part of a save of the world, or use `Entity::to_bits`",
            ),
            Self::NotWritten(entity) => write!(f, "the entity {entity} is not saved"),
            Self::NoSuchNumber(number) => write!(f, "there is no entity {number}"),
            Self::NoText => super::ParseEntityError.fmt(f),
            Self::NoBits(bits) => write!(f, "no entity id has the bits {bits}"),
        }
    }
}

impl core::error::Error for IdError {}

impl<'a> Session<'a> {
    /// Creates a session.
    #[must_use]
    pub fn new(ids: IdForm<'a>) -> Self {
        Self {
            ids,
            error: Cell::new(None),
            found: Cell::new(false),
        }
    }

    /// Calls a function with this session, which decides how ids are written and read. Afterwards the previous session, if
    /// any, is back, even if the function panics.
    pub fn run<R>(&self, f: impl FnOnce() -> R) -> R {
        let outer = CURRENT.replace(ptr::from_ref(self).cast());
        let _reset = ResetSession(outer);
        f()
    }

    /// Returns true if an id was written or read since the last call.
    pub fn take_found(&self) -> bool {
        self.found.replace(false)
    }

    /// Returns the first error since the last call.
    pub fn take_error(&self) -> Option<IdError> {
        self.error.take()
    }

    fn noted<T>(&self, result: Result<T, IdError>) -> Result<T, IdError> {
        self.found.set(true);
        if let Err(error) = result
            && self.error.get().is_none()
        {
            self.error.set(Some(error));
        }
        result
    }

    fn write(&self, entity: Entity) -> Result<Number, IdError> {
        let (entities, numbers, others) = match &self.ids {
            IdForm::Scanned => return Ok(Number::Dense(0)),
            IdForm::Echoed => return Ok(Number::Dense(entity.index())),
            IdForm::Bits => return Ok(Number::Bits(entity.to_bits())),
            IdForm::Keyed(key) => {
                let key = (key.0)(entity).ok_or(IdError::NotWritten(entity))?;
                return Ok(Number::Bits(key));
            }
            IdForm::Text => return Ok(Number::Text(entity)),
            IdForm::Tree => return Ok(Number::Newtype(entity)),
            IdForm::Read { .. } => return Err(IdError::Direction),
            IdForm::Numbered {
                entities,
                numbers,
                others,
            } => (entities, numbers, others),
        };
        if let Some(number) = numbers.of(entity.index())
            && entities.get(number as usize) == Some(&entity)
        {
            return Ok(Number::Dense(number));
        }
        match others {
            Others::Refused => Err(IdError::NotWritten(entity)),
            Others::Listed(list) => {
                let mut list = list.borrow_mut();
                let number = entities.len() + list.len();
                list.push(entity);
                Ok(Number::Dense(number as u32))
            }
            Others::Numbered(number) => match number(entity) {
                Some(number) => Ok(Number::Dense(number)),
                None => Err(IdError::NotWritten(entity)),
            },
        }
    }

    fn read(&self, number: u32) -> Result<Entity, IdError> {
        let (entities, others) = match &self.ids {
            IdForm::Read { entities, others } => (entities, others),
            IdForm::Scanned => return Ok(dead(u32::MAX)),
            IdForm::Echoed => return Ok(Entity::new(number, NonZeroU32::MAX)),
            IdForm::Bits
            | IdForm::Keyed(_)
            | IdForm::Text
            | IdForm::Tree
            | IdForm::Numbered { .. } => {
                return Err(IdError::Direction);
            }
        };
        let index = number as usize;
        let other = || others.get(index.checked_sub(entities.len())?);
        match entities.get(index).or_else(other) {
            Some(&entity) => Ok(entity),
            None if is_dead(number) => Ok(dead(number)),
            None => Err(IdError::NoSuchNumber(number)),
        }
    }
}

std::thread_local! {
    /// The session of the thread. Invariant 1: null, or a session that is borrowed by a call of [`Session::run`] that has
    /// not returned.
    static CURRENT: Cell<*const Session<'static>> = const { Cell::new(ptr::null()) };
}

/// Sets the session back on drop.
struct ResetSession(*const Session<'static>);

impl Drop for ResetSession {
    #[inline]
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// Returns true inside of [`Session::run`].
#[must_use]
pub fn is_open() -> bool {
    !CURRENT.get().is_null()
}

/// Returns true if the session of the thread tells ids from texts: [`IdForm::Tree`].
#[must_use]
pub fn tells_ids() -> bool {
    let tells = with(|session| Ok(matches!(session.ids, IdForm::Tree)));
    tells.unwrap_or(false)
}

/// Returns true, and notes that an id is written or read, if ids are their bits: the form of most ids, of exact snapshots and of
/// hashes. It is inlined into the code of each type, unlike the functions for all forms.
#[inline]
pub(super) fn are_bits() -> bool {
    // SAFETY: by invariant 1 the pointer is null or leads to a session that outlives this call; a session is never
    // borrowed exclusively.
    match unsafe { CURRENT.get().as_ref() } {
        Some(session) if matches!(session.ids, IdForm::Bits) => {
            session.found.set(true);
            true
        }
        _ => false,
    }
}

/// Returns the written form of an id.
pub(crate) fn write(entity: Entity) -> Result<Number, IdError> {
    with(|session| session.noted(session.write(entity)))
}

/// Returns the id for a number.
pub(crate) fn read(number: u32) -> Result<Entity, IdError> {
    with(|session| session.noted(session.read(number)))
}

/// The form of the ids that are read.
pub(super) enum ReadForm {
    Number,
    Bits,
    Text,
}

/// Returns the form of the ids that are read.
pub(super) fn read_form() -> ReadForm {
    let form = with(|session| {
        Ok(match session.ids {
            IdForm::Text | IdForm::Tree => ReadForm::Text,
            IdForm::Bits => ReadForm::Bits,
            _ => ReadForm::Number,
        })
    });
    form.unwrap_or(ReadForm::Number)
}

/// Returns the id with some bits.
pub(super) fn read_bits(bits: u64) -> Result<Entity, IdError> {
    with(|session| session.noted(Entity::from_bits(bits).ok_or(IdError::NoBits(bits))))
}

/// Notes that an id was read from a text.
pub(super) fn read_text(text: &str) -> Result<Entity, IdError> {
    with(|session| session.noted(text.parse().map_err(|_| IdError::NoText)))
}

/// Calls a function with the session of the thread.
fn with<T>(f: impl FnOnce(&Session<'_>) -> Result<T, IdError>) -> Result<T, IdError> {
    let session = CURRENT.get();
    // SAFETY: by invariant 1 the pointer is null or leads to a session that outlives this call; a session is never
    // borrowed exclusively.
    match unsafe { session.as_ref() } {
        Some(session) => f(session),
        None => Err(IdError::Outside),
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
