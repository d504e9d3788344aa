//! The worlds: freecs generates a type for each from its list of components and tags.

/// Silences warnings for generated code that is not used here.
macro_rules! world {
    ($(#[$doc:meta])* $module:ident { $($import:item)* } $($body:tt)*) => {
        $(#[$doc])*
        #[allow(dead_code, unused, missing_docs, unreachable_pub, reason = "generated")]
        #[allow(clippy::all, clippy::undocumented_unsafe_blocks, reason = "generated")]
        pub(super) mod $module {
            $( $import )*

            freecs::ecs! { $($body)* }
        }
    };
}

world! {
    /// The world of `iter`, `frag_deep`, `rare_join` and `bytes`: markers and the rare component are tags if they have
    /// no data.
    moving { use crate::components::Position; use crate::components::Velocity; use crate::workloads::frag::Rare; }
    World {
        position: Position => POSITION,
        velocity: Velocity => VELOCITY,
        rare: Rare => RARE,
    }
    Tags {
        m0 => M0, m1 => M1, m2 => M2, m3 => M3, m4 => M4,
        m5 => M5, m6 => M6, m7 => M7, m8 => M8, m9 => M9,
        m10 => M10, m11 => M11, m12 => M12, m13 => M13,
    }
    Resources {}
}

world! {
    /// The world of `frag_iter`.
    kinds { use crate::workloads::frag::*; }
    World {
        data: Data => DATA,
        ka: KA => KIND_A, kb: KB => KIND_B, kc: KC => KIND_C, kd: KD => KIND_D, ke: KE => KIND_E,
        kf: KF => KIND_F, kg: KG => KIND_G, kh: KH => KIND_H, ki: KI => KIND_I, kj: KJ => KIND_J,
        kk: KK => KIND_K, kl: KL => KIND_L, km: KM => KIND_M, kn: KN => KIND_N, ko: KO => KIND_O,
        kp: KP => KIND_P, kq: KQ => KIND_Q, kr: KR => KIND_R, ks: KS => KIND_S, kt: KT => KIND_T,
        ku: KU => KIND_U, kv: KV => KIND_V, kw: KW => KIND_W, kx: KX => KIND_X, ky: KY => KIND_Y,
        kz: KZ => KIND_Z,
    }
    Resources {}
}

world! {
    /// The world of the workloads with entities of 100 bytes.
    rows { use crate::components::*; }
    World {
        transform: Transform => TRANSFORM,
        position: Position => POSITION,
        rotation: Rotation => ROTATION,
        velocity: Velocity => VELOCITY,
    }
    Resources {}
}

world! {
    /// The world of `add_remove`.
    toggling { use crate::workloads::add_remove::*; }
    World {
        kept: Kept => KEPT,
        toggled: Toggled => TOGGLED_MASK,
        wide1: Wide1 => WIDE1, wide2: Wide2 => WIDE2, wide3: Wide3 => WIDE3, wide4: Wide4 => WIDE4,
        wide5: Wide5 => WIDE5, wide6: Wide6 => WIDE6, wide7: Wide7 => WIDE7, wide8: Wide8 => WIDE8,
    }
    Resources {}
}

/// The components of `links`; public, because the generated world is.
#[allow(unreachable_pub, reason = "see above")]
pub(super) mod node {
    /// The parent of an entity, and a value.
    #[derive(Clone, Debug, Default)]
    pub struct Link {
        pub parent: Option<freecs::Entity>,
        pub value: f32,
    }

    /// The sum of the values of the ancestors.
    #[derive(Clone, Debug, Default)]
    pub struct Sum(pub f32);
}

world! {
    /// The world of `links`.
    tree { use super::node::Link; use super::node::Sum; }
    World {
        link: Link => LINK,
        sum: Sum => SUM,
    }
    Resources {}
}

world! {
    /// The world of `schedule` and `sched_seq`.
    systems { use crate::workloads::schedule::*; }
    World {
        a: A => MASK_A,
        b: B => MASK_B,
        c: C => MASK_C,
        d: D => MASK_D,
        e: E => MASK_E,
        tiny: Tiny => TINY,
    }
    Resources {}
}

world! {
    /// The world of `changed_sparse`.
    tracked {
        /// The component that changes.
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Value(pub f32);
    }
    World {
        value: Value => VALUE,
    }
    Resources {}
}

world! {
    /// The world of `one_and_rest`.
    bodies { use crate::workloads::bodies::Body; }
    World {
        body: Body => BODY,
    }
    Resources {}
}

world! {
    /// The world of `sched_build`.
    linked {
        use crate::workloads::linked::*;

        /// The components of all chains.
        pub const ALL: u64 = (1 << CHAINS) - 1;
    }
    World {
        l0: L0 => MASK_0, l1: L1 => MASK_1, l2: L2 => MASK_2, l3: L3 => MASK_3, l4: L4 => MASK_4,
        l5: L5 => MASK_5, l6: L6 => MASK_6, l7: L7 => MASK_7, l8: L8 => MASK_8, l9: L9 => MASK_9,
        l10: L10 => MASK_10, l11: L11 => MASK_11, l12: L12 => MASK_12, l13: L13 => MASK_13, l14: L14 => MASK_14,
        l15: L15 => MASK_15, l16: L16 => MASK_16, l17: L17 => MASK_17, l18: L18 => MASK_18, l19: L19 => MASK_19,
        l20: L20 => MASK_20, l21: L21 => MASK_21, l22: L22 => MASK_22, l23: L23 => MASK_23, l24: L24 => MASK_24,
        l25: L25 => MASK_25, l26: L26 => MASK_26, l27: L27 => MASK_27, l28: L28 => MASK_28, l29: L29 => MASK_29,
    }
    Resources {}
}

world! {
    /// The world of the loops over one to eight components.
    plain { use crate::workloads::plain::*; }
    World {
        n1: N1 => M1, n2: N2 => M2, n3: N3 => M3, n4: N4 => M4,
        n5: N5 => M5, n6: N6 => M6, n7: N7 => M7, n8: N8 => M8,
    }
    Resources {}
}
