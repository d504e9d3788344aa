//! Reading tokens one after the other.

use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};

use super::{Text, Words};
use crate::errors::{Error, Result};

/// Tokens of which some have been read.
///
/// The invisible parentheses around what a `macro_rules!` was given are taken off where a word or mark is read from them.
pub(crate) struct Input {
    tokens: Vec<TokenTree>,
    /// How many have been read.
    at: usize,
    /// Where it is said that something is missing at the end.
    end: Span,
}

impl Input {
    fn new(tokens: TokenStream, end: Span) -> Self {
        Self {
            tokens: tokens.into_iter().collect(),
            at: 0,
            end,
        }
    }

    /// The tokens inside of a group.
    pub(crate) fn inside(group: &Group) -> Self {
        Self::new(group.stream(), group.span_close())
    }

    /// Reads all of the `tokens`.
    pub(crate) fn read<T>(
        tokens: TokenStream,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let mut input = Self::new(tokens, Span::call_site());
        let value = read(&mut input)?;
        input.finish()?;
        Ok(value)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.at == self.tokens.len()
    }

    /// An error if there is more to read.
    pub(crate) fn finish(&self) -> Result<()> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(self.error("unexpected token"))
        }
    }

    /// How far has been read, for [`since`](Self::since) and [`back`](Self::back).
    pub(crate) fn place(&self) -> usize {
        self.at
    }

    /// What was read since `place`.
    pub(crate) fn since(&self, place: usize) -> Words {
        self.tokens[place..self.at].to_vec().into()
    }

    /// Goes back to `place`.
    pub(crate) fn back(&mut self, place: usize) {
        self.at = place;
    }

    /// The place of the next token, or of the end.
    pub(crate) fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, TokenTree::span)
    }

    /// The place of the last token that was read.
    pub(crate) fn last_span(&self) -> Span {
        match self.at.checked_sub(1) {
            Some(last) => self.tokens[last].span(),
            None => self.span(),
        }
    }

    /// A mistake at the next token.
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        let message = message.into();
        match self.tokens.get(self.at) {
            None => Error::new(self.end, format!("unexpected end of input, {message}")),
            Some(TokenTree::Group(group)) => Error::new(group.span_open(), message),
            Some(token) => Error::new(token.span(), message),
        }
    }

    /// Whether the word or mark (`where`, `::`) comes next.
    pub(crate) fn peek(&self, expected: &str) -> bool {
        begins_with(&self.tokens[self.at..], expected)
    }

    /// Whether the word or mark comes after the next token.
    pub(crate) fn peek_second(&self, expected: &str) -> bool {
        begins_with(self.tokens.get(self.at + 1..).unwrap_or_default(), expected)
    }

    /// Whether any word comes next.
    pub(crate) fn peek_word(&self) -> bool {
        let is_word = |token: &TokenTree| matches!(token, TokenTree::Ident(_));
        is_next(&self.tokens[self.at..], &is_word)
    }

    /// Whether a lifetime comes next.
    pub(crate) fn peek_lifetime(&self) -> bool {
        self.peek("'")
    }

    /// Whether a group with these delimiters comes next.
    pub(crate) fn peek_group(&self, delimiter: Delimiter) -> bool {
        let is_group = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter);
        is_next(&self.tokens[self.at..], &is_group)
    }

    /// Whether a group with these delimiters comes after the next token.
    pub(crate) fn peek_second_group(&self, delimiter: Delimiter) -> bool {
        matches!(self.tokens.get(self.at + 1), Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
    }

    /// Reads the word or mark, if it comes next.
    pub(crate) fn eat(&mut self, expected: &str) -> Option<Words> {
        if !self.peek(expected) {
            return None;
        }
        self.open();
        let place = self.at;
        self.at += if is_mark(expected) { expected.len() } else { 1 };
        Some(self.since(place))
    }

    /// Reads the word or mark, which comes next.
    pub(crate) fn expect(&mut self, expected: &str) -> Result<Words> {
        self.eat(expected)
            .ok_or_else(|| self.error(format!("expected `{expected}`")))
    }

    /// Reads any token.
    pub(crate) fn token(&mut self) -> Result<TokenTree> {
        let Some(token) = self.tokens.get(self.at) else {
            return Err(self.error("expected token tree"));
        };
        self.at += 1;
        Ok(token.clone())
    }

    /// Reads a word, also one that is a keyword.
    pub(crate) fn word(&mut self) -> Result<Ident> {
        self.open();
        match self.tokens.get(self.at) {
            Some(TokenTree::Ident(word)) => {
                self.at += 1;
                Ok(word.clone())
            }
            _ => Err(self.error("expected identifier")),
        }
    }

    /// Reads a name.
    pub(crate) fn name(&mut self) -> Result<Ident> {
        let place = self.at;
        let name = self.word()?;
        let text = name.to_string();
        if KEYWORDS.contains(&text.as_str()) {
            self.back(place);
            return Err(self.error(format!("expected identifier, found keyword `{text}`")));
        }
        Ok(name)
    }

    /// Reads the name of a lifetime.
    pub(crate) fn lifetime(&mut self) -> Result<Ident> {
        if self.eat("'").is_none() {
            return Err(self.error("expected lifetime"));
        }
        self.word()
    }

    /// Whether a literal comes next.
    pub(crate) fn peek_literal(&self) -> bool {
        let is_literal = |token: &TokenTree| matches!(token, TokenTree::Literal(_));
        is_next(&self.tokens[self.at..], &is_literal)
    }

    /// Reads a string.
    pub(crate) fn text(&mut self) -> Result<Text> {
        if self.peek_literal() {
            self.open();
        }
        let text = match self.tokens.get(self.at) {
            Some(TokenTree::Literal(literal)) => Text::new(literal.clone()),
            _ => None,
        };
        let text = text.ok_or_else(|| self.error("expected string literal"))?;
        self.at += 1;
        Ok(text)
    }

    /// Reads a group with these delimiters.
    pub(crate) fn group(&mut self, delimiter: Delimiter) -> Result<Group> {
        if delimiter != Delimiter::None {
            self.open();
        }
        match self.tokens.get(self.at) {
            Some(TokenTree::Group(group)) if group.delimiter() == delimiter => {
                self.at += 1;
                Ok(group.clone())
            }
            _ => Err(self.error(match delimiter {
                Delimiter::Parenthesis => "expected parentheses",
                Delimiter::Brace => "expected curly braces",
                Delimiter::Bracket => "expected square brackets",
                Delimiter::None => "expected invisible group",
            })),
        }
    }

    /// Reads parentheses, and gives what is inside.
    pub(crate) fn parentheses(&mut self) -> Result<Self> {
        Ok(Self::inside(&self.group(Delimiter::Parenthesis)?))
    }

    /// Reads what is left.
    pub(crate) fn rest(&mut self) -> Words {
        let place = core::mem::replace(&mut self.at, self.tokens.len());
        self.since(place)
    }

    /// Reads up to one of the words or marks that stands outside of `<..>`, or to the braces of a body.
    pub(crate) fn until(&mut self, ends: &[&str]) -> Words {
        let place = self.at;
        let mut depth = 0_usize;
        while let Some(token) = self.tokens.get(self.at) {
            // No arrow closes anything, and one half of `::` is no `:`.
            if ["->", "=>", "::"].iter().any(|mark| self.peek(mark)) {
                self.at += 2;
                continue;
            }
            if depth == 0 && (ends.iter().any(|end| self.peek(end)) || is_braces(token)) {
                break;
            }
            if self.peek("<") {
                depth += 1;
            } else if self.peek(">") {
                depth = depth.saturating_sub(1);
            }
            self.at += 1;
        }
        self.since(place)
    }

    /// Reads an expression, which a comma ends. In paths (`a::<b, c>`) there are commas too.
    pub(crate) fn expression(&mut self) -> Result<Words> {
        let place = self.at;
        let mut depth = 0_usize;
        while !self.is_empty() && (depth > 0 || !self.peek(",")) {
            if depth > 0 && self.eat("->").is_some() {
                continue;
            }
            if depth == 0 && self.eat("::").is_some() {
                depth += usize::from(self.eat("<").is_some());
                continue;
            }
            if depth > 0 && self.peek("<") {
                depth += 1;
            } else if depth > 0 && self.peek(">") {
                depth -= 1;
            }
            self.at += 1;
        }
        if self.at == place {
            return Err(self.error("expected an expression"));
        }
        Ok(self.since(place))
    }

    /// Takes invisible parentheses off what comes next.
    fn open(&mut self) {
        while let Some(TokenTree::Group(group)) = self.tokens.get(self.at)
            && group.delimiter() == Delimiter::None
        {
            let inside = group.stream();
            self.tokens.splice(self.at..=self.at, inside);
        }
    }
}

