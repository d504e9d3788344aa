//! The options of the derives: one table for the parser, messages, editor completion, and documentation.

use syn::Error;
use syn::token::Paren;

use crate::prelude::*;
use crate::require::{self, Requirement};

pub(crate) struct Opt {
    pub(crate) name: &'static str,
    /// The option as it is written, for messages.
    form: &'static str,
    takes: Takes,
}

/// The kinds of values that options have.
#[derive(Clone, Copy)]
pub(crate) enum Takes {
    Nothing,
    /// A name that the user chooses.
    Name,
    /// One of these texts, each with its meaning.
    OneOf(&'static [(&'static str, &'static str)]),
    Function,
    Number,
    Required,
    /// A name, or the names of instances of a generic type.
    Names,
    /// The types that read older versions.
    Migrations,
    /// One text, or several in parentheses; the text continues `write `option = "`.
    Texts(&'static str),
}

/// Makes an option; `form` shows how it is written.
pub(crate) const fn option(name: &'static str, form: &'static str, takes: Takes) -> Opt {
    Opt { name, form, takes }
}

/// The modules whose systems alone may write the data.
pub(crate) const WRITTEN_BY: Opt = option("written_by", "written_by = \"..\"", MODULES);
const MODULES: Takes = Takes::Texts("game::physics\"`, the path of a module with its crate");

/// The options of one derive, in lists.
pub(crate) type Table = &'static [&'static [Opt]];

/// An option as the user has written it.
pub(crate) struct GivenOption {
    pub(crate) path: Path,
    pub(crate) name: &'static str,
    pub(crate) value: OptionValue,
}

pub(crate) enum OptionValue {
    Nothing,
    /// None, which was reported.
    Wrong,
    Text(LitStr),
    Function(Expr),
    Number(LitInt),
    Required(Vec<Requirement>),
    Instances(Vec<(Type, LitStr)>),
    Migrations(Vec<(LitInt, Type)>),
    Texts(Vec<LitStr>),
}

/// Parses an option of the table; `None` if no option has the name. After an error it returns the option without its
/// value, if the options after it can be parsed too.
pub(crate) fn parse(
    table: Table,
    meta: &ParseNestedMeta<'_>,
) -> Option<core::result::Result<GivenOption, (Option<GivenOption>, Error)>> {
    let mut all = table.iter().copied().flatten();
    let option = all.find(|option| meta.path.is_ident(option.name))?;
    let is_list = meta.input.peek(Paren);
    let (path, name) = (meta.path.clone(), option.name);
    let given = |value| GivenOption { path, name, value };
    let is_one_token = matches!(option.takes, Takes::Nothing | Takes::Name | Takes::OneOf(_));
    Some(match option.value(meta) {
        Ok(value) => Ok(given(value)),
        Err(error) if !is_one_token || is_list => Err((None, error)),
        Err(error) => Err((Some(given(OptionValue::Wrong)), error)),
    })
}

/// Returns the message about an option that is not in the table, and the one that it probably is if that takes no value: uses of
/// what this does are no further errors.
pub(crate) fn unknown(table: Table, path: &Path) -> (String, Option<GivenOption>) {
    let name = path.to_token_stream().to_string();
    let all = to_vec(table.iter().copied().flatten());
    let takes_it = |option: &&&Opt| match option.takes {
        Takes::OneOf(texts) => texts.iter().any(|(text, _)| *text == name),
        _ => false,
    };
    let is_meant = |option: &&&Opt| is_near(option.name, &name) && name != "mutable";
    let near = all.iter().find(is_meant);
    let assumed = near.filter(|option| matches!(option.takes, Takes::Nothing));
    let assumed = assumed.map(|option| GivenOption {
        path: path.clone(),
        name: option.name,
        value: OptionValue::Nothing,
    });
    let known = || to_vec(all.iter().map(|option| format!("`{}`, ", option.form))).concat();
    let help = if let Some(option) = all.iter().find(takes_it) {
        format!("write `{} = \"{name}\"`", option.name)
    } else if let Some(option) = near {
        let form = option.form.replace("`, `", "` or `");
        format!("write `{form}`; valid options: {}`crate = path`", known())
    } else if let Some(why) = needless(&name) {
        format!("remove it: {why}")
    } else {
        format!("valid options: {}`crate = path`", known())
    };
    (format!("unknown option `{name}`\nhelp: {help}"), assumed)
}

/// Returns why an option that other libraries have is not needed. Asked if no option of the derive is like it.
fn needless(name: &str) -> Option<&'static str> {
    Some(match name {
        "mutable" => "data with `&mut` needs no option",
        "track" | "tracked" | "track_changes" => TRACKED,
        "propagate" | "propagation" | "bubble" | "auto_propagate" => UPWARD,
        _ => return None,
    })
}

