//! Components and resources by name, as trees; documented at [`WorldData`](crate::WorldData).
//!
//! Ids inside of trees are [entities](Value::Entity), or texts such as `7v1` in trees from files: all digits of an id survive every
//! format and editor, and a number from a save, which means something else, is refused.

mod edges;
mod error;
mod names;

use std::any::Any;
use std::borrow::Cow;

use ecs_engine::bundle::BundleBuilder;
use ecs_engine::data_type::DataType;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::schedule::Load;
use ecs_engine::staging::{
    EdgeTarget, ErasedColumn, ErasedRes, RelationInfo, StageError, StagedEdge, StagedEdges,
};
use ecs_engine::view::ErasedRef;
use ecs_engine::world::InsertErasedError;
use ecs_engine::{Entity, World};

pub use error::ByNameError;

use crate::Value;
use crate::codec::EncodeError;
use crate::column::read_tree;
use crate::event_functions::EventFunctions;
use crate::load::{FileType, read_resource};
use crate::save::{edge_tree, tree_of};
use crate::saved::{DataCodec, ValueReader};
pub(crate) use names::{
    FoundComponent, ValueKind, component as component_named, resource as resource_named,
};

pub(crate) fn get(world: &World, entity: Entity, name: &str) -> Result<Option<Value>, ByNameError> {
    let found = names::component(world, name)?;
    world.entity(entity)?;
    value(world, entity, &found, name)
}

/// Checks that there is a component, or a relation, of a name.
pub fn check_component(world: &World, name: &str) -> Result<(), ByNameError> {
    names::component(world, name).map(drop)
}

/// Returns all values of an entity by name, in the entity's own order.
pub(crate) fn entity_to_value(world: &World, entity: Entity) -> Result<Value, ByNameError> {
    let mut entries = Vec::new();
    for component in world.entity(entity)?.components() {
        let found = FoundComponent::of(component.id());
        let Some(name) = found.name() else {
            continue;
        };
        if let Some(value) = value(world, entity, &found, name)? {
            entries.push((name.into(), value));
        }
    }
    Ok(Value::Map(entries))
}

/// Returns an entity's value of a component, or its edges in a relation; messages use `name`.
pub(crate) fn value(
    world: &World,
    entity: Entity,
    found: &FoundComponent,
    name: &str,
) -> Result<Option<Value>, ByNameError> {
    if let ValueKind::Relation(relation, data) = &found.kind {
        return edges(world, entity, relation, data);
    }
    let view = world.try_view_erased(found.component)?;
    let Some(value) = view.get(entity) else {
        return Ok(None);
    };
    component_tree(found, value, name).map(Some)
}

fn component_tree(
    found: &FoundComponent,
    value: ErasedRef<'_>,
    name: &str,
) -> Result<Value, ByNameError> {
    let session = Session::new(IdForm::Tree);
    let tree = match &found.kind {
        // SAFETY: the value belongs to the component, whose data type the functions are for, and is borrowed.
        ValueKind::Data(data, _) => unsafe { tree_of(data, value.as_ptr(), &session) },
        ValueKind::Relation(..) | ValueKind::Opaque => {
            return Err(ByNameError::NotData {
                name: name.to_owned(),
            });
        }
    };
    tree.map_err(|error| unreadable(name, &error))
}

/// Returns the edges of a source in the form of saves: the target, with the value if it is not a unit; a list if there may be
/// several.
fn edges(
    world: &World,
    entity: Entity,
    relation: &RelationInfo,
    data: &DataType,
) -> Result<Option<Value>, ByNameError> {
    let session = Session::new(IdForm::Tree);
    let mut edges = Vec::new();
    for (target, value) in world.targets_erased(relation, entity) {
        // SAFETY: edges are listed with their values, which do not change while the world is borrowed.
        let value = unsafe { tree_of(data, value, &session) };
        let value = value.map_err(|error| unreadable(data.name(), &error))?;
        edges.push(edge_tree(target, value));
    }
    Ok(match relation.is_many() {
        false => edges.pop(),
        true if edges.is_empty() => None,
        true => Some(Value::List(edges)),
    })
}

pub(crate) fn insert(
    world: &mut World,
    entity: Entity,
    name: &str,
    value: &Value,
) -> Result<(), ByNameError> {
    let read = read_named(world, name, value)?;
    world.entity(entity)?;
    insert_read(world, entity, name, read)
}

