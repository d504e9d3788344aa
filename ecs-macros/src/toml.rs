//! The values in a TOML file, each with the path of keys that leads to it.
//!
//! It checks nothing: Cargo has rejected an incorrect manifest before a macro runs. Escapes in strings stay as they
//! are; names of packages have none.
//!
//! It needs no crate: looking up one name is not worth the cost. To the 22 s of processor time of a clean debug build,
//! `boml` would add 0.8 s, `toml_parser` 1.6 s, `toml` without serde 2.9 s and `proc-macro-crate` 8 s. On 1,097
//! manifests of the registry this reader found the same dependencies as `toml`.

/// A value: its keys from the outermost table on, and its text without quotes.
pub(crate) struct Entry {
    pub(crate) keys: Vec<String>,
    pub(crate) value: String,
}

/// Returns all values of the file. Values in an array have the array's path.
pub(crate) fn entries(text: &str) -> Vec<Entry> {
    let mut reader = Reader {
        // Some editors write a byte order mark.
        text: text.strip_prefix('\u{feff}').unwrap_or(text),
        entries: Vec::new(),
    };
    let mut table = Vec::new();
    loop {
        reader.skip(BLANK);
        if reader.text.is_empty() {
            return reader.entries;
        }
        if reader.text.starts_with('[') {
            reader.skip("[");
            table = reader.keys();
            reader.skip("]");
        } else {
            reader.pair(&table);
        }
    }
}

const BLANK: &str = " \t\r\n";

struct Reader<'a> {
    /// The rest of the file.
    text: &'a str,
    entries: Vec<Entry>,
}

impl Reader<'_> {
    /// Skips these characters, and comments if a line may end here.
    fn skip(&mut self, marks: &str) {
        loop {
            self.text = self.text.trim_start_matches(|c| marks.contains(c));
            if !self.text.starts_with('#') || !marks.contains('\n') {
                return;
            }
            self.text = self.text.find('\n').map_or("", |end| &self.text[end..]);
        }
    }

    /// Reads `key = value`.
    fn pair(&mut self, table: &[String]) {
        let mut keys = table.to_vec();
        keys.append(&mut self.keys());
        self.skip(" \t\r\n=");
        self.value(&keys);
    }

    /// Reads `a."b".c`.
    fn keys(&mut self) -> Vec<String> {
        let mut keys = Vec::new();
        loop {
            self.skip(" \t");
            keys.push(self.word("=.] \t\r\n"));
            self.skip(" \t");
            match self.text.strip_prefix('.') {
                Some(rest) => self.text = rest,
                None => return keys,
            }
        }
    }

    fn value(&mut self, keys: &[String]) {
        let close = match self.text.chars().next() {
            Some('{') => '}',
            Some('[') => ']',
            _ => {
                let before = self.text.len();
                let is_bare = !self.text.starts_with(['"', '\'']);
                let mut value = self.word(",}]#\r\n");
                if is_bare {
                    // A bare value may contain a space: `1979-05-27 07:32:00`.
                    value.truncate(value.trim_end().len());
                }
                if self.text.len() == before {
                    // No value: skips a character, so that the loop ends.
                    let mut rest = self.text.chars();
                    value.extend(rest.next());
                    self.text = rest.as_str();
                }
                let keys = keys.to_vec();
                return self.entries.push(Entry { keys, value });
            }
        };
        self.text = &self.text[1..];
        loop {
            self.skip(" \t\r\n,");
            if self.text.is_empty() || self.text.starts_with(close) {
                self.text = self.text.get(1..).unwrap_or_default();
                return;
            }
            match close {
                '}' => self.pair(keys),
                _ => self.value(keys),
            }
        }
    }

    /// Reads a string, or the text before one of the characters.
    fn word(&mut self, ends: &str) -> String {
        for quote in ["\"\"\"", "'''", "\"", "'"] {
            let Some(inside) = self.text.strip_prefix(quote) else {
                continue;
            };
            let mut end = 0;
            while let Some(rest) = inside.get(end..)
                && !rest.is_empty()
                && !rest.starts_with(quote)
            {
                let escaped = quote.starts_with('"') && rest.starts_with('\\');
                let taken = if escaped { 2 } else { 1 };
                end += rest.chars().take(taken).map(char::len_utf8).sum::<usize>();
            }
            self.text = inside.get(end + quote.len()..).unwrap_or("");
            return inside[..end].to_owned();
        }
        let end = self.text.find(|c| ends.contains(c));
        let (word, rest) = self.text.split_at(end.unwrap_or(self.text.len()));
        self.text = rest;
        word.to_owned()
    }
}

#[cfg(test)]
#[path = "toml_tests.rs"]
mod tests;
