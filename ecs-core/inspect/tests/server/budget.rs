//! What the answers to clients may take of a frame.
