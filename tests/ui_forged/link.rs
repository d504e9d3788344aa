//! That values are ends of a relation is said of one component and of no other.

use ecs_core::component::{Link, StorageKind, Untracked};
use ecs_core::meta::ConstTypeIdOf;
use ecs_core::prelude::*;

#[derive(Relation)]
#[relation(many)]
struct Of<F: Send + Sync + 'static>(F);

type Sub = Of<for<'a> fn(&'a u8)>;
type Super = Of<fn(&'static u8)>;

/// Too small to begin with what the ends of a relation begin with.
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
