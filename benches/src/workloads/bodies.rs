//! Bodies that attract each other: each against all others.

use crate::components::{Vec3, components};
use crate::digest::Digest;

components! {
    /// A body: its place, its mass, and the force on it.
    pub struct Body(Matter);
}

/// The fields of a body.
#[derive(Clone, Copy, Debug, Default)]
pub struct Matter {
    place: Vec3,
    mass: f32,
    force: Vec3,
}

/// The number of bodies.
pub(crate) const BODIES: u32 = 1_000;

/// Makes the `number`th body. All values are small integers, so that sums are exact and do not depend on the order.
pub(crate) fn body(number: u32) -> Body {
    let part = |of: u32| (number % of) as f32;
    Body(Matter {
        place: Vec3::new(part(11), part(17), part(23)),
        mass: 1.0 + part(3),
        force: Vec3::default(),
    })
}

impl Body {
    /// Resets the force.
    #[inline]
    pub(crate) fn release(&mut self) {
        self.0.force = Vec3::default();
    }

    /// Adds the force of another body.
    #[inline]
    pub(crate) fn pull(&mut self, other: &Self) {
        let (here, there) = (self.0.place, other.0.place);
        self.0.force += Vec3::new(
            (there.x - here.x) * other.0.mass,
            (there.y - here.y) * other.0.mass,
            (there.z - here.z) * other.0.mass,
        );
    }

    /// Adds the forces of both bodies on each other.
    #[inline]
    pub(crate) fn pull_both(&mut self, other: &mut Self) {
        self.pull(other);
        other.pull(self);
    }
}

/// Computes all against all, on one slice of all bodies.
#[inline]
pub(crate) fn pairs(bodies: &mut [Body]) {
    bodies.iter_mut().for_each(Body::release);
    for place in 0..bodies.len() {
        if let Some((one, behind)) = bodies[place..].split_first_mut() {
            behind.iter_mut().for_each(|other| one.pull_both(other));
        }
    }
}

/// Returns the digest of all forces.
pub(crate) fn digest<'a>(bodies: impl IntoIterator<Item = &'a Body>) -> u64 {
    Digest::of(bodies.into_iter().map(|body| body.0.force.to_array()))
}
