//! The game in a terminal.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyEventKind};
use ecs_core::prelude::*;
use ratatui::DefaultTerminal;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::Result;
use crate::game::{Ball, CELL, HEIGHT, Input, Paddle, Place, REACH, Score, Spark, WIDTH};
use crate::peer::Peer;

/// A terminal does not report key releases, so a key counts as held for this many frames.
const HELD: u32 = 6;

/// Plays until `q` is pressed.
pub(crate) fn play(mut peer: Peer) -> Result<()> {
    let end = play_in_terminal(&mut peer);
    peer.leave()?;
    end
}

fn play_in_terminal(peer: &mut Peer) -> Result<()> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err("not a terminal; run the game in a terminal, or with --headless".into());
    }
    let mut terminal = ratatui::try_init().inspect_err(|_| ratatui::restore())?;
    let end = play_on(&mut terminal, peer);
    ratatui::restore();
    end
}

fn play_on(terminal: &mut DefaultTerminal, peer: &mut Peer) -> Result<()> {
    let mut held = (Input::Stay, 0);
    let mut next = Instant::now();
    loop {
        while event::poll(next.saturating_duration_since(Instant::now()))? {
            let Event::Key(key) = event::read()? else {
                continue;
            };
            match key.code {
                _ if key.kind == KeyEventKind::Release => {}
                KeyCode::Char('q') | KeyCode::Esc => return Ok(()),
                KeyCode::Up | KeyCode::Char('w') => held = (Input::Up, HELD),
                KeyCode::Down | KeyCode::Char('s') => held = (Input::Down, HELD),
                _ => held = (Input::Stay, 0),
            }
        }
        // Frames missed in a pause are not run later.
        next = (next + peer.frame).max(Instant::now() - Duration::from_millis(100));
        let input = if held.1 > 0 { held.0 } else { Input::Stay };
        held.1 = held.1.saturating_sub(1);
        peer.step(input)?;
        if peer.is_alone() {
            return Err("the other player has left".into());
        }
        terminal.draw(|frame| draw(frame.area(), frame.buffer_mut(), peer))?;
    }
}

fn draw(area: Rect, buffer: &mut Buffer, peer: &Peer) {
    let mut put = |x: i32, y: i32, text: &str| {
        let (x, y) = (u16::try_from(x), u16::try_from(y));
        if let (Ok(x), Ok(y)) = (x, y)
            && x < area.width
            && y < area.height
        {
            buffer.set_stringn(
                area.x + x,
                area.y + y,
                text,
                (area.width - x).into(),
                ratatui::style::Style::new(),
            );
        }
    };
    let world = &peer.world;
    for y in 0..HEIGHT {
        put(WIDTH / 2, y + 1, "·");
    }
    for place in &world.query_filtered::<&Place, With<Spark>>() {
        if (0..WIDTH * CELL).contains(&place.x) && (0..HEIGHT * CELL).contains(&place.y) {
            put(place.x / CELL, place.y / CELL + 1, "*");
        }
    }
    for place in &world.query_filtered::<&Place, With<Ball>>() {
        put(place.x / CELL, place.y / CELL + 1, "●");
    }
    for (place, _) in &world.query::<(&Place, &Paddle)>() {
        for y in -REACH..=REACH {
            put(place.x / CELL, place.y / CELL + y + 1, "█");
        }
    }
    let score = world.resource::<Score>().0;
    let side = if peer.player == 0 { "left" } else { "right" };
    put(
        0,
        0,
        &format!(
            "{} : {}   you are {side}; arrows move, q ends",
            score[0], score[1]
        ),
    );
    let stats = peer.rollback.stats();
    let ahead = peer
        .rollback
        .frame()
        .saturating_sub(peer.rollback.confirmed());
    put(
        0,
        HEIGHT + 1,
        &format!(
            "frame {}, {ahead} ahead, {} rollbacks of at most {} frames, {} waits",
            peer.rollback.frame(),
            stats.rollbacks,
            stats.longest,
            stats.waits
        ),
    );
}
