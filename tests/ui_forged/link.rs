//! The link between one component and a relation cannot be used for another component.

use ecs_core::component::{Link, StorageKind, Untracked};
use ecs_core::meta::ConstTypeIdOf;
use ecs_core::prelude::*;
use ecs_core::relation::Targets;

#[derive(Relation)]
#[relation(many)]
struct Of<F: Send + Sync + 'static>(F);

type Sub = Of<for<'a> fn(&'a u8)>;
type Super = Of<fn(&'static u8)>;

/// Too small for the fields that each end of a relation begins with.
struct Copied(u8);

impl Component for Copied {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::opaque();
    const STORAGE: StorageKind = StorageKind::Sparse;
    type Tracking = Untracked;
    const LINK: Option<Link<Self>> = <Targets<Sub> as Component>::LINK;
}

fn coerced(of: Link<Targets<Sub>>) -> Link<Targets<Super>> {
    of
}

fn main() {}

//~ <Targets<Sub> as Component>::LINK
//~ of }
