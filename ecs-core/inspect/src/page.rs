//! The files of the page.

use std::sync::LazyLock;

use crate::server::PageFile;

macro_rules! files {
    ($($name:literal)*) => {
        [$((concat!("/", $name), include_str!(concat!("page/", $name)))),*]
    };
}

/// The files that the server serves, without their comments and indentation, which are for readers of the source.
pub(crate) static PAGE: LazyLock<Vec<PageFile>> = LazyLock::new(|| {
    let files = files! {
        "detail.js" "dom.js" "entities.js" "events.js" "fields.js" "forms.js" "frames.js" "index.html" "lanes.js"
        "list.js" "main.js" "memory.js" "page.css" "resources.js" "rpc.js" "say.js" "schedule.js" "turns.js" "types.js"
    };
    files.into_iter().map(served).collect()
});

fn served((name, text): (&'static str, &str)) -> PageFile {
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
    let lines = text.lines().map(str::trim).filter(is_served);
    let text = lines.collect::<Vec<_>>().join("\n");
    (path, kind, text.into_bytes().leak())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_page_is_served_and_they_stay_small() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page");
        let files = std::fs::read_dir(folder).expect("the folder of the page");
        assert_eq!(files.count(), PAGE.len());
        // A text over several lines would lose its indentation.
        for (path, _, text) in PAGE.iter() {
            let lines = text.split(|&byte| byte == b'\n');
            let odd =
                lines.filter(|line| line.iter().filter(|&&byte| byte == b'`').count() % 2 == 1);
            assert_eq!(odd.count(), 0, "{path}");
        }
        let bytes: usize = PAGE.iter().map(|(_, _, text)| text.len()).sum();
        assert!(bytes <= 60 << 10, "the page has {bytes} bytes");
    }
}
