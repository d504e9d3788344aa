mod forms;
mod hostile;
mod limits;
mod panics;
mod round_trips;
mod sample;
mod speed;
mod trees;
