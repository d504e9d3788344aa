//! Mistakes with sets and conditions, in entries that the macro itself rejects.

use ecs_core::prelude::*;
use ecs_core::schedule::conditions::resource_exists;

#[derive(Debug, PartialEq, Eq, Hash)]
enum Frame {
    Input,
    Physics,
}

#[system]
fn a() {}
#[system]
fn b() {}
#[system]
fn yes() -> bool {
    true
}

schedule! { static S1 = [a.after(Frame::Input), b.before("late")] }
schedule! { static S2 = [a, configure(Frame::Input, |set| set.after(a)), b.before(Frame::Input)] }
schedule! {
    static S3 = [
        a.in_set(Frame::Input),
        configure(Frame::Input, |set| set.in_set(Frame::Physics)),
        configure(Frame::Physics, |set| set.in_set(Frame::Input)),
    ]
}
schedule! {
    static S4 = [
        a.in_set(Frame::Input),
        configure(Frame::Input, |set| set.before(b)),
        configure(Frame::Input, |set| set.after(b).chain()),
        b,
    ]
}
schedule! { static S5 = [a.run_if(resource_exists::<u8>())] }
schedule! { static S6 = [a.run_if(|x: Res<u8>| *x > 1)] }
schedule! { static S7 = [a.run_if(yes, yes)] }
schedule! { static S8 = [a.run_if(yes.xor(yes))] }
schedule! { static S9 = [a.in_set(Frame::Input), configure(Frame::Input)] }
schedule! { static S10 = [a, chain_sets(Frame::Input, Frame::Physics)] }
schedule! { static S11 = [a, b, chain(a, b)] }
schedule! { static S12 = [self::a()] }
schedule! { static S13 = [a.flush_later(), b.in_states(Frame::Input)] }

fn main() {}

//~ a.after(Frame::Input)
//~ "late"
//~ configure(Frame::Input, |set| set.after(a))
//~ a.in_set(Frame::Input), configure(Frame::Input, |set| set.in_set(Frame::Physics)), configure(Frame::Physics, |set| set.in_set(Frame::Input))
//~ configure(Frame::Input, |set| set.after(b)
//~ .chain()
//~ resource_exists::<u8>()
//~ |x: Res<u8>| *x > 1
//~ yes, yes
//~ xor
//~ configure(Frame::Input)
//~ chain_sets(Frame::Input, Frame::Physics)
//~ chain(a, b)
//~ self::a()
//~ flush_later
//~ in_states
