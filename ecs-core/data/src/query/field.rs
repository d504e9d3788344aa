//! Fields of components.

use std::cell::Cell;
use std::fmt;

use ecs_engine::__private::data_name;
use ecs_engine::component::ComponentId;
use ecs_engine::dynamic::{DynamicRef, DynamicType, FieldKind, FieldRef};

use super::ast::NameText;
use super::compared_type::{ComparedType, NoSuchPart};
use super::error::TextProblem;
use crate::Value;
use crate::codec::{PartTest, Path, Scalar, Schema, SomeRows};
use crate::saved::DataCodec;
use crate::value::PathStep;

/// A field of a component, and its place in the values.
#[derive(Clone)]
pub(super) struct FieldPlace {
    /// Invariant 1: the component that the place belongs to.
    component: ComponentId,
    place: FieldRoute,
}

#[derive(Clone)]
enum FieldRoute {
    /// At a position among the fields of a dynamic component.
    Dynamic(&'static DynamicType, usize),
    /// At a path in values of a component that is data; these are its functions.
    Path(DataCodec, Path),
}

/// A field in the text of a query: its component, its name there, and the full name that it is part of.
#[derive(Clone, Copy)]
pub(super) struct NamedField<'a> {
    pub(super) component: ComponentId,
    pub(super) field: &'a str,
    pub(super) name: &'a NameText,
}

impl FieldPlace {
    /// Looks up a field of a component. Returns its type too, if it is known.
    pub(super) fn new(named: NamedField<'_>) -> Result<(Self, Option<ComparedType>), TextProblem> {
        let component = named.component;
        let (place, ty) = match DynamicType::of(component) {
            Some(ty) => {
                let (place, kind) = dynamic_field(ty, named)?;
                (place, Some(ComparedType::of_kind(kind, &named.shown())))
            }
            None => data_field(named)?,
        };
        Ok((Self { component, place }, ty))
    }

    /// Returns the component.
    pub(super) fn component(&self) -> ComponentId {
        self.component
    }

    /// Returns the size of a value of the component.
    pub(super) fn size(&self) -> usize {
        match &self.place {
            FieldRoute::Path(codec, _) => codec.size(),
            FieldRoute::Dynamic(ty, _) => ty.layout().size(),
        }
    }

    /// Returns the rows of a selection whose field passes a test. Called in the session that says how ids are written.
    ///
    /// # Safety
    /// For each of the rows there is a value of the [component](Self::component), which nothing changes during the call.
    pub(super) unsafe fn test(
        &self,
        values: &[*const u8],
        among: SomeRows,
        test: PartTest<'_>,
    ) -> SomeRows {
        match &self.place {
            // SAFETY: the functions belong to the component (1), and so do the values: the caller.
            FieldRoute::Path(codec, path) => unsafe { codec.test(values, among, path, test) },
            FieldRoute::Dynamic(ty, position) => among.filter(|row| {
                // SAFETY: the type belongs to the component (1), and the row has a value that nothing changes: the caller.
                let value: DynamicRef<'_> = unsafe { ty.value(values[row]) };
                test_field(value.field_at(*position), test)
            }),
        }
    }

    /// Returns the field of a value; `None` if this value has no such part. Called in the session that says how ids are written.
    ///
    /// # Safety
    /// There is a value of the [component](Self::component) at `value`, and nothing changes it during the call.
    pub(super) unsafe fn read(&self, value: *const u8) -> Option<Value> {
        let found = Cell::new(None);
        let shown = |scalar: Option<Scalar<'_>>| {
            found.set(scalar.map(Scalar::to_value));
            true
        };
        let test = PartTest::Shown(&shown);
        // SAFETY: the contract is the same.
        unsafe { self.test(&[value], SomeRows::first(1), test) };
        if let Some(scalar) = found.take() {
            return Some(scalar);
        }
        let FieldRoute::Path(codec, path) = &self.place else {
            return None;
        };
        // It may have parts itself.
        // SAFETY: the functions belong to the component (1), and so does the value: the caller.
        let tree = unsafe { codec.to_value(value) }.ok()?;
        path.find(&tree).cloned()
    }
}

/// Tests a field of a dynamic component.
fn test_field(field: FieldRef<'_>, test: PartTest<'_>) -> bool {
    let mut char = [0; 4];
    test.passes(Some(match field {
        FieldRef::I8(field) => Scalar::Int((*field).into()),
        FieldRef::I16(field) => Scalar::Int((*field).into()),
        FieldRef::I32(field) => Scalar::Int((*field).into()),
        FieldRef::I64(field) => Scalar::Int(*field),
        FieldRef::U8(field) => Scalar::Int((*field).into()),
        FieldRef::U16(field) => Scalar::Int((*field).into()),
        FieldRef::U32(field) => Scalar::Int((*field).into()),
        FieldRef::U64(field) => Scalar::of_u64(*field),
        FieldRef::F32(field) => Scalar::Short(*field),
        FieldRef::F64(field) => Scalar::Float(*field),
        FieldRef::Bool(field) => Scalar::Bool(*field),
        FieldRef::Char(field) => Scalar::Text(field.encode_utf8(&mut char)),
        FieldRef::String(field) => Scalar::Text(field),
        FieldRef::Entity(field) => field.map_or(Scalar::Null, Scalar::Entity),
        _ => return test.passes(None),
    }))
}

