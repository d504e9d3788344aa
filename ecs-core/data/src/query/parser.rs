//! The grammar of text queries.

use std::ops::Range;

use super::ast::{Literal, NameText, QueryCondition, TextTerm};
use super::error::TextProblem;
use super::lexer::{Token, Word, words};

/// The greatest depth of parentheses and `!`, because conditions are recursive.
const MAX_DEPTH: usize = 64;

/// Parses a text.
pub(super) fn parse(text: &str) -> Result<Vec<TextTerm>, TextProblem> {
    terms(text, |parser| parser.term())
}

/// Parses a text whose terms, separated by commas, are read by a function.
pub(super) fn terms<T>(
    text: &str,
    term: impl Fn(&mut Parser<'_>) -> Result<T, TextProblem>,
) -> Result<Vec<T>, TextProblem> {
    let words = words(text)?;
    let mut parser = Parser {
        words: &words,
        end: text.trim_end().len(),
        depth: 0,
    };
    let mut terms = Vec::new();
    while !parser.words.is_empty() {
        terms.push(term(&mut parser)?);
        if parser.words.is_empty() {
            break;
        }
        parser.expect(
            &Token::Comma,
            "a comma or an operator",
            "separate terms by commas",
        )?;
    }
    Ok(terms)
}

pub(super) struct Parser<'a> {
    /// The remaining words.
    pub(super) words: &'a [Word],
    /// The number of bytes of the text.
    end: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> Option<&'a Token> {
        self.words.first().map(|word| &word.token)
    }

    pub(super) fn next(&mut self) -> Option<&'a Word> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    /// Takes a word if it is this one.
    pub(super) fn take(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        if found {
            self.next();
        }
        found
    }

    /// Takes a word, which has to be this one.
    pub(super) fn expect(
        &mut self,
        token: &Token,
        wanted: &str,
        help: &str,
    ) -> Result<(), TextProblem> {
        if self.take(token) {
            Ok(())
        } else {
            Err(self.unexpected(wanted, help))
        }
    }

    /// The problem with the next word, if something else was expected.
    pub(super) fn unexpected(&self, wanted: &str, help: &str) -> TextProblem {
        match self.words.first() {
            Some(Word { token, at }) => TextProblem::new(
                at.clone(),
                format!("expected {wanted}, found {}", token.shown()),
                help,
            ),
            None => TextProblem::new(
                self.end..self.end,
                format!("expected {wanted}, found the end of the query"),
                help,
            ),
        }
    }

    pub(super) fn term(&mut self) -> Result<TextTerm, TextProblem> {
        if self.take(&Token::Optional) {
            let name = self.name("after `?`")?;
            if let Some(Token::Operator(_) | Token::And | Token::Or) = self.peek() {
                return Err(self.unexpected(
                    "a comma",
                    "write the optional component as a term of its own, without a condition",
                ));
            }
            return Ok(TextTerm::Optional(name));
        }
        self.any().map(TextTerm::Condition)
    }

    /// Conditions with `||` between them.
    fn any(&mut self) -> Result<QueryCondition, TextProblem> {
        let first = self.all()?;
        let mut conditions = vec![first];
        while self.take(&Token::Or) {
            conditions.push(self.all()?);
        }
        Ok(one_or(conditions, QueryCondition::Any))
    }

    /// Conditions with `&&` between them.
    fn all(&mut self) -> Result<QueryCondition, TextProblem> {
        let first = self.condition()?;
        let mut conditions = vec![first];
        while self.take(&Token::And) {
            conditions.push(self.condition()?);
        }
        Ok(one_or(conditions, QueryCondition::All))
    }

    fn condition(&mut self) -> Result<QueryCondition, TextProblem> {
        let Some(Word { token, at }) = self.words.first() else {
            return Err(self.unexpected("a component", "name one, such as `game.health`"));
        };
        match token {
            Token::Not | Token::Open => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(TextProblem::new(
                        at.clone(),
                        format!("more than {MAX_DEPTH} parentheses and `!` inside of each other"),
                        "write the query with fewer",
                    ));
                }
                self.next();
                let condition = match token {
                    Token::Not => self.condition().map(Box::new).map(QueryCondition::Not),
                    _ if self.is_relation() => self.relation(),
                    _ => self.group(),
                };
                self.depth -= 1;
                condition
            }
            Token::Name(..) => {
                let field = self.name("")?;
                let Some(Token::Operator(operator)) = self.peek() else {
                    return Ok(QueryCondition::Has(field));
                };
                let operator_at = self.next().map(|word| word.at.clone());
                let (value, value_at) = self.literal()?;
                Ok(QueryCondition::Compare {
                    field,
                    operator: *operator,
                    operator_at: operator_at.unwrap_or_default(),
                    value,
                    value_at,
                })
            }
            Token::Optional => Err(self.unexpected(
                "a component",
                "write a comma before `?`, which begins a term of its own",
            )),
            _ => Err(self.unexpected(
                "a component",
                "name one, such as `game.health`, or a relation, such as `(ChildOf *)`",
            )),
        }
    }

    /// A condition in parentheses; the first parenthesis is already taken.
    fn group(&mut self) -> Result<QueryCondition, TextProblem> {
        let condition = self.any()?;
        self.expect(
            &Token::Close,
            "`)` or an operator",
            "join conditions in parentheses by `&&` and `||`",
        )?;
        Ok(condition)
    }

    /// Returns true if the words after a parenthesis are a name and a target.
    fn is_relation(&self) -> bool {
        let tokens = self.words.iter().map(|word| &word.token);
        let mut tokens = tokens.take(2);
        matches!(
            (tokens.next(), tokens.next()),
            (
                Some(Token::Name(..)),
                Some(
                    Token::Star
                        | Token::Comma
                        | Token::Literal(_)
                        | Token::Name(..)
                        | Token::Variable(_)
                )
            )
        )
    }

    /// A relation in parentheses; the first parenthesis is already taken.
    fn relation(&mut self) -> Result<QueryCondition, TextProblem> {
        const HELP: &str = "write `*` for any target, or an entity such as `3v1`";
        let name = self.name("")?;
        // The form of flecs.
        self.take(&Token::Comma);
        let target = match self.peek() {
            Some(Token::Star) => None,
            Some(Token::Literal(Literal::Entity(entity))) => Some(*entity),
            Some(Token::Variable(_)) => {
                return Err(self.unexpected(
                    "the target of a relation",
                    "in an `EntityPattern`, write the relation to a variable as a term of its own",
                ));
            }
            _ => return Err(self.unexpected("the target of a relation", HELP)),
        };
        self.next();
        self.expect(&Token::Close, "`)`", "name only one target")?;
        Ok(QueryCondition::Related(name, target))
    }

    pub(super) fn name(&mut self, after: &str) -> Result<NameText, TextProblem> {
        let Some(Word {
            token: Token::Name(text, is_quoted),
            at,
        }) = self.words.first()
        else {
            let wanted = ["the name of a component", after].join(" ");
            return Err(self.unexpected(wanted.trim_end(), "name one, such as `game.health`"));
        };
        self.next();
        Ok(NameText {
            text: text.clone(),
            is_quoted: *is_quoted,
            at: at.clone(),
        })
    }

    fn literal(&mut self) -> Result<(Literal, Range<usize>), TextProblem> {
        let Some(Word {
            token: Token::Literal(literal),
            at,
        }) = self.words.first()
        else {
            let help = match self.peek() {
                Some(Token::Name(name, _)) => {
                    format!("put a text into quotes: `\"{name}\"`; fields are compared with values only")
                }
                _ => "write a number, `true`, `false`, a text in quotes, an entity such as `3v1`, or `none`"
                    .to_owned(),
            };
            return Err(self.unexpected("a value to compare with", &help));
        };
        self.next();
        Ok((literal.clone(), at.clone()))
    }
}

/// Returns the only condition of a list, or all of them.
fn one_or(
    mut conditions: Vec<QueryCondition>,
    join: fn(Vec<QueryCondition>) -> QueryCondition,
) -> QueryCondition {
    if conditions.len() == 1 {
        conditions.remove(0)
    } else {
        join(conditions)
    }
}
