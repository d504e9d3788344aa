//! Lets an assistant see into a running game: a server of the Model Context Protocol over standard input and output, whose tools are
//! the inspector's methods.
//!
//! Run a program with the inspector, such as `inspected`, and configure your assistant to start
//! `cargo run --release -p ecs-examples --example inspect_mcp -- ADDRESS`, with the address that the program prints.
//! `-- --check` starts a game itself, plays the assistant, prints what both say, and ends.

use std::error::Error;
use std::io::{BufRead, stdin};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ecs_core::inspect::{Client, Inspect};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

struct Server {
    client: Client,
    /// The inspector's methods: `name`, `params`, `help`.
    methods: Vec<Value>,
}

impl Server {
    fn connect(address: &str) -> Result<Self, Box<dyn Error>> {
        let mut client = Client::connect(address)?;
        let found = client.call("rpc.discover", json!({}))?;
        let methods = found["methods"].as_array().cloned().unwrap_or_default();
        Ok(Self { client, methods })
    }

    /// Returns the answer to a message; none to a notification.
    fn answer(&mut self, message: &str) -> Option<Value> {
        let message: Value = match serde_json::from_str(message) {
            Ok(message) => message,
            Err(error) => {
                let error = json!({"code": -32700, "message": error.to_string()});
                return Some(json!({"jsonrpc": "2.0", "id": null, "error": error}));
            }
        };
        let id = message.get("id")?;
        let params = &message["params"];
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => json!({
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "ecs-core inspector", "version": env!("CARGO_PKG_VERSION")},
            }),
            "tools/list" => json!({"tools": self.methods.iter().map(tool).collect::<Vec<_>>()}),
            "tools/call" => self.call(params),
            "ping" => json!({}),
            other => {
                let error = json!({"code": -32601, "message": format!("no method `{other}`")});
                return Some(json!({"jsonrpc": "2.0", "id": id, "error": error}));
            }
        };
        Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    fn call(&mut self, params: &Value) -> Value {
        let names = self
            .methods
            .iter()
            .filter_map(|method| method["name"].as_str());
        let known = names
            .map(str::to_owned)
            .find(|name| json!(tool_name(name)) == params["name"]);
        let (text, is_error) = match known {
            None => (format!("there is no tool {}", params["name"]), true),
            Some(method) => match self.client.call(&method, params["arguments"].clone()) {
                Ok(result) => (result.to_string(), false),
                Err(error) => (error.to_string(), true),
            },
        };
        json!({"content": [{"type": "text", "text": text}], "isError": is_error})
    }
}

/// Names of tools have no dots.
fn tool_name(method: &str) -> String {
    method.replace('.', "_")
}

fn tool(method: &Value) -> Value {
    let name = tool_name(method["name"].as_str().unwrap_or_default());
    let help = method["help"].as_str().unwrap_or_default();
    let params = method["params"].as_str().unwrap_or_default();
    json!({
        "name": name,
        "description": format!("{help} Parameters: {}", if params.is_empty() { "none" } else { params }),
        "inputSchema": {"type": "object"},
    })
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.health")]
struct Health {
    now: i32,
}

/// Runs a small game, and returns the address of its inspector.
fn game() -> Result<String, Box<dyn Error>> {
    let (send, url) = mpsc::channel();
    thread::spawn(move || {
        let mut app = App::new();
        app.add_plugin(Inspect::new(0).announce(move |url| _ = send.send(url.to_owned())));
        app.world_mut()
            .spawn_batch((1..5).map(|now| Health { now }));
        loop {
            app.update_by(Duration::from_millis(16));
            thread::sleep(Duration::from_millis(1));
        }
    });
    Ok(url.recv()?)
}

fn check() -> Result<(), Box<dyn Error>> {
    let mut server = Server::connect(&game()?)?;
    let mut say = |message: Value| {
        println!("> {message}");
        let answer = server.answer(&message.to_string()).unwrap_or_default();
        let text: String = answer.to_string().chars().take(160).collect();
        println!("< {text}");
        answer
    };
    say(
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}),
    );
    say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let tools = say(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    assert!(
        tools["result"]["tools"]
            .as_array()
            .is_some_and(|tools| tools.len() > 20)
    );
    let query = json!({"query": "game.health.now < 3", "count": true});
    let call = json!({"name": "entities_find", "arguments": query});
    let found = say(json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call}));
    let text = found["result"]["content"][0]["text"]
        .as_str()
        .ok_or("a text")?;
    assert_eq!(serde_json::from_str::<Value>(text)?["count"]["at_least"], 2);
    let call = json!({"name": "entities_find", "arguments": {"query": "game.helth"}});
    let wrong = say(json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": call}));
    assert_eq!(wrong["result"]["isError"], true);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut server = match arguments[..] {
        ["--check"] => return check(),
        [address] => Server::connect(address)?,
        _ => return Err("usage: inspect_mcp ADDRESS".into()),
    };
    for line in stdin().lock().lines() {
        if let Some(answer) = server.answer(&line?) {
            println!("{answer}");
        }
    }
    Ok(())
}
