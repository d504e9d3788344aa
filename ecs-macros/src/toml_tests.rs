use super::*;

fn flat(text: &str) -> Vec<String> {
    let line = |entry: &Entry| format!("{}={}", entry.keys.join("/"), entry.value);
    entries(text).iter().map(line).collect()
}

#[test]
fn all_forms_of_a_value_have_the_same_path() {
    for text in [
        "[a.b]\nc = \"d\"",
        "[ a . 'b' ] # why\n\"c\" = 'd'#why",
        "a.b.c = '''d'''",
        "a = { b = { c = \"d\" } }",
        "a = {\n  # why\n  b.c =\n \"d\",\n}\n",
        "\u{feff}a.b.c = \"d\"",
        "[a]\r\nb = { \"c\" = \"\"\"d\"\"\" }\r\n",
    ] {
        assert_eq!(flat(text), ["a/b/c=d"], "{text}");
    }
}

#[test]
fn values_of_all_kinds_are_read() {
    let text = "[[a]]\nb = [1, [\"]\", 2], # ]\n { c = true }]\nd = 1979-05-27 07:32:00 # why\ne = \"\\\"#\"\nf = []\ng = {}\nh = {i = \"\"}\nj = 1";
    let expected =
        "a/b=1 | a/b=] | a/b=2 | a/b/c=true | a/d=1979-05-27 07:32:00 | a/e=\\\"# | a/h/i= | a/j=1";
    assert_eq!(flat(text).join(" | "), expected);
}
#[test]
fn reading_invalid_toml_terminates() {
    let texts = "[ | a = [ } | a = { ] | a = [ # | } | ] | a | a = | = =\n] | a = { | a = [ | a = \"b | \u{e4}\n} | a = \"\\";
    texts.split(" | ").for_each(|text| drop(entries(text)));
}
