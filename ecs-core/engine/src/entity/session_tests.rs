//! Tests of `session.rs`.

use super::*;

fn id(index: u64, generation: u64) -> Entity {
    Entity::from_bits(generation << 32 | index).unwrap()
}

#[test]
fn outside_of_a_session_an_id_is_an_error() {
    assert_eq!(write(id(0, 1)), Err(IdError::Outside));
    assert_eq!(read(0), Err(IdError::Outside));
}

#[test]
fn ids_are_written_as_numbers_in_the_list() {
    let (a, b) = (id(4, 1), id(1, 3));
    let (entities, swapped) = ([a, b], [b, a]);
    let list = RefCell::new(Vec::new());
    let session = |others| {
        Session::new(IdForm::Numbered {
            entities: &entities,
            // Index 0 is not in the list; its number is wrong on purpose.
            numbers: ByIndex::Dense(&[0, 1, 0, 0, 0]),
            others,
        })
    };
    let refused = session(Others::Refused);
    refused.run(|| {
        assert_eq!(write(a), Ok(Number::Dense(0)));
        assert_eq!(write(b), Ok(Number::Dense(1)));
        for other in [id(0, 1), id(1, 2), id(9, 1)] {
            assert_eq!(write(other), Err(IdError::NotWritten(other)));
        }
        assert_eq!(read(0), Err(IdError::Direction));
    });
    assert_eq!(
        refused.take_error(),
        Some(IdError::NotWritten(id(0, 1))),
        "the first"
    );
    session(Others::Listed(&list)).run(|| {
        assert_eq!(write(id(0, 1)), Ok(Number::Dense(2)));
    });
    let others = list.borrow();
    let session = Session::new(IdForm::Read {
        entities: &swapped,
        others: &others,
    });
    session.run(|| {
        assert_eq!([read(0), read(1), read(2)], [Ok(b), Ok(a), Ok(id(0, 1))]);
        assert_eq!(read(3), Err(IdError::NoSuchNumber(3)));
        let ids = [u32::MAX, u32::MAX - 1, 0xF000_0000].map(|number| read(number).unwrap());
        assert_eq!(ids, [u32::MAX, u32::MAX - 1, 0xF000_0000].map(dead));
        assert!(ids[0] != ids[1] && ids[1] != ids[2]);
        assert_eq!(read(0xEFFF_FFFF), Err(IdError::NoSuchNumber(0xEFFF_FFFF)));
    });
    assert!(session.take_found() && !session.take_found());
}

#[test]
fn ids_are_written_as_text_and_read_from_it() {
    let session = Session::new(IdForm::Text);
    session.run(|| {
        assert!(matches!(read_form(), ReadForm::Text));
        assert_eq!(write(id(7, 2)), Ok(Number::Text(id(7, 2))));
        assert_eq!(read_text("7v2"), Ok(id(7, 2)));
        let dead = dead(u32::MAX);
        assert_eq!(read_text(&alloc::format!("{dead}")), Ok(dead));
        assert_eq!(session.take_error(), None);
        for text in [
            "",
            "7",
            "7v",
            "v1",
            "7v0",
            "4294967295v1",
            "-7v1",
            "7v1 ",
            "+7v1",
        ] {
            assert_eq!(read_text(text), Err(IdError::NoText), "{text:?}");
        }
        assert_eq!(session.take_error(), Some(IdError::NoText));
        assert_eq!(read(7), Err(IdError::Direction));
    });
    assert!(matches!(read_form(), ReadForm::Number));
}

#[test]
fn sessions_of_trees_tell_ids_from_texts() {
    let forms = [IdForm::Tree, IdForm::Text, IdForm::Bits];
    let tells = forms.map(|form| Session::new(form).run(tells_ids));
    assert_eq!(tells, [true, false, false]);
    assert!(!tells_ids());
    Session::new(IdForm::Tree).run(|| {
        assert!(matches!(read_form(), ReadForm::Text));
        assert_eq!(read_text("7v2"), Ok(id(7, 2)));
        assert_eq!(read(7), Err(IdError::Direction));
    });
}

#[test]
fn ids_are_written_as_bits_and_read_from_them() {
    let session = Session::new(IdForm::Bits);
    session.run(|| {
        assert!(matches!(read_form(), ReadForm::Bits));
        let bits = id(7, 2).to_bits();
        assert_eq!(write(id(7, 2)), Ok(Number::Bits(bits)));
        assert_eq!(read_bits(bits), Ok(id(7, 2)));
        assert_eq!(read_bits(7), Err(IdError::NoBits(7)));
    });
    assert_eq!(session.take_error(), Some(IdError::NoBits(7)));
}

#[test]
fn any_number_is_echoed() {
    Session::new(IdForm::Echoed).run(|| {
        for number in [0, 1, 0xEFFF_FFFF, 0xF000_0000, u32::MAX] {
            assert_eq!(read(number).and_then(write), Ok(Number::Dense(number)));
        }
    });
}

#[test]
fn sessions_nest_and_end_with_a_panic() {
    let (outer, inner) = (Session::new(IdForm::Scanned), Session::new(IdForm::Bits));
    outer.run(|| {
        let caught = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            inner.run(|| {
                assert_eq!(write(id(0, 1)), Ok(Number::Bits(1 << 32)));
                panic!("inside");
            });
        }));
        assert!(caught.is_err());
        assert_eq!(write(id(0, 1)), Ok(Number::Dense(0)));
    });
    assert_eq!(write(id(0, 1)), Err(IdError::Outside));
    assert!(outer.take_found());
    let elsewhere = outer.run(|| std::thread::spawn(|| write(id(0, 1))).join().unwrap());
    assert_eq!(
        elsewhere,
        Err(IdError::Outside),
        "other threads have no session"
    );
}
