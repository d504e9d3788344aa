//! The functions that save and load the values of one type; the derives make them.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use ecs_engine::Disabled;
use ecs_engine::data_type::DataType;
use ecs_engine::dynamic::DynamicType;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::event::Events;
use ecs_engine::schedule::{FixedTime, FixedTimes};
use ecs_engine::tree::{ChildOf, Name};
use serde_core::Serialize;
use serde_core::de::DeserializeOwned;

use crate::Value;
use crate::codec::plain::PlainSize;
use crate::codec::{
    Codec, DecodeError, Decoder, DynamicCodec, EncodeError, Encoder, Form, FoundOut, Lost,
    NameRole, PartTest, Path, Readable, Schema, SomeRows, find_out, fits,
};
use crate::event_functions::EventFunctions;

/// A type whose values a world can save and load.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is `data`, which a world can save, and does not implement `Serialize` and `Deserialize`",
    label = "not serialisable",
    note = "add `#[derive(Serialize, Deserialize)]`, from the crate `serde`, or write `data = \"..\", no_serde`"
)]
pub trait DataSerde: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> DataSerde for T {}

/// The functions that save and load the values of one type.
pub struct Saved {
    codec: Codec,
    /// Invariant 1: true only if all bytes of a value of the codec's type are initialised, and none changes through a shared
    /// reference.
    is_plain: bool,
    /// The functions for single events, if the values are the events of a type.
    events: Option<EventFunctions>,
    migrations: &'static [Migration],
}

impl Saved {
    /// Returns the functions of `T`.
    #[must_use]
    pub const fn of<T: DataSerde + 'static>() -> Self {
        Self {
            codec: Codec::of::<T>(),
            is_plain: false,
            events: None,
            migrations: &[],
        }
    }

    /// Returns the functions of a struct `T` that may be plain: without padding, and of fields such as numbers.
    ///
    /// The list has the types that the fields are said to have, and the function those that they have:
    ///
    /// ```compile_fail,E0308
    /// use ecs_core::__private::{PlainProbe, Saved};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize)]
    /// struct Point {
    ///     x: f64,
    /// }
    ///
    /// // SAFETY: the function returns the field.
    /// let _ = unsafe {
    ///     Saved::of_fields::<Point, _>(PlainProbe::<(f32, ())>::PLAIN_SIZE, |Point { x }| (x, ()))
    /// };
    /// ```
    ///
    /// # Safety
    /// The function returns fields of `T`, each at most once.
    #[must_use]
    pub const unsafe fn of_fields<T: DataSerde + 'static, S>(
        size: Option<PlainSize<S>>,
        _: fn(T) -> S,
    ) -> Self {
        // Without padding, the fields are as large as all of it.
        let is_plain = matches!(size, Some(size) if size.size == size_of::<T>());
        Self {
            is_plain,
            ..Self::of::<T>()
        }
    }

    /// Returns the functions of the events of a type.
    #[must_use]
    pub const fn of_events<E: DataSerde + Send + Sync + 'static>() -> Self {
        Self {
            codec: Codec::of::<Events<E>>(),
            is_plain: false,
            events: Some(EventFunctions::of::<E>()),
            migrations: &[],
        }
    }

    /// Adds older versions.
    #[must_use]
    pub const fn migrated(mut self, migrations: &'static [Migration]) -> Self {
        self.migrations = migrations;
        self
    }
}

impl Saved {
    /// Returns a value in the form that text formats write.
    ///
    /// # Safety
    /// As for [`Codec::readable`].
    #[inline]
    pub(crate) unsafe fn readable<'a>(&self, value: *const u8) -> Readable<'a> {
        // SAFETY: the contract is the same.
        unsafe { self.codec.readable(value) }
    }

    /// The functions of serde.
    pub(crate) fn codec(&self) -> &Codec {
        &self.codec
    }

    /// The functions for single events, if the values are the events of a type.
    pub(crate) fn events(&self) -> Option<&EventFunctions> {
        self.events.as_ref()
    }

    /// Returns a form that the type can be read back from.
    pub(crate) fn form(&self) -> Form {
        self.traced(|traced| traced.form)
    }

