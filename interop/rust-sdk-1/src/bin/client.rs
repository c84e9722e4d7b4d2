// The client of the official Rust crates, driven by `parley grade --harness ndjson`: JSON-RPC and REST of 1.0. It does what
// interop/client-harness.ts does; what the SDK hands out is looked at as JSON, which its types are made for.

use std::{sync::Arc, time::Duration};

use a2a::*;
use a2a_client::{
    A2AClient, A2AClientFactory, ServiceParams, Transport, agent_card::AgentCardResolver, auth::AuthInterceptor,
    middleware::CallInterceptor,
};
use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::STANDARD};
use futures::stream::{BoxStream, StreamExt};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncBufReadExt, BufReader};

type Client = A2AClient<Box<dyn Transport>>;
type Events = BoxStream<'static, Result<StreamResponse, A2AError>>;

const MOST_POLLS: u32 = 40;
const POLL: Duration = Duration::from_millis(50);

struct Extensions(Vec<String>);

#[async_trait]
impl CallInterceptor for Extensions {
    async fn before(&self, _method: &str, params: &mut ServiceParams) -> Result<(), A2AError> {
        params.insert("A2A-Extensions".into(), self.0.clone());
        Ok(())
    }
}

#[tokio::main]
async fn main() {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut running = tokio::task::JoinSet::new();
    while let Ok(Some(line)) = lines.next_line().await {
        running.spawn(async move {
            let request: Value = serde_json::from_str(&line).expect("a line is JSON");
            let mut outcome = answer(&request).await;
            outcome["id"] = request["id"].clone();
            println!("{outcome}");
        });
    }
    while running.join_next().await.is_some() {}
}

async fn answer(request: &Value) -> Value {
    let intent = &request["intent"];
    // The SDK hands the choice of scheme to the author.
    if intent["credentials"]["apiKey"].is_string() {
        return json!({ "outcome": "unsupported" });
    }
    match fulfilled(request["url"].as_str().unwrap_or_default(), intent).await {
        Ok(mut outcome) => {
            outcome["fulfilled"] = is_fulfilled(&outcome, intent).into();
            outcome
        }
        Err(error) => json!({
            "outcome": "error", "fulfilled": false, "error": { "code": error.code, "message": error.message },
        }),
    }
}

/// Of a text in an outcome; more than any scenario looks at.
const MOST_TEXT: usize = 1_000_000;

