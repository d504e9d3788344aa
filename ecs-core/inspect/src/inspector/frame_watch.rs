//! The times of frames and systems, and traces of slow frames: measured while a client asks.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ecs_app::App;
use ecs_engine::__private::Instant;
use ecs_engine::schedule::{Timing, Trace};

use super::values::frame;

/// The number of times that are kept.
const TIMES: usize = 600;
/// The number of traces of slow frames that are kept.
const TRACES: usize = 16;

/// The time of a frame.
struct MeasuredFrame {
    frame: u64,
    started: Instant,
    took: Duration,
}

/// The trace of a slow frame.
pub(crate) struct SlowFrame {
    pub(crate) frame: u64,
    pub(crate) took: Duration,
    pub(crate) trace: Arc<Trace>,
}

/// Everything that is measured.
pub(crate) struct FrameWatch {
    /// The time after which measuring ends if no client asks.
    patience: Duration,
    is_hooked: bool,
    /// The last time that a client asked for anything here.
    asked: Instant,
    /// The last time that a client asked for the times of systems; `None` if this does not measure them.
    timings: Option<Instant>,
    /// The last time that a client asked for slow frames; `None` if they are not traced.
    traces: Option<Instant>,
    /// A frame that takes longer is slow.
    slow: Duration,
    /// The next frame is traced in any case.
    trace_next: bool,
    started: Option<Instant>,
    /// The number of frames that were measured.
    measured: u64,
    times: VecDeque<MeasuredFrame>,
    kept: VecDeque<SlowFrame>,
    last: Option<Arc<Trace>>,
    /// The longest runs of systems, with their frames.
    longest: HashMap<(String, &'static str), (Duration, u64)>,
}

impl Default for FrameWatch {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(5),
            is_hooked: false,
            asked: Instant::now(),
            timings: None,
            traces: None,
            slow: Duration::MAX,
            trace_next: false,
            started: None,
            measured: 0,
            times: VecDeque::new(),
            kept: VecDeque::new(),
            last: None,
            longest: HashMap::new(),
        }
    }
}

/// The measurements, which hooks of the app share with the methods.
#[derive(Clone, Default)]
pub(crate) struct SharedWatch(Arc<Mutex<FrameWatch>>);

impl SharedWatch {
    pub(crate) fn lock(&self) -> MutexGuard<'_, FrameWatch> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Measures frames until no client has asked for some time.
    pub(crate) fn measure(&self, app: &mut App) {
        let mut watch = self.lock();
        watch.asked = Instant::now();
        if watch.is_hooked {
            return;
        }
        watch.is_hooked = true;
        let watch = self.clone();
        app.before_frame(move |app| watch.lock().begin(app));
        let watch = self.clone();
        app.after_frame(move |app| watch.lock().end(app));
    }

    /// Measures systems, too.
    pub(crate) fn measure_systems(&self, app: &mut App) {
        self.measure(app);
        let mut watch = self.lock();
        // The app may measure them for purposes of its own.
        if watch.timings.is_some() || app.timings().is_empty() {
            if watch.timings.is_none() {
                app.record_timings(true);
                watch.longest.clear();
            }
            watch.timings = Some(watch.asked);
        }
    }

    /// Traces frames, too, and keeps the last ones that took longer than `slow`, or without it than twice the median.
    pub(crate) fn trace_slow(&self, app: &mut App, slow: Option<Duration>) {
        self.measure(app);
        let mut watch = self.lock();
        watch.traces = Some(watch.asked);
        watch.slow = slow.unwrap_or_else(|| watch.median().saturating_mul(2));
    }

    pub(crate) fn trace_next(&self, app: &mut App) {
        self.measure(app);
        self.lock().trace_next = true;
    }
}

impl FrameWatch {
    fn begin(&mut self, app: &mut App) -> ControlFlow<()> {
        let patience = self.patience;
        let is_over = |asked: Instant| asked.elapsed() > patience;
        if is_over(self.asked) && !self.trace_next {
            self.stop(app);
            return ControlFlow::Break(());
        }
        if self.traces.is_some_and(is_over) {
            self.traces = None;
        }
        if self.trace_next || self.traces.is_some() {
            app.trace_next_frame();
        }
        self.started = Some(Instant::now());
        ControlFlow::Continue(())
    }

    fn stop(&mut self, app: &mut App) {
        self.is_hooked = false;
        self.started = None;
        self.traces = None;
        self.times.clear();
        if self.timings.take().is_some() {
            app.record_timings(false);
        }
    }