    /// Calls a function with everything known about the type.
    fn traced<R>(&self, f: impl Fn(&FoundOut) -> R) -> R {
        let id = self.codec.type_id();
        let known = |traced: &HashMap<TypeId, FoundOut>| traced.get(&id).map(&f);
        let found = known(&TRACED.read().unwrap_or_else(PoisonError::into_inner));
        found.unwrap_or_else(|| {
            // Made-up ids are read too. No lock is held, because this runs user code.
            let find_out = || self.codec.find_out(self.events.is_some());
            let traced = Session::new(IdForm::Scanned).run(find_out);
            let result = f(&traced);
            let mut all = TRACED.write().unwrap_or_else(PoisonError::into_inner);
            all.insert(id, traced);
            result
        })
    }

    /// Returns the knowledge about the type, with the first values of some bytes if these may reveal more.
    fn with_real(&self, bytes: &[u8]) -> Option<FoundOut> {
        let found = self.traced(|traced| traced.is_partial().then(|| traced.clone()))?;
        let find_more = || self.codec.find_more(found, bytes);
        Some(Session::new(IdForm::Scanned).run(find_more))
    }
}

impl fmt::Debug for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Saved").finish_non_exhaustive()
    }
}

/// Returns the functions of a type of the engine, which has none itself: it does not know this package.
fn of_engine(data: &DataType) -> Option<&'static Saved> {
    static SAVED: [Saved; 6] = [
        // Edges of relations that are defined at run time.
        Saved::of::<()>(),
        Saved::of::<FixedTime>(),
        Saved::of::<FixedTimes>(),
        Saved::of::<Name>(),
        Saved::of::<ChildOf>(),
        Saved::of::<Disabled>(),
    ];
    SAVED
        .iter()
        .find(|saved| saved.codec.type_id() == data.type_id())
}

/// Returns true if values of the type are saved.
pub(crate) fn is_saved(data: &DataType) -> bool {
    data.codec().is_some() || of_engine(data).is_some()
}

/// The knowledge about types, which takes some microseconds each, or some hundred if a type refuses most values.
static TRACED: LazyLock<RwLock<HashMap<TypeId, FoundOut>>> = LazyLock::new(RwLock::default);

/// The schemas of types; `None` for a type that has none.
static SCHEMAS: LazyLock<RwLock<HashMap<TypeId, Option<Schema>>>> = LazyLock::new(RwLock::default);

/// The functions that save and load the values of a data type.
#[derive(Clone, Copy)]
pub(crate) enum DataCodec {
    /// The functions of a Rust type.
    Typed(&'static Saved),
    /// The functions of a component that is defined at run time.
    Dynamic(DynamicCodec),
}

impl DataCodec {
    /// Returns the functions of a data type; `None` if it is not saved.
    pub(crate) fn of(data: &DataType) -> Option<Self> {
        if let Some(ty) = DynamicType::of_data(data) {
            return DynamicCodec::of(ty).map(Self::Dynamic);
        }
        let saved = match data.codec() {
            Some(codec) => {
                let codec: &'static dyn Any = codec;
                codec.downcast_ref::<Saved>()?
            }
            None => of_engine(data)?,
        };
        // A hand-written description may have another type's functions.
        (saved.codec.type_id() == data.type_id()).then_some(Self::Typed(saved))
    }

    /// Returns the function that reads a version of the type; `data` describes the type.
    pub(crate) fn reader(self, data: &DataType, version: u32) -> Option<ValueReader> {
        if version == data.version() {
            return Some(ValueReader::Current(self));
        }
        let Self::Typed(saved) = self else {
            return None;
        };
        let mut migrations = saved.migrations.iter();
        let migration = migrations.find(|migration| migration.version == version)?;
        let is_for_type = (migration.into)() == data.type_id();
        is_for_type.then_some(ValueReader::Older(migration))
    }

    /// Returns a form that the type can be read back from. It is determined once per process.
    pub(crate) fn form(self) -> Form {
        match self {
            Self::Typed(saved) => saved.form(),
            Self::Dynamic(_) => Form::Tree,
        }
    }

    /// Returns the shape of the type's values in bytes; empty if they are trees.
    pub(crate) fn shape(self) -> Arc<str> {
        self.form_and_shape().1
    }

