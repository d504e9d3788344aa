//! A recorder in the inspector: methods that start, stop and download recordings.

use std::fmt::Write;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use ecs_app::Time;
use ecs_data::Value;
use ecs_engine::World;
use ecs_inspect::{Inspect, Params, RpcError};

use crate::control::RecorderControl;

/// The bytes of an answer of `record.read`: in the time that answers have in a frame.
const PIECE: u64 = 32 << 10;

impl RecorderControl {
    /// Adds two methods to an inspector, for clients with its token. The page then has a button that records, and downloads the file.
    ///
    /// * `app.record` with `{"on": true}` starts a new recording, with `{"on": false}` ends it; without `on` it only answers:
    ///   `{"on": true, "frames": 40, "frame": 41, "bytes": 5210, "file": "match.rec"}`. `frame` is the number of the next frame in
    ///   the app's time and in the graph of frames, and `frames` its number in the recording. So a spike at frame 30 of this app is
    ///   at 29 in its recording.
    /// * `record.read` with `{"at": 0}` answers a piece of the newest file as text, two hexadecimal digits for a byte; empty at its
    ///   end. Add half the length of the text to `at` for the next piece.
    ///
    /// ```
    /// use ecs_core::inspect::Inspect;
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::Recorder;
    ///
    /// # let path = std::env::temp_dir().join(format!("inspected-doc-{}.rec", std::process::id()));
    /// let recorder = Recorder::new(&path).stopped();
    /// let inspect = recorder.control().inspected(Inspect::new(7747));
    /// let mut app = App::new();
    /// app.add_plugin(recorder);
    /// let inspector = inspect.attach(&mut app);
    /// let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "app.record", "params": {"on": true}}"#;
    /// inspector.answer(&mut app, call);
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    /// let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "app.record"}"#;
    /// let answer = inspector.answer(&mut app, call);
    /// assert!(answer.contains(r#""on":true,"frames":3"#), "{answer}");
    /// let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "record.read", "params": {"at": 0}}"#;
    /// let answer = inspector.answer(&mut app, call);
    /// assert!(answer.contains(r#""result":"656373726563"#), "{answer}"); // "ecsrec"
    /// # drop(app);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn inspected(&self, inspect: Inspect) -> Inspect {
        let (switch, file) = (self.clone(), self.clone());
        // An edit would be a snapshot in the recording. Both show the game's data, so they need the token.
        let inspect = inspect.owner_method("app.record", move |world: &World, params: Params| {
            if params.get("on").is_some() {
                match params.flag("on")? {
                    true => switch.start(),
                    false => switch.stop(),
                }
            }
            Ok(switch.state(world))
        });
        inspect.owner_method("record.read", move |_: &World, params: Params| {
            let piece = file.piece(params.number_or("at", 0)?);
            piece
                .map_err(|error| RpcError::new(1, format!("the recording cannot be read: {error}")))
        })
    }

    fn state(&self, world: &World) -> Value {
        // In the middle of a frame the time is that frame's, which is not recorded yet.
        let is_next = !(self.is_recording() && self.is_in_frame());
        let time = world.get_resource::<Time>();
        let frame = time.map_or(0, |time| time.frame().saturating_add(is_next.into()));
        let bytes = self.path().metadata().map_or(0, |file| file.len());
        let file = self.path().display().to_string();
        let entry = |name: &str, value: Value| (Value::String(name.to_owned()), value);
        Value::Map(vec![
            entry("on", Value::Bool(self.is_recording())),
            entry("frames", Value::Int(self.frames().into())),
            entry("frame", Value::Int(frame.into())),
            entry("bytes", Value::Int(bytes.into())),
            entry("file", Value::String(file)),
        ])
    }

    fn piece(&self, at: u64) -> std::io::Result<Value> {
        let mut file = File::open(self.path())?;
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        file.take(PIECE).read_to_end(&mut bytes)?;
        let mut text = String::with_capacity(2 * bytes.len());
        for byte in bytes {
            _ = write!(text, "{byte:02x}");
        }
        Ok(Value::String(text))
    }
}
