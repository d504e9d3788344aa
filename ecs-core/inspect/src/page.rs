//! The files of the page.

use std::sync::LazyLock;

use crate::server::PageFile;

macro_rules! files {
    ($($name:literal)*) => {
        [$((concat!("/", $name), include_str!(concat!("page/", $name)))),*]
    };
}

/// The files that the server serves, without their comments, indentation and most line breaks, which are for readers of the source.
pub(crate) static PAGE: LazyLock<Vec<PageFile>> = LazyLock::new(|| {
    let files = files! {
        "detail.js" "dom.js" "entities.js" "events.js" "fields.js" "forms.js" "frames.js" "index.html" "lanes.js"
        "list.js" "main.js" "memory.js" "page.css" "record.js" "resources.js" "rpc.js" "say.js" "schedule.js" "tree.js" "turns.js" "types.js"
    };
    files.into_iter().map(served).collect()
});

fn served((name, text): (&'static str, &'static str)) -> PageFile {
    let (path, kind) = match name.rsplit('.').next() {
        Some("html") => ("/", "text/html; charset=utf-8"),
        Some("css") => (name, "text/css; charset=utf-8"),
        _ => (name, "text/javascript; charset=utf-8"),
    };
    let is_served = |line: &&str| {
        let is_comment = ["//", "/*", "*"]
            .iter()
            .any(|start| line.starts_with(start));
        !line.is_empty() && !is_comment
    };
    let mut short = String::new();
    for line in text.lines().map(str::trim).filter(is_served) {
        // There is no statement's end between these, nor a space of a text.
        let is_inside = short.ends_with(['{', '(', '[', ',', ';'])
            || line.starts_with(['}', ')', ']', '.', '?', ':']);
        if !short.is_empty() && (path == "/" || !is_inside) {
            short.push('\n');
        }
        match name.rsplit('.').next() {
            Some("css") => short.push_str(&short_style(line)),
            Some("js") => short.push_str(&short_script(line)),
            _ => short.push_str(line),
        }
    }
    (path, kind, short.into_bytes().leak())
}

/// Returns a line of a style sheet without the spaces and semicolons that mean nothing.
fn short_style(line: &str) -> String {
    let marks = ["; ", ": ", ", ", " { ", " {", " }"];
    let mut line = line.to_owned();
    for mark in marks {
        line = line.replace(mark, mark.trim());
    }
    line.replace(";}", "}")
}

/// Returns a line of a script without the spaces that mean nothing: those outside of texts that are not between two words.
fn short_script(line: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut short = String::new();
    // The texts and expressions around a character: a quote, a slash of a regular expression, or a brace.
    let mut around = Vec::new();
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let last = short.chars().last().unwrap_or('(');
        match (around.last().copied(), c) {
            (Some('\'' | '"' | '`' | '/' | '['), '\\') => {
                short.push(c);
                short.extend(rest.next());
                continue;
            }
            (Some('`'), '{') if last == '$' => around.push(c),
            (Some('/'), '[') => around.push(c),
            (Some('['), ']') => _ = around.pop(),
            (Some(open @ ('\'' | '"' | '`' | '/')), _) if c == open => _ = around.pop(),
            (Some('\'' | '"' | '`' | '/' | '['), _) => {}
            (_, '\'' | '"' | '`' | '{') => around.push(c),
            (_, '/') if "(,=:[!&|?{};>".contains(last) => around.push(c),
            (Some('{'), '}') => _ = around.pop(),
            (_, ' ') => {
                let next = rest.peek().copied().unwrap_or_default();
                let is_sign = last == next && "+-".contains(last);
                if !(is_sign || is_word(last) && is_word(next)) {
                    continue;
                }
            }
            _ => {}
        }
        short.push(c);
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_lose_the_spaces_that_mean_nothing() {
        for (line, short) in [
            ("const a = b + +c - -d;", "const a=b+ +c- -d;"),
            (
                "return ' a  b' + \" { \" + `x ${ a ? `y  ${ b } z` : c } w`;",
                "return' a  b'+\" { \"+`x ${a?`y  ${b} z`:c} w`;",
            ),
            (
                r"x = /^\s* [/ ']/.test(y) ? a / b / c : typeof d;",
                r"x=/^\s* [/ ']/.test(y)?a/b/c:typeof d;",
            ),
            (
                "for (const [a, b] of { c }) if (a in b) yield_ (' \\' ');",
                "for(const[a,b]of{c})if(a in b)yield_(' \\' ');",
            ),
        ] {
            assert_eq!(short_script(line), short);
        }
    }

    #[test]
    fn every_file_of_the_page_is_served_and_they_stay_small() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page");
        let files = std::fs::read_dir(folder).expect("the folder of the page");
        let files: Vec<_> = files.collect();
        assert_eq!(files.len(), PAGE.len());
        for file in files {
            let path = file.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            for line in text.lines().map(str::trim) {
                // A text over several lines would lose its indentation, and a comment after code would swallow the next line.
                assert!(line.matches('`').count() % 2 == 0, "{path:?}: {line}");
                let is_comment = line.starts_with("//") || !line.contains(" // ");
                assert!(is_comment, "{path:?}: {line}");
            }
        }
        let bytes: usize = PAGE.iter().map(|(_, _, text)| text.len()).sum();
        assert!(bytes <= 60 << 10, "the page has {bytes} bytes");
    }
}