/// Whether the text is of marks, and no word.
fn is_mark(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

fn is_braces(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// Whether the next token is such a one, perhaps inside of invisible parentheses.
fn is_next(tokens: &[TokenTree], wanted: &dyn Fn(&TokenTree) -> bool) -> bool {
    match tokens.first() {
        Some(token) if wanted(token) => true,
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => {
            let inside: Vec<TokenTree> = group.stream().into_iter().collect();
            is_next(&inside, wanted)
        }
        _ => false,
    }
}

fn begins_with(tokens: &[TokenTree], expected: &str) -> bool {
    match tokens.first() {
        Some(TokenTree::Ident(word)) => !is_mark(expected) && word == expected,
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => {
            let inside: Vec<TokenTree> = group.stream().into_iter().collect();
            begins_with(&inside, expected)
        }
        Some(TokenTree::Punct(_)) => {
            let last = expected.len() - 1;
            let mut marks = expected.bytes().enumerate();
            marks.all(|(index, expected)| {
                matches!(tokens.get(index), Some(TokenTree::Punct(mark))
                    if mark.as_char() == char::from(expected)
                        && (index == last || mark.spacing() == Spacing::Joint))
            })
        }
        _ => false,
    }
}

/// Words that are no names.
const KEYWORDS: [&str; 52] = [
    "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "Self", "self", "static", "struct", "super", "trait", "true", "try", "type",
    "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];
