//! Tokens as text, for documentation and messages.

use crate::prelude::*;

/// Renders `tokens` in one line: `Query<(&mut Position, &Velocity), With<Player>>`.
pub(crate) fn line(tokens: impl ToTokens) -> String {
    let mut text = String::new();
    write(tokens.into_token_stream(), &mut text);
    text
}

fn write(tokens: TokenStream, text: &mut String) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                if text.ends_with("mut") || text.ends_with("const") {
                    text.push(' ');
                }
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
            }
            TokenTree::Punct(punct) => {
                let (mark, is_joint) = (punct.as_char(), punct.spacing() == Spacing::Joint);
                let (arrow, end_of_arrow) =
                    (mark == '-' && is_joint, mark == '>' && text.ends_with('-'));
                let colon = mark == ':' && !is_joint && !text.ends_with(':');
                if arrow || matches!(mark, '+' | '=') {
                    text.push(' ');
                }
                text.push(mark);
                let space_after = end_of_arrow || colon || matches!(mark, ',' | '+' | '=' | ';');
                if space_after && tokens.peek().is_some() {
                    text.push(' ');
                }
            }
            word => {
                let word = word.to_string();
                if text.ends_with(|last: char| last.is_alphanumeric() || last == '_') {
                    text.push(' ');
                }
                text.push_str(&word);
            }
        }
    }
}

#[cfg(test)]
#[path = "pretty_tests.rs"]
mod tests;
