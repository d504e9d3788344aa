//! Writes values for hashes.

use ecs_engine::Entity;
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{IdForm, KeyFn, Session};

use super::keys::{EntityKeys, NO_ENTITY};
use super::mix::{mix, mix_bytes, mix_rows};
use super::{HashError, kind};
use crate::codec::{EncodeError, Encoder, Form};
use crate::saved::DataCodec;

/// Writes values in the form that is hashed: equal for equal values.
pub(crate) struct HashWriter {
    pub(super) encoder: Encoder,
    /// The keys of entities, if they stand for the ids.
    pub(super) keys: Option<EntityKeys>,
}

impl Default for HashWriter {
    fn default() -> Self {
        Self {
            encoder: Encoder::canonical(),
            keys: None,
        }
    }
}

/// The number of values that are written before they are hashed: few enough to stay in the cache.
const BATCH: usize = 256;

/// A type whose values are hashed.
#[derive(Clone, Copy)]
pub(crate) struct OfType {
    name: &'static str,
    pub(super) codec: DataCodec,
    pub(super) form: Form,
    /// The hash of the name.
    pub(super) seed: u64,
}

impl OfType {
    pub(crate) fn new(data: &'static DataType, codec: DataCodec) -> Self {
        Self {
            name: data.name(),
            codec,
            form: codec.form(),
            seed: mix_bytes(0, data.name().as_bytes()),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn codec(&self) -> DataCodec {
        self.codec
    }

    pub(super) fn failed(&self, entity: Option<Entity>, error: &EncodeError) -> HashError {
        HashError::Value {
            entity,
            name: self.name,
            message: error.to_string(),
        }
    }
}

impl HashWriter {
    /// Writes a value, and replaces the content of the buffer.
    ///
    /// # Safety
    /// It is a value of the type, and nothing changes it during the call.
    pub(crate) unsafe fn write(
        &mut self,
        of_type: &OfType,
        value: *const u8,
    ) -> Result<&[u8], EncodeError> {
        // SAFETY: as the caller guarantees.
        self.in_session(|writer| unsafe { writer.write_in_session(of_type, value) })?;
        Ok(self.encoder.bytes())
    }

    /// Writes values that lie one after the other, and returns their bytes and the end of each value in them. `None` if one of the
    /// values cannot be written, or not without the names of its fields; [`write`](Self::write) tells.
    ///
    /// # Safety
    /// There are `n` values of the type, and nothing changes them during the call.
    pub(crate) unsafe fn write_rows(
        &mut self,
        of_type: &OfType,
        first: *const u8,
        n: usize,
    ) -> Option<(&[u8], &[usize])> {
        // SAFETY: as the caller guarantees.
        let written = self.in_session(|writer| unsafe { writer.write_plain(of_type, first, n) });
        let is_written = written.is_ok_and(|is_written| is_written);
        is_written.then(|| (self.encoder.bytes(), self.encoder.row_ends()))
    }

    /// # Safety
    /// As for [`write`](Self::write).
    #[inline]
    pub(super) unsafe fn write_in_session(
        &mut self,
        of_type: &OfType,
        value: *const u8,
    ) -> Result<(), EncodeError> {
        // SAFETY: as the caller guarantees.
        if unsafe { self.write_plain(of_type, value, 1) }? {
            return Ok(());
        }
        // SAFETY: it is a value of the codec's type: the caller.
        let tree = unsafe { of_type.codec.to_value(value) }?;
        self.encoder.value(&tree)
    }

    /// Writes values without the names of their fields, and replaces the content of the buffer. Returns false if one of
    /// them needs the names.
    ///
    /// # Safety
    /// There are `n` values of the type, and nothing changes them during the call.
    #[inline]
    unsafe fn write_plain(
        &mut self,
        OfType { codec, form, .. }: &OfType,
        first: *const u8,
        n: usize,
    ) -> Result<bool, EncodeError> {
        self.encoder.clear();
        if *form != Form::Plain {
            return Ok(false);
        }
        // SAFETY: they are values of the codec's type: the caller.
        match unsafe { codec.encode_as(Form::Plain, first, n, &mut self.encoder) } {
            Ok(()) => Ok(true),
            Err(error) if error.needs_names() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the sum of the hashes of the values of some entities, which lie one after the other.
    ///
    /// # Safety
    /// There is a value of the type for each entity, and nothing changes them during the call.
    pub(super) unsafe fn sum(
        &mut self,
        of_type: &OfType,
        entities: &[Entity],
        first: *const u8,
    ) -> Result<u64, HashError> {
        let mut sum = 0_u64;
        let add = |hash| sum = sum.wrapping_add(hash);
        // SAFETY: the contract is the same.
        unsafe { self.each(of_type, entities, first, add) }?;
        Ok(sum)
    }

    /// Passes on the hashes of the values of some entities, which lie one after the other.
    ///
    /// # Safety
    /// There is a value of the type for each entity, and nothing changes them during the call.
    pub(super) unsafe fn each(
        &mut self,
        of_type: &OfType,
        entities: &[Entity],
        first: *const u8,
        mut each: impl FnMut(u64),
    ) -> Result<(), HashError> {
        let size = of_type.codec.size();
        let seed = mix(of_type.seed, kind::COMPONENT);
        let ids = entities.iter().map(|&entity| self.id_of(entity));
        // Without keys the ids are their own numbers.
        let ids: Option<Vec<u64>> = self.keys.is_some().then(|| ids.collect());
        let id_of = |batch: usize, row: usize, entity: Entity| match &ids {
            Some(ids) => ids[batch * BATCH + row],
            None => entity.to_bits(),
        };
        self.in_session(|writer| {
            for (batch, entities) in entities.chunks(BATCH).enumerate() {
                // SAFETY: there are values for the entities before: the caller.
                let first = unsafe { first.add(batch * BATCH * size) };
                // SAFETY: there is a value for each of the entities: the caller.
                let written = unsafe { writer.write_plain(of_type, first, entities.len()) };
                let is_written = written.map_err(|error| {
                    let entity = error.row().and_then(|row| entities.get(row));
                    of_type.failed(entity.copied(), &error)
                })?;
                if is_written {
                    let (bytes, ends) = (writer.encoder.bytes(), writer.encoder.row_ends());
                    match &ids {
                        None => {
                            let seeds = entities
                                .iter()
                                .map(move |entity| mix(seed, entity.to_bits()));
                            mix_rows(seeds, bytes, ends, &mut each);
                        }
                        Some(ids) => {
                            let ids = ids[batch * BATCH..].iter();
                            mix_rows(ids.map(move |&id| mix(seed, id)), bytes, ends, &mut each);
                        }
                    }
                    continue;
                }
                for (row, &entity) in entities.iter().enumerate() {
                    // SAFETY: there is a value for each of the entities: the caller.
                    let value = unsafe { first.add(row * size) };
                    // SAFETY: as above.
                    let written = unsafe { writer.write_in_session(of_type, value) };
                    written.map_err(|error| of_type.failed(Some(entity), &error))?;
                    let seed = mix(seed, id_of(batch, row, entity));
                    each(mix_bytes(seed, writer.encoder.bytes()));
                }
            }
            Ok(())
        })
    }
}

impl HashWriter {
    /// Returns the number that stands for an entity that is hashed.
    pub(super) fn id_of(&self, entity: Entity) -> u64 {
        match &self.keys {
            None => entity.to_bits(),
            Some(keys) => keys.of(entity).unwrap_or(NO_ENTITY),
        }
    }

    /// Calls a function while ids are written in the form for hashes.
    pub(super) fn in_session<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let Some(keys) = self.keys.take() else {
            return Session::new(IdForm::Bits).run(|| f(self));
        };
        let key = |entity| keys.of(entity);
        let result = Session::new(IdForm::Keyed(KeyFn(&key))).run(|| f(self));
        self.keys = Some(keys);
        result
    }

    /// Returns the key that a value is.
    ///
    /// # Safety
    /// It is a value of the type, and nothing changes it during the call.
    pub(super) unsafe fn key(
        &mut self,
        of_type: &OfType,
        value: *const u8,
    ) -> Result<u64, EncodeError> {
        let no_key = |_| None;
        let session = Session::new(IdForm::Keyed(KeyFn(&no_key)));
        // SAFETY: the contract is the same.
        session.run(|| unsafe { self.write_in_session(of_type, value) })?;
        debug_assert!(of_type.form == Form::Plain || !self.encoder.is_empty());
        Ok(mix_bytes(mix(0, kind::ENTITY), self.encoder.bytes()))
    }
}