const TRACKED: &str = "only components have it, and changes of resources are always tracked";
const UPWARD: &str = "`World::trigger_up` triggers an event on the ancestors, too";

/// Returns whether one name is probably a misspelling of the other: at most a third of the letters differ, or one begins
/// with the other. Names below three letters are too short to tell.
pub(crate) fn is_near(name: &str, written: &str) -> bool {
    let written = written.to_lowercase().replace('_', "");
    let name = name.replace('_', "");
    let (short, long) = (name.len().min(written.len()), name.len().max(written.len()));
    if short < 3 {
        return false;
    }
    let mut row: Vec<usize> = (0..=written.len()).collect();
    for (above, letter) in name.chars().enumerate() {
        let mut diagonal = core::mem::replace(&mut row[0], above + 1);
        for (index, other) in written.chars().enumerate() {
            let least = row[index].min(row[index + 1]) + 1;
            let cost = least.min(diagonal + usize::from(letter != other));
            diagonal = core::mem::replace(&mut row[index + 1], cost);
        }
    }
    let differ = row.last().copied().unwrap_or(long);
    differ * 3 <= long || name.starts_with(&*written) || written.starts_with(&*name)
}

impl Opt {
    fn value(&self, meta: &ParseNestedMeta<'_>) -> Result<OptionValue> {
        Ok(match self.takes {
            Takes::Nothing if meta.input.peek(Token![=]) || meta.input.peek(Paren) => {
                let (name, value) = (self.name, meta.input.parse::<TokenTree>()?);
                fail!(value => "`{name}` takes no value\nhelp: write `{name}`")
            }
            Takes::Nothing => OptionValue::Nothing,
            Takes::OneOf(texts) => OptionValue::Text(self.one_of(meta, texts)?),
            Takes::Names if meta.input.peek(Paren) => OptionValue::Instances(instances(meta)?),
            Takes::Name | Takes::Names => {
                OptionValue::Text(self.text(meta, "game.position\"`, a name of your choice")?)
            }
            Takes::Function => OptionValue::Function(self.function(meta)?),
            Takes::Number => {
                let message = format!("expected a number\nhelp: write `{}`", self.form);
                OptionValue::Number(after_equals(meta, &message)?)
            }
            Takes::Required => OptionValue::Required(require::parse(meta)?),
            Takes::Migrations => OptionValue::Migrations(migrations(meta)?),
            Takes::Texts(_) if meta.input.peek(Paren) => {
                OptionValue::Texts(list(meta.input, Parse::parse)?)
            }
            Takes::Texts(help) => OptionValue::Texts(vec![self.text(meta, help)?]),
        })
    }

    /// Parses the text in `option = "text"`; `help` continues `write `option = "`.
    fn text(&self, meta: &ParseNestedMeta<'_>, help: &str) -> Result<LitStr> {
        let name = self.name;
        let problem = format!("expected a text as the value of `{name}`");
        after_equals(meta, &format!("{problem}\nhelp: write `{name} = \"{help}"))
    }