    fn end(&mut self, app: &mut App) -> ControlFlow<()> {
        if !self.is_hooked {
            return ControlFlow::Break(());
        }
        // Measured by a hook that was added within the frame.
        let Some(started) = self.started.take() else {
            return ControlFlow::Continue(());
        };
        let (took, frame) = (started.elapsed(), frame(app.world()));
        self.measured += 1;
        if self.times.len() == TIMES {
            self.times.pop_front();
        }
        self.times.push_back(MeasuredFrame {
            frame,
            started,
            took,
        });
        if (self.trace_next || self.traces.is_some())
            && let Some(trace) = app.take_trace()
        {
            self.keep(frame, took, Arc::new(trace));
        }
        ControlFlow::Continue(())
    }

    fn keep(&mut self, frame: u64, took: Duration, trace: Arc<Trace>) {
        if std::mem::take(&mut self.trace_next) {
            self.last = Some(Arc::clone(&trace));
        }
        if self.traces.is_none() || took <= self.slow {
            return;
        }
        // After a step back, the numbers of frames repeat.
        self.kept.retain(|kept| kept.frame < frame);
        if self.kept.len() == TRACES {
            self.kept.pop_front();
        }
        self.kept.push_back(SlowFrame { frame, took, trace });
    }

    /// The number of frames that were measured.
    pub(crate) fn measured(&self) -> u64 {
        self.measured
    }

    /// Returns the times of the frames after the first `since`, as far as they are kept.
    pub(crate) fn times_since(&self, since: u64) -> impl Iterator<Item = Duration> {
        let first = self.measured - self.times.len() as u64;
        let new = self.times.iter().skip(since.saturating_sub(first) as usize);
        new.map(|time| time.took)
    }

    fn median(&self) -> Duration {
        let mut times: Vec<Duration> = self.times.iter().map(|time| time.took).collect();
        let middle = times.len() / 2;
        if times.is_empty() {
            return Duration::ZERO;
        }
        *times.select_nth_unstable(middle).1
    }

    /// Frames above this time are kept.
    pub(crate) fn slow(&self) -> Duration {
        self.slow
    }

    pub(crate) fn slow_frames(&self) -> impl DoubleEndedIterator<Item = &SlowFrame> {
        self.kept.iter()
    }

    /// Takes the trace that was asked for by itself.
    pub(crate) fn take_last(&mut self) -> Option<Arc<Trace>> {
        self.last.take()
    }

    /// Returns the frame with the longest run of a system, if it is known.
    pub(crate) fn longest(&mut self, timing: &Timing) -> Option<u64> {
        let key = (timing.path().to_owned(), timing.system());
        let known = self.longest.get(&key);
        if let Some((_, frame)) = known.filter(|(max, _)| *max == timing.max()) {
            return Some(*frame);
        }
        let at = timing.max_at()?;
        let mut before = self.times.iter().rev().skip_while(|time| time.started > at);
        let frame = before.next()?.frame;
        self.longest.insert(key, (timing.max(), frame));
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_no_longer_measured_when_no_client_asks() {
        let mut app = App::new();
        let watch = SharedWatch::default();
        watch.measure_systems(&mut app);
        app.update();
        assert_eq!(watch.lock().measured(), 1);
        watch.lock().patience = Duration::ZERO;
        app.update();
        app.update();
        assert_eq!(watch.lock().measured(), 1);
        assert!(!watch.lock().is_hooked);
        watch.lock().patience = Duration::from_secs(60);
        app.update();
        assert_eq!(watch.lock().measured(), 1);
        watch.measure(&mut app);
        app.update();
        assert_eq!(watch.lock().measured(), 2);
    }

    #[test]
    fn slow_frames_are_traced_while_a_client_asks_for_them() {
        let mut app = App::new();
        app.build().unwrap();
        let watch = SharedWatch::default();
        watch.trace_slow(&mut app, Some(Duration::ZERO));
        for _ in 0..20 {
            app.update();
        }
        let frames = |watch: &SharedWatch| -> Vec<u64> {
            let watch = watch.lock();
            watch.slow_frames().map(|slow| slow.frame).collect()
        };
        assert_eq!(frames(&watch), Vec::from_iter(5..=20));
        watch.trace_slow(&mut app, Some(Duration::MAX));
        app.update();
        assert_eq!(frames(&watch).len(), TRACES);
        watch.trace_next(&mut app);
        app.update();
        assert!(watch.lock().take_last().is_some());
        assert!(watch.lock().take_last().is_none());
    }
}
