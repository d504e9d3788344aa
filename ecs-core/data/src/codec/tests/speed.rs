//! The speed compared with postcard. Run it alone, on an idle machine:
//! `cargo test --release -p ecs-data --lib speed -- --ignored --nocapture`

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::codec::{Codec, Decoder, Encoder, Form, Readable};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Body {
    position: [f32; 3],
    velocity: [f32; 3],
    mass: f32,
    id: u32,
}

/// Returns the least time of ten runs.
fn time(mut run: impl FnMut()) -> Duration {
    let one = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..10).map(one).min().unwrap_or_default()
}

fn bodies(count: u32) -> Vec<Body> {
    let body = |id| {
        let x = id as f32 * 0.25;
        Body {
            position: [x, x + 1.0, x + 2.0],
            velocity: [1.0, x, 2.0],
            mass: 1.5,
            id,
        }
    };
    (0..count).map(body).collect()
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    const COUNT: usize = 1_000_000;
    let bodies = bodies(COUNT as u32);
    let codec = black_box(Codec::of::<Body>());

    let mut encoder = Encoder::new();
    let mut encode = || {
        encoder.clear();
        // SAFETY: these are values of the type.
        unsafe { codec.encode_as(Form::Plain, bodies.as_ptr().cast(), COUNT, &mut encoder) }
            .unwrap();
        black_box(encoder.bytes());
    };
    let ours = time(&mut encode);
    let mut buffer = vec![0; COUNT * 64];
    let postcard = time(|| {
        black_box(postcard::to_slice(black_box(&bodies), &mut buffer).unwrap());
    });
    let copy = time(|| buffer[..COUNT * 32].copy_from_slice(black_box(encoder.bytes())));
    println!("encode: ours {ours:?}, postcard to a slice {postcard:?}, memcpy {copy:?}");

    let mut read = Vec::<Body>::with_capacity(COUNT);
    let ours = time(|| {
        let mut decoder = Decoder::of_bytes(encoder.bytes());
        let mut written = 0;
        // SAFETY: there is room for that many.
        unsafe {
            codec.decode(
                Form::Plain,
                &mut decoder,
                read.as_mut_ptr().cast(),
                COUNT,
                &mut written,
            )
        }
        .unwrap();
        decoder.finish().unwrap();
    });
    // SAFETY: that many were written.
    unsafe { read.set_len(COUNT) };
    assert_eq!(read, bodies);
    let bytes = postcard::to_slice(&bodies, &mut buffer).unwrap();
    let postcard = time(|| {
        black_box(postcard::from_bytes::<Vec<Body>>(black_box(bytes)).unwrap());
    });
    println!("decode: ours {ours:?}, postcard {postcard:?}");

    let few = &bodies[..COUNT / 10];
    let readable: Vec<_> = few.iter().map(Readable::new).collect();
    let ours = time(|| drop(black_box(serde_json::to_vec(&readable).unwrap())));
    let plain = time(|| drop(black_box(serde_json::to_vec(few).unwrap())));
    println!("JSON of 100,000: ours {ours:?}, serde_json {plain:?}");
    let text = serde_json::to_vec(few).unwrap();
    let ours = time(|| {
        let values: Vec<crate::Value> = serde_json::from_slice(&text).unwrap();
        for value in &values {
            black_box(value.to::<Body>().unwrap());
        }
    });
    let plain = time(|| {
        drop(black_box(
            serde_json::from_slice::<Vec<Body>>(&text).unwrap(),
        ));
    });
    println!("from JSON: ours {ours:?}, serde_json {plain:?}");
    println!("form: {:?}", time(|| assert_eq!(codec.form(), Form::Plain)));
}
