//! The grammar of patterns: the terms of text queries, with variables.

use std::ops::Range;

use super::ast::{NameText, Operator, TextTerm};
use super::error::TextProblem;
use super::lexer::{Token, Word};
use super::parser::{Parser, terms};

/// The variable of terms that name none.
pub(super) const THIS: &str = "this";

/// A variable in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct VariableText {
    pub(super) name: String,
    /// Empty for [`THIS`] where it is not written.
    pub(super) at: Range<usize>,
}

/// A path from one entity to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgePath {
    /// `(Likes $food)`: by an edge from the source to the target.
    Direct,
    /// `(Likes <> $other)`: by an edge from one of them to the other.
    EitherWay,
    /// `(PartOf+ $whole)`: by one edge or more, one after the other, from the source to the target.
    Steps,
}

/// A term of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PatternTerm {
    /// A term of text queries, about an entity.
    Of(VariableText, TextTerm),
    /// `(Likes $food)`, or `!(Likes $food)`.
    Edge {
        source: VariableText,
        relation: NameText,
        path: EdgePath,
        target: VariableText,
        is_absent: bool,
    },
    /// `$one != $other`.
    Distinct(VariableText, VariableText),
}

/// Parses a text.
pub(super) fn parse_pattern(text: &str) -> Result<Vec<PatternTerm>, TextProblem> {
    terms(text, |parser| parser.pattern_term())
}

impl Parser<'_> {
    fn pattern_term(&mut self) -> Result<PatternTerm, TextProblem> {
        let subject = match self.variable() {
            None => VariableText {
                name: THIS.to_owned(),
                at: 0..0,
            },
            Some(subject) if self.take(&Token::Operator(Operator::Unequal)) => {
                let other = self.variable();
                let other = other.ok_or_else(|| {
                    self.unexpected("a variable", "compare variables, such as `$one != $other`")
                })?;
                return Ok(PatternTerm::Distinct(subject, other));
            }
            Some(subject) => {
                let help = format!(
                    "write `${}: game.health`, or `!=` and another variable",
                    subject.name
                );
                self.expect(&Token::Colon, "`:` or `!=` after the variable", &help)?;
                subject
            }
        };
        let is_absent = self.peek() == Some(&Token::Not);
        let words = &self.words[usize::from(is_absent).min(self.words.len())..];
        let tokens: Vec<&Token> = words.iter().take(4).map(|word| &word.token).collect();
        if let [Token::Open, Token::Name(..), after @ ..] = &tokens[..]
            && matches!(
                after,
                [Token::Variable(_) | Token::Plus, ..]
                    | [Token::Comma, Token::Variable(_)]
                    | [
                        Token::Operator(Operator::Less),
                        Token::Operator(Operator::Greater)
                    ]
            )
        {
            self.words = &words[1..];
            return self.edge(subject, is_absent);
        }
        Ok(PatternTerm::Of(subject, self.term()?))
    }

    /// A relation to a variable; the parenthesis is already taken.
    fn edge(&mut self, source: VariableText, is_absent: bool) -> Result<PatternTerm, TextProblem> {
        let relation = self.name("")?;
        let path = if self.take(&Token::Plus) {
            EdgePath::Steps
        } else if self.take(&Token::Operator(Operator::Less)) {
            self.take(&Token::Operator(Operator::Greater));
            EdgePath::EitherWay
        } else {
            EdgePath::Direct
        };
        // The form of flecs.
        self.take(&Token::Comma);
        let target = self.variable();
        let target =
            target.ok_or_else(|| self.unexpected("a variable", "name one, such as `$food`"))?;
        self.expect(&Token::Close, "`)`", "name only one target")?;
        if let Some(Token::And | Token::Or) = self.peek() {
            return Err(self.unexpected(
                "a comma",
                "a relation to a variable is a term of its own: write a comma after it",
            ));
        }
        Ok(PatternTerm::Edge {
            source,
            relation,
            path,
            target,
            is_absent,
        })
    }

    fn variable(&mut self) -> Option<VariableText> {
        let Some(Word {
            token: Token::Variable(name),
            at,
        }) = self.words.first()
        else {
            return None;
        };
        let variable = VariableText {
            name: name.clone(),
            at: at.clone(),
        };
        self.next();
        Some(variable)
    }
}
