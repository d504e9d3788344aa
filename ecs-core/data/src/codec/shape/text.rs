//! Writes shapes, and reads them from files that may be damaged or malicious.

use super::{NamedShape, ShapeBody, ShapeFields, ShapeNode, ValueShape};
use crate::codec::MAX_DEPTH;

/// Characters with a meaning; names have a backslash before them.
const SPECIAL: &[char] = &[
    '{', '}', '<', '>', '(', ')', '[', ']', ':', ',', '|', '=', '@', '#', '?', '\\',
];

impl ValueShape {
    pub(super) fn to_text(&self) -> String {
        let mut writer = ShapeWriter {
            shape: self,
            numbers: vec![None; self.named.len()],
            next: 0,
            text: String::new(),
        };
        writer.node(&self.root);
        writer.text
    }

    /// Reads a shape; `None` if the text is not one.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        let mut reader = ShapeReader {
            rest: text,
            named: Vec::new(),
            depth: 0,
        };
        let root = reader.node()?;
        let is_whole = reader.rest.is_empty();
        let named = reader.named;
        is_whole.then_some(Self { root, named })
    }
}

struct ShapeWriter<'a> {
    shape: &'a ValueShape,
    /// The numbers of the written types.
    numbers: Vec<Option<usize>>,
    next: usize,
    text: String,
}

impl ShapeWriter<'_> {
    fn node(&mut self, node: &ShapeNode) {
        match node {
            ShapeNode::Unknown => self.text.push('_'),
            ShapeNode::Plain(kind) => self.text.push_str(kind),
            ShapeNode::Option(value) => {
                self.text.push('?');
                self.node(value);
            }
            ShapeNode::List(element) => {
                self.text.push('[');
                self.node(element);
                self.text.push(']');
            }
            ShapeNode::Map(entry) => {
                self.text.push('{');
                self.node(&entry[0]);
                self.text.push('=');
                self.node(&entry[1]);
                self.text.push('}');
            }
            ShapeNode::Tuple(values) => self.tuple(values),
            ShapeNode::Named(position) => self.named(*position),
        }
    }

    fn named(&mut self, position: usize) {
        if let Some(number) = self.numbers[position] {
            self.text.push_str(&format!("#{number}"));
            return;
        }
        self.numbers[position] = Some(self.next);
        self.next += 1;
        let NamedShape { name, body } = &self.shape.named[position];
        if let ShapeBody::Tuple(_) | ShapeBody::Unknown | ShapeBody::Unit = body {
            self.text.push('@');
            self.name(name);
        }
        self.body(body);
    }

    fn body(&mut self, body: &ShapeBody) {
        match body {
            ShapeBody::Unknown => self.text.push('?'),
            ShapeBody::Unit => {}
            ShapeBody::Tuple(values) => self.tuple(values),
            ShapeBody::Struct(fields) => self.fields(fields),
            ShapeBody::Enum(names, variants) => {
                self.text.push('<');
                // Aliases come before the first.
                let mut names = names.iter();
                let aliases = names.len().saturating_sub(variants.len());
                for (number, variant) in variants.iter().enumerate() {
                    let more = if number == 0 { aliases } else { 0 };
                    self.names(number, &mut names, more);
                    self.body(variant);
                }
                self.text.push('>');
            }
        }
    }

    fn tuple(&mut self, values: &[ShapeNode]) {
        self.text.push('(');
        for (number, value) in values.iter().enumerate() {
            self.comma(number);
            self.node(value);
        }
        self.text.push(')');
    }

    fn fields(&mut self, fields: &ShapeFields) {
        self.text.push('{');
        let count = match fields.is_complete {
            true => fields.values.len(),
            false => fields.names.len().max(fields.values.len()),
        };
        let mut names = fields.names.iter();
        let aliases = names.len().saturating_sub(count);
        for number in 0..count {
            let more = if number == 0 { aliases } else { 0 };
            self.names(number, &mut names, more);
            self.text.push(':');
            self.node(fields.values.get(number).unwrap_or(&ShapeNode::Unknown));
        }
        self.text.push('}');
    }

    /// Writes the next name, and this many more.
    fn names<'n>(
        &mut self,
        number: usize,
        names: &mut impl Iterator<Item = &'n String>,
        more: usize,
    ) {
        self.comma(number);
        for (position, name) in names.take(more + 1).enumerate() {
            if position > 0 {
                self.text.push('|');
            }
            self.name(name);
        }
    }

    fn comma(&mut self, number: usize) {
        if number > 0 {
            self.text.push(',');
        }
    }

    fn name(&mut self, name: &str) {
        for char in name.chars() {
            if SPECIAL.contains(&char) {
                self.text.push('\\');
            }
            self.text.push(char);
        }
    }
}

struct ShapeReader<'a> {
    rest: &'a str,
    named: Vec<NamedShape>,
    depth: u32,
}

