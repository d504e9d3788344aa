//! Trees of entities with names: [`ChildOf`], [`Name`] and paths.
//!
//! [Relations](crate::relation) are your own types. This module has the one that most programs would write, and a name for
//! entities, so libraries and tools can agree on them. They cost nothing in worlds that do not use them.
//!
//! ```
//! use ecs_core::prelude::*;
//! use ecs_core::tree::{ChildOf, Name, children};
//!
//! #[derive(Component)]
//! struct Turret;
//! #[derive(Component)]
//! struct Engine;
//!
//! let mut world = World::new();
//! world.spawn((
//!     Name::new("ship"),
//!     children![
//!         (Name::new("turret"), Turret, children![Name::new("barrel")]),
//!         (Name::new("engine"), Engine),
//!     ],
//! ));
//!
//! let turret = world.find("ship/turret")?;
//! assert!(world.has::<Turret>(turret));
//! let barrel = world.entity(turret)?.find("barrel")?;
//! assert_eq!(world.path_of(barrel).unwrap(), "ship/turret/barrel");
//! assert_eq!(world.display(barrel).to_string(), format!("barrel ({barrel})"));
//! assert_eq!(
//!     world.find("ship/turet").unwrap_err().to_string(),
//!     "no child of `ship` has the name `turet`; help: the closest names are `turret`, `engine`",
//! );
//!
//! let ship = world.find("ship")?;
//! world.entity_mut(barrel)?.reparent(ship)?;
//! assert!(world.find("ship/barrel").is_ok());
//! world.detach::<ChildOf>(turret)?;
//! assert_eq!(world.find("turret")?, turret);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Paths
//! A path is the names from a root, which is an entity without a parent, down to the entity, with `/` between them. Names
//! need not be unique. Where several entities fit, the first one counts: roots come in the order of a query of [`Name`], and
//! children in the order of their parent's list. A path continues with the children of all entities that fit, so
//! `"ship/turret"` is found if any ship has a turret. It does not go through entities without a name, and cannot name one
//! with a `/` in its name.
//!
//! There is no index. The first part of a path is compared with the name of each root, and each other part with the names of
//! the children. So keep the ids of entities that you need often. An error costs more because it has the closest names.
//!
//! # Data
//! With the feature `data`, saves contain both: `ecs.name`, a text, and `ecs.child_of`.

mod child_of;
mod error;
mod name;
mod paths;
#[cfg(feature = "data")]
mod serde;

#[doc(inline)]
pub use crate::__children as children;
pub use child_of::ChildOf;
pub use error::FindError;
pub use name::Name;
pub use paths::DisplayEntity;
