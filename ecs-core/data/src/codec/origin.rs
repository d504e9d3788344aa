//! Input other than bytes: the values of a tree, and made-up ones.
//!
//! It is compiled once. The functions return an error if the source is bytes, because then too few of them are left.

use std::borrow::Cow;
use std::ptr;

use serde_core::de::Expected;

use super::MAX_DEPTH;
use super::error::Raised;
use super::mismatch::{article, wrong};
use super::shape::{Event, FoundType};
use super::trace::{Identifier, TypeTrace};
use crate::Value;
use crate::value::{narrow_float, parse_float, write_index, write_key};

/// The values of a variant.
pub(super) enum VariantContent<'a> {
    /// The next values in bytes.
    Next,
    /// Made-up ones.
    Made,
    /// A tree: the name, and the values if there are any.
    Tree(&'a Value, Option<&'a Value>),
}

/// The next value, if it is not in bytes.
pub(super) enum Other<'o, 'a> {
    Tree(&'a Value),
    Made(&'o mut TypeTrace),
}

/// Input other than bytes.
pub(super) struct InputOrigin<'a> {
    pub(super) source: OriginSource<'a>,
    /// The number of elements that lists may still make room for ahead: one for each byte, because each element takes
    /// one.
    pub(super) spare: usize,
    /// True for a key, which formats may have made a text.
    pub(super) in_key: bool,
    /// True if a row is longer than its window.
    pub(super) is_cut: bool,
    /// The levels of the current value of a tree.
    depth: u32,
    /// The way to it.
    path: Steps<'a>,
}

/// A list of steps. The first few of them take no memory on the heap, because most values have no more levels.
struct Steps<'a> {
    first: [OriginStep<'a>; 4],
    more: Vec<OriginStep<'a>>,
    len: usize,
}

impl<'a> Steps<'a> {
    #[inline]
    fn push(&mut self, step: OriginStep<'a>) {
        match self.first.get_mut(self.len) {
            Some(place) => *place = step,
            None => self.more.push(step),
        }
        self.len += 1;
    }

    #[inline]
    fn truncate(&mut self, len: usize) {
        if self.len > self.first.len() {
            self.more.truncate(len.saturating_sub(self.first.len()));
        }
        self.len = self.len.min(len);
    }

    fn iter(&self) -> impl Iterator<Item = OriginStep<'a>> {
        let all = self.first.iter().chain(&self.more);
        all.take(self.len).copied()
    }
}

pub(super) enum OriginSource<'a> {
    Bytes,
    /// The next value of a tree; `None` when it was read.
    Tree(Option<&'a Value>),
    /// Values that are made up.
    Trace(&'a mut TypeTrace),
}

#[derive(Clone, Copy)]
pub(super) enum OriginStep<'a> {
    Index(usize),
    Key(&'a Value),
}

/// A value of a tree, to return to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    depth: u32,
    steps: usize,
}

impl<'a> InputOrigin<'a> {
    pub(super) fn new(source: OriginSource<'a>, spare: usize) -> Self {
        Self {
            source,
            spare,
            in_key: false,
            is_cut: false,
            depth: 0,
            path: Steps {
                first: [OriginStep::Index(0); 4],
                more: Vec::new(),
                len: 0,
            },
        }
    }