impl ShapeReader<'_> {
    fn take(&mut self, char: char) -> bool {
        match self.rest.strip_prefix(char) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn need(&mut self, char: char) -> Option<()> {
        self.take(char).then_some(())
    }

    fn node(&mut self) -> Option<ShapeNode> {
        if self.depth == 2 * MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let node = self.value();
        self.depth -= 1;
        node
    }

    fn value(&mut self) -> Option<ShapeNode> {
        if self.take('_') {
            return Some(ShapeNode::Unknown);
        }
        if self.take('?') {
            return Some(ShapeNode::Option(Box::new(self.node()?)));
        }
        if self.take('[') {
            let element = self.node()?;
            self.need(']')?;
            return Some(ShapeNode::List(Box::new(element)));
        }
        if self.take('#') {
            let digits = self.rest.find(|char: char| !char.is_ascii_digit());
            let (number, rest) = self.rest.split_at(digits.unwrap_or(self.rest.len()));
            self.rest = rest;
            let number: usize = number.parse().ok()?;
            return (number < self.named.len()).then_some(ShapeNode::Named(number));
        }
        if self.take('@') {
            let name = self.name_before()?;
            let position = self.begin(name);
            self.named[position].body = match self.rest.chars().next() {
                Some('(') => {
                    self.need('(')?;
                    ShapeBody::Tuple(self.tuple()?)
                }
                Some('?') => {
                    self.need('?')?;
                    ShapeBody::Unknown
                }
                _ => ShapeBody::Unit,
            };
            return Some(ShapeNode::Named(position));
        }
        if self.take('(') {
            return Some(ShapeNode::Tuple(self.tuple()?));
        }
        if self.take('<') {
            let position = self.begin(String::new());
            self.named[position].body = self.variants()?;
            return Some(ShapeNode::Named(position));
        }
        if self.take('{') {
            return self.map_or_struct();
        }
        let end = self.rest.find(|char| SPECIAL.contains(&char));
        let (kind, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        if kind.is_empty() {
            return None;
        }
        self.rest = rest;
        Some(ShapeNode::Plain(kind.to_owned()))
    }

    /// Begins a type, so that it has its number.
    fn begin(&mut self, name: String) -> usize {
        self.named.push(NamedShape {
            name,
            body: ShapeBody::Unknown,
        });
        self.named.len() - 1
    }

    fn map_or_struct(&mut self) -> Option<ShapeNode> {
        // A field begins with its name and a colon.
        let before = self.rest;
        let is_struct = self.take('}') || (self.names().is_some() && self.take(':'));
        self.rest = before;
        if is_struct {
            let position = self.begin(String::new());
            self.named[position].body = ShapeBody::Struct(self.fields()?);
            return Some(ShapeNode::Named(position));
        }
        let key = self.node()?;
        self.need('=')?;
        let value = self.node()?;
        self.need('}')?;
        Some(ShapeNode::Map(Box::new([key, value])))
    }

    /// Reads values up to the end of a tuple.
    fn tuple(&mut self) -> Option<Vec<ShapeNode>> {
        let mut values = Vec::new();
        while !self.take(')') {
            if !values.is_empty() {
                self.need(',')?;
            }
            values.push(self.node()?);
        }
        Some(values)
    }

    /// Reads fields up to their end.
    fn fields(&mut self) -> Option<ShapeFields> {
        let mut fields = ShapeFields {
            is_complete: true,
            ..ShapeFields::default()
        };
        while !self.take('}') {
            if !fields.values.is_empty() {
                self.need(',')?;
            }
            fields.names.extend(self.names()?);
            self.need(':')?;
            fields.values.push(self.node()?);
        }
        Some(fields)
    }

    /// Reads variants up to their end.
    fn variants(&mut self) -> Option<ShapeBody> {
        let (mut names, mut variants) = (Vec::new(), Vec::new());
        while !self.take('>') {
            if !variants.is_empty() {
                self.need(',')?;
            }
            names.extend(self.names()?);
            variants.push(if self.take('(') {
                ShapeBody::Tuple(self.tuple()?)
            } else if self.take('{') {
                ShapeBody::Struct(self.fields()?)
            } else if self.take('?') {
                ShapeBody::Unknown
            } else {
                ShapeBody::Unit
            });
        }
        Some(ShapeBody::Enum(names, variants))
    }

    fn names(&mut self) -> Option<Vec<String>> {
        let mut names = vec![self.name_before()?];
        while self.take('|') {
            names.push(self.name_before()?);
        }
        Some(names)
    }

    /// Reads a name up to the next character with a meaning.
    fn name_before(&mut self) -> Option<String> {
        let mut name = String::new();
        let mut chars = self.rest.chars();
        while let Some(char) = chars.clone().next() {
            if char == '\\' {
                chars.next();
                name.push(chars.next()?);
            } else if SPECIAL.contains(&char) {
                break;
            } else {
                name.extend(chars.next());
            }
        }
        self.rest = chars.as_str();
        Some(name)
    }
}
