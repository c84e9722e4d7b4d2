// A client on a2a-go that calls an agent over gRPC: sends, reads again, streams, and asks for a task that is not there.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func main() {
	ctx := context.Background()
	endpoint := a2a.NewAgentInterface(os.Args[1], a2a.TransportProtocolGRPC)
	plain := a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials()))
	client, err := a2aclient.NewFromEndpoints(ctx, []*a2a.AgentInterface{endpoint}, plain)
	if err != nil {
		log.Fatal(err)
	}
	said := func() *a2a.SendMessageRequest {
		return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("task-lifecycle"))}
	}
	sent, err := client.SendMessage(ctx, said())
	if err != nil {
		log.Fatal(err)
	}
	task := sent.(*a2a.Task)
	fmt.Println("sent", task.Status.State)
	again, err := client.GetTask(ctx, &a2a.GetTaskRequest{ID: task.ID})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("read", again.Status.State)
	for event, err := range client.SendStreamingMessage(ctx, said()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("streamed %T\n", event)
	}
	_, err = client.GetTask(ctx, &a2a.GetTaskRequest{ID: "nobody"})
	fmt.Println("refused", errors.Is(err, a2a.ErrTaskNotFound))
}