    /// Returns both the [form](Self::form) and the [shape](Self::shape), which takes one look-up.
    pub(crate) fn form_and_shape(self) -> (Form, Arc<str>) {
        match self {
            Self::Typed(saved) => saved.traced(|traced| (traced.form, Arc::clone(&traced.shape))),
            Self::Dynamic(_) => (Form::Tree, Arc::default()),
        }
    }

    /// Returns the shape of a type that needs names, in which parts that look at what they get are not known; empty for others, and
    /// if it needs names in another way.
    pub(crate) fn shape_with_any(self) -> String {
        match self {
            Self::Typed(saved) => {
                let find = || saved.codec.shape_with_any(saved.events.is_some());
                Session::new(IdForm::Scanned).run(find)
            }
            Self::Dynamic(_) => String::new(),
        }
    }

    /// Returns true if not all of the shape is known, so that real values may tell more.
    pub(crate) fn is_partial(self) -> bool {
        match self {
            Self::Typed(saved) => saved.traced(FoundOut::is_partial),
            Self::Dynamic(_) => false,
        }
    }

    /// Returns the form and the shape of the type, with the first values of some bytes if these may reveal more.
    pub(crate) fn with_real(self, bytes: &[u8]) -> Option<FoundOut> {
        match self {
            Self::Typed(saved) => saved.with_real(bytes),
            Self::Dynamic(_) => None,
        }
    }

    /// Returns the size of a value.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Typed(saved) => saved.codec.size(),
            Self::Dynamic(codec) => codec.size(),
        }
    }

    /// Returns true only if all bytes of a value are initialised, and none changes through a shared reference.
    pub(crate) fn is_plain(self) -> bool {
        match self {
            Self::Typed(saved) => saved.is_plain,
            Self::Dynamic(_) => false,
        }
    }

    /// Returns true if values may name entities.
    pub(crate) fn may_have_entities(self) -> bool {
        match self {
            Self::Typed(_) => true,
            Self::Dynamic(codec) => codec.has_entities(),
        }
    }

    /// Returns the fields of a component that is defined at run time, with the texts of their shapes; `None` for a Rust type.
    pub(crate) fn field_kinds(self) -> Option<Vec<(&'static str, &'static str)>> {
        match self {
            Self::Typed(_) => None,
            Self::Dynamic(codec) => Some(codec.field_kinds()),
        }
    }

    /// Returns the value that is read from an empty map, or from nothing; `None` if that is an error.
    pub(crate) fn default_value(self) -> Option<Value> {
        match self {
            Self::Typed(saved) => Session::new(IdForm::Tree).run(|| saved.codec.default_value()),
            Self::Dynamic(codec) => codec.default_value(),
        }
    }

    /// Returns a tree after reading and writing it; `None` if that fails.
    pub(crate) fn read_back(self, tree: &Value) -> Option<Value> {
        match self {
            Self::Typed(saved) => Session::new(IdForm::Tree).run(|| saved.codec.read_back(tree)),
            Self::Dynamic(_) => None,
        }
    }

    /// Returns the names of the fields that the type reads, if they are known.
    pub(crate) fn fields(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Typed(saved) => saved.codec.fields(),
            Self::Dynamic(_) => None,
        }
    }

    /// Returns the parts of the values of the type, as far as they are known and confirmed. They are found out once per process.
    pub(crate) fn schema(self) -> Option<Schema> {
        let saved = match self {
            Self::Typed(saved) => saved,
            Self::Dynamic(codec) => return Schema::of_fields(codec.field_kinds().into_iter()),
        };
        let id = saved.codec.type_id();
        let known = SCHEMAS.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(schema) = known.get(&id) {
            return schema.clone();
        }
        // No lock is held, because this runs user code.
        drop(known);
        let shape = self.shape();
        let schema = match shape.is_empty() {
            true => Schema::of_text(&self.shape_with_any()),
            false => Schema::of_text(&shape),
        };
        let schema = schema.and_then(|schema| schema.confirmed(|tree| self.read_back(tree)));
        let mut all = SCHEMAS.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(id, schema.clone());
        schema
    }

    /// Appends `n` values in a form.
    ///
    /// # Errors
    /// As for [`Codec::encode_as`].
    ///
    /// # Safety
    /// `values` points to `n` values of the type, and nothing changes them during the call.
    pub(crate) unsafe fn encode_as(
        self,
        form: Form,
        values: *const u8,
        n: usize,
        encoder: &mut Encoder,
    ) -> Result<(), EncodeError> {
        match self {
            // SAFETY: the contract is the same.
            Self::Typed(saved) => unsafe { saved.codec.encode_as(form, values, n, encoder) },
            // SAFETY: the contract is the same.
            Self::Dynamic(codec) => unsafe { codec.encode_as(form, values, n, encoder) },
        }
    }

    /// Returns a value as a tree.
    ///
    /// # Errors
    /// As for [`Value::of`].
    ///
    /// # Safety
    /// `value` points to a value of the type, and nothing changes it during the call.
    pub(crate) unsafe fn to_value(self, value: *const u8) -> Result<Value, EncodeError> {
        match self {
            // SAFETY: the contract is the same.
            Self::Typed(saved) => unsafe { saved.codec.to_value(value) },
            // SAFETY: the contract is the same.
            Self::Dynamic(codec) => unsafe { codec.to_value(value) },
        }
    }

    /// Returns a value in the form that text formats write; `None` for a component that is defined at run time.
    ///
    /// # Safety
    /// As for [`Codec::readable`].
    pub(crate) unsafe fn readable<'a>(self, value: *const u8) -> Option<Readable<'a>> {
        match self {
            // SAFETY: the contract is the same.
            Self::Typed(saved) => Some(unsafe { saved.codec.readable(value) }),
            Self::Dynamic(_) => None,
        }
    }

    /// Tests a part of some values; see [`Codec::test`]. Fields of components that are defined at run time are read without this.
    ///
    /// # Safety
    /// As for [`Codec::test`].
    pub(crate) unsafe fn test(
        self,
        values: &[*const u8],
        among: SomeRows,
        path: &Path,
        test: PartTest<'_>,
    ) -> SomeRows {
        match self {
            // SAFETY: the contract is the same.
            Self::Typed(saved) => unsafe { saved.codec.test(values, among, path, test) },
            Self::Dynamic(_) => SomeRows::NONE,
        }
    }
}

