//! The options of the games on the command line.

/// The options of a game: `--frames N`, `--seed N`, `--headless`.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The number of frames, if it is limited.
    pub frames: Option<u32>,
    /// The seed of the dice.
    pub seed: u64,
    /// True if no window is opened.
    pub headless: bool,
}

impl Options {
    /// Reads the arguments of the process.
    ///
    /// # Errors
    /// If an argument is unknown, or a number is missing or invalid.
    pub fn from_env() -> Result<Self, Box<dyn std::error::Error>> {
        let mut options = Self {
            frames: None,
            seed: 1,
            headless: cfg!(not(feature = "window")),
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut number = || arguments.next().ok_or(format!("{argument} needs a number"));
            match argument.as_str() {
                "--frames" => options.frames = Some(number()?.parse()?),
                "--seed" => options.seed = number()?.parse()?,
                "--headless" => options.headless = true,
                _ => {
                    return Err(format!(
                        "unknown argument {argument}; expected --frames N, --seed N or --headless"
                    )
                    .into());
                }
            }
        }
        Ok(options)
    }
}
