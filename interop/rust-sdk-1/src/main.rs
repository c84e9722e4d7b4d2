// An A2A 1.0 agent on the official Rust crates: JSON-RPC at /jsonrpc, HTTP+JSON at /rest, push notifications, no
// credentials. It follows the keywords of interop/keyword-agent.ts and prints its address as the first line.

use std::{sync::Arc, time::Duration};

use a2a::*;
use a2a_server::{
    AgentExecutor, DefaultRequestHandler, ExecutorContext, HttpPushSender, HttpPushSenderConfig,
    InMemoryPushConfigStore, InMemoryTaskStore, StaticAgentCard, agent_card::agent_card_router,
    jsonrpc::jsonrpc_router, rest::rest_router,
};
use futures::stream::{BoxStream, StreamExt};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_stream::wrappers::UnboundedReceiverStream;

type Events = BoxStream<'static, Result<StreamResponse, A2AError>>;

#[tokio::main]
async fn main() {
    let port = std::env::args().nth(1).unwrap_or_else(|| "0".into());
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("the port is free");
    let base = format!("http://{}", listener.local_addr().expect("it is bound"));
    let capabilities = AgentCapabilities {
        streaming: Some(true),
        push_notifications: Some(true),
        ..Default::default()
    };
    let sender = HttpPushSender::new(Some(HttpPushSenderConfig { validate_urls: false, ..Default::default() }));
    let handler = Arc::new(
        DefaultRequestHandler::new(KeywordAgent, InMemoryTaskStore::new())
            .with_push_notifications(InMemoryPushConfigStore::new(), sender)
            .with_capabilities(capabilities.clone()),
    );
    let card = StaticAgentCard::new(card_at(&base, capabilities));
    let app = agent_card_router(Arc::new(card))
        .nest("/jsonrpc", jsonrpc_router(handler.clone()))
        .nest("/rest", rest_router(handler));
    println!("{base}");
    axum::serve(listener, app).await.expect("it serves until it is stopped");
}

fn card_at(base: &str, capabilities: AgentCapabilities) -> AgentCard {
    AgentCard {
        name: "Keyword agent on the Rust SDK".into(),
        description: "Does what the first word of a message says.".into(),
        version: "1.0.0".into(),
        supported_interfaces: vec![
            AgentInterface::new(format!("{base}/jsonrpc"), "JSONRPC"),
            AgentInterface::new(format!("{base}/rest"), "HTTP+JSON"),
        ],
        capabilities,
        default_input_modes: vec!["text/plain".into()],
        default_output_modes: vec!["text/plain".into()],
        skills: vec![AgentSkill {
            id: "keywords".into(),
            name: "Keywords".into(),
            description: "task, stream, ask, slow, wait, fail, reject, file, data".into(),
            tags: vec!["test".into()],
            examples: Some(vec!["task hello".into()]),
            input_modes: None,
            output_modes: None,
            security_requirements: None,
        }],
        provider: None,
        documentation_url: None,
        icon_url: None,
        security_schemes: None,
        security_requirements: None,
        signatures: None,
    }
}

struct KeywordAgent;

#[async_trait::async_trait]
impl AgentExecutor for KeywordAgent {
    fn execute(&self, context: ExecutorContext) -> Events {
        let (sender, receiver) = unbounded_channel();
        tokio::spawn(async move { Turn { context, sender }.play().await });
        UnboundedReceiverStream::new(receiver).boxed()
    }

    fn cancel(&self, context: ExecutorContext) -> Events {
        let (sender, receiver) = unbounded_channel();
        Turn { context, sender }.status(TaskState::Canceled, None);
        UnboundedReceiverStream::new(receiver).boxed()
    }
}

struct Turn {
    context: ExecutorContext,
    sender: UnboundedSender<Result<StreamResponse, A2AError>>,
}

