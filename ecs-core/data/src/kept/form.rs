//! Kept values as one tree, which both forms of a save have.
//!
//! ```text
//! [{
//!   "entities": [4, 0, 4294967295],                       numbers in this file, by those in the values
//!   "columns": [
//!     { "name": "mod.glow", "version": 1, "rows": [[0, "red"]], "orders": [] },
//!     { "name": "mod.moon", "version": 1, "resource": 3 },
//!     { "name": "mod.heat", "version": 2, "of": [0, 1], "form": 0, "bytes": "0700" },
//!     { "name": "mod.cold", "version": 1, "from": 0, "to": 2, "form": 0, "bytes": "0708" },
//!     { "name": "mod.likes", "version": 1, "edges": [0, 1, 0], "form": 0, "bytes": "" },
//!     { "name": "mod.sun", "version": 1, "form": 0, "bytes": "07" }
//!   ]
//! }]
//! ```
//! An entry with bytes may have their `shape`, a text: see `codec/shape`. A tree in a binary save has bytes where this has texts
//! and lists of numbers.

use std::collections::HashMap;

use ecs_engine::entity::session::is_dead;
use ecs_engine::staging::StagedRows;

use super::{KeptBytes, KeptColumn, KeptFile, KeptValues};
use crate::Value;
use crate::file::FileEdge;

/// The levels that a value may have to be kept: the file has more around it.
const MAX_DEPTH: u32 = 112;

/// Returns true if a value is nested too deep to be kept.
pub(crate) fn is_too_deep(value: &Value) -> bool {
    fn fits(value: &Value, levels: u32) -> bool {
        let inside = |value: &Value| levels > 0 && fits(value, levels - 1);
        match value {
            Value::List(values) => values.iter().all(inside),
            Value::Map(entries) => entries
                .iter()
                .all(|(key, value)| inside(key) && inside(value)),
            _ => true,
        }
    }
    !fits(value, MAX_DEPTH)
}

/// Returns the tree of kept values.
pub(crate) fn to_value(parts: Vec<KeptFile<u32>>, is_readable: bool) -> Value {
    let parts = parts.into_iter().map(|part| {
        let columns = part.columns.into_iter();
        let columns = columns.map(|column| write_column(column, is_readable));
        map([
            ("entities", write_numbers(&part.entities, is_readable)),
            ("columns", Value::List(columns.collect())),
        ])
    });
    Value::List(parts.collect())
}

fn write_column(column: KeptColumn, is_readable: bool) -> Value {
    let mut fields = vec![
        ("name", Value::String(column.name)),
        ("version", column.version.into()),
    ];
    let numbers = |numbers: &[u32]| write_numbers(numbers, is_readable);
    let bytes = match column.values {
        KeptValues::Rows { rows, orders } => {
            let rows = rows.into_iter();
            let rows = rows.map(|(entity, value)| Value::List(vec![entity.into(), value]));
            let orders = orders
                .iter()
                .map(|(target, sources)| Value::List(vec![(*target).into(), numbers(sources)]));
            fields.push(("rows", Value::List(rows.collect())));
            fields.push(("orders", Value::List(orders.collect())));
            None
        }
        KeptValues::Tree(value) => {
            fields.push(("resource", value));
            None
        }
        KeptValues::Component { owners, bytes } => {
            match owners {
                StagedRows::Range(range) => {
                    fields.push(("from", range.start.into()));
                    fields.push(("to", range.end.into()));
                }
                StagedRows::List(list) => fields.push(("of", numbers(&list))),
            }
            Some(bytes)
        }
        KeptValues::Edges { edges, bytes } => {
            let edges = edges.iter();
            let flat = edges.flat_map(|edge| [edge.source, edge.target, edge.slot]);
            fields.push(("edges", numbers(&flat.collect::<Vec<u32>>())));
            Some(bytes)
        }
        KeptValues::Resource(bytes) => Some(bytes),
    };
    if let Some(KeptBytes { form, shape, bytes }) = bytes {
        fields.push(("form", form.into()));
        if let Some(shape) = shape {
            fields.push(("shape", Value::String(shape)));
        }
        fields.push(("bytes", write_bytes(bytes, is_readable)));
    }
    map(fields)
}

fn map(fields: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let fields = fields.into_iter().map(|(key, value)| (key.into(), value));
    Value::Map(fields.collect())
}