/// Inserts several components into an entity, or into a new one, and returns it. All values are read before the first one is
/// inserted, and unique ones are checked. Edges come first, because only they can still be refused.
pub fn insert_all(
    world: &mut World,
    entity: Option<Entity>,
    values: &[(&str, &Value)],
) -> Result<Entity, ByNameError> {
    let Some(entity) = entity else {
        return spawn(world, values.iter().copied());
    };
    let mut columns = Vec::new();
    for &(name, value) in values {
        columns.push((name, read_named(world, name, value)?));
    }
    columns.sort_by_key(|(_, column)| RelationInfo::of(column.component()).is_none());
    world.entity(entity)?;
    for (name, column) in &columns {
        let checked = [(column, Cow::Borrowed(&[entity][..]))];
        world
            .check_columns(&checked, &|_, _| false)
            .map_err(|taken| unfit(name, taken.to_string()))?;
    }
    for (name, column) in columns {
        insert_read(world, entity, name, column)?;
    }
    Ok(entity)
}

/// Spawns an entity with several components. All values are read before.
pub(crate) fn spawn<'v>(
    world: &mut World,
    values: impl IntoIterator<Item = (&'v str, &'v Value)>,
) -> Result<Entity, ByNameError> {
    let mut bundle = BundleBuilder::new();
    let mut known = Vec::new();
    for (name, value) in values {
        let mut column = read_named(world, name, value)?;
        if known.contains(&column.component()) {
            let name = name.to_owned();
            return Err(ByNameError::Twice { name });
        }
        known.push(column.component());
        // An empty list of edges has no value.
        let _ = bundle.add_erased(&mut column);
    }
    let spawned = world.try_spawn(bundle);
    spawned.map_err(|taken| unfit(taken.component, taken.to_string()))
}

/// Reads a value of a component, or edges, for an entity.
fn read_named(world: &World, name: &str, value: &Value) -> Result<ErasedColumn, ByNameError> {
    let found = names::component(world, name)?;
    if let ValueKind::Relation(relation, data) = &found.kind {
        let is_target = |target| world.contains(target);
        return source(relation, data, value, &is_target).map_err(|message| unfit(name, message));
    }
    let mut column = ErasedColumn::new(found.component);
    read(&mut column, &found, value, name)?;
    Ok(column)
}

fn insert_read(
    world: &mut World,
    entity: Entity,
    name: &str,
    mut column: ErasedColumn,
) -> Result<(), ByNameError> {
    if column.is_empty() {
        world.remove_erased(entity, column.component())?;
        return Ok(());
    }
    let inserted = world.insert_erased(entity, &mut column);
    inserted.map_err(|error| match error {
        InsertErasedError::NoSuchEntity(error) => error.into(),
        // Edges to the entity itself, or to a descendant in a tree.
        error => unfit(name, error.to_string()),
    })
}

/// Reads a tree as a value at the end of a column of the component.
pub(crate) fn read(
    column: &mut ErasedColumn,
    found: &FoundComponent,
    tree: &Value,
    name: &str,
) -> Result<(), ByNameError> {
    assert_eq!(column.component(), found.component);
    let session = Session::new(IdForm::Tree);
    match &found.kind {
        ValueKind::Data(_, codec) => {
            let reader = ValueReader::Current(*codec);
            // SAFETY: the reader belongs to the component's data type, and the column to the component; both were just
            // checked.
            let read = unsafe { read_tree(column, reader, tree, &session) };
            read.map_err(|failure| unfit(name, failure.message))
        }
        ValueKind::Relation(..) | ValueKind::Opaque => Err(ByNameError::NotData {
            name: name.to_owned(),
        }),
    }
}

/// Reads a tree as a value of the component, and returns the tree that the value is written as. They differ only if a
/// format has changed the form.
pub(crate) fn normal(
    found: &FoundComponent,
    tree: &Value,
    name: &str,
) -> Result<Value, ByNameError> {
    let mut column = ErasedColumn::new(found.component);
    read(&mut column, found, tree, name)?;
    let (ValueKind::Data(data, _), Some(value)) = (&found.kind, column.get(0)) else {
        return Ok(tree.clone());
    };
    // SAFETY: the value belongs to the component, whose data type the functions are for, and the column is not changed.
    let tree = unsafe { tree_of(data, value, &Session::new(IdForm::Tree)) };
    tree.map_err(|error| unreadable(name, &error))
}

/// Returns a column with the component for a source that has the edges of a tree; an empty one if there are none.
pub(crate) fn source(
    relation: &RelationInfo,
    data: &DataType,
    tree: &Value,
    is_target: &dyn Fn(Entity) -> bool,
) -> Result<ErasedColumn, String> {
    let outgoing = relation.outgoing();
    let mut values = ErasedColumn::of_edges(outgoing).expect("it is the component of sources");
    let targets = read_edges(&mut values, data, tree, is_target)?;
    if targets.is_empty() {
        return Ok(ErasedColumn::new(outgoing));
    }
    let edge = |target| StagedEdge {
        source: 0,
        target: EdgeTarget::Living(target),
    };
    let staged = StagedEdges {
        outgoing,
        edges: targets.into_iter().map(edge).collect(),
        order: Vec::new(),
        values,
    };
    staged.into_component().map_err(|error| match error {
        StageError::SecondTarget { .. } => "it leads to one target".to_owned(),
        error => error.to_string(),
    })
}

