//! What a Space's process printed: the last lines, and a feed of the next ones.

use jiff::Timestamp;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::sync::broadcast;

/// Lines kept for each Space; a kubelet keeps 10 MiB, which is about this at 200 bytes a line for a few hundred Spaces.
const KEPT_LINES: usize = 2_000;
/// A reader that falls this far behind is told so and goes on with the newest.
const FEED_LINES: usize = 512;
/// Longer lines are cut, as the container runtime cuts them (16 KiB).
const LINE_BYTES: usize = 16 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    pub at: Timestamp,
    /// Without a trailing newline.
    pub text: Arc<str>,
}

/// A cheap handle; clones share the lines.
#[derive(Clone)]
pub struct Log(Arc<Shared>);

struct Shared {
    lines: Mutex<VecDeque<LogLine>>,
    feed: broadcast::Sender<LogLine>,
}

impl Default for Log {
    fn default() -> Self {
        Log(Arc::new(Shared { lines: Mutex::default(), feed: broadcast::channel(FEED_LINES).0 }))
    }
}

impl Log {
    pub fn push(&self, text: &str) {
        let mut end = text.len().min(LINE_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let line = LogLine { at: Timestamp::now(), text: text[..end].into() };
        let mut lines = self.lines();
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(line.clone());
        // Sent under the lock, so that `read` neither loses nor repeats a line. Fails only when nobody listens.
        let _ = self.0.feed.send(line);
    }

    /// The kept lines, oldest first, and the feed of those that follow them.
    pub fn read(&self) -> (Vec<LogLine>, broadcast::Receiver<LogLine>) {
        let lines = self.lines();
        (lines.iter().cloned().collect(), self.0.feed.subscribe())
    }

    /// The last `count` lines as text.
    pub fn tail(&self, count: usize) -> Vec<String> {
        let lines = self.lines();
        lines.iter().skip(lines.len().saturating_sub(count)).map(|line| line.text.to_string()).collect()
    }

    /// Copies a pipe line by line until it closes; bytes that are not UTF-8 are replaced.
    pub async fn copy(self, pipe: impl AsyncRead + Unpin) {
        let mut reader = BufReader::new(pipe);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line).await, Ok(read) if read > 0) {
            self.push(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']));
            line.clear();
        }
    }

    fn lines(&self) -> MutexGuard<'_, VecDeque<LogLine>> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_reader_gets_the_kept_lines_and_then_each_new_one() {
        let log = Log::default();
        log.push("one");
        let (kept, mut feed) = log.read();
        log.push("two");
        assert_eq!(kept.iter().map(|line| &*line.text).collect::<Vec<_>>(), ["one"]);
        assert_eq!(&*feed.recv().await.unwrap().text, "two");
    }

    #[test]
    fn only_the_newest_lines_are_kept() {
        let log = Log::default();
        (0..KEPT_LINES + 3).for_each(|n| log.push(&n.to_string()));
        assert_eq!(log.read().0.len(), KEPT_LINES);
        assert_eq!(&*log.read().0[0].text, "3");
        assert_eq!(log.tail(1), [(KEPT_LINES + 2).to_string()]);
    }

    #[tokio::test]
    async fn a_pipe_is_copied_line_by_line_whatever_its_bytes() {
        let log = Log::default();
        log.clone().copy(&b"a\r\n\xff\nlast"[..]).await;
        assert_eq!(log.tail(9), ["a", "\u{fffd}", "last"]);
    }

    #[test]
    fn a_line_is_cut_at_a_character() {
        let log = Log::default();
        log.push(&"\u{4e2d}".repeat(LINE_BYTES));
        assert!(log.tail(1)[0].len() <= LINE_BYTES);
    }
}
