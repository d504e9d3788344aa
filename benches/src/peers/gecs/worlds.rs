//! The worlds: gecs generates a type for each from its list of kinds of entities ("archetypes").

/// The world of `iter` and `bytes`.
#[allow(missing_docs, unreachable_pub, reason = "generated")]
#[allow(clippy::too_many_arguments, reason = "generated")]
pub(super) mod moving {
    use crate::components::{Position, Velocity};
    use gecs::prelude::*;

    ecs_world! {
        ecs_name!(MovingWorld);
        ecs_archetype!(Body, dyn, Position, Velocity);
    }
}

/// The world of `frag_iter`.
#[allow(missing_docs, unreachable_pub, reason = "generated")]
#[allow(clippy::too_many_arguments, reason = "generated")]
pub(super) mod kinds {
    use crate::workloads::frag::*;
    use gecs::prelude::*;

    ecs_world! {
        ecs_name!(KindsWorld);
        ecs_archetype!(KindA, dyn, Data, KA);
        ecs_archetype!(KindB, dyn, Data, KB);
        ecs_archetype!(KindC, dyn, Data, KC);
        ecs_archetype!(KindD, dyn, Data, KD);
        ecs_archetype!(KindE, dyn, Data, KE);
        ecs_archetype!(KindF, dyn, Data, KF);
        ecs_archetype!(KindG, dyn, Data, KG);
        ecs_archetype!(KindH, dyn, Data, KH);
        ecs_archetype!(KindI, dyn, Data, KI);
        ecs_archetype!(KindJ, dyn, Data, KJ);
        ecs_archetype!(KindK, dyn, Data, KK);
        ecs_archetype!(KindL, dyn, Data, KL);
        ecs_archetype!(KindM, dyn, Data, KM);
        ecs_archetype!(KindN, dyn, Data, KN);
        ecs_archetype!(KindO, dyn, Data, KO);
        ecs_archetype!(KindP, dyn, Data, KP);
        ecs_archetype!(KindQ, dyn, Data, KQ);
        ecs_archetype!(KindR, dyn, Data, KR);
        ecs_archetype!(KindS, dyn, Data, KS);
        ecs_archetype!(KindT, dyn, Data, KT);
        ecs_archetype!(KindU, dyn, Data, KU);
        ecs_archetype!(KindV, dyn, Data, KV);
        ecs_archetype!(KindW, dyn, Data, KW);
        ecs_archetype!(KindX, dyn, Data, KX);
        ecs_archetype!(KindY, dyn, Data, KY);
        ecs_archetype!(KindZ, dyn, Data, KZ);
    }
}

/// The world of the workloads with entities of 100 bytes.
#[allow(missing_docs, unreachable_pub, reason = "generated")]
#[allow(clippy::too_many_arguments, reason = "generated")]
pub(super) mod rows {
    use crate::components::{Position, Rotation, Transform, Velocity};
    use gecs::prelude::*;

    ecs_world! {
        ecs_name!(RowsWorld);
        ecs_archetype!(Full, dyn, Transform, Position, Rotation, Velocity);
    }
}

/// The world of `links`.
#[allow(missing_docs, unreachable_pub, reason = "generated")]
#[allow(clippy::too_many_arguments, reason = "generated")]
pub(super) mod tree {
    use gecs::prelude::*;

    /// The parent of an entity, and a value.
    pub struct Link {
        pub parent: Option<EntityAny>,
        pub value: f32,
    }

    /// The sum of the values of the ancestors.
    pub struct Sum(pub f32);

    ecs_world! {
        ecs_name!(TreeWorld);
        ecs_archetype!(Node, dyn, Link, Sum);
    }
}

/// The worlds of `schedule` and `sched_seq`.
#[allow(missing_docs, unreachable_pub, reason = "generated")]
#[allow(clippy::too_many_arguments, reason = "generated")]
pub(super) mod systems {
    use crate::workloads::schedule::{A, B, C, D, E, Tiny};
    use gecs::prelude::*;

    ecs_world! {
        ecs_name!(SystemsWorld);
        ecs_archetype!(KindAb, dyn, A, B);
        ecs_archetype!(KindAbc, dyn, A, B, C);
        ecs_archetype!(KindAbcd, dyn, A, B, C, D);
        ecs_archetype!(KindAbce, dyn, A, B, C, E);
        ecs_archetype!(KindTiny, dyn, Tiny);
    }
}

/// The world of `one_and_rest`.
#[allow(missing_docs, unreachable_pub, reason = "generated")]
#[allow(clippy::too_many_arguments, reason = "generated")]
pub(super) mod bodies {
    use crate::workloads::bodies::Body;
    use gecs::prelude::*;

    ecs_world! {
        ecs_name!(BodiesWorld);
        ecs_archetype!(Massive, dyn, Body);
    }
}

/// The world of `waves`.
#[allow(missing_docs, unreachable_pub, reason = "generated")]
#[allow(clippy::too_many_arguments, reason = "generated")]
pub(super) mod waves {
    use crate::components::{Position, Rotation, Velocity};
    use gecs::prelude::*;

    ecs_world! {
        ecs_name!(WavesWorld);
        ecs_archetype!(Mover, dyn, Position, Rotation, Velocity);
    }
}

/// The world of the loops over one to eight components.
#[allow(missing_docs, unreachable_pub, reason = "generated")]
#[allow(clippy::too_many_arguments, reason = "generated")]
pub(super) mod plain {
    use crate::workloads::plain::{N1, N2, N3, N4, N5, N6, N7, N8};
    use gecs::prelude::*;

    ecs_world! {
        ecs_name!(PlainWorld);
        ecs_archetype!(One, dyn, N1);
        ecs_archetype!(Two, dyn, N1, N2);
        ecs_archetype!(Four, dyn, N1, N2, N3, N4);
        ecs_archetype!(Eight, dyn, N1, N2, N3, N4, N5, N6, N7, N8);
    }
}

/// The world of `sched_tiny`.
#[allow(missing_docs, unreachable_pub, reason = "generated")]
#[allow(clippy::too_many_arguments, reason = "generated")]
pub(super) mod linked {
    use crate::workloads::linked::*;
    use gecs::prelude::*;

    ecs_world! {
        ecs_name!(LinkedWorld);
        ecs_archetype!(Front, dyn, L0, L1, L2, L3, L4, L5, L6, L7, L8, L9);
        ecs_archetype!(Back, dyn, L10, L11, L12, L13, L14, L15, L16, L17, L18, L19);
    }
}
