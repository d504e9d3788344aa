//! Plans in the language of Mermaid.

use core::fmt::Write as _;

use super::{Arrow, arrows};
use crate::schedule::{Place, Plan};

impl Plan {
    /// The plan as a flow chart in the language of Mermaid, which many viewers of Markdown draw.
    ///
    /// A box is a system, with the conditions under which it runs: a plain one can run on any thread, one with round
    /// ends runs on the calling thread, one with double sides runs alone. Arrows are those of
    /// [`to_dot`](Self::to_dot).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn input(mut keys: ResMut<u64>) { *keys += 1 }
    /// #[system]
    /// fn jump(keys: Res<u64>) { assert!(*keys > 0) }
    ///
    /// let mut frame = Schedule::new();
    /// frame.add((input, jump));
    /// assert!(frame.plan()?.to_mermaid().contains(r#"s0 -. "the resource #96;u64#96;" .-> s1"#));
    /// # Ok::<(), ecs_core::schedule::PlanError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn to_mermaid(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        for step in self.steps() {
            let (open, close) = match step.place() {
                Place::Anywhere => ("[", "]"),
                Place::CallingThread => ("([", "])"),
                Place::Alone => ("[[", "]]"),
            };
            let label = quoted(&format!("{step:?}"));
            line(
                &mut text,
                format_args!("s{}{open}{label}{close}", step.number()),
            );
        }
        for Arrow { first, second, why } in arrows(self) {
            match why {
                None => line(&mut text, format_args!("s{first} --> s{second}")),
                Some(why) => {
                    let label = quoted(&why);
                    line(&mut text, format_args!("s{first} -. {label} .-> s{second}"));
                }
            }
        }
        text
    }
}

#[inline]
fn line(text: &mut String, statement: core::fmt::Arguments<'_>) {
    writeln!(text, "    {statement}").expect("writing to a string does not fail");
}

/// A quoted string of the language, in which all that could mean something is written as the number of the character.
#[inline]
fn quoted(what: &str) -> String {
    let mut text = String::from("\"");
    for character in what.chars() {
        match character {
            mark if mark.is_control() || "\"#`<>&;\\%".contains(mark) => {
                write!(text, "#{};", u32::from(mark)).expect("writing to a string does not fail");
            }
            other => text.push(other),
        }
    }
    text.push('"');
    text
}
