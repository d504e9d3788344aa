//! Generic parameters, and what a where clause says of them.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

use super::types::angles;
use super::{Attribute, Input, Words};
use crate::errors::Result;

/// `<'a, T: Bound, const N: usize>`, and the where clause.
#[derive(Clone, Default)]
pub(crate) struct Generics {
    angles: Option<(Words, Words)>,
    pub(crate) params: Vec<Param>,
    clause: Option<Words>,
    /// What the where clause says.
    pub(crate) predicates: Vec<Predicate>,
}

/// A generic parameter.
#[derive(Clone)]
pub(crate) struct Param {
    attributes: Vec<Attribute>,
    kind: Kind,
    /// The quote of a lifetime, the `const` of a constant.
    mark: Option<Words>,
    pub(crate) name: Ident,
    colon: Option<Words>,
    /// The bounds, or the type of a constant.
    pub(crate) bounds: Vec<Words>,
    /// `= u8`.
    default: Option<Words>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lifetime,
    Type,
    Const,
}

/// `T: Bound`.
#[derive(Clone)]
pub(crate) struct Predicate {
    /// What it is said of.
    pub(crate) subject: Words,
    words: Words,
}

impl Generics {
    /// Reads what stands in angle brackets, if anything does. The where clause comes later.
    pub(crate) fn read(input: &mut Input) -> Result<Self> {
        let mut generics = Self::default();
        let Some(open) = input.eat("<") else {
            return Ok(generics);
        };
        while !input.peek(">") {
            generics.params.push(Param::read(input)?);
            if !input.peek(">") {
                input.expect(",")?;
            }
        }
        generics.angles = Some((open, input.expect(">")?));
        Ok(generics)
    }

    /// Reads a where clause, if there is one.
    pub(crate) fn read_clause(&mut self, input: &mut Input) -> Result<()> {
        let word = input.eat("where");
        if word.is_none() {
            return Ok(());
        }
        self.clause = word;
        loop {
            let predicate = input.until(&[",", ";", "="]);
            if !predicate.tokens().is_empty() {
                self.require(predicate.to_token_stream());
            }
            if input.eat(",").is_none() {
                return Ok(());
            }
        }
    }

    /// Adds `T: Bound` to the where clause.
    pub(crate) fn require(&mut self, predicate: TokenStream) {
        self.predicates.push(Predicate::new(Words::new(predicate)));
    }

    /// Adds a lifetime.
    pub(crate) fn add_lifetime(&mut self, lifetime: TokenStream) {
        self.params.extend(Input::read(lifetime, Param::read).ok());
    }

    pub(crate) fn lifetimes(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| param.is_lifetime())
    }

    pub(crate) fn types(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| param.is_type())
    }

    /// Whether a type or constant has the name.
    pub(crate) fn has(&self, name: &Ident) -> bool {
        let mut params = self.params.iter();
        params.any(|param| !param.is_lifetime() && param.name == *name)
    }

    /// Whether a lifetime has the name.
    pub(crate) fn has_lifetime(&self, name: &Ident) -> bool {
        self.lifetimes().any(|param| param.name == *name)
    }

    /// The same with other words in all bounds.
    pub(crate) fn map(mut self, change: &dyn Fn(TokenStream) -> TokenStream) -> Self {
        let changed = |words: &Words| Words::new(change(words.to_token_stream()));
        for param in &mut self.params {
            param.bounds = param.bounds.iter().map(changed).collect();
        }
        for predicate in &mut self.predicates {
            *predicate = Predicate::new(changed(&predicate.words));
        }
        self
    }

    /// As an impl has them (`<T: Bound>`), what the type is applied to (`<T>`), and the where clause.
    pub(crate) fn split_for_impl(&self) -> (Words, Words, Words) {
        let params = self.list(Param::write);
        (params, self.list(Param::write_name), self.clause())
    }

    fn clause(&self) -> Words {
        let mut clause = Words::default();
        if !self.predicates.is_empty() {
            match &self.clause {
                Some(word) => clause.extend(word),
                None => clause.push(Ident::new("where", Span::call_site())),
            }
            let predicates = self.predicates.iter();
            let predicates: Vec<Words> = predicates.map(|one| one.words.clone()).collect();
            clause.extend_list(&predicates, ',');
        }
        clause
    }

    /// Lifetimes come first.
    fn list(&self, write: fn(&Param, &mut Words)) -> Words {
        let mut list = Words::default();
        if self.params.is_empty() {
            return list;
        }
        let (open, close) = self.angles.clone().unzip();
        mark_or(&mut list, &open, '<');
        let others = self.params.iter().filter(|param| !param.is_lifetime());
        for (index, param) in self.lifetimes().chain(others).enumerate() {
            if index > 0 {
                list.mark(',');
            }
            write(param, &mut list);
        }
        mark_or(&mut list, &close, '>');
        list
    }
}

