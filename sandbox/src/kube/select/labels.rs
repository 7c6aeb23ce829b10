//! Label selectors: equality and set requirements, with upstream's parse errors.

use crate::kube::failure::Failure;
use crate::kube::refusals::{bad_request, quote};
use crate::kube::validate::names;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Absent,
    Greater(i64),
    Less(i64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    key: String,
    test: Test,
}

impl Requirement {
    pub(super) fn matches(&self, object: &Value) -> bool {
        let label = object["metadata"]["labels"][&self.key].as_str();
        let number = || label.and_then(|label| label.parse::<i64>().ok());
        match &self.test {
            Test::In(values) => label.is_some_and(|label| values.iter().any(|value| value == label)),
            Test::NotIn(values) => label.is_none_or(|label| values.iter().all(|value| value != label)),
            Test::Exists => label.is_some(),
            Test::Absent => label.is_none(),
            Test::Greater(than) => number().is_some_and(|number| number > *than),
            Test::Less(than) => number().is_some_and(|number| number < *than),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Sign(&'static str),
    End,
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Token::Word(word) => word,
            Token::Sign(sign) => sign,
            Token::End => "",
        }
    }
}

const SIGNS: &[&str] = &["!=", "==", "=", "!", ",", "(", ")", ">", "<"];

fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        if rest.is_empty() {
            return found;
        }
        if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            found.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        } else {
            let end =
                rest.find(['=', '!', '(', ')', ',', '>', '<', ' ', '\t', '\r', '\n']).unwrap_or(rest.len());
            found.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, Failure> {
    let mut parser = Parser { tokens: tokens(text), at: 0 };
    let mut requirements = parser.all()?;
    requirements.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(requirements)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

fn problem(text: String) -> Failure {
    bad_request(format!("unable to parse requirement: {text}"))
}

impl Parser {
    fn peek(&self) -> Token {
        self.tokens.get(self.at).cloned().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn all(&mut self) -> Result<Vec<Requirement>, Failure> {
        let mut requirements = Vec::new();
        loop {
            match self.peek() {
                Token::Word(_) | Token::Sign("!") => {
                    requirements.push(self.requirement()?);
                    match self.next() {
                        Token::End => return Ok(requirements),
                        Token::Sign(",") => {
                            let next = self.peek();
                            if !matches!(next, Token::Word(_) | Token::Sign("!")) {
                                let found = next.text();
                                return Err(bad_request(format!(
                                    "found '{found}', expected: identifier after ','"
                                )));
                            }
                        }
                        other => {
                            let found = other.text();
                            return Err(bad_request(format!(
                                "found '{found}', expected: ',' or 'end of string'"
                            )));
                        }
                    }
                }
                Token::End => return Ok(requirements),
                other => {
                    let found = other.text();
                    return Err(bad_request(format!(
                        "found '{found}', expected: !, identifier, or 'end of string'"
                    )));
                }
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, Failure> {
        let absent = self.peek() == Token::Sign("!");
        if absent {
            self.at += 1;
        }
        let key = match self.next() {
            Token::Word(word) => word,
            other => return Err(problem(format!("found '{}', expected: identifier", other.text()))),
        };
        if let Some(why) = names::qualified(&key).first() {
            return Err(problem(format!("key: Invalid value: {}: {why}", quote(&key))));
        }
        if absent || matches!(self.peek(), Token::End | Token::Sign(",")) {
            return Ok(Requirement { key, test: if absent { Test::Absent } else { Test::Exists } });
        }
        let test = self.test()?;
        Ok(Requirement { key, test })
    }

    fn test(&mut self) -> Result<Test, Failure> {
        match self.next() {
            Token::Word(word) if word == "in" => Ok(Test::In(self.set()?)),
            Token::Word(word) if word == "notin" => Ok(Test::NotIn(self.set()?)),
            Token::Sign("=" | "==") => Ok(Test::In(vec![checked(0, self.exact_value()?)?])),
            Token::Sign("!=") => Ok(Test::NotIn(vec![checked(0, self.exact_value()?)?])),
            Token::Sign(">") => Ok(Test::Greater(self.number()?)),
            Token::Sign("<") => Ok(Test::Less(self.number()?)),
            other => {
                Err(problem(format!("found '{}', expected: in, notin, =, ==, !=, gt, lt", other.text())))
            }
        }
    }

    fn exact_value(&mut self) -> Result<String, Failure> {
        match self.peek() {
            Token::End | Token::Sign(",") => Ok(String::new()),
            Token::Word(word) => {
                self.at += 1;
                Ok(word)
            }
            other => Err(problem(format!("found '{}', expected: identifier", other.text()))),
        }
    }

    fn number(&mut self) -> Result<i64, Failure> {
        let value = self.exact_value()?;
        value.parse().map_err(|_| {
            problem(format!(
                "values[0]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer",
                quote(&value)
            ))
        })
    }

    fn set(&mut self) -> Result<Vec<String>, Failure> {
        match self.next() {
            Token::Sign("(") => {}
            other => return Err(problem(format!("found '{}' expected: '('", other.text()))),
        }
        let mut values = Vec::new();
        loop {
            match self.next() {
                Token::Word(word) => {
                    values.push(word);
                    match self.next() {
                        Token::Sign(")") => break,
                        Token::Sign(",") if self.peek() == Token::Sign(")") => values.push(String::new()),
                        Token::Sign(",") => {}
                        other => {
                            return Err(problem(format!("found '{}', expected: ',' or ')'", other.text())));
                        }
                    }
                }
                Token::Sign(")") => {
                    if values.is_empty() {
                        values.push(String::new());
                    }
                    break;
                }
                Token::Sign(",") => {
                    values.push(String::new());
                    if self.peek() == Token::Sign(")") {
                        values.push(String::new());
                    }
                }
                other => {
                    return Err(problem(format!(
                        "found '{}', expected: ',', ')' or identifier",
                        other.text()
                    )));
                }
            }
        }
        values.sort();
        values.dedup();
        values.into_iter().enumerate().map(|(at, value)| checked(at, value)).collect()
    }
}

fn checked(at: usize, value: String) -> Result<String, Failure> {
    match names::label_value(&value).first() {
        Some(why) => Err(problem(format!("values[{at}]: Invalid value: {}: {why}", quote(&value)))),
        None => Ok(value),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    fn matches(text: &str) -> bool {
        let object = json!({"metadata": {"labels": {"env": "prod", "tier": "3"}}});
        parse(text).unwrap().iter().all(|requirement| requirement.matches(&object))
    }

    #[test]
    fn every_form_of_requirement_is_understood() {
        for text in
            ["", "env", "!gone", "env=prod", "env == prod", "env!=dev", "gone!=x", "env in (dev, prod)"]
        {
            assert!(matches(text), "{text}");
        }
        for text in ["env notin (dev),tier>2", "tier<4,env", "gone notin (a)"] {
            assert!(matches(text), "{text}");
        }
        for text in ["!env", "env=dev", "env notin (prod)", "tier>3", "gone in (a)", "env="] {
            assert!(!matches(text), "{text}");
        }
    }

    #[test]
    fn parse_errors_are_those_of_upstream() {
        let message = |text: &str| parse(text).unwrap_err().message;
        assert_eq!(
            message("env prod"),
            "unable to parse requirement: found 'prod', expected: in, notin, =, ==, !=, gt, lt"
        );
        assert_eq!(message("a,,b"), "found ',', expected: identifier after ','");
    }
}
