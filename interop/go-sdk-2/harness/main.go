// The client of a2a-go, driven by `parley grade --harness ndjson`: JSON-RPC, REST and gRPC of 1.0, and JSON-RPC and REST of
// 0.3 with the SDK's own compatibility layer. It does what interop/client-harness.ts does.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	a2agrpcv0 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	mostPolls = 40
	poll      = 50 * time.Millisecond
	longest   = 1 << 26
)

var (
	working   = regexp.MustCompile(`(?i)working|submitted|unspecified|unknown|^$`)
	noSuccess = regexp.MustCompile(`(?i)failed|rejected|cancel|working|submitted|unspecified|unknown|^$`)
	canceled  = regexp.MustCompile(`(?i)cancel`)
	required  = regexp.MustCompile(`(?i)required`)
)

// Intent is what a user of the client wants (docs/grade-a-client.md).
type Intent struct {
	Do               string            `json:"do"`
	Text             string            `json:"text"`
	Parts            []json.RawMessage `json:"parts"`
	Reply            string            `json:"reply"`
	TaskID           string            `json:"taskId"`
	ContextID        string            `json:"contextId"`
	ReferenceTaskIDs []string          `json:"referenceTaskIds"`
	Extensions       []string          `json:"extensions"`
	Credentials      map[string]string `json:"credentials"`
	Webhook          struct {
		URL   string `json:"url"`
		Token string `json:"token"`
	} `json:"webhook"`
}

// Request is one line of stdin.
type Request struct {
	ID     int    `json:"id"`
	URL    string `json:"url"`
	Intent Intent `json:"intent"`
}

// Outcome is one line of stdout.
type Outcome map[string]any

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, longest)
	var writing sync.Mutex
	var running sync.WaitGroup
	for lines.Scan() {
		var request Request
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		running.Add(1)
		go func() {
			defer running.Done()
			outcome := answer(request)
			outcome["id"] = request.ID
			line, _ := json.Marshal(outcome)
			writing.Lock()
			defer writing.Unlock()
			fmt.Println(string(line))
		}()
	}
	running.Wait()
}

func answer(request Request) Outcome {
	ctx := context.Background()
	card, client, ctx, err := connect(ctx, request)
	if err != nil {
		return failed(err)
	}
	defer client.Destroy()
	outcome, err := fulfil(ctx, client, card, request.Intent)
	if err != nil {
		return failed(err)
	}
	outcome["fulfilled"] = isFulfilled(outcome, request.Intent)
	return outcome
}

func connect(ctx context.Context, request Request) (*a2a.AgentCard, *a2aclient.Client, context.Context, error) {
	resolver := agentcard.NewResolver(nil)
	resolver.CardParser = cardOf
	card, err := resolver.Resolve(ctx, request.URL)
	if err != nil {
		return nil, nil, ctx, err
	}
	options := []a2aclient.FactoryOption{
		a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{}),
		a2av0.WithRESTTransport(a2av0.RESTTransportConfig{}),
		a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())),
		a2agrpcv0.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())),
	}
	store := a2aclient.NewInMemoryCredentialsStore()
	for _, secret := range request.Intent.Credentials {
		for scheme := range card.SecuritySchemes {
			store.Set("user", scheme, a2aclient.AuthCredential(secret))
		}
		options = append(options, a2aclient.WithCallInterceptors(&a2aclient.AuthInterceptor{Service: store}))
		ctx = a2aclient.AttachSessionID(ctx, "user")
	}
	if len(request.Intent.Extensions) > 0 {
		ctx = a2aclient.AttachServiceParams(ctx, a2aclient.ServiceParams{a2a.SvcParamExtensions: request.Intent.Extensions})
	}
	client, err := a2aclient.NewFromCard(ctx, card, options...)
	return card, client, ctx, err
}

// The parser of the compatibility layer loses what 1.0 says of security, so it is asked about older cards alone.
func cardOf(body []byte) (*a2a.AgentCard, error) {
	card, err := agentcard.DefaultCardParser(body)
	if err == nil && len(card.SupportedInterfaces) > 0 {
		return card, nil
	}
	return a2av0.NewAgentCardParser()(body)
}

func isFulfilled(outcome Outcome, intent Intent) bool {
	state, _ := outcome["state"].(string)
	switch {
	case intent.Do == "cancel":
		return canceled.MatchString(state)
	case intent.Do == "get" || intent.Do == "push" || outcome["outcome"] == "card" || outcome["outcome"] == "message" || outcome["tasks"] != nil:
		return true
	}
	return !noSuccess.MatchString(state)
}

func failed(err error) Outcome {
	told := map[string]any{"message": err.Error()}
	for name, known := range kinds {
		if errors.Is(err, known) {
			told["kind"] = name
		}
	}
	return Outcome{"outcome": "error", "fulfilled": false, "error": told}
}

// The SDK tells errors apart by sentinels; these are their names in the specification.
var kinds = map[string]error{
	"ParseError":                   a2a.ErrParseError,
	"InvalidRequest":               a2a.ErrInvalidRequest,
	"MethodNotFound":               a2a.ErrMethodNotFound,
	"InvalidParams":                a2a.ErrInvalidParams,
	"InternalError":                a2a.ErrInternalError,
	"TaskNotFound":                 a2a.ErrTaskNotFound,
	"TaskNotCancelable":            a2a.ErrTaskNotCancelable,
	"PushNotificationNotSupported": a2a.ErrPushNotificationNotSupported,
	"UnsupportedOperation":         a2a.ErrUnsupportedOperation,
	"ContentTypeNotSupported":      a2a.ErrUnsupportedContentType,
	"InvalidAgentResponse":         a2a.ErrInvalidAgentResponse,
	"ExtendedCardNotConfigured":    a2a.ErrExtendedCardNotConfigured,
	"ExtensionSupportRequired":     a2a.ErrExtensionSupportRequired,
	"VersionNotSupported":          a2a.ErrVersionNotSupported,
	"Unauthenticated":              a2a.ErrUnauthenticated,
	"Unauthorized":                 a2a.ErrUnauthorized,
}
