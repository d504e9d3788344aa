//! The files of the page.

use crate::server::PageFile;

macro_rules! scripts {
    ($($name:literal)*) => {
        &[
            ("/", "text/html; charset=utf-8", include_bytes!("page/index.html")),
            ("/page.css", "text/css; charset=utf-8", include_bytes!("page/page.css")),
            $((concat!("/", $name), "text/javascript; charset=utf-8", include_bytes!(concat!("page/", $name)))),*
        ]
    };
}

/// The files that the server serves.
pub(crate) static PAGE: &[PageFile] = scripts! {
    "detail.js" "dom.js" "entities.js" "events.js" "fields.js" "frames.js" "list.js" "main.js" "memory.js" "resources.js" "rpc.js"
    "schedule.js" "types.js"
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_page_is_served_and_they_stay_small() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page");
        let files = std::fs::read_dir(folder).expect("the folder of the page");
        assert_eq!(files.count(), PAGE.len());
        let bytes: usize = PAGE.iter().map(|(_, _, bytes)| bytes.len()).sum();
        assert!(bytes <= 60 << 10, "the page has {bytes} bytes");
    }
}
