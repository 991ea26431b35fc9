//! The format of a conversation file, and its parser. Begin at [`Conversation::read`].
//!
//! ```text
//! # A comment. The first comment describes the file.
//! POST /shop/states   {"key": "open", "type": "OrderState"}
//! 201                 {"id": "<open>", "version": 1}
//!
//! GET /shop/states?where=key="open" and initial=true
//! > X-Correlation-ID: mine
//! 200
//!   {"results": [{"id": "<open>"}]}
//! < X-Correlation-ID: mine
//! ```
//!
//! A body follows the request line after at least two spaces, or on indented lines below. A body that begins with `raw
//! ` is sent unchanged; bodies to `/oauth` are forms. Each of `AS …`, `CLOCK …` and `SETTLE` has a line of its own.

use crate::pattern::read_pattern;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kontor_json::Value;
use std::ops::Range;

/// A conversation: requests to one fresh project, and the expected responses.
#[derive(Debug)]
pub struct Conversation {
    /// The steps in the order of the file.
    pub steps: Vec<ConversationStep>,
}

/// One step of a conversation.
#[derive(Debug, PartialEq)]
pub enum ConversationStep {
    /// A request and its expected response.
    Exchange(Exchange),
    /// `AS …`: the identity that sends later requests. With the line number.
    As(Identity, usize),
    /// `CLOCK +30d`: moves the project's clock. Contains the body for the test control, and the line number.
    Clock(Value, usize),
    /// `SETTLE`: waits until all background work, e.g. derived fields, is done. With the line number.
    Settle(usize),
}

/// The identity that sends a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Identity {
    /// `AS admin`: the project's first client, with `manage_project`.
    Admin,
    /// `AS nobody`: no Authorization header.
    Nobody,
    /// `AS token <tok>`: this access token.
    Token(String),
    /// `AS client <id> <secret>`: a token of this client with all its scopes.
    Client(String, String),
    /// `AS client with scopes view_states:shop …`: a new client that has these scopes.
    NewClient(String),
}

/// A request and its expected response.
#[derive(Debug, PartialEq)]
pub struct Exchange {
    /// The line of the request, counted from 1.
    pub line: usize,
    /// `GET`, `POST`, …
    pub method: String,
    /// Path and query as written: `/shop` for the project, names not replaced yet.
    pub path: String,
    /// The body to send.
    pub body: ConversationBody,
    /// Headers of the request.
    pub headers: Vec<(String, String)>,
    /// The expected response.
    pub response: ExpectedResponse,
}

/// The body of a request.
#[derive(Debug, PartialEq)]
pub enum ConversationBody {
    /// No body.
    None,
    /// JSON, in which names are replaced by their values.
    Json(Value),
    /// Text that is sent as written, for bodies that are not JSON.
    Raw(String),
    /// The bytes of a file, which the conversation has in Base64.
    File(Vec<u8>),
    /// `name=value&name=value`, which is percent-encoded when sent.
    Form(String),
}

/// An expected response.
#[derive(Debug, PartialEq)]
pub struct ExpectedResponse {
    /// The lines of the file that contain it, counted from 0. `UPDATE=1` rewrites them.
    pub lines: Range<usize>,
    /// The column at which the body begins on the first line. `UPDATE=1` keeps it.
    pub column: usize,
    /// The HTTP status.
    pub status: u16,
    /// Headers that the response must have.
    pub headers: Vec<(String, String)>,
    /// The pattern that the body must match; `None`: any body.
    pub body: Option<Value>,
}

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

impl Conversation {
    /// Parses a file. The error contains the line number.
    pub fn read(text: &str) -> Result<Self, String> {
        let lines: Vec<&str> = text.lines().collect();
        let mut reader = ConversationParser { steps: Vec::new(), request: None };
        let mut index = 0;
        while index < lines.len() {
            let end = block_end(&lines, index);
            reader
                .block(&lines[index..end], index)
                .map_err(|error| format!("line {}: {error}", index + 1))?;
            index = end;
        }
        match reader.request {
            Some(request) => Err(format!("line {}: a request without a response", request.line)),
            None => Ok(Self { steps: reader.steps }),
        }
    }
}

/// Returns the end of the block that begins at `start`: indented lines belong to the line above them.
fn block_end(lines: &[&str], start: usize) -> usize {
    if lines[start].trim().is_empty() {
        return start + 1;
    }
    let below = &lines[start + 1..];
    start + 1 + below.iter().take_while(|line| line.starts_with(' ') && !line.trim().is_empty()).count()
}

struct ConversationParser {
    steps: Vec<ConversationStep>,
    /// A request whose expected response has not been read yet.
    request: Option<Exchange>,
}