/// Reads values of one version of a type.
#[derive(Clone, Copy)]
pub(crate) enum ValueReader {
    Current(DataCodec),
    Older(&'static Migration),
}

impl ValueReader {
    /// Returns the shape of the values that it reads, if it differs from the saved shape, which these bytes have.
    ///
    /// If the type refuses all made-up values, the first ones of the bytes reveal the rest.
    pub(crate) fn misread(self, saved: &str, bytes: &[u8]) -> Option<Arc<str>> {
        let misread = |current: Arc<str>, names| {
            let is_other = !fits(saved, &current, names);
            is_other.then_some(current)
        };
        match self {
            Self::Current(codec) => misread(codec.shape(), NameRole::Matter).or_else(|| {
                let found = codec.with_real(bytes)?;
                misread(found.shape, NameRole::Matter)
            }),
            Self::Older(migration) => {
                // Older types are copies, and the names of the types inside have changed.
                let trace = &mut |decoder: &mut Decoder<'_>| (migration.trace)(decoder);
                let find_out = || find_out(trace, migration.is_events).with_real(trace, bytes);
                let found = Session::new(IdForm::Scanned).run(find_out);
                misread(found.shape, NameRole::Ignored)
            }
        }
    }

    /// Returns the fields of the first of some trees that loses a part when it is read. Nothing is known about an older version,
    /// because its type is not written.
    pub(crate) fn lost(self, bytes: &[u8]) -> Option<Lost> {
        match self {
            Self::Current(DataCodec::Typed(saved)) => {
                Session::new(IdForm::Echoed).run(|| saved.codec.lost(bytes))
            }
            Self::Current(DataCodec::Dynamic(_)) | Self::Older(_) => None,
        }
    }