async fn fulfilled(url: &str, intent: &Value) -> Result<Value, A2AError> {
    let card = AgentCardResolver::new(None).resolve(url).await?;
    let mut builder = A2AClientFactory::builder();
    if let Some(token) = intent["credentials"]["bearer"].as_str() {
        builder = builder.with_interceptor(Arc::new(AuthInterceptor::bearer(token)));
    }
    if let Ok(wanted) = serde_json::from_value(intent["extensions"].clone()) {
        builder = builder.with_interceptor(Arc::new(Extensions(wanted)));
    }
    let client = builder.build().create_from_card(&card).await?;
    let id = intent["taskId"].as_str().unwrap_or_default().to_string();
    match intent["do"].as_str().unwrap_or_default() {
        "card" => Ok(json!({ "outcome": "card", "text": card.name })),
        "stream" if card.capabilities.streaming == Some(true) => {
            events(client.send_streaming_message(&request_of(intent)?).await?).await
        }
        "send" | "stream" => Ok(outcome_of(&sent(&client, intent).await?)),
        "subscribe" => events(client.subscribe_to_task(&read(json!({ "id": id }))?).await?).await,
        "get" => Ok(outcome_of(&got(&client, &id).await?)),
        "cancel" => Ok(outcome_of(
            &json!({ "task": client.cancel_task(&read(json!({ "id": id }))?).await? }),
        )),
        "list" => pages(&client).await,
        "continue" => conversation(&client, intent).await,
        "receive" => Ok(json!({ "outcome": "unsupported" })),
        _ => {
            if card.capabilities.push_notifications != Some(true) {
                return Err(A2AError::internal("the card offers no push notifications"));
            }
            let mut hook = intent["webhook"].clone();
            hook["taskId"] = id.clone().into();
            client.create_push_config(&read(hook)?).await?;
            Ok(outcome_of(&got(&client, &id).await?))
        }
    }
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, A2AError> {
    serde_json::from_value(value).map_err(|error| A2AError::internal(error.to_string()))
}

fn request_of(intent: &Value) -> Result<SendMessageRequest, A2AError> {
    let mut message = json!({ "messageId": uuid::Uuid::new_v4().to_string(), "role": "ROLE_USER" });
    message["parts"] = match &intent["parts"] {
        Value::Array(parts) => parts.clone().into(),
        _ => json!([{ "text": intent["text"].as_str().unwrap_or_default() }]),
    };
    for name in ["taskId", "contextId", "referenceTaskIds"] {
        if !intent[name].is_null() {
            message[name] = intent[name].clone();
        }
    }
    read(json!({ "message": message }))
}

/// Polls a task that the agent answered with while it was at work.
async fn sent(client: &Client, intent: &Value) -> Result<Value, A2AError> {
    let mut answer = json!(client.send_message(&request_of(intent)?).await?);
    for _ in 0..MOST_POLLS {
        if answer["task"].is_null() || !is_working(&answer["task"]) {
            break;
        }
        tokio::time::sleep(POLL).await;
        let id = answer["task"]["id"].as_str().unwrap_or_default().to_string();
        answer = got(client, &id).await?;
    }
    Ok(answer)
}

async fn got(client: &Client, id: &str) -> Result<Value, A2AError> {
    Ok(json!({ "task": client.get_task(&read(json!({ "id": id }))?).await? }))
}

async fn conversation(client: &Client, intent: &Value) -> Result<Value, A2AError> {
    let first = sent(client, intent).await?;
    let place = if first["task"].is_null() {
        &first["message"]
    } else {
        &first["task"]
    };
    let mut next = json!({ "text": intent["reply"], "contextId": place["contextId"] });
    if state_of(place).ends_with("_REQUIRED") {
        next["taskId"] = place["id"].clone();
    } else if !first["task"].is_null() {
        next["referenceTaskIds"] = json!([place["id"]]);
    }
    Ok(outcome_of(&sent(client, &next).await?))
}

async fn pages(client: &Client) -> Result<Value, A2AError> {
    let (mut count, mut token) = (0, String::new());
    loop {
        let page = client
            .list_tasks(&read(if token.is_empty() {
                json!({})
            } else {
                json!({ "pageToken": token })
            })?)
            .await?;
        count += page.tasks.len();
        token = page.next_page_token;
        if token.is_empty() {
            return Ok(json!({ "outcome": "task", "tasks": count }));
        }
    }
}

async fn events(mut stream: Events) -> Result<Value, A2AError> {
    let mut count = 0;
    let mut task = Value::Null;
    while let Some(event) = stream.next().await {
        let event = json!(event?);
        count += 1;
        if !event["message"].is_null() {
            let mut outcome = outcome_of(&event);
            outcome["events"] = count.into();
            return Ok(outcome);
        }
        fold(&mut task, &event);
        if !is_working(&task) {
            break;
        }
    }
    let mut outcome = if task.is_null() {
        json!({})
    } else {
        outcome_of(&json!({ "task": task }))
    };
    outcome["outcome"] = "events".into();
    outcome["events"] = count.into();
    Ok(outcome)
}

/// What is known of the task after one more event; events of other tasks change nothing.
fn fold(task: &mut Value, event: &Value) {
    if !event["task"].is_null() {
        let known = task["artifacts"].take();
        *task = event["task"].clone();
        if task["artifacts"].as_array().is_none_or(Vec::is_empty) && !known.is_null() {
            task["artifacts"] = known;
        }
        return;
    }
    let update = if event["statusUpdate"].is_null() {
        &event["artifactUpdate"]
    } else {
        &event["statusUpdate"]
    };
    if task.is_null() {
        *task = json!({ "id": update["taskId"], "contextId": update["contextId"], "status": { "state": "TASK_STATE_SUBMITTED" } });
    }
    if task["id"] != update["taskId"] {
        return;
    }
    if !update["status"].is_null() {
        task["status"] = update["status"].clone();
        return;
    }
    if !task["artifacts"].is_array() {
        task["artifacts"] = json!([]);
    }
    let artifacts = task["artifacts"].as_array_mut().expect("a list");
    let fresh = &update["artifact"];
    match artifacts
        .iter_mut()
        .find(|known| known["artifactId"] == fresh["artifactId"])
    {
        Some(known) if update["append"] == json!(true) => {
            let more = fresh["parts"].as_array().cloned().unwrap_or_default();
            known["parts"].as_array_mut().expect("parts").extend(more);
        }
        Some(known) => *known = fresh.clone(),
        None => artifacts.push(fresh.clone()),
    }
}

fn state_of(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap_or_default()
}

fn is_working(task: &Value) -> bool {
    ["TASK_STATE_WORKING", "TASK_STATE_SUBMITTED", "TASK_STATE_UNSPECIFIED"].contains(&state_of(task))
}

fn is_fulfilled(outcome: &Value, intent: &Value) -> bool {
    let state = outcome["state"].as_str().unwrap_or_default();
    match intent["do"].as_str().unwrap_or_default() {
        "cancel" => state == "TASK_STATE_CANCELED",
        "get" | "push" | "card" | "list" => true,
        _ if outcome["outcome"] == json!("message") => true,
        _ => [
            "TASK_STATE_COMPLETED",
            "TASK_STATE_INPUT_REQUIRED",
            "TASK_STATE_AUTH_REQUIRED",
        ]
        .contains(&state),
    }
}

fn outcome_of(answer: &Value) -> Value {
    if !answer["message"].is_null() {
        let message = &answer["message"];
        return json!({ "outcome": "message", "text": text_of(message), "contextId": message["contextId"] });
    }
    let task = &answer["task"];
    let artifacts = task["artifacts"].as_array().cloned().unwrap_or_default();
    let text: String = artifacts.iter().map(text_of).collect();
    json!({
        "outcome": "task",
        "taskId": task["id"],
        "contextId": task["contextId"],
        "state": state_of(task),
        "text": text + &text_of(&task["status"]["message"]),
        "artifacts": artifacts.iter().map(digest_of).collect::<Vec<_>>(),
    })
}

fn text_of(value: &Value) -> String {
    let parts = value["parts"].as_array().cloned().unwrap_or_default();
    let text: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    text.chars().take(MOST_TEXT).collect()
}

fn digest_of(artifact: &Value) -> Value {
    let mut hash = Sha256::new();
    let mut media_type = Value::Null;
    for part in artifact["parts"].as_array().cloned().unwrap_or_default() {
        if let Some(raw) = part["raw"].as_str() {
            hash.update(STANDARD.decode(raw).unwrap_or_default());
            media_type = part["mediaType"].clone();
        } else if let Some(text) = part["text"].as_str() {
            hash.update(text);
        } else if !part["data"].is_null() {
            hash.update(part["data"].to_string());
        }
    }
    let sha256: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    json!({ "id": artifact["artifactId"], "sha256": sha256, "text": text_of(artifact), "mediaType": media_type })
}
