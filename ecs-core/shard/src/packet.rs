//! The bytes that shards exchange in a round.

use ecs_data::__private::append_rows;
use ecs_data::WriteRowsError;
use ecs_engine::rows::Rows;

use crate::error::ShardError;

/// Bytes for one shard.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShardPacket(Vec<u8>);

impl ShardPacket {
    pub(crate) fn put_u32(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(crate) fn put_u64(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Writes a list of numbers.
    pub(crate) fn put_list<I>(&mut self, items: &[I], number: impl Fn(&I) -> u64) {
        self.put_u64(items.len() as u64);
        self.0.reserve(items.len() * 8);
        for item in items {
            self.put_u64(number(item));
        }
    }

    pub(crate) fn put_bytes(&mut self, bytes: &[u8]) {
        self.put_u64(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Writes rows, and their length before them.
    pub(crate) fn put_rows(&mut self, rows: &Rows) -> Result<(), WriteRowsError> {
        let at = self.0.len();
        self.put_u64(0);
        append_rows(rows, &mut self.0)?;
        let len = (self.0.len() - at - 8) as u64;
        self.0[at..at + 8].copy_from_slice(&len.to_le_bytes());
        Ok(())
    }

    /// Appends what is in another packet.
    pub(crate) fn append(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Bytes that came from one shard. Nothing in them is believed: lengths are checked before memory is allocated.
#[derive(Debug)]
pub(crate) struct PacketReader<'a> {
    from: usize,
    bytes: &'a [u8],
}

impl<'a> PacketReader<'a> {
    pub(crate) fn new(from: usize, bytes: &'a [u8]) -> Self {
        Self { from, bytes }
    }

    /// Returns a reader for the bytes of each shard, in their order.
    pub(crate) fn all(got: &'a [Vec<u8>]) -> Vec<Self> {
        let packets = got.iter().enumerate();
        packets
            .map(|(from, bytes)| Self::new(from, bytes))
            .collect()
    }

    pub(crate) fn from(&self) -> usize {
        self.from
    }

    pub(crate) fn malformed(&self, problem: &'static str) -> ShardError {
        ShardError::Packet {
            from: self.from,
            problem,
        }
    }

    pub(crate) fn take(&mut self, len: u64) -> Result<&'a [u8], ShardError> {
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let Some((taken, rest)) = self.bytes.split_at_checked(len) else {
            return Err(self.malformed("it ends too early"));
        };
        self.bytes = rest;
        Ok(taken)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, ShardError> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, ShardError> {
        let bytes = self.take(8)?;
        Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    }

    /// Reads a list of numbers.
    pub(crate) fn list(
        &mut self,
    ) -> Result<impl ExactSizeIterator<Item = u64> + use<'a>, ShardError> {
        let len = self.u64()?;
        let bytes = self.take(len.saturating_mul(8))?;
        let (numbers, _) = bytes.as_chunks::<8>();
        Ok(numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)))
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], ShardError> {
        let len = self.u64()?;
        self.take(len)
    }

    /// Returns what was not read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn finish(&self) -> Result<(), ShardError> {
        match self.bytes.is_empty() {
            true => Ok(()),
            false => Err(self.malformed("there is more after its end")),
        }
    }
}