    fn one_of(&self, meta: &ParseNestedMeta<'_>, texts: &[(&str, &str)]) -> Result<LitStr> {
        let name = self.name;
        let rest = to_vec(texts.iter().map(|(text, _)| format!("{text}\"`")));
        let value = self.text(meta, &rest.join(&format!(" or `{name} = \"")))?;
        let text = value.value();
        if texts.iter().any(|(known, _)| *known == text) {
            return Ok(value);
        }
        let all = to_vec((texts.iter()).map(|(text, says)| format!("`\"{text}\"` ({says})")));
        let all = all.join(" or ");
        fail!(value => "unknown value `{text}` of `{name}`\nhelp: write {all}")
    }

    /// Parses the path of a function.
    fn function(&self, meta: &ParseNestedMeta<'_>) -> Result<Expr> {
        let message = |path: &str| {
            let name = self.name;
            format!(
                "expected the path of a function\nhelp: write `{name} = {path}`, of a `fn(DeferredWorld, Entity)`"
            )
        };
        let example = message("Self::function");
        let value: Expr = after_equals(meta, &example)?;
        if matches!(value, Expr::Path(_)) {
            return Ok(value);
        }
        // Another kind is perhaps one that `syn` does not know without its feature `full`.
        let text: Option<LitStr> = syn::parse2(value.to_token_stream()).ok();
        let path = text.filter(|text| text.parse::<Path>().is_ok());
        let message = path.map_or(example, |path| message(&path.value()));
        Err(Error::new_spanned(value, message))
    }
}

/// Parses `(Type = "name", ..)`.
fn instances(meta: &ParseNestedMeta<'_>) -> Result<Vec<(Type, LitStr)>> {
    let instances = list(meta.input, |input| {
        let ty: Type = input.parse()?;
        input.parse::<Token![=]>()?;
        let message = "expected a name as a text\nhelp: write `data(Tag<u32> = \"game.tag_u32\")`";
        Ok((ty, expect(input, message)?))
    })?;
    if instances.is_empty() {
        fail!(&meta.path => "expected a name\nhelp: write `data = \"game.position\"`, or name instances of a generic type: `data(Tag<u32> = \"game.tag_u32\")`");
    }
    Ok(instances)
}

/// Parses `(1 = Old, ..)`.
fn migrations(meta: &ParseNestedMeta<'_>) -> Result<Vec<(LitInt, Type)>> {
    fn help(old: &str) -> String {
        format!("write `migrate(1 = {old})`: the version, and the type that reads it")
    }
    if !meta.input.peek(Paren) {
        fail!(&meta.path => "expected the older versions in parentheses\nhelp: {}", help("Old"));
    }
    list(meta.input, |input| {
        let old = (input.fork().parse::<Type>()).map_or("Old".to_owned(), pretty::line);
        let message = format!("expected the number of a version\nhelp: {}", help(&old));
        let version = expect(input, &message)?;
        input.parse::<Token![=]>()?;
        Ok((version, input.parse()?))
    })
}

/// Parses the value in `option = value`, or reports the expected form.
fn after_equals<T: Parse>(meta: &ParseNestedMeta<'_>, message: &str) -> Result<T> {
    if !meta.input.peek(Token![=]) {
        return Err(Error::new_spanned(&meta.path, message));
    }
    expect(meta.value()?, message)
}

/// Parses a literal, or reports the expected form.
fn expect<T: Parse>(input: ParseStream<'_>, message: &str) -> Result<T> {
    let span = input.span();
    input.parse().map_err(|_| Error::new(span, message))
}

/// Skips and returns the value of an option, so that the options after it are parsed too.
pub(crate) fn skip(meta: &ParseNestedMeta<'_>) -> Result<TokenStream> {
    let mut value = TokenStream::new();
    while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
        value.extend([meta.input.parse::<TokenTree>()?]);
    }
    Ok(value)
}

/// Parses a list in parentheses.
pub(crate) fn list<T>(
    input: ParseStream<'_>,
    parse: fn(ParseStream<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let content;
    parenthesized!(content in input);
    Ok(to_vec(content.parse_terminated(parse, Token![,])?))
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
