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

use futures_util::future::BoxFuture;
use kontor_engine::{Address, Document, ResponseMeter, Shop, document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Value, json};
use kontor_model::Model;
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
    /// Counts the memory of the responses while they are made.
    pub meter: ResponseMeter,
}

impl AgentServer<'_> {
    /// Handles a message, or a batch of messages in order (versions of the protocol before the latest have batches).
    /// Returns `None` if no response is expected.
    pub fn respond(&self, sent: Value) -> BoxFuture<'_, Option<Value>> {
        Box::pin(async move {
            let messages = match sent {
                Value::Array(messages) => messages,
                message => return self.respond_to_one(message).await,
            };
            if !(1..=BATCH_MESSAGES_MAX).contains(&messages.len()) {
                let expected = format!("expected 1 to {BATCH_MESSAGES_MAX} messages");
                return Some(error_response(&Value::Null, INVALID_REQUEST, &expected));
            }
            let mut answers = Vec::new();
            for message in messages {
                answers.extend(self.respond_to_one(message).await);
            }
            (!answers.is_empty()).then_some(Value::Array(answers))
        })
    }

    async fn respond_to_one(&self, message: Value) -> Option<Value> {
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
        let answered = match method {
            "initialize" => Ok(self.initialize(&params)),
            "ping" => Ok(json!({})),
            "tools/list" | "tools/call" if document::text(self.server, &["state"]) != Some("Enabled") => {
                Err((DISABLED, "This MCP Server is disabled.".to_owned()))
            }
            "tools/list" => {
                Ok(json!({"tools": self.tools().map(|tool| tool.listed(self.model)).collect::<Vec<_>>()}))
            }
            "tools/call" => self.call(params).await,
            other => Err((METHOD_NOT_FOUND, format!("unknown method '{other}'"))),
        };
        Some(match answered {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
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

    async fn call(&self, params: Value) -> Result<Value, (i64, String)> {
        let name = params["name"].as_str().unwrap_or_default();
        let Some(tool) = self.tools().find(|tool| tool.name() == name) else {
            return Err((INVALID_PARAMS, format!("unknown tool '{name}'")));
        };
        let sent = match params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(sent)) => sent.clone(),
            Some(_) => return Err((INVALID_PARAMS, "arguments: expected an object".to_owned())),
        };
        Ok(match self.run_tool(&tool, sent).await {
            Ok(response) => {
                let config = self.server.get("mcpServer");
                let filtered =
                    output::filtered(response, config.and_then(|config| config.get("jsonOutputFiltering")));
                let is_tabular =
                    config.is_some_and(|config| config["toolOutputFormatting"] == "JsonToTabular");
                let text = if is_tabular { output::tabular(&filtered) } else { filtered.to_string() };
                json!({"content": [{"type": "text", "text": text}], "isError": false})
            }
            Err(why) => json!({"content": [{"type": "text", "text": why}], "isError": true}),
        })
    }

    /// Returns the result of a tool call, or the error as text for the agent.
    async fn run_tool(&self, tool: &EnabledTool<'_>, sent: Map) -> Result<Value, String> {
        let arguments = tool.arguments(sent, self.model)?;
        if !tool.is_bulk() {
            return self.call_api(tool, arguments).await;
        }
        let items = arguments.get("items").and_then(Value::as_array).ok_or("items: expected a list")?;
        if items.len() > BULK_ITEMS_MAX {
            return Err(format!("items: {} were sent, expected at most {BULK_ITEMS_MAX}", items.len()));
        }
        let mut answers = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let name = item["tool"].as_str().unwrap_or_default();
            let one = self.tools().find(|one| one.name() == name && one.can_run_in(tool));
            let one =
                one.ok_or_else(|| format!("items[{index}]: '{name}' is no tool that can be used here"))?;
            let arguments =
                one.arguments(item["arguments"].as_object().cloned().unwrap_or_default(), self.model)?;
            // A failed item does not undo earlier ones: each is a change of its own.
            answers.push(match self.call_api(&one, arguments).await {
                Ok(response) => response,
                Err(why) => json!({"error": why}),
            });
        }
        Ok(Value::Array(answers))
    }

    /// Sends the request of a tool. A pinned `where` also applies to calls by id and by key: a document that does not
    /// match is not found.
    async fn call_api(&self, tool: &EnabledTool<'_>, mut arguments: Map) -> Result<Value, String> {
        if tool.pinned("where").is_some()
            && let Some(query) =
                request::pinned_query(self.model, self.project, tool.name(), arguments.clone())?
        {
            let found = self.send_request(tool, query).await?;
            let found = found["results"].as_array().and_then(|results| results.first());
            let found = found.ok_or("404: there is no such document that this tool may use")?;
            if tool.is_reading() {
                return Ok(found.clone());
            }
            arguments.shift_remove("where");
        }
        self.send_request(tool, request::build_request(self.model, self.project, tool.name(), arguments)?)
            .await
    }

    async fn send_request(&self, tool: &EnabledTool<'_>, request: ApiRequest) -> Result<Value, String> {
        if self.meter.has_refused() {
            return Err(NOT_SENT.to_owned());
        }
        let (status, body) = self.api.send(request).await;
        let charged = self.meter.charge(body.len() * HELD_BYTES_PER_BYTE);
        if status < 400 && charged.is_err() && tool.is_reading() {
            return charged.map(|()| Value::Null).map_err(|error| error.message().to_owned());
        }
        match kontor_json::from_slice(&body) {
            Ok(response) if status < 400 => Ok(response),
            _ if status < 400 => Ok(Value::Null),
            _ => Err(String::from_utf8_lossy(&body).into_owned()),
        }
    }
}

fn error_response(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}