impl Turn {
    async fn play(self) {
        let text = self.context.message.as_ref().and_then(Message::text).unwrap_or_default().to_owned();
        let (keyword, argument) = text.split_once(' ').unwrap_or((&text, ""));
        // The SDK stores a task before the first turn of a unary send, so its being there says nothing.
        let stored = self.context.stored_task.as_ref();
        if stored.is_some_and(|task| task.status.state == TaskState::InputRequired) {
            self.artifact("answer", Part::text(format!("You said {text}")), false, true);
            return self.status(TaskState::Completed, None);
        }
        match keyword {
            "task" => self.result(Part::text(argument)),
            "data" => self.result(Part::data(serde_json::json!({ "answer": 42, "list": ["a", null, 0.1] }))),
            "file" => {
                let mut part = Part::raw(b"a small file".to_vec());
                part.filename = Some("small.txt".into());
                part.media_type = Some("text/plain".into());
                self.result(part);
            }
            "stream" | "steps" => {
                self.begin();
                let count: usize = argument.parse().unwrap_or(0);
                for n in 1..=count {
                    if keyword == "steps" && !self.waited(300).await {
                        return;
                    }
                    self.artifact("result", Part::text(format!("chunk {n}\n")), n > 1, n == count);
                }
                self.status(TaskState::Completed, None);
            }
            "ask" => {
                self.task();
                self.status(TaskState::InputRequired, Some("Which colour?"));
            }
            "slow" => {
                self.begin();
                self.sender.closed().await;
            }
            "wait" => {
                self.begin();
                if self.waited(argument.parse().unwrap_or(0)).await {
                    self.artifact("result", Part::text("waited"), false, true);
                    self.status(TaskState::Completed, None);
                }
            }
            "fail" => {
                self.begin();
                self.status(TaskState::Failed, Some("it did not work"));
            }
            "reject" => {
                self.task();
                self.status(TaskState::Rejected, Some("not this"));
            }
            _ => self.emit(StreamResponse::Message(Message::new(Role::Agent, vec![Part::text(text)]))),
        }
    }

    /// False when nobody listens any more, as after a cancellation.
    async fn waited(&self, milliseconds: u64) -> bool {
        tokio::select! {
            _ = self.sender.closed() => false,
            _ = tokio::time::sleep(Duration::from_millis(milliseconds)) => true,
        }
    }

    fn result(&self, part: Part) {
        self.begin();
        self.artifact("result", part, false, true);
        self.status(TaskState::Completed, Some("done"));
    }

    fn begin(&self) {
        self.task();
        self.status(TaskState::Working, None);
    }

    fn task(&self) {
        let (id, context_id) = self.context.task_info();
        self.emit(StreamResponse::Task(Task {
            id,
            context_id,
            status: TaskStatus { state: TaskState::Submitted, message: None, timestamp: Some(chrono::Utc::now()) },
            artifacts: None,
            history: self.context.message.clone().map(|message| vec![message]),
            metadata: None,
        }));
    }

    fn status(&self, state: TaskState, words: Option<&str>) {
        let (task_id, context_id) = self.context.task_info();
        let message = words.map(|words| {
            let mut message = Message::new(Role::Agent, vec![Part::text(words)]);
            message.task_id = Some(task_id.clone());
            message.context_id = Some(context_id.clone());
            message
        });
        self.emit(StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
            task_id,
            context_id,
            status: TaskStatus { state, message, timestamp: Some(chrono::Utc::now()) },
            metadata: None,
        }));
    }

    fn artifact(&self, id: &str, part: Part, append: bool, last: bool) {
        let (task_id, context_id) = self.context.task_info();
        self.emit(StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
            task_id,
            context_id,
            artifact: Artifact {
                artifact_id: id.into(),
                name: None,
                description: None,
                parts: vec![part],
                metadata: None,
                extensions: None,
            },
            append: Some(append),
            last_chunk: Some(last),
            metadata: None,
        }));
    }

    /// Nobody listens any more once the task was canceled; then there is nothing to say either.
    fn emit(&self, event: StreamResponse) {
        let _ = self.sender.send(Ok(event));
    }
}
