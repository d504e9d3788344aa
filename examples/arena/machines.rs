//! Real machines: a server, and players in windows.

use std::error::Error;
use std::net::SocketAddr;
use std::thread;
use std::time::Instant;

use ecs_core::net::{PlayerJoined, PlayerLeft, UdpTransport};
use ecs_core::prelude::*;

use crate::FRAME;
use crate::game::{game, network};

/// Runs a server at an address, until the program is ended.
pub(crate) fn serve(address: SocketAddr) -> Result<(), Box<dyn Error>> {
    let mut server = App::new();
    let transport = UdpTransport::bind(address)?;
    server
        .add_plugin(game)
        .add_plugin(network().server(transport));
    server.add_systems(Update, report);
    println!("arena: players join by `--join {address}`");
    loop {
        let frame = Instant::now();
        if let Some(exit) = server.update() {
            return Err(format!("the server has ended with {exit:?}").into());
        }
        thread::sleep(FRAME.saturating_sub(frame.elapsed()));
    }
}

#[system]
fn report(mut joined: EventReader<PlayerJoined>, mut left: EventReader<PlayerLeft>) {
    for event in joined.read() {
        println!("arena: {} has joined", event.player);
    }
    for event in left.read() {
        println!("arena: {} has left: {}", event.player, event.reason);
    }
}

/// Plays in a window, at the server with this address.
#[cfg(feature = "window")]
pub(crate) fn join(address: SocketAddr) -> Result<(), Box<dyn Error>> {
    let mut client = App::new();
    let transport = UdpTransport::bind(if address.is_ipv4() {
        "0.0.0.0:0"
    } else {
        "[::]:0"
    })?;
    client
        .add_plugin(game)
        .add_plugin(network().client(transport, address));
    crate::window::play(client, address);
    Ok(())
}

#[cfg(not(feature = "window"))]
pub(crate) fn join(_: SocketAddr) -> Result<(), Box<dyn Error>> {
    Err("this program has no window; help: build it with `--features window`".into())
}
