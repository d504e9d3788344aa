//! The type of a field, and the values that can be compared with it.

use std::ops::Range;

use ecs_engine::Entity;
use ecs_engine::dynamic::FieldKind;

use super::ast::{Literal, Operator};
use super::error::TextProblem;
use crate::codec::{Schema, SchemaKind, SchemaNode, SchemaPart};
use crate::value::PathStep;

/// The type of a field, which tells its values apart without a look at one.
pub(super) struct ComparedType {
    /// The field and its type, in the words of messages: "field `now` of `game.health` is of type `u8`".
    shown: String,
    /// True if the field may be `none`.
    has_none: bool,
    kind: ComparedKind,
}

/// The values in a text that a field can be compared with.
enum ComparedKind {
    Nothing,
    Bool,
    Number,
    Text,
    Entity,
    /// Texts that are the names of these variants; beside each variant with values, the path of one of them.
    Variant(Vec<(String, Option<String>)>),
    /// Nothing, since the field has parts, which are compared instead. It is the advice.
    Parts(String),
}

/// A part in the schema of a component.
struct TypedPart<'a> {
    /// The path to it.
    path: String,
    node: SchemaNode<'a>,
}

/// A path leads out of a type; this is the advice.
pub(super) struct NoSuchPart(pub(super) String);

impl ComparedType {
    /// The type of a field of a component that is defined at run time.
    pub(super) fn of_kind(kind: FieldKind, owner: &str) -> Self {
        Self {
            shown: format!("{owner} is of type `{kind}`"),
            has_none: kind == FieldKind::Entity,
            kind: match kind {
                FieldKind::Bool => ComparedKind::Bool,
                FieldKind::Char | FieldKind::String => ComparedKind::Text,
                FieldKind::Entity => ComparedKind::Entity,
                _ => ComparedKind::Number,
            },
        }
    }

    /// Follows a path in a schema; `None` if the type of the part at its end is not known. `field` is the path as text, and `name` the
    /// whole text of component and field.
    ///
    /// # Errors
    /// If no value of the type has such a part.
    pub(super) fn of_schema(
        schema: &Schema,
        steps: &[PathStep],
        owner: &str,
        name: &str,
    ) -> Result<Option<Self>, NoSuchPart> {
        let mut part = TypedPart {
            path: String::new(),
            node: schema.root(),
        };
        for step in steps {
            match part.after(step)? {
                Some(next) => part = next,
                None => return Ok(None),
            }
        }
        let (node, options) = part.value();
        // The content of nested options may be a map in a tree.
        let known = ComparedKind::of(node, name).filter(|_| options <= 1);
        Ok(known.map(|kind| Self {
            shown: format!("{owner} is {}", shown(part.node)),
            has_none: options > 0,
            kind,
        }))
    }

    /// Checks that a field of the type may be met by the comparison.
    ///
    /// # Errors
    /// If no value meets it, whatever it is.
    pub(super) fn check(
        &self,
        (operator, operator_at): (Operator, &Range<usize>),
        (value, value_at): (&Literal, &Range<usize>),
    ) -> Result<(), TextProblem> {
        let shown = &self.shown;
        if !self.is_comparable(operator, value) {
            return Err(TextProblem::new(
                value_at.clone(),
                format!("{shown}, and is never `{value}`"),
                self.help(value),
            ));
        }
        if operator == Operator::Contains && !self.kind.is_text() {
            return Err(TextProblem::new(
                operator_at.clone(),
                format!("{shown}, and `~` looks for a part of a text"),
                "compare it with `==` or `!=`",
            ));
        }
        if operator.is_order() && (!self.kind.has_order() || *value == Literal::None) {
            return Err(TextProblem::new(
                operator_at.clone(),
                match value {
                    Literal::None => "`none` has no order".to_owned(),
                    _ => format!("{shown}, whose values have no order"),
                },
                "compare them with `==` or `!=`",
            ));
        }
        Ok(())
    }

    fn is_comparable(&self, operator: Operator, value: &Literal) -> bool {
        match (&self.kind, value) {
            (_, Literal::None) => self.has_none || matches!(self.kind, ComparedKind::Nothing),
            (ComparedKind::Bool, value) => matches!(value, Literal::Bool(_)),
            (ComparedKind::Number, value) => {
                matches!(
                    value,
                    Literal::Integer(_) | Literal::Huge(_) | Literal::Float(_)
                )
            }
            (ComparedKind::Text, value) => matches!(value, Literal::Text(_)),
            (ComparedKind::Entity, Literal::Text(text)) => text.parse::<Entity>().is_ok(),
            (ComparedKind::Entity, value) => matches!(value, Literal::Entity(_)),
            (ComparedKind::Variant(variants), Literal::Text(text)) => {
                let mut named = variants.iter().filter(|(_, content)| content.is_none());
                let is_part = operator.is_order() || operator == Operator::Contains;
                named.any(|(name, _)| is_part || name == text)
            }
            (ComparedKind::Nothing | ComparedKind::Variant(_) | ComparedKind::Parts(_), _) => false,
        }
    }

