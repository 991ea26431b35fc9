//! MCP Servers: agents list tools and call them, by JSON-RPC over POST (Model Context Protocol, "Streamable HTTP";
//! reference type `McpServer`). Begin at [`AgentServer::respond`].
//!
//! A tool is a request to the API, authorized by the caller's own token. The server has no state, so there are no
//! sessions and no streams: each message has its response.

mod catalog;
mod output;
mod request;
mod schema;
mod tool;
mod tool_names;

pub(crate) use catalog::{server_type, server_types};
pub use request::{Api, ApiRequest};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use kontor_engine::{Address, Document, ResponseMeter, Shop, SlowRequestLimiter, document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Value, json};
use kontor_model::Model;
use tokio::task::yield_now;
use tool::{EnabledTool, enabled_tools};

/// Supported versions of the protocol, the latest first.
const PROTOCOL_VERSIONS: [&str; 3] = ["2025-06-18", "2025-03-26", "2024-11-05"];
/// Maximum number of calls in a bulk tool.
const BULK_ITEMS_MAX: usize = 100;
/// Memory of a response of the API for each byte of its text, roughly: parsed, as text, and as text within JSON.
const HELD_BYTES_PER_BYTE: usize = 4;
/// The response to all calls that follow a call with a too large response: their responses would not fit either.
const NOT_SENT: &str = "Nothing was done: the response to an earlier call of this request takes the memory that one request may use. \
    Send this call in a request of its own, and ask for less at once.";
/// The size from which texts are parsed and written on a thread for slow requests, in bytes: on the threads that serve
/// sockets, all other requests would wait for it.
const SLOW_BYTES_MIN: usize = 64 * 1024;
/// Maximum number of messages in a batch.
const BATCH_MESSAGES_MAX: usize = 100;
/// Error codes of JSON-RPC.
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
/// The first code in the range that servers may define.
const DISABLED: i64 = -32000;

/// Returns the MCP Server with a key; a 404 if there is none.
pub fn agent_server(shop: &Shop, key: &str) -> ApiResult<Document> {
    let kind = shop.model().kind_by_type_id("mcp-server");
    let kind = kind.ok_or_else(|| ApiError::bug("the model has no MCP Servers"))?;
    let stored = shop.get(kind, &Address::Key(key))?;
    let stored = stored.ok_or_else(|| ApiError::resource_not_found(&format!("with key '{key}'")))?;
    document::read_stored(&stored)
}

/// Returns whether a version of the protocol is supported.
pub fn supports_protocol(protocol_version: &str) -> bool {
    PROTOCOL_VERSIONS.contains(&protocol_version)
}

/// An MCP Server, with everything that it needs to respond.
pub struct AgentServer<'a> {
    /// The model of the API.
    pub model: &'a Model,
    /// The key of the project.
    pub project: &'a str,
    /// The document (reference type `McpServer`).
    pub server: &'a Document,
    /// Sends requests to the API with the caller's token.
    pub api: &'a dyn Api,
    /// Runs work on large texts.
    pub limiter: &'a SlowRequestLimiter,
    /// Counts the memory of the responses while they are made.
    pub meter: ResponseMeter,
}

/// A response of the API, and the length of the text that it was read from.
struct SizedValue {
    value: Value,
    bytes: usize,
}

