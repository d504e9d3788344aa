//! Players who leave: the others agree about who that is, and about their last inputs.

use std::time::Duration;

use ecs_data::RollbackInput;

use super::{PeerSession, SessionEvent};
use crate::messages::NetworkValue;
use crate::peer::Delivery;
use crate::wire::put_varint;

/// The number of frames for which a player who has left gets inputs in advance.
const AHEAD: u64 = 64;

/// The time for reports of others before one of two players goes who have lost each other.
const DISPUTE: Duration = Duration::from_millis(500);

impl<I: NetworkValue + RollbackInput> PeerSession<I> {
    /// Loses the players whom others have lost, if these agree.
    ///
    /// One report proves nothing: this machine waits until its own connection to the player ends, or until more than half of the
    /// others have lost the player. Two players who have lost each other cannot go on together: after a time for more reports, the
    /// one whom more others have lost goes, or the one with the higher number.
    pub(super) fn lose_outvoted(&mut self, elapsed: Duration) {
        while let Some(player) = self.outvoted() {
            self.lose(player);
        }
        match self.loser() {
            None => self.disputed = Duration::ZERO,
            Some(_) if self.disputed < DISPUTE => self.disputed += elapsed,
            Some(player) => {
                self.disputed = Duration::ZERO;
                self.lose(player);
            }
        }
    }

    /// Returns the players who are there.
    fn here(&self) -> impl Iterator<Item = usize> {
        (0..self.players.len()).filter(|&player| !self.players[player].has_left)
    }

    /// Returns the players who are there and have lost this one.
    fn lost_by(&self, player: usize) -> impl Iterator<Item = usize> {
        let by = self.players[player].ends.keys().copied();
        by.filter(|&by| !self.players[by].has_left)
    }

    /// Returns a player whom most others have lost.
    fn outvoted(&self) -> Option<usize> {
        let others = self.here().count() - 1;
        let mut all = self.here().filter(|&player| Some(player) != self.me);
        all.find(|&player| self.lost_by(player).count() * 2 > others)
    }

    /// Returns one of two players who have lost each other.
    fn loser(&self) -> Option<usize> {
        let votes = |player| (self.lost_by(player).count(), player);
        let mut all = self.here().filter(|&player| Some(player) != self.me);
        all.find(|&player| {
            self.lost_by(player).any(|other| {
                self.lost_by(other).any(|by| by == player) && votes(player) > votes(other)
            })
        })
    }

    /// Notes that a player has left, and says so to the others, with the inputs that have arrived.
    pub(super) fn lose(&mut self, player: usize) {
        if std::mem::replace(&mut self.players[player].has_left, true) {
            return;
        }
        let mut peers = self.peers.iter();
        let peer = peers.find(|(_, peer)| peer.player == Some(player));
        if let Some((&peer, _)) = peer {
            self.endpoint
                .disconnect(peer, "another player has lost you");
            self.peers.remove(&peer);
        }
        // A player who is not there has no say about others.
        for known in &mut self.players {
            known.ends.remove(&player);
        }
        let gone = self.gone();
        let mut bytes = vec![1];
        put_varint(&mut bytes, gone);
        for number in bits(gone) {
            // From now on this machine takes these inputs only from players who are still there.
            let end = self.rollback.next_input(number).unwrap_or(0);
            put_varint(&mut bytes, end);
            let known = &mut self.players[number];
            if let Some(me) = self.me {
                known.ends.insert(me, end);
            }
            // The one who has the missing inputs may be the one who has left now.
            known.gone_from = known.gone_from.filter(|from| end >= *from);
        }
        for &peer in self.peers.keys() {
            // A connection with a backlog ends on its own.
            _ = self.endpoint.send(peer, Delivery::Ordered, bytes.clone());
        }
    }

    /// Returns the players who have left, as bits.
    fn gone(&self) -> u64 {
        let players = self.players.iter().enumerate();
        let gone = players.filter(|(_, player)| player.has_left);
        gone.fold(0, |bits, (number, _)| bits | 1 << number)
    }

    /// Adds the inputs of players who are gone, when the others agree about who is gone, and about their last inputs.
    pub(super) fn fill_gone(&mut self) {
        let gone = self.gone();
        if gone == 0 || self.me.is_none() {
            return;
        }
        let others = self.peers.values().filter(|peer| peer.player.is_some());
        let agree = others.clone().all(|peer| peer.gone & gone == gone);
        let others: Vec<usize> = others.filter_map(|peer| peer.player).collect();
        for number in bits(gone) {
            let player = &mut self.players[number];
            let says = |other: &usize| player.ends.contains_key(other);
            if player.gone_from.is_none() && agree && others.iter().all(says) {
                let frame = player.ends.values().copied().max().unwrap_or(0);
                player.gone_from = Some(frame);
                if !std::mem::replace(&mut player.is_reported, true) {
                    let left = SessionEvent::PlayerLeft {
                        player: number,
                        frame,
                    };
                    self.events.push_back(left);
                }
            }
            let until = self.rollback.frame() + AHEAD;
            while let Some(from) = player.gone_from
                && let Ok(next) = self.rollback.next_input(number)
                && (from..until).contains(&next)
                && self.rollback.add_input(number, next, I::default()).is_ok()
            {}
        }
    }
}

/// Returns the positions of bits.
pub(super) fn bits(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |position| set & 1 << position != 0)
}
