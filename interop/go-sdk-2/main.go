// An A2A 1.0 agent on a2a-go: JSON-RPC at /jsonrpc, HTTP+JSON at /rest, or gRPC at a port of its own; push notifications, no credentials. It follows
// the keywords of interop/keyword-agent.ts and prints its address as the first line.
package main

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
	"google.golang.org/grpc"
)

func main() {
	port := flag.Int("port", 0, "port on loopback; 0 takes a free one")
	anonymousStore := flag.Bool("default-store", false, "keep the SDK's default store, which refuses ListTasks to anonymous callers")
	isGrpc := flag.Bool("grpc", false, "serve gRPC instead, at a port of its own")
	isHello := flag.Bool("hello", false, "answer every message with a message, over JSON-RPC only")
	flag.Parse()

	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		log.Fatal(err)
	}
	base := "http://" + listener.Addr().String()
	card := cardAt(base)
	if *isHello {
		serveHello(listener, card)
	}

	options := []a2asrv.RequestHandlerOption{
		a2asrv.WithCapabilityChecks(&card.Capabilities),
		a2asrv.WithPushNotifications(
			push.NewInMemoryStore(),
			push.NewHTTPPushSender(&push.HTTPSenderConfig{AllowPrivateNetworks: true}),
		),
	}
	if !*anonymousStore {
		everybody := func(context.Context) (string, error) { return "anybody", nil }
		store := taskstore.NewInMemory(&taskstore.InMemoryStoreConfig{Authenticator: everybody})
		options = append(options, a2asrv.WithTaskStore(store))
	}
	handler := a2asrv.NewHandler(keywordAgent{}, options...)

	if *isGrpc {
		serveGrpc(listener, card, handler)
	}

	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/jsonrpc", a2asrv.NewJSONRPCHandler(handler))
	mux.Handle("/rest/", http.StripPrefix("/rest", a2asrv.NewRESTHandler(handler)))

	fmt.Println(base)
	log.Fatal(http.Serve(listener, mux))
}

// serveGrpc answers the card at the listener and the service at a port of its own.
func serveGrpc(listener net.Listener, card *a2a.AgentCard, handler a2asrv.RequestHandler) {
	own, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	card.SupportedInterfaces = []*a2a.AgentInterface{
		a2a.NewAgentInterface(own.Addr().String(), a2a.TransportProtocolGRPC),
	}
	server := grpc.NewServer()
	a2agrpc.NewHandler(handler).RegisterWith(server)
	go func() { log.Fatal(server.Serve(own)) }()
	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	log.Fatal(http.Serve(listener, mux))
}

func serveHello(listener net.Listener, card *a2a.AgentCard) {
	card.Name, card.Description = "Hello on a2a-go", "Says hello."
	card.SupportedInterfaces = card.SupportedInterfaces[:1]
	card.Capabilities.PushNotifications = false
	handler := a2asrv.NewHandler(helloAgent{}, a2asrv.WithCapabilityChecks(&card.Capabilities))
	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/jsonrpc", a2asrv.NewJSONRPCHandler(handler))
	log.Fatal(http.Serve(listener, mux))
}

type helloAgent struct{}

func (helloAgent) Execute(context.Context, *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("Hello World")), nil)
	}
}

func (helloAgent) Cancel(context.Context, *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(func(a2a.Event, error) bool) {}
}

func cardAt(base string) *a2a.AgentCard {
	return &a2a.AgentCard{
		Name:        "Keyword agent on a2a-go",
		Description: "Does what the first word of a message says.",
		Version:     "1.0.0",
		SupportedInterfaces: []*a2a.AgentInterface{
			a2a.NewAgentInterface(base+"/jsonrpc", a2a.TransportProtocolJSONRPC),
			a2a.NewAgentInterface(base+"/rest", a2a.TransportProtocolHTTPJSON),
		},
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		Capabilities:       a2a.AgentCapabilities{Streaming: true, PushNotifications: true},
		Skills: []a2a.AgentSkill{{
			ID: "keywords", Name: "Keywords", Description: "task, stream, ask, slow, wait, fail, reject, file, data",
			Tags: []string{"test"}, Examples: []string{"task hello"},
		}},
	}
}

