use std::rc::Rc;

use ecs_core::prelude::*;

type Shared = Rc<u8>;

#[system]
fn twice(mut one: NonSendMut<Rc<u8>>, two: NonSend<Shared>) {
    *one = two.clone();
}

#[system]
fn leaves(window: NonSend<Rc<u8>>, mut other: NonSendMut<Rc<u16>>, mut number: ResMut<u8>) {
    *other = Rc::new(**window as u16);
    *number = 1;
}

fn main() {}

//~ NonSend<Shared>
