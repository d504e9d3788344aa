//! Paths in trees, such as `items[3].name`.

use super::Value;
use super::text::is_same_text;

impl Value {
    /// Returns the value at a path: keys of maps after `.`, positions in lists in brackets.
    ///
    /// Variants are keys too. A key with other characters than letters, digits, `_` and `-` can be in brackets and quotes, and an
    /// integer key in brackets. The empty path is the value itself.
    ///
    /// ```
    /// use ecs_core::data::Value;
    ///
    /// let value: Value = serde_json::from_str(r#"{ "items": [{ "name": "sword", "a.b": 1 }] }"#)?;
    /// assert_eq!(value.get("items[0].name"), Some(&Value::from("sword")));
    /// assert_eq!(value.get(r#".items[0]["a.b"]"#), Some(&Value::from(1)));
    /// assert_eq!(value.get("items[1]"), None);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Value> {
        let mut value = self;
        for step in steps(path) {
            value = value.child(&step?)?;
        }
        Some(value)
    }

    /// Returns the value at a path that was read before.
    pub(crate) fn at(&self, path: &[PathStep]) -> Option<&Value> {
        path.iter().try_fold(self, Value::child)
    }

    /// Returns the value that a step leads to.
    fn child(&self, step: &PathStep) -> Option<&Value> {
        match (step, self) {
            (PathStep::Index(index), Value::List(values)) => {
                values.get(usize::try_from(*index).ok()?)
            }
            (step, Value::Map(entries)) => {
                let mut entries = entries.iter();
                let entry = entries.find(|(key, _)| step.is(key))?;
                Some(&entry.1)
            }
            _ => None,
        }
    }

    /// Returns the value at a path to change it; see [`get`](Self::get).
    ///
    /// ```
    /// use ecs_core::data::Value;
    ///
    /// let mut value: Value = [("x", 1.0), ("y", 2.0)].into_iter().collect();
    /// *value.get_mut("y").unwrap() = 5.0.into();
    /// assert_eq!(value.to_string(), r#"{"x": 1.0, "y": 5.0}"#);
    /// ```
    pub fn get_mut(&mut self, path: &str) -> Option<&mut Value> {
        let mut value = self;
        for step in steps(path) {
            value = match (step?, value) {
                (PathStep::Index(index), Value::List(values)) => {
                    values.get_mut(usize::try_from(index).ok()?)?
                }
                (step, Value::Map(entries)) => {
                    &mut entries.iter_mut().find(|(key, _)| step.is(key))?.1
                }
                _ => return None,
            };
        }
        Some(value)
    }
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PathStep {
    /// To the value of a key.
    Key(String),
    /// To an element of a list, or to the value of a key that is a number.
    Index(i128),
}

/// Returns the steps of a path; `None` if it is not one, and so leads nowhere.
pub(crate) fn parse_path(path: &str) -> Option<Box<[PathStep]>> {
    steps(path).collect()
}

impl PathStep {
    fn is(&self, key: &Value) -> bool {
        match key {
            Value::String(key) => self.is_name(key),
            Value::Int(key) => self.is_index(*key),
            Value::Entity(key) => self.is_name(&key.to_string()),
            _ => false,
        }
    }

    /// Returns the key; `None` if it is a number.
    #[inline]
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Key(name) => Some(name),
            Self::Index(_) => None,
        }
    }

    /// Returns the number; `None` if it is a key.
    #[inline]
    pub(crate) fn index(&self) -> Option<i128> {
        match self {
            Self::Key(_) => None,
            Self::Index(index) => Some(*index),
        }
    }

    /// Returns the position in a list; `None` if it is a key.
    #[inline]
    pub(crate) fn position(&self) -> Option<usize> {
        self.index()?.try_into().ok()
    }

    #[inline]
    pub(crate) fn is_name(&self, key: &str) -> bool {
        self.name().is_some_and(|name| is_same_text(name, key))
    }

    #[inline]
    pub(crate) fn is_index(&self, key: i128) -> bool {
        self.index() == Some(key)
    }
}

/// Returns the steps of a path, and `None` at a mistake.
fn steps(path: &str) -> impl Iterator<Item = Option<PathStep>> {
    let mut rest = path;
    let mut first = true;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let step = step(&mut rest, first);
        first = false;
        if step.is_none() {
            rest = "";
        }
        Some(step)
    })
}

fn step(rest: &mut &str, first: bool) -> Option<PathStep> {
    if let Some(quoted) = rest.strip_prefix("[\"") {
        let mut name = String::new();
        let mut chars = quoted.chars();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => name.push(chars.next()?),
                char => name.push(char),
            }
        }
        *rest = chars.as_str().strip_prefix(']')?;
        return Some(PathStep::Key(name));
    }
    if let Some(inner) = rest.strip_prefix('[') {
        let (index, after) = inner.split_once(']')?;
        *rest = after;
        return index.parse().ok().map(PathStep::Index);
    }
    let name = match rest.strip_prefix('.') {
        Some(name) => name,
        None if first => rest,
        None => return None,
    };
    let end = name.find(['.', '[']).unwrap_or(name.len());
    let (name, after) = name.split_at(end);
    *rest = after;
    (!name.is_empty()).then(|| PathStep::Key(name.to_owned()))
}

/// Appends a step to an element of a list.
pub(crate) fn write_index(path: &mut String, index: usize) {
    path.push_str(&format!("[{index}]"));
}

/// Appends a step to the value of a key.
pub(crate) fn write_key(path: &mut String, key: &Value) {
    let name = match key {
        Value::String(name) => name,
        Value::Entity(entity) => &entity.to_string(),
        key => {
            path.push_str(&format!("[{key}]"));
            return;
        }
    };
    let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
    if !name.is_empty() && name.chars().all(is_plain) {
        path.push('.');
        path.push_str(name);
        return;
    }
    path.push_str("[\"");
    for char in name.chars() {
        if matches!(char, '"' | '\\') {
            path.push('\\');
        }
        path.push(char);
    }
    path.push_str("\"]");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_step_leads_to_its_key() {
        for key in ["x", "a.b", "", "a\"]\\", "[0]", "größe", "two words", "."] {
            let value = Value::from_iter([
                (Value::from("other"), Value::Null),
                (key.into(), Value::from_iter([1, 2])),
            ]);
            let mut path = String::new();
            write_key(&mut path, &key.into());
            write_index(&mut path, 1);
            assert_eq!(value.get(&path), Some(&Value::Int(2)), "{path}");
        }
        let value = Value::from_iter([(7, true)]);
        let mut path = String::new();
        write_key(&mut path, &7.into());
        assert_eq!(value.get(&path), Some(&Value::Bool(true)), "{path}");
    }

    #[test]
    fn what_is_not_a_path_leads_nowhere() {
        let mut value = Value::from_iter([("a", Value::from_iter([1, 2]))]);
        for path in [
            "b", "a.", "a..b", "a[", "a[2]", "a[-1]", "a[x]", "a[0]b", "[\"a", "[\"a\"", "a[0].x",
            ".", "a[0]]",
        ] {
            assert_eq!(value.get(path), None, "{path}");
            assert_eq!(value.get_mut(path), None, "{path}");
        }
        assert_eq!(value.get(""), Some(&value));
        assert_eq!(value.get("a[1]"), Some(&Value::Int(2)));
    }
}