impl NamedField<'_> {
    /// Returns the field as messages name it.
    fn shown(self) -> String {
        let component = self.component.name();
        match self.field {
            "" => format!("component `{component}`"),
            field => format!("field `{field}` of `{component}`"),
        }
    }

    /// Returns the type of the field in the schema of its component; `None` if it is not known.
    fn type_in(
        self,
        schema: &Schema,
        steps: &[PathStep],
    ) -> Result<Option<ComparedType>, TextProblem> {
        let ty = ComparedType::of_schema(schema, steps, &self.shown(), &self.name.text);
        ty.map_err(|NoSuchPart(help)| {
            let component = self.component.name();
            let message = format!("component `{component}` has no field `{}`", self.field);
            self.problem(message, help)
        })
    }

    /// The problem with the field.
    fn problem(self, message: impl Into<String>, help: impl Into<String>) -> TextProblem {
        let Self { field, name, .. } = self;
        let len = if name.is_quoted || field.is_empty() {
            name.at.len()
        } else {
            field.len()
        };
        TextProblem::new(name.at.end - len..name.at.end, message, help)
    }

    /// The problem with a field that the component lacks, although it has others.
    fn missing(self, others: &[String]) -> TextProblem {
        let Self {
            component, field, ..
        } = self;
        let component = component.name();
        let message = if others.is_empty() {
            format!("component `{component}` has no fields that can be compared")
        } else if field.is_empty() {
            format!("component `{component}` has several values")
        } else {
            format!("component `{component}` has no field `{field}`")
        };
        let help = if others.is_empty() {
            "ask for the component alone".to_owned()
        } else {
            format!("its fields are `{}`", others.join("`, `"))
        };
        self.problem(message, help)
    }
}

/// Returns the field of a dynamic component, and its type.
fn dynamic_field(
    ty: &'static DynamicType,
    named: NamedField<'_>,
) -> Result<(FieldRoute, FieldKind), TextProblem> {
    let mut fields = ty.fields().iter();
    match fields.position(|known| known.name() == named.field) {
        Some(position) => Ok((
            FieldRoute::Dynamic(ty, position),
            ty.fields()[position].kind(),
        )),
        None => {
            let fields = ty.fields().iter();
            let fields = fields.map(|field| format!("{}: {}", field.name(), field.kind()));
            Err(named.missing(&fields.collect::<Vec<_>>()))
        }
    }
}

/// Returns the field of a component that is data, and its type if that is known.
fn data_field(named: NamedField<'_>) -> Result<(FieldRoute, Option<ComparedType>), TextProblem> {
    let component = named.component;
    let codec = component.data().and_then(DataCodec::of);
    let Some(codec) = codec else {
        return Err(named.problem(
            format!(
                "the values of component `{}` cannot be compared",
                component.name()
            ),
            format!(
                "make it data by `#[component(data = \"{}\")]`, or ask for the component alone",
                data_name(component.name())
            ),
        ));
    };
    // Types that are not structs, or do not name their fields, are compared by their values.
    if let Some(fields) = codec.fields() {
        let first = named.field.split(['.', '[']).next().unwrap_or_default();
        if !fields.contains(&first) {
            let fields: Vec<String> = fields.iter().map(|&field| field.to_owned()).collect();
            return Err(named.missing(&fields));
        }
    }
    let Some(path) = Path::new(named.field) else {
        return Err(named.problem(
            format!("`{}` is not the path of a field", named.field),
            "write paths like `pack.items[0].name`",
        ));
    };
    let ty = match path.direct_steps().zip(codec.schema()) {
        Some((steps, schema)) => named.type_in(&schema, steps)?,
        None => None,
    };
    Ok((FieldRoute::Path(codec, path), ty))
}

/// The functions belong to the component.
impl PartialEq for FieldPlace {
    fn eq(&self, other: &Self) -> bool {
        let is_same = match (&self.place, &other.place) {
            (FieldRoute::Dynamic(_, field), FieldRoute::Dynamic(_, other)) => field == other,
            (FieldRoute::Path(_, path), FieldRoute::Path(_, other)) => path == other,
            _ => false,
        };
        is_same && self.component == other.component
    }
}

impl fmt::Debug for FieldPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldPlace({}, ", self.component.name())?;
        match &self.place {
            FieldRoute::Dynamic(_, field) => write!(f, "{field})"),
            FieldRoute::Path(_, path) => write!(f, "{path:?})"),
        }
    }
}
