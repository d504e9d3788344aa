//! Lets an assistant see into a running game: a server of the Model Context Protocol over standard input and output, whose tools are
//! the inspector's methods.
//!
//! Run a program with the inspector, such as `inspected`, and configure your assistant to start
//! `cargo run --release -p ecs-examples --example inspect_mcp -- ADDRESS`, with the address that the program prints.
//! `-- --check` starts a game itself, plays the assistant, prints what both say, and ends.

use std::error::Error;
use std::io::stdin;

use ecs_core::inspect::Client;
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
        let mut methods = found["methods"].as_array().cloned().unwrap_or_default();
        // Those with `+watch` in their names are streams.
        methods.retain(|method| !text(&method["name"]).contains('+'));
        Ok(Self { client, methods })
    }

    /// Returns the answer to a message; none to a notification.
    fn answer(&mut self, message: &str) -> Option<Value> {
        let (id, result) = match serde_json::from_str::<Value>(message) {
            Ok(message) => (message.get("id")?.clone(), self.run(&message)),
            Err(error) => (Value::Null, Err((-32700, error.to_string()))),
        };
        Some(match result {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, message)) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
            }
        })
    }

    fn run(&mut self, message: &Value) -> Result<Value, (i32, String)> {
        let params = &message["params"];
        Ok(match text(&message["method"]) {
            "initialize" => json!({
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "ecs-core inspector", "version": env!("CARGO_PKG_VERSION")},
            }),
            "ping" => json!({}),
            "tools/list" => json!({"tools": self.methods.iter().map(tool).collect::<Vec<_>>()}),
            "tools/call" => {
                let called = self.call(text(&params["name"]), &params["arguments"]);
                let is_error = called.is_err();
                let text = called.unwrap_or_else(|error| error.to_string());
                json!({"content": [{"type": "text", "text": text}], "isError": is_error})
            }
            other => return Err((-32601, format!("no method `{other}`"))),
        })
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<String, Box<dyn Error>> {
        let mut methods = self.methods.iter().map(|method| text(&method["name"]));
        let method = methods.find(|name| tool_name(name) == tool);
        let method = method.ok_or_else(|| format!("there is no tool `{tool}`"))?;
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        Ok(self.client.call(method, arguments.into())?.to_string())
    }
}

/// Names of tools have no dots.
fn tool_name(method: &str) -> String {
    method.replace('.', "_")
}

fn tool(method: &Value) -> Value {
    let [name, params, help] = ["name", "params", "help"].map(|key| text(&method[key]));
    json!({
        "name": tool_name(name),
        "description": format!("{help} Parameters: {}", if params.is_empty() { "none" } else { params }),
        "inputSchema": {"type": "object"},
    })
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn check() -> Result<(), Box<dyn Error>> {
    let mut server = Server::connect(&ecs_examples::small_game()?)?;
    let mut say = |method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answer = server.answer(&message.to_string()).unwrap_or_default();
        println!("> {message}\n< {:.160}", answer.to_string());
        answer["result"].clone()
    };
    say("initialize", json!({"protocolVersion": "2025-06-18"}));
    let tools = say("tools/list", json!({}));
    assert!(
        tools["tools"]
            .as_array()
            .is_some_and(|tools| tools.len() > 20)
    );
    let mut call =
        |tool, arguments| say("tools/call", json!({"name": tool, "arguments": arguments}));
    assert_eq!(call("app_pause", Value::Null)["isError"], false);
    let found = call(
        "entities_find",
        json!({"query": "game.health.now > 200", "count": true}),
    );
    let found: Value = serde_json::from_str(text(&found["content"][0]["text"]))?;
    assert_eq!(found["count"]["at_least"], 2);
    let wrong = call("entities_find", json!({"query": "game.helth"}));
    assert_eq!(wrong["isError"], true);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut server = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--check"] => return check(),
        [address] => Server::connect(address)?,
        _ => return Err("usage: inspect_mcp ADDRESS".into()),
    };
    for line in stdin().lines() {
        if let Some(answer) = server.answer(&line?) {
            println!("{answer}");
        }
    }
    Ok(())
}