fn write_numbers(numbers: &[u32], is_readable: bool) -> Value {
    if is_readable {
        Value::List(numbers.iter().map(|&number| number.into()).collect())
    } else {
        Value::Bytes(
            numbers
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect(),
        )
    }
}

fn write_bytes(bytes: Vec<u8>, is_readable: bool) -> Value {
    if !is_readable {
        return Value::Bytes(bytes);
    }
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(digit.into(), 16));
        }
    }
    Value::String(text)
}

/// Reads the tree of kept values of a file with this many entities.
///
/// # Errors
/// If it is not such a tree, with the expected form.
pub(crate) fn from_value(value: Value, entities: u32) -> Result<Vec<KeptFile<u32>>, String> {
    let parts = list(value, "a list of parts")?.into_iter();
    parts.map(|part| read_part(part, entities)).collect()
}

fn read_part(part: Value, entities: u32) -> Result<KeptFile<u32>, String> {
    let mut part = MapFields::of(part)?;
    let numbers = read_numbers(part.take("entities")?)?;
    let is_wrong = |&&number: &&u32| number >= entities && !is_dead(number);
    if let Some(number) = numbers.iter().find(is_wrong) {
        return Err(format!("there is no entity {number}"));
    }
    let columns = list(part.take("columns")?, "a list of columns")?.into_iter();
    let columns = columns.map(|column| read_column(column, numbers.len()));
    let columns = columns.collect::<Result<Vec<KeptColumn>, String>>()?;
    refuse_more_values(&columns, numbers.len())?;
    Ok(KeptFile {
        columns,
        entities: numbers,
    })
}

/// Reads a column of a part with this many entities.
fn read_column(column: Value, entities: usize) -> Result<KeptColumn, String> {
    let mut column = MapFields::of(column)?;
    let name = column.take("name")?.into_string();
    let name = name.map_err(|_| "a name is not a text")?;
    let version = number(&column.take("version")?)?;
    let values = if let Some(rows) = column.find("rows") {
        let pairs = list(rows, "a list of rows")?.into_iter().map(pair);
        let rows = pairs.collect::<Result<Vec<_>, String>>()?;
        let orders = list(column.take("orders")?, "a list of orders")?.into_iter();
        let orders = orders.map(|order| {
            let (target, sources) = pair(order)?;
            Ok((target, read_numbers(sources)?))
        });
        let orders = orders.collect::<Result<Vec<_>, String>>()?;
        check(rows.iter().map(|row| row.0), entities)?;
        check(orders.iter().map(|order| order.0), entities)?;
        let sources = orders.iter().flat_map(|order| &order.1);
        check(sources.copied(), entities)?;
        refuse_too_deep(rows.iter().map(|row| &row.1))?;
        refuse_twice(rows.iter().map(|row| row.0))?;
        KeptValues::Rows { rows, orders }
    } else if let Some(value) = column.find("resource") {
        refuse_too_deep([&value])?;
        KeptValues::Tree(value)
    } else {
        let shape = column.find("shape").map(Value::into_string).transpose();
        let shape = shape.map_err(|_| "a shape is not a text")?;
        let bytes = KeptBytes {
            shape,
            form: u8::try_from(number(&column.take("form")?)?)
                .map_err(|_| "there is no such form of values".to_owned())?,
            bytes: read_bytes(column.take("bytes")?)?,
        };
        if let Some(of) = column.find("of") {
            let of = read_numbers(of)?;
            check(of.iter().copied(), entities)?;
            refuse_twice(of.iter().copied())?;
            let owners = StagedRows::List(of);
            KeptValues::Component { owners, bytes }
        } else if let Some(from) = column.find("from") {
            let range = number(&from)?..number(&column.take("to")?)?;
            if range.start > range.end || range.end as usize > entities {
                return Err("there are no such entities".to_owned());
            }
            let owners = StagedRows::Range(range);
            KeptValues::Component { owners, bytes }
        } else if let Some(edges) = column.find("edges") {
            let edges = read_numbers(edges)?;
            if edges.len() % 3 != 0 {
                return Err("an edge is not three numbers".to_owned());
            }
            let edges = edges.chunks_exact(3).map(|edge| FileEdge {
                source: edge[0],
                target: edge[1],
                slot: edge[2],
            });
            let edges: Vec<FileEdge> = edges.collect();
            let ends = edges.iter().flat_map(|edge| [edge.source, edge.target]);
            check(ends, entities)?;
            KeptValues::Edges { edges, bytes }
        } else {
            KeptValues::Resource(bytes)
        }
    };
    Ok(KeptColumn {
        name,
        version,
        values,
    })
}

