//! The files of the page.

use crate::server::PageFile;

/// The files that the server serves.
pub(crate) static PAGE: &[PageFile] = &[
    (
        "/detail.js",
        "text/javascript; charset=utf-8",
        include_bytes!("page/detail.js"),
    ),
    (
        "/dom.js",
        "text/javascript; charset=utf-8",
        include_bytes!("page/dom.js"),
    ),
    (
        "/entities.js",
        "text/javascript; charset=utf-8",
        include_bytes!("page/entities.js"),
    ),
    (
        "/events.js",
        "text/javascript; charset=utf-8",
        include_bytes!("page/events.js"),
    ),
    (
        "/fields.js",
        "text/javascript; charset=utf-8",
        include_bytes!("page/fields.js"),
    ),
    (
        "/frames.js",
        "text/javascript; charset=utf-8",
        include_bytes!("page/frames.js"),
    ),
    (
        "/",
        "text/html; charset=utf-8",
        include_bytes!("page/index.html"),
    ),
    (
        "/list.js",
        "text/javascript; charset=utf-8",
        include_bytes!("page/list.js"),
    ),
    (
        "/main.js",
        "text/javascript; charset=utf-8",
        include_bytes!("page/main.js"),
    ),
    (
        "/memory.js",
        "text/javascript; charset=utf-8",
        include_bytes!("page/memory.js"),
    ),
    (
        "/page.css",
        "text/css; charset=utf-8",
        include_bytes!("page/page.css"),
    ),
    (
        "/resources.js",
        "text/javascript; charset=utf-8",
        include_bytes!("page/resources.js"),
    ),
    (
        "/rpc.js",
        "text/javascript; charset=utf-8",
        include_bytes!("page/rpc.js"),
    ),
    (
        "/schedule.js",
        "text/javascript; charset=utf-8",
        include_bytes!("page/schedule.js"),
    ),
];