    /// Reads `n` values, and counts them in `written`.
    ///
    /// # Safety
    /// `place` is aligned, and valid for writes of `n` values of the reader's type.
    pub(crate) unsafe fn read(
        self,
        form: Form,
        decoder: &mut Decoder<'_>,
        place: *mut u8,
        n: usize,
        written: &mut usize,
    ) -> Result<(), DecodeError> {
        match self {
            Self::Current(DataCodec::Typed(saved)) => {
                // SAFETY: the codec belongs to the type, and the rest is the contract of this function.
                unsafe { saved.codec.decode(form, decoder, place, n, written) }
            }
            Self::Current(DataCodec::Dynamic(codec)) => {
                // SAFETY: the codec belongs to the component, and the rest is the contract of this function.
                unsafe { codec.decode(form, decoder, place, n, written) }
            }
            // SAFETY: the migration is into the type, and the rest is the contract of this function.
            Self::Older(migration) => unsafe { (migration.read)(form, decoder, place, n, written) },
        }
    }
}

/// Reads values of a version into a place, counting them.
type ReadFn =
    unsafe fn(Form, &mut Decoder<'_>, *mut u8, usize, &mut usize) -> Result<(), DecodeError>;

/// The function that loads the values of an older version of a type.
pub struct Migration {
    version: u32,
    into: fn() -> TypeId,
    /// Invariant 1: writes values of the type that `into` returns.
    read: ReadFn,
    /// Reads a value of the older type.
    trace: fn(&mut Decoder<'_>) -> Result<(), DecodeError>,
    is_events: bool,
}

impl Migration {
    /// Returns the function that loads an `Old`, and makes a `T` from it.
    #[must_use]
    pub const fn of<Old: DeserializeOwned + Becomes<T>, T: 'static>(version: u32) -> Self {
        Self {
            version,
            into: TypeId::of::<T>,
            read: read_older::<Old, T, FromOld>,
            trace: trace::<Old>,
            is_events: false,
        }
    }

    /// Returns the function that loads events of the type `Old`, and makes events of the type `E` from them.
    #[must_use]
    pub const fn of_events<
        Old: DeserializeOwned + Becomes<E> + Send + Sync + 'static,
        E: Send + Sync + 'static,
    >(
        version: u32,
    ) -> Self {
        Self {
            version,
            into: TypeId::of::<Events<E>>,
            read: read_older::<Events<Old>, Events<E>, FromOldEvents>,
            trace: trace::<Events<Old>>,
            is_events: true,
        }
    }
}

impl fmt::Debug for Migration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Migration({})", self.version)
    }
}

fn trace<Old: DeserializeOwned>(decoder: &mut Decoder<'_>) -> Result<(), DecodeError> {
    decoder.value::<Old>().map(drop)
}

/// The older form of a type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot become the present version, `{T}`",
    label = "there is no `From<{Self}>` for `{T}`",
    note = "write `impl From<{Self}> for {T} {{ fn from(old: {Self}) -> Self {{ .. }} }}`"
)]
pub trait Becomes<T> {
    /// Makes a value of the newer form.
    fn become_new(self) -> T;
}

#[diagnostic::do_not_recommend]
impl<Old, T: From<Old>> Becomes<T> for Old {
    fn become_new(self) -> T {
        T::from(self)
    }
}

/// The conversion of older values.
trait Convert<Old, T> {
    fn convert(old: Old) -> T;
}

struct FromOld;

impl<Old: Becomes<T>, T> Convert<Old, T> for FromOld {
    fn convert(old: Old) -> T {
        old.become_new()
    }
}

/// One by one.
struct FromOldEvents;

impl<Old: Becomes<E>, E: Send + Sync + 'static> Convert<Events<Old>, Events<E>> for FromOldEvents {
    fn convert(old: Events<Old>) -> Events<E> {
        old.map(Old::become_new)
    }
}

/// # Safety
/// `place` is aligned, and valid for writes of `n` `T`s.
unsafe fn read_older<Old: DeserializeOwned, T, C: Convert<Old, T>>(
    form: Form,
    decoder: &mut Decoder<'_>,
    place: *mut u8,
    n: usize,
    written: &mut usize,
) -> Result<(), DecodeError> {
    let place = place.cast::<T>();
    *written = 0;
    for row in 0..n {
        let value = match form {
            Form::Plain => decoder.value::<Old>()?,
            Form::Tree => decoder.tree()?.to::<Old>()?,
        };
        // SAFETY: the row is one of the `n` places, by the caller's contract.
        let place = unsafe { place.add(row) };
        // SAFETY: it is aligned and valid for writes, by the caller's contract.
        unsafe { place.write(C::convert(value)) };
        *written = row + 1;
    }
    Ok(())
}
