//! The name that was probably meant.

/// Returns the name that differs least from a text, unless a third of its characters is wrong.
pub(crate) fn closest<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distances = names.map(|name| (distance(text, name), name));
    let close = distances.filter(|&(distance, _)| distance <= text.chars().count() / 3);
    close.min().map(|(_, name)| name)
}

/// Returns the number of characters to insert, remove or replace to get from one text to the other (Levenshtein), for
/// texts of at most 100 characters.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(100).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().take(100).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_found_if_it_is_close() {
        let names = ["game.health", "game.heal", "game.dead"];
        let find = |text| closest(text, names.into_iter());
        assert_eq!(find("game.healt"), Some("game.heal"));
        assert_eq!(find("game.helth"), Some("game.health"));
        assert_eq!(find("dead"), None);
        assert_eq!(find(""), None);
    }
}
