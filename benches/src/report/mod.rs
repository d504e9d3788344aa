//! Reports of the measurements: tables, a file of comma-separated values, a picture.

mod csv;
mod growth;
mod growth_svg;
mod svg;
mod table;
mod tables;

pub use csv::csv;
pub use growth::growth;
pub use growth_svg::growth_svg;
pub use svg::svg;
pub use table::Table;
pub use tables::{details, summary};

use crate::peers::Peer;

/// Describes the build, which the figures depend on.
#[must_use]
pub fn conditions(malloc_pinned: bool) -> String {
    let yes_no = |yes| if yes { "yes" } else { "no" };
    let mut text = format!(
        "target {}, AVX {}, malloc thresholds pinned {}\n",
        std::env::consts::ARCH,
        yes_no(cfg!(target_feature = "avx")),
        yes_no(malloc_pinned),
    );
    if cfg!(debug_assertions) {
        text.push_str("WARNING: built with debug assertions; the figures are not a measurement\n");
    }
    let missing = Peer::ALL.iter().filter(|peer| !peer.is_built());
    let missing: Vec<&str> = missing.map(|peer| peer.name()).collect();
    if !missing.is_empty() {
        text.push_str(&format!("not in this build: {}\n", missing.join(", ")));
    }
    text
}