/// Reads the edges of a tree: returns the targets, and appends the values to a column of edges of the relation.
pub(crate) fn read_edges(
    values: &mut ErasedColumn,
    data: &DataType,
    tree: &Value,
    is_target: &dyn Fn(Entity) -> bool,
) -> Result<Vec<Entity>, String> {
    let relation = RelationInfo::of(values.component());
    let of_edges = relation.filter(|_| values.is_of_edges());
    let type_id = of_edges.map(|relation| relation.type_id());
    assert_eq!(type_id, Some(data.type_id()), "values of its edges");
    let codec = DataCodec::of(data).ok_or("its values are known to its type alone")?;
    let session = Session::new(IdForm::Tree);
    let mut targets = Vec::new();
    for (target, value) in edges::read(tree)? {
        if !is_target(target) {
            return Err(format!("there is no entity {target}"));
        }
        let reader = ValueReader::Current(codec);
        // SAFETY: the reader belongs to the relation's data type, which is the type of its edges' values; this was just
        // checked.
        let read = unsafe { read_tree(values, reader, value, &session) };
        read.map_err(|failure| format!("the edge to {target}: {}", failure.message))?;
        targets.push(target);
    }
    Ok(targets)
}

pub(crate) fn remove(world: &mut World, entity: Entity, name: &str) -> Result<bool, ByNameError> {
    let found = names::component(world, name)?;
    Ok(world.remove_erased(entity, found.component)?)
}

pub(crate) fn entities_with(world: &World, name: &str) -> Result<Vec<Entity>, ByNameError> {
    let found = names::component(world, name)?;
    let view = world.try_view_erased(found.component)?;
    let chunks = view.chunks();
    Ok(chunks.flat_map(|chunk| chunk.entities().to_vec()).collect())
}

pub(crate) fn resource(world: &World, name: &str) -> Result<Option<Value>, ByNameError> {
    let (data, _) = names::resource(world, name)?;
    let Some(value) = world.resources().try_borrow_erased(data.type_id())? else {
        return Ok(None);
    };
    resource_tree(data, &value).map(Some)
}

/// Returns a resource as a tree.
pub(crate) fn resource_tree(data: &DataType, value: &ErasedRes<'_>) -> Result<Value, ByNameError> {
    any_tree(data, &**value)
}

pub(crate) fn any_tree(
    data: &DataType,
    value: &(dyn Any + Send + Sync),
) -> Result<Value, ByNameError> {
    assert_eq!(value.type_id(), data.type_id());
    let session = Session::new(IdForm::Tree);
    // SAFETY: the value has the data type (just checked), and is borrowed.
    let tree = unsafe { tree_of(data, std::ptr::from_ref(value).cast(), &session) };
    tree.map_err(|error| unreadable(data.name(), &error))
}

pub(crate) fn insert_resource(
    world: &mut World,
    name: &str,
    value: &Value,
) -> Result<(), ByNameError> {
    let (data, codec) = names::resource(world, name)?;
    let value = read_boxed(data, codec, value, name)?;
    world.resources_mut().insert_erased(data.name(), value);
    world.finish_load(Load::default(), &[data], false);
    Ok(())
}

/// Reads a tree as a resource.
pub(crate) fn read_boxed(
    data: &'static DataType,
    codec: DataCodec,
    tree: &Value,
    name: &str,
) -> Result<Box<dyn Any + Send + Sync>, ByNameError> {
    let ty = FileType {
        data,
        reader: ValueReader::Current(codec),
    };
    let read = read_resource(&ty, tree, &Session::new(IdForm::Tree));
    read.map_err(|failure| unfit(name, failure.message))
}

/// The same as [`normal`], for a resource.
pub(crate) fn normal_resource(
    data: &'static DataType,
    codec: DataCodec,
    tree: &Value,
    name: &str,
) -> Result<Value, ByNameError> {
    let value = read_boxed(data, codec, tree, name)?;
    any_tree(data, &*value)
}

pub(crate) fn remove_resource(world: &mut World, name: &str) -> Result<bool, ByNameError> {
    let (data, _) = names::resource(world, name)?;
    Ok(world
        .resources_mut()
        .remove_erased(data.type_id())
        .is_some())
}

fn unfit(name: &str, message: String) -> ByNameError {
    ByNameError::Value {
        name: name.to_owned(),
        message,
    }
}

fn unreadable(name: &str, error: &EncodeError) -> ByNameError {
    let name = name.to_owned();
    match error.is_too_large() {
        true => ByNameError::TooLarge { name },
        false => ByNameError::Unreadable {
            name,
            message: error.to_string(),
        },
    }
}

/// Returns the functions for single events of a type. O(log types).
pub(crate) fn event_functions(
    world: &World,
    name: &str,
) -> Result<&'static EventFunctions, ByNameError> {
    names::events(world, name)
}
