//! A second look at a JSON body: what Go's parser would say is wrong with it, and which keys appear twice.

use std::collections::HashSet;

/// Nesting that is looked into: beyond what the value parser accepts (128), far from what a thread's stack holds.
const DEEPEST: usize = 200;

/// Paths of keys that appear twice (`spec.env[0].name`), in order.
///
/// # Errors
/// The problem in Go's words.
pub(super) fn duplicates(bytes: &[u8]) -> Result<Vec<String>, String> {
    let mut scanner = Scanner { bytes, at: 0, depth: 0, duplicates: Vec::new() };
    scanner.value(&mut String::new())?;
    scanner.space();
    match scanner.peek() {
        None => Ok(scanner.duplicates),
        Some(_) => Err(scanner.invalid("after top-level value")),
    }
}

struct Scanner<'b> {
    bytes: &'b [u8],
    at: usize,
    depth: usize,
    duplicates: Vec<String>,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// The character here does not fit.
    fn invalid(&self, context: &str) -> String {
        match self.peek() {
            None => "unexpected end of JSON input".to_owned(),
            Some(b'\'') => format!("invalid character '\\'' {context}"),
            Some(b'"') => format!("invalid character '\"' {context}"),
            Some(byte) => format!("invalid character '{}' {context}", char::from(byte).escape_debug()),
        }
    }

    fn value(&mut self, path: &mut String) -> Result<(), String> {
        self.space();
        match self.peek() {
            Some(b'{') => self.nested(|scanner| scanner.object(path)),
            Some(b'[') => self.nested(|scanner| scanner.array(path)),
            Some(b'"') => self.string().map(|_| ()),
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.invalid("looking for beginning of value")),
        }
    }

    fn nested(&mut self, inner: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("exceeded max depth".to_owned());
        }
        self.at += 1;
        inner(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn object(&mut self, path: &mut String) -> Result<(), String> {
        let mut seen = HashSet::new();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.invalid("looking for beginning of object key string"));
            }
            let key = self.string()?;
            let length = path.len();
            if length > 0 {
                path.push('.');
            }
            path.push_str(&key);
            if !seen.insert(key) {
                self.duplicates.push(path.clone());
            }
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.invalid("after object key"));
            }
            self.at += 1;
            self.value(path)?;
            path.truncate(length);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.invalid("after object key:value pair")),
            }
        }
        self.at += 1;
        Ok(())
    }

    fn array(&mut self, path: &mut String) -> Result<(), String> {
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        for index in 0.. {
            let length = path.len();
            path.push_str(&format!("[{index}]"));
            self.value(path)?;
            path.truncate(length);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.invalid("after array element")),
            }
        }
        self.at += 1;
        Ok(())
    }

    /// Reads over a string; escapes in keys are kept as written, which only matters to the path.
    fn string(&mut self) -> Result<String, String> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    self.escape()?;
                }
                Some(byte) if byte < 0x20 => return Err(self.invalid("in string literal")),
                Some(_) => self.at += 1,
                None => return Err(self.invalid("")),
            }
        }
        let text = String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned();
        self.at += 1;
        Ok(text)
    }

    fn escape(&mut self) -> Result<(), String> {
        match self.peek() {
            Some(b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return Err(self.invalid("in \\u hexadecimal character escape"));
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.invalid("in string escape code")),
        }
        Ok(())
    }

    fn literal(&mut self, word: &str) -> Result<(), String> {
        for expected in word.bytes() {
            if self.peek() != Some(expected) {
                return Err(
                    self.invalid(&format!("in literal {word} (expecting '{}')", char::from(expected)))
                );
            }
            self.at += 1;
        }
        Ok(())
    }

    fn digits(&mut self, context: &str) -> Result<(), String> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.invalid(context));
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), String> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits("in numeric literal")?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits("after decimal point in numeric literal")?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits("in exponent of numeric literal")?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn problems_are_worded_as_go_does() {
        let problem = |text: &str| duplicates(text.as_bytes()).unwrap_err();
        assert_eq!(problem("{\"a\":"), "unexpected end of JSON input");
        assert_eq!(problem("{a"), "invalid character 'a' looking for beginning of object key string");
        assert_eq!(problem("{\"a\":1,}"), "invalid character '}' looking for beginning of object key string");
        assert_eq!(problem("{\"a\" 1}"), "invalid character '1' after object key");
        assert_eq!(problem("[1 2]"), "invalid character '2' after array element");
        assert_eq!(problem("{} x"), "invalid character 'x' after top-level value");
        assert_eq!(problem("trve"), "invalid character 'v' in literal true (expecting 'u')");
    }

    #[test]
    fn keys_that_appear_twice_are_named_by_their_path() {
        let found = duplicates(br#"{"spec":{"a":1,"a":2,"env":[{"name":"x","name":"y"}]}}"#).unwrap();
        assert_eq!(found, ["spec.a", "spec.env[0].name"]);
    }

    #[test]
    fn deep_nesting_is_refused() {
        assert_eq!(duplicates("[".repeat(DEEPEST + 1).as_bytes()).unwrap_err(), "exceeded max depth");
    }
}