    /// Returns the way to the current value.
    pub(super) fn path(&self) -> String {
        let mut path = String::new();
        for step in self.path.iter() {
            match step {
                OriginStep::Index(index) => write_index(&mut path, index),
                OriginStep::Key(key) => write_key(&mut path, key),
            }
        }
        // The first key follows no separator.
        if path.starts_with('.') {
            path.remove(0);
        }
        path
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            depth: self.depth,
            steps: self.path.len,
        }
    }

    /// Returns to a value, even if an error was ignored since.
    #[inline]
    pub(super) fn back_to(&mut self, mark: Mark) {
        self.depth = mark.depth;
        self.path.truncate(mark.steps);
    }

    /// Makes a part of the value at the mark the next value. It is a level.
    #[inline]
    pub(super) fn step_into(
        &mut self,
        mark: Mark,
        value: &'a Value,
        step: OriginStep<'a>,
    ) -> Result<(), Raised> {
        self.back_to(mark);
        self.path.push(step);
        self.source = OriginSource::Tree(Some(value));
        if self.depth == MAX_DEPTH {
            return Err(Raised::too_deep(MAX_DEPTH));
        }
        self.depth += 1;
        Ok(())
    }

    /// Returns the next value of a tree.
    pub(super) fn other(&mut self) -> Result<Other<'_, 'a>, Raised> {
        match &mut self.source {
            OriginSource::Bytes => Err(Raised::end()),
            OriginSource::Tree(value) => match value.take() {
                Some(value) => Ok(Other::Tree(value)),
                None => Err(Raised::new("a value is read twice")),
            },
            OriginSource::Trace(trace) => Ok(Other::Made(trace)),
        }
    }

    /// Notes the request, if values are made up.
    #[cold]
    #[inline(never)]
    pub(super) fn note(&mut self, event: Event) {
        if let OriginSource::Trace(trace) = &mut self.source {
            trace.note(event);
        }
    }

    #[cold]
    pub(super) fn int(&mut self, name: &'static str, min: i128, max: i128) -> Result<i128, Raised> {
        if let OriginSource::Tree(value) = &mut self.source
            && let Some(Value::Int(int)) = value
            && (min..=max).contains(int)
        {
            let int = *int;
            *value = None;
            return Ok(int);
        }
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made(trace) => return trace.plain(name).int(name, min, max),
        };
        let int = match value {
            Value::Int(int) => *int,
            Value::String(text) => match self.parse_int(text) {
                Some(int) => int,
                None => return Err(wrong(value, &name)),
            },
            _ => return Err(wrong(value, &name)),
        };
        if int < min || int > max {
            return Err(Raised::new(format_args!(
                "{int} is out of range for {} {name}",
                article(name)
            )));
        }
        Ok(int)
    }

    #[cold]
    pub(super) fn u128(&mut self) -> Result<u128, Raised> {
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made(trace) => return trace.plain("u128").u128(),
        };
        let int = match value {
            Value::Int(int) => u128::try_from(*int).ok(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        int.ok_or_else(|| wrong(value, &"u128"))
    }

    /// Parses an integer that a format has made a text: a key, or one of more than 64 bits.
    fn parse_int(&self, text: &str) -> Option<i128> {
        if self.in_key
            && let Ok(int) = text.parse::<i64>()
        {
            return Some(int.into());
        }
        let int = text.parse().ok()?;
        let is_large = i64::try_from(int).is_err() && u64::try_from(int).is_err();
        (self.in_key || is_large).then_some(int)
    }

    #[cold]
    pub(super) fn f32(&mut self) -> Result<f32, Raised> {
        let float = self.float("f32")?;
        narrow_float(float)
            .ok_or_else(|| Raised::new(format_args!("{float:?} is out of range for an f32")))
    }

    #[cold]
    pub(super) fn f64(&mut self) -> Result<f64, Raised> {
        self.float("f64")
    }

    fn float(&mut self, name: &'static str) -> Result<f64, Raised> {
        if let OriginSource::Tree(value) = &mut self.source
            && let Some(Value::Float(float)) = value
        {
            let float = *float;
            *value = None;
            return Ok(float);
        }
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made(trace) => return trace.plain(name).float(name),
        };
        let float = match value {
            Value::Float(float) => Some(*float),
            Value::Int(int) => Some(*int as f64),
            Value::String(text) => match text.as_str() {
                // In the form that people write.
                "NaN" => Some(f64::NAN),
                "inf" => Some(f64::INFINITY),
                "-inf" => Some(f64::NEG_INFINITY),
                text if self.in_key => text.parse().ok(),
                text => parse_float(text),
            },
            _ => None,
        };
        float.ok_or_else(|| wrong(value, &"a float"))
    }

    #[cold]
    pub(super) fn bool(&mut self) -> Result<bool, Raised> {
        let in_key = self.in_key;
        match self.other()? {
            Other::Made(trace) => trace.plain("bool").bool(),
            Other::Tree(Value::Bool(false)) => Ok(false),
            Other::Tree(Value::Bool(true)) => Ok(true),
            Other::Tree(Value::String(text)) if in_key && text == "true" => Ok(true),
            Other::Tree(Value::String(text)) if in_key && text == "false" => Ok(false),
            Other::Tree(value) => Err(wrong(value, &"a bool")),
        }
    }

    #[cold]
    pub(super) fn char(&mut self) -> Result<char, Raised> {
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made(trace) => return trace.plain("char").char(),
        };
        let mut chars = value.as_str().unwrap_or("").chars();
        match (chars.next(), chars.next()) {
            (Some(char), None) => Ok(char),
            _ => Err(wrong(value, &"a char")),
        }
    }

    #[cold]
    pub(super) fn str(&mut self) -> Result<Cow<'a, str>, Raised> {
        match self.other()? {
            Other::Tree(Value::String(text)) => Ok(Cow::Borrowed(text)),
            Other::Tree(Value::Entity(entity)) => Ok(Cow::Owned(entity.to_string())),
            // A text that looks like one of these floats.
            Other::Tree(value @ Value::Float(float)) if !float.is_finite() => {
                Ok(Cow::Owned(value.float_text().unwrap_or_default()))
            }
            Other::Tree(value) => Err(wrong(value, &"a string")),
            Other::Made(trace) => trace.plain("str").text().map(Cow::Owned),
        }
    }

    #[cold]
    pub(super) fn bytes(&mut self) -> Result<Cow<'a, [u8]>, Raised> {
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made(trace) => return trace.plain("bytes").bytes().map(Cow::Owned),
        };
        let bytes = match value {
            Value::Bytes(bytes) => Some(Cow::Borrowed(bytes.as_slice())),
            Value::String(text) => Some(Cow::Borrowed(text.as_bytes())),
            // In the form of formats without bytes.
            Value::List(values) => {
                let byte = |value: &Value| u8::try_from(value.as_int()?).ok();
                values
                    .iter()
                    .map(byte)
                    .collect::<Option<Vec<u8>>>()
                    .map(Cow::Owned)
            }
            _ => None,
        };
        bytes.ok_or_else(|| wrong(value, &"bytes"))
    }

    /// Reads whether an option has a value, which then comes next.
    #[cold]
    pub(super) fn option(&mut self, made: usize) -> Result<bool, Raised> {
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made(trace) => return trace.option(made),
        };
        match (value.option(), value) {
            (None, _) => return Ok(false),
            (Some(inner), Value::Map(entries)) if !ptr::eq(inner, value) => {
                self.step_into(self.mark(), inner, OriginStep::Key(&entries[0].0))?;
            }
            (Some(_), _) => self.source = OriginSource::Tree(Some(value)),
        }
        Ok(true)
    }

    /// Returns the elements of a list.
    #[cold]
    pub(super) fn list(&mut self, expected: &dyn Expected) -> Result<&'a [Value], Raised> {
        match self.other()? {
            Other::Tree(Value::List(values)) => Ok(values),
            Other::Tree(value) => Err(wrong(value, expected)),
            Other::Made(_) => Ok(&[]),
        }
    }

    /// Returns the fields of a struct.
    #[cold]
    pub(super) fn fields(
        &mut self,
        expected: &dyn Expected,
    ) -> Result<&'a [(Value, Value)], Raised> {
        match self.other()? {
            Other::Tree(Value::Map(entries)) => Ok(entries),
            Other::Tree(value) => Err(wrong(value, expected)),
            Other::Made(_) => Ok(&[]),
        }
    }

    /// Notes a list or a map if its values are made up, and returns how many it has.
    #[cold]
    #[inline(never)]
    pub(super) fn made_list(
        &mut self,
        made: usize,
        event: fn(usize) -> Event,
    ) -> Result<usize, Raised> {
        match &mut self.source {
            OriginSource::Trace(trace) => trace.list(made, event),
            _ => Ok(0),
        }
    }

    /// Ends an element of a list.
    #[cold]
    #[inline(never)]
    pub(super) fn end_element(&mut self) -> Result<(), Raised> {
        match &mut self.source {
            OriginSource::Trace(trace) => trace.end_element(),
            _ => Ok(()),
        }
    }

    /// Notes the fields of a type if its values are made up, and whether nothing is around it.
    #[cold]
    #[inline(never)]
    pub(super) fn note_fields(
        &mut self,
        ty: FoundType,
        fields: &'static [&'static str],
        is_outermost: bool,
    ) {
        if let OriginSource::Trace(trace) = &mut self.source {
            trace.note(Event::Struct(ty, fields));
            if is_outermost {
                trace.note_fields(fields);
            }
        }
    }

    /// Reads the index of a variant, or the name of a variant or a field.
    #[cold]
    pub(super) fn identifier(&mut self, visitor: &'static str) -> Result<Identifier<'a>, Raised> {
        if let OriginSource::Tree(value) = &mut self.source
            && let Some(Value::String(name)) = *value
        {
            *value = None;
            return Ok(Identifier::Name(Cow::Borrowed(name)));
        }
        match &mut self.source {
            OriginSource::Trace(trace) => trace.identify(visitor, self.in_key),
            _ => self.str().map(Identifier::Name),
        }
    }

    /// Reads the index of a variant.
    #[cold]
    pub(super) fn variant(
        &mut self,
        ty: FoundType,
        variants: &'static [&'static str],
    ) -> Result<VariantContent<'a>, Raised> {
        if let OriginSource::Trace(trace) = &mut self.source {
            trace.choose(ty, variants)?;
            return Ok(VariantContent::Made);
        }
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made(_) => return Ok(VariantContent::Made),
        };
        match value {
            Value::String(_) => Ok(VariantContent::Tree(value, None)),
            Value::Map(entries) if entries.len() == 1 => {
                Ok(VariantContent::Tree(&entries[0].0, Some(&entries[0].1)))
            }
            _ => {
                let name = variants.first().copied().unwrap_or("Name");
                Err(Raised::new(format_args!(
                    "{}; help: write a variant as `\"{name}\"`, with values as `{{\"{name}\": ..}}`",
                    wrong(value, &"a variant").take().message()
                )))
            }
        }
    }

    /// Makes the values of a variant the next value.
    #[cold]
    pub(super) fn enter_variant(
        &mut self,
        name: &'a Value,
        content: Option<&'a Value>,
    ) -> Result<(), Raised> {
        match content {
            Some(content) => self.step_into(self.mark(), content, OriginStep::Key(name)),
            None => Err(Raised::new(format_args!(
                "the variant {name} has values, which are missing; help: write a map, such as {{{name}: 1.5}}"
            ))),
        }
    }

    /// Ends a variant.
    pub(super) fn leave_variant(&mut self) {
        if let OriginSource::Trace(trace) = &mut self.source {
            trace.complete();
        }
    }

    /// Returns the next value of a tree, or the error for a type that looks at other data.
    #[cold]
    pub(super) fn any(&mut self) -> Result<&'a Value, Raised> {
        match &mut self.source {
            OriginSource::Tree(Some(value)) => Ok(value),
            OriginSource::Tree(None) => Err(Raised::new("a value is read twice")),
            OriginSource::Trace(trace) => Err(trace.names()),
            OriginSource::Bytes => Err(Raised::names()),
        }
    }

    /// Returns the number of a made-up value for a type that looks at other data, if values are made up for it.
    #[cold]
    pub(super) fn made_any(&mut self) -> Result<Option<usize>, Raised> {
        match &mut self.source {
            OriginSource::Trace(trace) => trace.any().map(Some),
            OriginSource::Tree(_) | OriginSource::Bytes => Ok(None),
        }
    }

    #[cold]
    pub(super) fn unit(&mut self) -> Result<(), Raised> {
        match self.other()? {
            Other::Made(trace) => {
                trace.plain("unit");
                Ok(())
            }
            Other::Tree(Value::Null) => Ok(()),
            Other::Tree(value) => Err(wrong(value, &"null")),
        }
    }
}