impl AgentServer<'_> {
    /// Handles a message, or a batch of messages in order (versions of the protocol before the latest have batches).
    /// Returns the JSON text of the response, or `None` if no response is expected.
    ///
    /// # Errors
    /// 503 if the client has disconnected.
    pub fn respond(&self, sent: Value) -> BoxFuture<'_, ApiResult<Option<Bytes>>> {
        Box::pin(async move {
            let messages = match sent {
                Value::Array(messages) => messages,
                message => return Ok(self.respond_to_one(message).await),
            };
            if !(1..=BATCH_MESSAGES_MAX).contains(&messages.len()) {
                let expected = format!("expected 1 to {BATCH_MESSAGES_MAX} messages");
                return Ok(Some(error_response(&Value::Null, INVALID_REQUEST, &expected)));
            }
            let mut responses = Vec::new();
            for message in messages {
                responses.extend(self.respond_to_one(message).await);
                // Messages that wait for nothing must not hold the thread together.
                yield_now().await;
            }
            if responses.is_empty() {
                return Ok(None);
            }
            let bytes = responses.iter().map(Bytes::len).sum();
            self.run_by_size(bytes, move || json_array(&responses)).await.map(Some)
        })
    }

    /// Runs work on a text of this length: at once if it is short, otherwise on a thread for slow requests.
    async fn run_by_size<T: Send + 'static>(
        &self,
        bytes: usize,
        run: impl FnOnce() -> T + Send + 'static,
    ) -> ApiResult<T> {
        if bytes < SLOW_BYTES_MIN {
            return Ok(run());
        }
        Ok(self.limiter.run(move |_| Ok(run())).await?.0)
    }

    async fn respond_to_one(&self, message: Value) -> Option<Bytes> {
        let id = message.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
        let method = message.get("method").and_then(Value::as_str);
        let Some(method) = method.filter(|_| message["jsonrpc"] == "2.0") else {
            // A response of the client: this server sends no requests, so it belongs to none.
            if message.get("result").is_some() || message.get("error").is_some() {
                return None;
            }
            return Some(error_response(
                &id.unwrap_or_default(),
                INVALID_REQUEST,
                "expected a request of JSON-RPC 2.0",
            ));
        };
        let id = id?;
        let params = message.get("params").cloned().unwrap_or_default();
        let outcome = match method {
            "initialize" => Ok(self.initialize(&params)),
            "ping" => Ok(json!({})),
            "tools/list" | "tools/call" if document::text(self.server, &["state"]) != Some("Enabled") => {
                Err((DISABLED, "This MCP Server is disabled.".to_owned()))
            }
            "tools/list" => {
                Ok(json!({"tools": self.tools().map(|tool| tool.listed(self.model)).collect::<Vec<_>>()}))
            }
            "tools/call" => return Some(self.call(id, params).await),
            other => Err((METHOD_NOT_FOUND, format!("unknown method '{other}'"))),
        };
        Some(match outcome {
            Ok(result) => result_response(&id, &result),
            Err((code, message)) => error_response(&id, code, &message),
        })
    }

    fn initialize(&self, params: &Value) -> Value {
        let wanted = params["protocolVersion"].as_str();
        let version = PROTOCOL_VERSIONS.into_iter().find(|known| Some(*known) == wanted);
        json!({
            "protocolVersion": version.unwrap_or(PROTOCOL_VERSIONS[0]),
            "capabilities": {"tools": {}},
            "serverInfo": {
                "name": document::text_or_log(self.server, &["key"]),
                "version": env!("CARGO_PKG_VERSION"),
            },
        })
    }

    /// Returns the enabled tools with their customizations.
    fn tools(&self) -> impl Iterator<Item = EnabledTool<'_>> {
        enabled_tools(self.model, self.server)
    }

    /// Returns the response to a tool call.
    async fn call(&self, id: Value, params: Value) -> Bytes {
        let name = params["name"].as_str().unwrap_or_default();
        let Some(tool) = self.tools().find(|tool| tool.name() == name) else {
            return error_response(&id, INVALID_PARAMS, &format!("unknown tool '{name}'"));
        };
        let sent = match params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(sent)) => sent.clone(),
            Some(_) => return error_response(&id, INVALID_PARAMS, "arguments: expected an object"),
        };
        let written: Result<Bytes, String> = match self.run_tool(&tool, sent).await {
            Ok(SizedValue { value, bytes }) => {
                let (id, config) = (id.clone(), self.server.get("mcpServer").cloned());
                let write = move || tool_response(&id, &output::text(value, config.as_ref()), false);
                self.run_by_size(bytes, write).await.map_err(|error| error.message().to_owned())
            }
            Err(why) => Err(why),
        };
        written.unwrap_or_else(|why| tool_response(&id, &why, true))
    }

    /// Returns the result of a tool call, or the error as text for the agent.
    async fn run_tool(&self, tool: &EnabledTool<'_>, sent: Map) -> Result<SizedValue, String> {
        let arguments = tool.arguments(sent, self.model)?;
        if !tool.is_bulk() {
            return self.call_api(tool, arguments).await;
        }
        let items = arguments.get("items").and_then(Value::as_array).ok_or("items: expected a list")?;
        if items.len() > BULK_ITEMS_MAX {
            return Err(format!("items: {} were sent, expected at most {BULK_ITEMS_MAX}", items.len()));
        }
        let (mut answers, mut bytes) = (Vec::with_capacity(items.len()), 0);
        for (index, item) in items.iter().enumerate() {
            let name = item["tool"].as_str().unwrap_or_default();
            let one = self.tools().find(|one| one.name() == name && one.can_run_in(tool));
            let one =
                one.ok_or_else(|| format!("items[{index}]: '{name}' is no tool that can be used here"))?;
            let arguments =
                one.arguments(item["arguments"].as_object().cloned().unwrap_or_default(), self.model)?;
            // A failed item does not undo earlier ones: each is a change of its own.
            answers.push(match self.call_api(&one, arguments).await {
                Ok(response) => {
                    bytes += response.bytes;
                    response.value
                }
                Err(why) => json!({"error": why}),
            });
        }
        Ok(SizedValue { value: Value::Array(answers), bytes })
    }

    /// Sends the request of a tool. A pinned `where` also applies to calls by id and by key: a document that does not
    /// match is not found.
    async fn call_api(&self, tool: &EnabledTool<'_>, mut arguments: Map) -> Result<SizedValue, String> {
        if tool.pinned("where").is_some()
            && let Some(query) =
                request::pinned_query(self.model, self.project, tool.name(), arguments.clone())?
        {
            let SizedValue { value: found, bytes } = self.send_request(tool, query).await?;
            let found = found["results"].as_array().and_then(|results| results.first());
            let found = found.ok_or("404: there is no such document that this tool may use")?;
            if tool.is_reading() {
                return Ok(SizedValue { value: found.clone(), bytes });
            }
            arguments.shift_remove("where");
        }
        self.send_request(tool, request::build_request(self.model, self.project, tool.name(), arguments)?)
            .await
    }

    async fn send_request(&self, tool: &EnabledTool<'_>, request: ApiRequest) -> Result<SizedValue, String> {
        if self.meter.has_refused() {
            return Err(NOT_SENT.to_owned());
        }
        let (status, body) = self.api.send(request).await;
        let bytes = body.len();
        if let Err(error) = self.meter.charge(bytes * HELD_BYTES_PER_BYTE)
            && status < 400
            && tool.is_reading()
        {
            return Err(error.message().to_owned());
        }
        if status >= 400 {
            return Err(String::from_utf8_lossy(&body).into_owned());
        }
        let parsed =
            self.run_by_size(bytes, move || kontor_json::from_slice(&body).unwrap_or_default()).await;
        let value = parsed.map_err(|error| error.message().to_owned())?;
        Ok(SizedValue { value, bytes })
    }
}

fn result_response(id: &Value, result: &Value) -> Bytes {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string().into()
}

fn error_response(id: &Value, code: i64, message: &str) -> Bytes {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string().into()
}

fn tool_response(id: &Value, text: &str, is_error: bool) -> Bytes {
    result_response(id, &json!({"content": [{"type": "text", "text": text}], "isError": is_error}))
}

/// Returns the JSON array of these elements.
fn json_array(elements: &[Bytes]) -> Bytes {
    let mut array = Vec::with_capacity(elements.iter().map(|element| element.len() + 1).sum::<usize>() + 1);
    array.push(b'[');
    for (at, element) in elements.iter().enumerate() {
        if at > 0 {
            array.push(b',');
        }
        array.extend_from_slice(element);
    }
    array.push(b']');
    array.into()
}
