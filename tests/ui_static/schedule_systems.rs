//! Entries of a `schedule!` that are not a system, condition or set: one error each.

use ecs_core::prelude::*;

struct NoLabel;

#[system]
fn a() {}
#[system]
fn yes() -> bool {
    true
}
#[system]
fn wants(_: u8) {}
fn plain() {}

schedule! { static S1 = [plain] }
schedule! { static S2 = [wants] }
schedule! { static S3 = [yes] }
schedule! { static S4 = [a.run_if(plain)] }
schedule! { static S5 = [a.run_if(yes.and(a))] }
schedule! { static S6 = [a.after(plain)] }
schedule! { static S7 = [a.in_set(NoLabel)] }
schedule! { static S8 = [a, unordered(a, plain)] }

fn main() {}

//~ [plain]
//~ [wants]
//~ [yes]
//~ run_if(plain)
//~ yes.and(a)
//~ after(plain)
//~ in_set(NoLabel)
//~ unordered(a, plain)