type keywordAgent struct{}

func (keywordAgent) Execute(ctx context.Context, turn *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		text := textOf(turn.Message)
		keyword, argument, _ := strings.Cut(text, " ")
		emit := func(event a2a.Event) bool { return yield(event, nil) }
		status := func(state a2a.TaskState, words string) bool {
			var message *a2a.Message
			if words != "" {
				message = a2a.NewMessageForTask(a2a.MessageRoleAgent, turn, a2a.NewTextPart(words))
			}
			return emit(a2a.NewStatusUpdateEvent(turn, state, message))
		}
		begin := func() bool {
			return emit(a2a.NewSubmittedTask(turn, turn.Message)) && status(a2a.TaskStateWorking, "")
		}
		if turn.StoredTask != nil {
			if emit(a2a.NewArtifactEvent(turn, a2a.NewTextPart("You said "+text))) {
				status(a2a.TaskStateCompleted, "")
			}
			return
		}
		switch keyword {
		case "task":
			if begin() && emit(a2a.NewArtifactEvent(turn, a2a.NewTextPart(argument))) {
				status(a2a.TaskStateCompleted, "done")
			}
		case "file":
			part := a2a.NewRawPart([]byte("a small file"))
			part.Filename, part.MediaType = "small.txt", "text/plain"
			if begin() && emit(a2a.NewArtifactEvent(turn, part)) {
				status(a2a.TaskStateCompleted, "")
			}
		case "data":
			part := a2a.NewDataPart(map[string]any{"answer": 42, "list": []any{"a", nil, 0.1}})
			if begin() && emit(a2a.NewArtifactEvent(turn, part)) {
				status(a2a.TaskStateCompleted, "")
			}
		case "stream":
			if begin() && emitChunks(emit, turn, argument, func() bool { return true }) {
				status(a2a.TaskStateCompleted, "")
			}
		case "steps":
			if begin() && emitChunks(emit, turn, argument, func() bool { return waited(ctx, "300") }) {
				status(a2a.TaskStateCompleted, "")
			}
		case "ask":
			if emit(a2a.NewSubmittedTask(turn, turn.Message)) {
				status(a2a.TaskStateInputRequired, "Which colour?")
			}
		case "slow":
			if begin() {
				<-ctx.Done()
			}
		case "wait":
			if begin() && waited(ctx, argument) && emit(a2a.NewArtifactEvent(turn, a2a.NewTextPart("waited"))) {
				status(a2a.TaskStateCompleted, "")
			}
		case "fail":
			if begin() {
				status(a2a.TaskStateFailed, "it did not work")
			}
		case "reject":
			if emit(a2a.NewSubmittedTask(turn, turn.Message)) {
				status(a2a.TaskStateRejected, "not this")
			}
		default:
			emit(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart(text)))
		}
	}
}

func (keywordAgent) Cancel(_ context.Context, turn *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(turn, a2a.TaskStateCanceled, nil), nil)
	}
}

func emitChunks(emit func(a2a.Event) bool, turn *a2asrv.ExecutorContext, argument string, before func() bool) bool {
	count, _ := strconv.Atoi(argument)
	var id a2a.ArtifactID
	for n := 1; n <= count; n++ {
		part := a2a.NewTextPart(fmt.Sprintf("chunk %d\n", n))
		event := a2a.NewArtifactEvent(turn, part)
		if n == 1 {
			id = event.Artifact.ID
		} else {
			event = a2a.NewArtifactUpdateEvent(turn, id, part)
		}
		event.LastChunk = n == count
		if !before() || !emit(event) {
			return false
		}
	}
	return true
}

func waited(ctx context.Context, argument string) bool {
	milliseconds, _ := strconv.Atoi(argument)
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Duration(milliseconds) * time.Millisecond):
		return true
	}
}

func textOf(message *a2a.Message) string {
	var texts []string
	for _, part := range message.Parts {
		texts = append(texts, part.Text())
	}
	return strings.Join(texts, "")
}
