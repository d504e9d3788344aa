//! The envelope of JSON-RPC: any text is answered call by call, and one that is no call changes nothing.

use std::sync::Mutex;

use ecs_core::inspect::{Inspect, Inspector, Params};
use ecs_core::prelude::*;
use serde_json::Value;

/// The body of a request.
pub type Input = super::StrangeBytes;

/// The calls that one request may have.
const MOST_CALLS: usize = 32;
const NOT_JSON: i64 = -32700;
const NOT_A_CALL: i64 = -32600;
const NO_METHOD: i64 = -32601;

/// An app, kept between inputs, whose methods count their calls.
static APP: Mutex<Option<(App, Inspector)>> = Mutex::new(None);

#[derive(Resource, Default)]
struct Calls(u32);

fn game() -> (App, Inspector) {
    let mut app = App::new();
    app.init_resource::<Calls>();
    let inspector = Inspect::new(0)
        .method("fuzz.count", |world: &mut World, _: Params| {
            world.resource_mut::<Calls>().0 += 1;
            Ok(ecs_core::data::Value::Null)
        })
        .attach(&mut app);
    app.update();
    (app, inspector)
}

/// The answer to a call, as far as it is known.
struct Expected<'a> {
    /// `None` if it wants no answer.
    id: Option<&'a Value>,
    /// The error, or 0 if any answer will do.
    code: i64,
    counts: bool,
}

fn expected(call: &Value) -> Expected<'_> {
    const NULL: Value = Value::Null;
    let failed = |id| Expected {
        id: Some(id),
        code: NOT_A_CALL,
        counts: false,
    };
    let Some(entries) = call.as_object() else {
        return failed(&NULL);
    };
    let id = entries.get("id");
    if matches!(
        id,
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_))
    ) {
        return failed(&NULL);
    }
    let method = entries.get("method").and_then(Value::as_str);
    let (Some("2.0"), Some(method)) = (entries.get("jsonrpc").and_then(Value::as_str), method)
    else {
        return failed(id.unwrap_or(&NULL));
    };
    let is_counted = matches!(
        entries.get("params"),
        None | Some(Value::Null | Value::Object(_))
    );
    match method {
        "fuzz.count" => Expected {
            id,
            code: 0,
            counts: is_counted,
        },
        "rpc.discover" => Expected {
            id,
            code: 0,
            counts: false,
        },
        _ => Expected {
            id,
            code: NO_METHOD,
            counts: false,
        },
    }
}

/// Answers a request.
///
/// # Panics
/// If the answer is malformed, or is not one for each call that wants it, in their order, or a call is made that is none.
pub fn run(input: Input) {
    let text = String::from_utf8_lossy(&input.0);
    let read = serde_json::from_str::<Value>(&text);
    // The methods of the inspector have a target of their own.
    let is_known =
        |method: &str| ["fuzz.count", "rpc.discover"].contains(&method) || !method.contains('.');
    let calls = match &read {
        Ok(Value::Array(calls)) => &calls[..],
        Ok(call) => std::slice::from_ref(call),
        Err(_) => &[],
    };
    let methods = calls.iter().filter_map(|call| call.get("method")?.as_str());
    if !methods.into_iter().all(is_known) {
        return;
    }
    let mut app = APP.lock().unwrap_or_else(|error| error.into_inner());
    let (app, inspector) = app.get_or_insert_with(game);
    app.world_mut().resource_mut::<Calls>().0 = 0;
    let answer = inspector.answer(app, &text);
    let counted = app.world().resource::<Calls>().0;

    if answer.is_empty() {
        let silent = calls.iter().all(|call| expected(call).id.is_none());
        assert!(!calls.is_empty() && silent, "{text}");
    }
    let answers = match answer.is_empty() {
        true => Vec::new(),
        false => match serde_json::from_str(&answer) {
            Ok(Value::Array(answers)) => {
                assert!(
                    matches!(read, Ok(Value::Array(_))) && !answers.is_empty(),
                    "{answer}"
                );
                answers
            }
            Ok(answer) => vec![answer],
            Err(error) => panic!("{error}: {answer}"),
        },
    };
    answers.iter().for_each(assert_well_formed);
    // The inspector's reader has limits, of depth for example, that this one has not.
    if let [one] = &answers[..]
        && one["error"]["code"] == NOT_JSON
    {
        assert_eq!((&one["id"], counted), (&Value::Null, 0));
        return;
    }
    assert!(
        read.is_ok(),
        "{text} is no JSON, and is answered by {answer}"
    );
    if matches!(read, Ok(Value::Array(_))) && (calls.is_empty() || calls.len() > MOST_CALLS) {
        assert_eq!(
            (answers.len(), &answers[0]["error"]["code"]),
            (1, &NOT_A_CALL.into())
        );
        assert_eq!(counted, 0);
        return;
    }
    let all: Vec<Expected<'_>> = calls.iter().map(expected).collect();
    assert_eq!(
        counted as usize,
        all.iter().filter(|call| call.counts).count(),
        "{text}"
    );
    let wanted: Vec<&Expected<'_>> = all.iter().filter(|call| call.id.is_some()).collect();
    assert_eq!(answers.len(), wanted.len(), "{text}: {answer}");
    for (answer, call) in answers.iter().zip(wanted) {
        // Numbers that are no `i64` may be written in another way.
        if call.id.is_some_and(|id| !id.is_number() || id.is_i64()) {
            assert_eq!(Some(&answer["id"]), call.id, "{text}: {answer}");
        }
        if call.code != 0 {
            assert_eq!(answer["error"]["code"], call.code, "{text}: {answer}");
        }
    }
}

fn assert_well_formed(answer: &Value) {
    assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
    let entries = answer.as_object().expect("an object");
    assert!(entries.contains_key("id") && entries.len() == 3, "{answer}");
    match entries.get("error") {
        None => assert!(entries.contains_key("result"), "{answer}"),
        Some(error) => assert!(
            error["code"].is_i64() && error["message"].is_string(),
            "{answer}"
        ),
    }
}