impl ConversationParser {
    fn block(&mut self, lines: &[&str], index: usize) -> Result<(), String> {
        let first = lines[0];
        let (word, rest) = first.split_once(' ').unwrap_or((first, ""));
        let line = index + 1;
        match word {
            "" if first.trim().is_empty() => {}
            "" => return Err("an indented line that continues nothing".into()),
            _ if first.starts_with('#') => {}
            ">" => {
                let request = self.request.as_mut().ok_or("`>` stands below a request")?;
                request.headers.push(header(rest)?);
            }
            "<" => match self.steps.last_mut() {
                Some(ConversationStep::Exchange(exchange)) if self.request.is_none() => {
                    exchange.response.headers.push(header(rest)?);
                }
                _ => return Err("`<` stands below a response".into()),
            },
            "AS" => self.push(ConversationStep::As(identity(rest.trim())?, line))?,
            "CLOCK" => self.push(ConversationStep::Clock(clock(rest.trim())?, line))?,
            "SETTLE" => self.push(ConversationStep::Settle(line))?,
            _ if METHODS.contains(&word) => {
                if self.request.is_some() {
                    return Err("the request above has no response".into());
                }
                self.request = Some(request(word, rest, &lines[1..], line)?);
            }
            _ if word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit()) => {
                let mut exchange = self.request.take().ok_or("a response without a request")?;
                exchange.response = parse_response(word, first, &lines[1..], index)?;
                self.steps.push(ConversationStep::Exchange(exchange));
            }
            _ => return Err(format!("not understood: {first}")),
        }
        Ok(())
    }

    fn push(&mut self, step: ConversationStep) -> Result<(), String> {
        if self.request.is_some() {
            return Err("the request above has no response".into());
        }
        self.steps.push(step);
        Ok(())
    }
}

fn request(method: &str, rest: &str, below: &[&str], line: usize) -> Result<Exchange, String> {
    let rest = rest.trim_start();
    let (path, start) = rest.split_once("  ").unwrap_or((rest, ""));
    let text = joined(start, below);
    let body = if text.is_empty() {
        ConversationBody::None
    } else if let Some(raw) = text.strip_prefix("raw ") {
        ConversationBody::Raw(raw.to_owned())
    } else if let Some(file) = text.strip_prefix("base64 ") {
        let file: String = file.split_whitespace().collect();
        ConversationBody::File(
            STANDARD.decode(file).map_err(|error| format!("the body is no Base64: {error}"))?,
        )
    } else if path.starts_with("/oauth") {
        ConversationBody::Form(text)
    } else {
        ConversationBody::Json(read_pattern(&text)?)
    };
    let response = ExpectedResponse { lines: 0..0, column: 0, status: 0, headers: Vec::new(), body: None };
    Ok(Exchange {
        line,
        method: method.to_owned(),
        path: path.trim_end().to_owned(),
        body,
        headers: Vec::new(),
        response,
    })
}

fn parse_response(
    status: &str,
    first: &str,
    below: &[&str],
    index: usize,
) -> Result<ExpectedResponse, String> {
    let text = joined(&first[status.len()..], below);
    Ok(ExpectedResponse {
        lines: index..index + 1 + below.len(),
        column: first.find('{').or_else(|| first.find('[')).unwrap_or(0),
        status: status.parse().map_err(|_| format!("no status: {status}"))?,
        headers: Vec::new(),
        body: if text.is_empty() { None } else { Some(read_pattern(&text)?) },
    })
}

fn joined(start: &str, below: &[&str]) -> String {
    let mut text = start.trim().to_owned();
    for line in below {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line.trim());
    }
    text
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or_else(|| format!("no header: {text}"))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn identity(text: &str) -> Result<Identity, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        ["admin"] => Ok(Identity::Admin),
        ["nobody"] => Ok(Identity::Nobody),
        ["token", token] => Ok(Identity::Token((*token).to_owned())),
        ["client", "with", "scopes", scopes @ ..] if !scopes.is_empty() => {
            Ok(Identity::NewClient(scopes.join(" ")))
        }
        ["client", id, secret] => Ok(Identity::Client((*id).to_owned(), (*secret).to_owned())),
        _ => Err(format!("AS what? {text}")),
    }
}