/// Refuses columns of one name with more values than there are entities, because a range is few bytes, however long it
/// is.
fn refuse_more_values(columns: &[KeptColumn], entities: usize) -> Result<(), String> {
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for column in columns {
        if let KeptValues::Component { owners, .. } = &column.values {
            let values = by_name.entry(&column.name).or_default();
            *values += owners.len();
            if *values > entities {
                return Err(format!("an entity has `{}` twice", column.name));
            }
        }
    }
    Ok(())
}

fn check(mut numbers: impl Iterator<Item = u32>, entities: usize) -> Result<(), String> {
    match numbers.find(|&number| number as usize >= entities) {
        Some(number) => Err(format!("there is no entity {number}")),
        None => Ok(()),
    }
}

fn refuse_twice(numbers: impl Iterator<Item = u32>) -> Result<(), String> {
    let mut sorted: Vec<u32> = numbers.collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("the entity {} has it twice", pair[0])),
        None => Ok(()),
    }
}

fn refuse_too_deep<'a>(values: impl IntoIterator<Item = &'a Value>) -> Result<(), String> {
    match values.into_iter().any(is_too_deep) {
        true => Err(format!(
            "a value is nested more than {MAX_DEPTH} levels deep"
        )),
        false => Ok(()),
    }
}

/// The fields of a map, which are taken out of it.
struct MapFields(Vec<(Value, Value)>);

impl MapFields {
    fn of(value: Value) -> Result<Self, String> {
        let fields = value.into_map();
        let expected = |other| format!("expected a map, found {}", kind(&other));
        fields.map(Self).map_err(expected)
    }

    fn find(&mut self, name: &str) -> Option<Value> {
        let position = self
            .0
            .iter()
            .position(|(key, _)| key.as_str() == Some(name))?;
        Some(self.0.swap_remove(position).1)
    }

    fn take(&mut self, name: &str) -> Result<Value, String> {
        self.find(name)
            .ok_or_else(|| format!("`{name}` is missing"))
    }
}

fn list(value: Value, expected: &str) -> Result<Vec<Value>, String> {
    let found = |other| format!("expected {expected}, found {}", kind(&other));
    value.into_list().map_err(found)
}

fn pair(value: Value) -> Result<(u32, Value), String> {
    let pair = list(value, "a number and a value")?;
    match <[Value; 2]>::try_from(pair) {
        Ok([entity, value]) => Ok((number(&entity)?, value)),
        Err(_) => Err("expected a number and a value".to_owned()),
    }
}

fn number(value: &Value) -> Result<u32, String> {
    let number = value.as_int().and_then(|value| u32::try_from(value).ok());
    number.ok_or_else(|| format!("expected a number, found {}", kind(value)))
}

fn read_numbers(value: Value) -> Result<Vec<u32>, String> {
    match &value {
        Value::Bytes(bytes) => {
            let chunks = bytes.chunks_exact(4);
            if !chunks.remainder().is_empty() {
                return Err("a number is cut off".to_owned());
            }
            let numbers =
                chunks.map(|chunk| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]));
            Ok(numbers.collect())
        }
        _ => list(value, "a list of numbers")?
            .iter()
            .map(number)
            .collect(),
    }
}

fn read_bytes(value: Value) -> Result<Vec<u8>, String> {
    let value = match value.into_bytes() {
        Ok(bytes) => return Ok(bytes),
        Err(value) => value,
    };
    let text = value.as_str();
    let text = text.ok_or_else(|| format!("expected bytes, found {}", kind(&value)))?;
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pairs = text.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some((digit(high)? << 4 | digit(low)?) as u8),
        _ => None,
    });
    let bytes: Option<Vec<u8>> = pairs.collect();
    bytes.ok_or_else(|| "expected pairs of hexadecimal digits".to_owned())
}

/// Names the kind of a value, which may be too long to print.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a bool",
        Value::Int(_) => "another number",
        Value::Float(_) => "a float",
        Value::String(_) => "a text",
        Value::Entity(_) => "an entity",
        Value::Bytes(_) => "bytes",
        Value::List(_) => "a list",
        Value::Map(_) => "a map",
    }
}
