//! The implementations of the workloads: one folder per peer, each behind a feature of its own name.
//!
//! A peer is a function `add` that matches on the [`Kind`](crate::kind::Kind) of the workload and adds its forms of it,
//! or the reason for having none. To add a peer, add its module, one line in the table below, and its feature.

use std::fmt;

use crate::subject::Workload;

/// Declares the peers: the enum, their names, and which of them are in this build.
macro_rules! peers {
    ($( $(#[$doc:meta])* $peer:ident $module:ident $(if $feature:literal)?; )*) => {
        $( $(#[cfg(feature = $feature)])? mod $module; )*

        /// An implementer of the workloads: hand-written code, this library, or another one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Peer { $( $(#[$doc])* $peer, )* }

        impl Peer {
            /// All peers, including those that are not in this build.
            pub const ALL: &[Self] = &[ $( Self::$peer, )* ];

            /// Returns the short name that the report prints.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$peer => stringify!($module), )* }
            }

            /// Returns whether the peer is in this build.
            #[must_use]
            pub const fn is_built(self) -> bool {
                match self { $( Self::$peer => true $(&& cfg!(feature = $feature))?, )* }
            }

            /// Adds the peer's forms of a workload; none if it is not in this build.
            pub fn add(self, workload: &mut Workload) {
                match self { $(
                    $(#[cfg(feature = $feature)])?
                    Self::$peer => $module::add(workload),
                )*
                    #[allow(unreachable_patterns, reason = "unreachable with all features")]
                    _ => {}
                }
            }
        }
    };
}
peers! {
    /// Hand-written code on plain `Vec`s; the other rows are multiples of its best form.
    Limit limit;
    /// `ecs-core`.
    Ours ours;
    /// Closed worlds of `ecs-core`: its feature `statics`.
    Closed closed;
    /// bevy_ecs.
    Bevy bevy if "bevy";
    /// flecs_ecs, a binding to a library written in C.
    Flecs flecs if "flecs";
    /// freecs.
    Freecs freecs if "freecs";
    /// gecs.
    Gecs gecs if "gecs";
    /// hecs.
    Hecs hecs if "hecs";
    /// legion.
    Legion legion if "legion";
    /// shipyard.
    Shipyard shipyard if "shipyard";
    /// sparsey.
    Sparsey sparsey if "sparsey";
    /// specs.
    Specs specs if "specs";
}

impl Peer {
    /// Returns the peer with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|peer| peer.name() == name)
    }

    /// Returns whether this is another ECS library.
    #[must_use]
    pub const fn is_rival(self) -> bool {
        !matches!(self, Self::Limit | Self::Ours | Self::Closed)
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Adds the forms of all peers in this build.
pub(crate) fn add_all(workload: &mut Workload) {
    for peer in Peer::ALL {
        peer.add(workload);
    }
}