/// Parses the argument of `CLOCK`: `+30d`, `+12h`, `+5m`, `+10s`, a time, or `real`.
fn clock(text: &str) -> Result<Value, String> {
    let wrong = || format!("no time: {text}");
    if text == "real" {
        return Ok(kontor_json::json!({}));
    }
    let Some(span) = text.strip_prefix('+') else {
        return if text.contains('T') { Ok(kontor_json::json!({ "now": text })) } else { Err(wrong()) };
    };
    let (number, unit) = span.split_at(span.len().saturating_sub(1));
    let seconds = match unit {
        "d" => 86_400,
        "h" => 3_600,
        "m" => 60,
        "s" => 1,
        _ => return Err(wrong()),
    };
    let number: i64 = number.parse().map_err(|_| wrong())?;
    Ok(kontor_json::json!({ "advanceSeconds": number * seconds }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    fn only_exchange(text: &str) -> Exchange {
        let mut steps = Conversation::read(text).unwrap().steps;
        assert_eq!(steps.len(), 1);
        match steps.remove(0) {
            ConversationStep::Exchange(exchange) => exchange,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_request_and_its_answer() {
        let exchange = only_exchange(
            "# Books.\nPOST /shop/tax-categories   {\"name\": \"Books\"}\n201   {\"id\": \"<books>\"}\n",
        );
        assert_eq!((exchange.line, exchange.method.as_str()), (2, "POST"));
        assert_eq!(exchange.path, "/shop/tax-categories");
        assert_eq!(exchange.body, ConversationBody::Json(json!({"name": "Books"})));
        assert_eq!(exchange.response.status, 201);
        assert_eq!(exchange.response.body, Some(json!({"id": "<books>"})));
        assert_eq!(exchange.response.lines, 2..3);
    }

    #[test]
    fn bodies_may_continue_on_indented_lines() {
        let exchange =
            only_exchange("POST /shop/x\n  {\"a\":\n   1}\n> A: b\n200 {\n  \"b\": 2}\n< C: d: e\n");
        assert_eq!(exchange.body, ConversationBody::Json(json!({"a": 1})));
        assert_eq!(exchange.headers, [("A".to_owned(), "b".to_owned())]);
        assert_eq!(exchange.response.body, Some(json!({"b": 2})));
        assert_eq!(exchange.response.lines, 4..6);
        assert_eq!(exchange.response.headers, [("C".to_owned(), "d: e".to_owned())]);
    }

    #[test]
    fn queries_may_contain_single_spaces() {
        let exchange = only_exchange("GET /shop/states?where=key = \"a\" and initial = true\n200\n");
        assert_eq!(exchange.path, "/shop/states?where=key = \"a\" and initial = true");
        assert_eq!((exchange.body, exchange.response.body), (ConversationBody::None, None));
    }

    #[test]
    fn sends_bodies_that_are_not_json_unchanged() {
        assert_eq!(
            only_exchange("POST /shop/x   raw {\"a\":\n400\n").body,
            ConversationBody::Raw("{\"a\":".into())
        );
        let form = only_exchange("POST /oauth/token   grant_type=client_credentials\n200\n");
        assert_eq!(form.body, ConversationBody::Form("grant_type=client_credentials".into()));
    }

    #[test]
    fn reads_identity_and_clock_directives() {
        let text = "AS client with scopes view_states:shop\nAS nobody\nAS token <t>\nAS client <i> <s>\n\
                    AS admin\nCLOCK +30d\nCLOCK 2027-01-01T00:00:00.000Z\nCLOCK real\nSETTLE\n";
        assert_eq!(
            Conversation::read(text).unwrap().steps,
            [
                ConversationStep::As(Identity::NewClient("view_states:shop".into()), 1),
                ConversationStep::As(Identity::Nobody, 2),
                ConversationStep::As(Identity::Token("<t>".into()), 3),
                ConversationStep::As(Identity::Client("<i>".into(), "<s>".into()), 4),
                ConversationStep::As(Identity::Admin, 5),
                ConversationStep::Clock(json!({"advanceSeconds": 2_592_000}), 6),
                ConversationStep::Clock(json!({"now": "2027-01-01T00:00:00.000Z"}), 7),
                ConversationStep::Clock(json!({}), 8),
                ConversationStep::Settle(9),
            ]
        );
    }

    #[test]
    fn reports_the_line_of_an_error() {
        for (text, expected) in [
            ("GET /shop/x\n", "line 1: a request without a response"),
            ("\n200 {}\n", "line 2: a response without a request"),
            ("GET /shop/x\nGET /shop/y\n200\n", "line 2: the request above has no response"),
            ("FETCH /shop/x\n", "line 1: not understood: FETCH /shop/x"),
            ("# a\n  b\n\n  c\n", "line 4: an indented line that continues nothing"),
            ("CLOCK tomorrow\n", "line 1: no time: tomorrow"),
        ] {
            assert_eq!(Conversation::read(text).unwrap_err(), expected);
        }
        let error = Conversation::read("GET /shop/x\n200 {\"a\": }\n").unwrap_err();
        assert!(error.starts_with("line 2: expected value"), "{error}");
    }
}