    /// Returns the advice for a value that the field never has.
    fn help(&self, value: &Literal) -> String {
        let kind = match &self.kind {
            ComparedKind::Parts(advice) => return advice.clone(),
            ComparedKind::Variant(variants) => {
                let text = match value {
                    Literal::Text(text) => text.as_str(),
                    _ => "",
                };
                let meant = variants.iter().find(|(name, _)| name == text);
                if let Some(path) = meant.and_then(|(_, content)| content.as_ref()) {
                    return format!("the variant has values: compare one, such as `{path}`");
                }
                let named = variants.iter().filter(|(_, content)| content.is_none());
                let mut names: Vec<String> = named.map(|(name, _)| format!("`{name:?}`")).collect();
                if names.is_empty()
                    && let Some((_, Some(path))) = variants.first()
                {
                    return format!("compare a value of a variant, such as `{path}`");
                }
                if self.has_none {
                    names.push("`none`".to_owned());
                }
                return format!("compare it with {}", list(&names));
            }
            ComparedKind::Nothing => "`none`",
            ComparedKind::Bool if self.has_none => "`true`, `false`, or `none`",
            ComparedKind::Bool => "`true` or `false`",
            ComparedKind::Number => "a number",
            ComparedKind::Text => "a text in quotes",
            ComparedKind::Entity => "an entity such as `3v1`",
        };
        let needs_none = self.has_none && !kind.ends_with("`none`");
        let none = if needs_none { ", or `none`" } else { "" };
        format!("compare it with {kind}{none}")
    }
}

impl ComparedKind {
    /// Returns the kind of the values of a node; `None` if it is not known. `name` is the text of the field with its component.
    fn of(node: SchemaNode<'_>, name: &str) -> Option<Self> {
        Some(match node.kind() {
            SchemaKind::Unknown | SchemaKind::Option(_) => return None,
            SchemaKind::Unit => Self::Nothing,
            SchemaKind::Entity => Self::Entity,
            SchemaKind::Plain(kind) => match kind {
                "bool" => Self::Bool,
                "char" | "str" => Self::Text,
                "bytes" => Self::Parts("ask for the component alone".to_owned()),
                _ => Self::Number,
            },
            SchemaKind::List(_) => Self::Parts(format!("compare an element, such as `{name}[0]`")),
            SchemaKind::Tuple(values) if values.is_empty() => {
                Self::Parts("ask for the component alone".to_owned())
            }
            SchemaKind::Tuple(_) => Self::Parts(format!("compare a value, such as `{name}[0]`")),
            SchemaKind::Map(..) => Self::Parts(format!(
                "compare the value of a key, such as `{name}[\"key\"]`"
            )),
            SchemaKind::Struct(_) => Self::Parts(match content(node, name) {
                path if path == name => "ask for the component alone".to_owned(),
                path => format!("compare a field, such as `{path}`"),
            }),
            SchemaKind::Enum(variants) => {
                let mut known = Vec::new();
                for variant in variants {
                    let (name_of, value) = (variant.name(), variant.value());
                    if name_of.is_empty() {
                        return None;
                    }
                    let path = || content(value, &format!("{name}.{name_of}"));
                    known.push((name_of.to_owned(), (!value.is_bare_variant()).then(path)));
                }
                Self::Variant(known)
            }
        })
    }

    fn is_text(&self) -> bool {
        matches!(self, Self::Text | Self::Variant(_))
    }

    fn has_order(&self) -> bool {
        !matches!(self, Self::Bool | Self::Entity | Self::Nothing)
    }
}

impl<'a> TypedPart<'a> {
    /// Returns the value inside of options, and their number.
    fn value(&self) -> (SchemaNode<'a>, usize) {
        let (mut node, mut options) = (self.node, 0);
        while let SchemaKind::Option(inner) = node.kind() {
            node = inner;
            options += 1;
        }
        (node, options)
    }

