//! A world is data: its components have names, and can be inspected, saved, loaded and cloned.
//!
//! The feature `data` of `ecs-core` re-exports this crate as `ecs_core::data`.
//!
//! A [`Value`] is data of any type: a tree of numbers, texts, lists and maps, like a document in JSON, RON or
//! MessagePack.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod by_name;
mod catalog;
mod clone;
mod closest;
#[doc(hidden)]
pub mod codec;
mod column;
mod data_tasks;
mod determinism;
mod diff;
mod edit;
mod event_functions;
mod event_values;
mod file;
mod hash;
mod kept;
mod load;
mod moment;
mod numbers;
mod prefab;
mod prefab_part;
mod query;
mod recorded;
mod replace_file;
mod replication;
mod rollback;
mod rows_bytes;
mod save;
mod save_copy;
mod save_writer;
mod saved;
mod saved_rows;
mod schema_hash;
mod slots;
mod snapshot_bytes;
mod states;
mod template;
mod types;
mod undo;
mod value;
mod value_encoder;
mod verify;
mod world_data;

pub use by_name::ByNameError;
pub use catalog::{CatalogKind, CatalogType};
pub use clone::{Cloned, Cloner};
pub use codec::{DecodeError, EncodeError, Schema, SchemaKind, SchemaNode, SchemaPart};
pub use data_tasks::DataTasks;
pub use determinism::{Desync, DeterminismCheck, DeterminismError, Variation};
pub use diff::{
    ApplyError, Diff, DiffError, Differ, EntityChange, FieldChange, ThenError, ValueChange,
};
pub use event_functions::PassedEvent;
pub use event_values::EventValues;
pub use file::FileError;
pub use hash::{HashCache, HashError, WorldHasher};
pub use load::{LoadError, Loaded, Loader, NestedError, Unknown};
pub use prefab::{ChangesError, Copies, KeptChange, Prefab, PrefabError, UpdatedCopies};
pub use prefab_part::PrefabPart;
pub use query::{
    EntityPattern, PatternMatch, PatternMatches, PatternVariable, PatternWalk, TextColumn,
    TextMatch, TextMatches, TextPlace, TextQuery, TextQueryError, TextWalk,
};
pub use replace_file::{FileStep, WriteFileError, write_file};
pub use replication::{
    Applied, ClientId, NoSuchClient, Protocol, Replica, ReplicaError, ReplicateError, Replicator,
};
pub use rollback::{
    Advanced, InputError, Rollback, RollbackError, RollbackFrame, RollbackInput, RollbackStats,
    Simulation,
};
pub use rows_bytes::{ReadRowsError, RowsBytes, WriteRowsError};
pub use save::{Dangling, Save, SaveError};
pub use save_copy::{SaveCopy, SaveCopyError};
pub use save_writer::{SaveFinished, SaveWriter};
pub use schema_hash::SchemaHash;
pub use slots::{SaveSlot, SaveSlots, SlotError, SlotInfo, SlotNameProblem};
pub use snapshot_bytes::{ReadSnapshotError, SnapshotBytes, SnapshotterBytes, WriteSnapshotError};
pub use states::SavedState;
pub use template::CloneError;
pub use types::SameName;
pub use undo::{RecordError, Undo};
pub use value::Value;
pub use value_encoder::{EncodedValue, ValueEncoder};
pub use verify::VerifyError;
pub use world_data::WorldData;

/// Items that generated code names.
#[doc(hidden)]
pub mod __private {
    pub use crate::by_name::{check_component, insert_all};
    pub use crate::codec::plain::{NotPlain, PlainProbe};
    pub use crate::codec::{Decoder, Encoder, within_parts};
    pub use crate::event_functions::EventSink;
    pub use crate::event_values::observe_values;
    pub use crate::file::seal;
    pub use crate::file::{put_number, read_number};
    pub use crate::hash::{HashPart, HashTurns, StepHashes};
    pub use crate::recorded::{
        RecordedResource, ResourceReader, ResourceWriter, checksum, push_tight,
    };
    pub use crate::rows_bytes::{append_rows, seal_rows};
    pub use crate::saved::{Migration, Saved};
    pub use crate::snapshot_bytes::seal_snapshot;
}