/// As the function's documentation shows them, with defaults.
impl ToTokens for Generics {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.list(Param::write_all).to_tokens(tokens);
    }
}

/// Adds the user's mark, or one of ours.
fn mark_or(words: &mut Words, written: &Option<Words>, ours: char) {
    match written {
        Some(mark) => words.extend(mark),
        None => words.mark(ours),
    }
}

impl Param {
    fn read(input: &mut Input) -> Result<Self> {
        let attributes = Attribute::read_all(input)?;
        let (kind, mark) = if let Some(mark) = input.eat("'") {
            (Kind::Lifetime, Some(mark))
        } else if let Some(mark) = input.eat("const") {
            (Kind::Const, Some(mark))
        } else {
            (Kind::Type, None)
        };
        let name = match kind {
            Kind::Lifetime => input.word()?,
            Kind::Type | Kind::Const => input.name()?,
        };
        let mut bounds = Vec::new();
        let colon = input.eat(":");
        if colon.is_some() {
            loop {
                let bound = input.until(&["+", ",", ">", "="]);
                if !bound.tokens().is_empty() {
                    bounds.push(bound);
                }
                if input.eat("+").is_none() {
                    break;
                }
            }
        }
        let default = input.peek("=").then(|| default(input));
        Ok(Self {
            attributes,
            kind,
            mark,
            name,
            colon,
            bounds,
            default,
        })
    }

    pub(crate) fn is_lifetime(&self) -> bool {
        self.kind == Kind::Lifetime
    }

    pub(crate) fn is_type(&self) -> bool {
        self.kind == Kind::Type
    }

    /// `'a`, `T` or `N`.
    pub(crate) fn argument(&self) -> Words {
        let mut words = Words::default();
        self.write_name(&mut words);
        words
    }

    fn write_name(&self, into: &mut Words) {
        if let (Kind::Lifetime, Some(mark)) = (self.kind, &self.mark) {
            into.extend(mark);
        }
        into.push(self.name.clone());
    }

    fn write(&self, into: &mut Words) {
        for attribute in &self.attributes {
            into.extend(attribute.words());
        }
        if let Some(mark) = &self.mark {
            into.extend(mark);
        }
        into.push(self.name.clone());
        if !self.bounds.is_empty() {
            mark_or(into, &self.colon, ':');
            into.extend_list(&self.bounds, '+');
        }
    }

    fn write_all(&self, into: &mut Words) {
        self.write(into);
        if let Some(default) = &self.default {
            into.extend(default);
        }
    }
}

/// Without the default.
impl ToTokens for Param {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let mut words = Words::default();
        self.write(&mut words);
        words.to_tokens(tokens);
    }
}

/// Reads `= u8` or `= { 3 }`.
fn default(input: &mut Input) -> Words {
    let place = input.place();
    input.until(&[",", ">"]);
    while !(input.is_empty() || input.peek(",") || input.peek(">")) && input.token().is_ok() {}
    input.since(place)
}

impl Predicate {
    fn new(words: Words) -> Self {
        let tokens = words.to_token_stream();
        let subject = Input::read(tokens, |input| {
            if input.eat("for").is_some() {
                angles(input)?;
            }
            let subject = input.until(&[":"]);
            input.rest();
            Ok(subject)
        });
        Self {
            subject: subject.unwrap_or_default(),
            words,
        }
    }

    /// Whether it is said of a type, and not of a lifetime.
    pub(crate) fn is_of_type(&self) -> bool {
        !matches!(self.subject.tokens(), [TokenTree::Punct(mark), ..] if mark.as_char() == '\'')
    }

    /// Adds a bound.
    pub(crate) fn bound(&mut self, bound: &Words) {
        let last = self.words.tokens().last();
        if !matches!(last, Some(TokenTree::Punct(mark)) if [':', '+'].contains(&mark.as_char())) {
            self.words.mark('+');
        }
        self.words.extend(bound);
    }
}

impl ToTokens for Predicate {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.words.to_tokens(tokens);
    }
}

/// `'static`, which no name of the user can be.
pub(crate) fn is_static() -> Words {
    Words::new(quote_spanned!(Span::mixed_site()=> 'static))
}