    /// Returns the part after a step; `None` if its type is not known.
    fn after(&self, step: &PathStep) -> Result<Option<Self>, NoSuchPart> {
        let path = &*self.path;
        let here = match path {
            "" => "it".to_owned(),
            path => format!("`{path}`"),
        };
        let (node, options) = self.value();
        // The content of nested options may be a map in a tree.
        if options > 1 {
            return Ok(None);
        }
        let named = |parts: &[SchemaPart<'a>], what: &str| {
            // Not all of its names are known.
            if parts.iter().any(|part| part.name().is_empty()) {
                return Ok(None);
            }
            let part = parts.iter().find(|part| step.is_name(part.name()));
            part.cloned().map(Some).ok_or_else(|| {
                let names = parts.iter().map(|part| format!("`{}`", part.name()));
                let names: Vec<String> = names.collect();
                NoSuchPart(match names.is_empty() {
                    true => format!("{here} has no {what}"),
                    false => format!("the {what} of {here} are {}", names.join(", ")),
                })
            })
        };
        let next = match (node.kind(), step) {
            (SchemaKind::Unknown, _) => None,
            (SchemaKind::Map(key, value), _) => {
                let help = match (key.kind(), step.index()) {
                    (SchemaKind::Plain("str" | "char"), Some(index)) => {
                        format!("{here} is a map by texts: `{path}[\"{index}\"]`")
                    }
                    (SchemaKind::Plain("u8" | "u16" | "u32" | "u64"), None)
                    | (SchemaKind::Plain("i8" | "i16" | "i32" | "i64"), None) => {
                        format!("{here} is a map by numbers: `{path}[0]`")
                    }
                    (SchemaKind::Plain("bool"), _) => {
                        format!("{here} is a map by `bool`, and a path has no such keys")
                    }
                    _ => return Ok(Some(self.with(step, value))),
                };
                return Err(NoSuchPart(help));
            }
            (SchemaKind::List(element), PathStep::Index(0..)) => Some(element),
            (SchemaKind::List(_), _) => {
                let help = format!("{here} is a list, with elements such as `{path}[0]`");
                return Err(NoSuchPart(help));
            }
            (SchemaKind::Tuple(values), step) => {
                let at = (0..).zip(&values).find(|(index, _)| step.is_index(*index));
                let Some((_, value)) = at else {
                    let paths = (0..values.len()).map(|index| format!("`{path}[{index}]`"));
                    let paths: Vec<String> = paths.collect();
                    return Err(NoSuchPart(format!("{here} is a tuple: {}", list(&paths))));
                };
                Some(*value)
            }
            (SchemaKind::Struct(parts), _) => named(&parts, "fields")?.map(|part| part.value()),
            (SchemaKind::Enum(variants), _) => match named(&variants, "variants")? {
                Some(variant) if variant.value().is_bare_variant() => {
                    let name = variant.name();
                    return Err(NoSuchPart(format!(
                        "the variant `{name}` has no values: compare the whole with `{name:?}`"
                    )));
                }
                variant => variant.map(|variant| variant.value()),
            },
            _ => {
                let help = format!("{here} is {}, and has no fields", shown(self.node));
                return Err(NoSuchPart(help));
            }
        };
        Ok(next.map(|node| self.with(step, node)))
    }

    /// Returns the part after a step, which is in a node.
    fn with(&self, step: &PathStep, node: SchemaNode<'a>) -> Self {
        let path = &*self.path;
        let path = match step {
            PathStep::Key(name) if path.is_empty() => name.clone(),
            PathStep::Key(name) => format!("{path}.{name}"),
            PathStep::Index(index) => format!("{path}[{index}]"),
        };
        Self { path, node }
    }
}

/// Returns the path of the first value without parts in a node at a path, where its place is in its type alone.
fn content(node: SchemaNode<'_>, path: &str) -> String {
    match node.kind() {
        SchemaKind::Struct(parts) => match parts.first() {
            Some(part) => format!("{path}.{}", part.name()),
            None => path.to_owned(),
        },
        SchemaKind::Tuple(values) if !values.is_empty() => format!("{path}[0]"),
        _ => path.to_owned(),
    }
}

/// Returns a type after "is".
fn shown(node: SchemaNode<'_>) -> String {
    fn name(node: SchemaNode<'_>) -> Option<String> {
        Some(match node.kind() {
            SchemaKind::Plain("str") => "String".to_owned(),
            SchemaKind::Plain(kind) => kind.to_owned(),
            SchemaKind::Entity => "Entity".to_owned(),
            SchemaKind::Unit => "()".to_owned(),
            SchemaKind::Option(inner) => format!("Option<{}>", name(inner)?),
            _ => return None,
        })
    }
    if let Some(name) = name(node) {
        return format!("of type `{name}`");
    }
    match node.kind() {
        SchemaKind::List(_) => "a list",
        SchemaKind::Map(..) => "a map",
        SchemaKind::Tuple(_) => "a tuple",
        SchemaKind::Struct(_) => "a struct",
        SchemaKind::Enum(_) => "an enum",
        SchemaKind::Option(inner) => return format!("{}, or `none`", shown(inner)),
        _ => "not known",
    }
    .to_owned()
}

/// Returns "a, b, or c".
fn list(items: &[String]) -> String {
    match items {
        [first, second] => format!("{first} or {second}"),
        [items @ .., last] if !items.is_empty() => format!("{}, or {last}", items.join(", ")),
        items => items.concat(),
    }
}
