package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
)

func fulfil(ctx context.Context, client *a2aclient.Client, card *a2a.AgentCard, intent Intent) (Outcome, error) {
	id := a2a.TaskID(intent.TaskID)
	switch intent.Do {
	case "card":
		return Outcome{"outcome": "card", "text": card.Name}, nil
	case "stream":
		if card.Capabilities.Streaming {
			return events(client.SendStreamingMessage(ctx, requestOf(intent)))
		}
		return sent(ctx, client, requestOf(intent))
	case "send":
		return sent(ctx, client, requestOf(intent))
	case "subscribe":
		return events(client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: id}))
	case "get":
		return taskOr(client.GetTask(ctx, &a2a.GetTaskRequest{ID: id}))
	case "cancel":
		return taskOr(client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id}))
	case "list":
		return pages(ctx, client)
	case "receive":
		return Outcome{"outcome": "unsupported"}, nil
	case "continue":
		return conversation(ctx, client, intent)
	}
	if !card.Capabilities.PushNotifications {
		return nil, errors.New("the card offers no push notifications")
	}
	hook := &a2a.PushConfig{TaskID: id, URL: intent.Webhook.URL, Token: intent.Webhook.Token}
	if _, err := client.CreateTaskPushConfig(ctx, hook); err != nil {
		return nil, err
	}
	return taskOr(client.GetTask(ctx, &a2a.GetTaskRequest{ID: id}))
}

func requestOf(intent Intent) *a2a.SendMessageRequest {
	parts := []*a2a.Part{}
	for _, raw := range intent.Parts {
		parts = append(parts, partOf(raw))
	}
	if len(parts) == 0 {
		parts = append(parts, a2a.NewTextPart(intent.Text))
	}
	message := a2a.NewMessage(a2a.MessageRoleUser, parts...)
	message.TaskID = a2a.TaskID(intent.TaskID)
	message.ContextID = intent.ContextID
	for _, id := range intent.ReferenceTaskIDs {
		message.ReferenceTasks = append(message.ReferenceTasks, a2a.TaskID(id))
	}
	return &a2a.SendMessageRequest{Message: message}
}

func partOf(raw json.RawMessage) *a2a.Part {
	var part struct {
		Text, URL           *string
		Raw                 *string
		Data                any
		MediaType, Filename string
	}
	if err := json.Unmarshal(raw, &part); err != nil {
		panic(err)
	}
	switch {
	case part.Text != nil:
		return a2a.NewTextPart(*part.Text)
	case part.URL != nil:
		return a2a.NewFileURLPart(a2a.URL(*part.URL), part.MediaType)
	case part.Raw != nil:
		bytes, _ := base64.StdEncoding.DecodeString(*part.Raw)
		made := a2a.NewRawPart(bytes)
		made.MediaType, made.Filename = part.MediaType, part.Filename
		return made
	}
	return a2a.NewDataPart(part.Data)
}

func sent(ctx context.Context, client *a2aclient.Client, request *a2a.SendMessageRequest) (Outcome, error) {
	result, err := settled(ctx, client, request)
	if err != nil {
		return nil, err
	}
	return outcomeOf(result), nil
}

// Polls a task that the agent answered with while it was at work.
func settled(ctx context.Context, client *a2aclient.Client, request *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	result, err := client.SendMessage(ctx, request)
	for polls := 0; err == nil && polls < mostPolls; polls++ {
		task, isTask := result.(*a2a.Task)
		if !isTask || !working.MatchString(string(task.Status.State)) {
			break
		}
		time.Sleep(poll)
		result, err = client.GetTask(ctx, &a2a.GetTaskRequest{ID: task.ID})
	}
	return result, err
}

func conversation(ctx context.Context, client *a2aclient.Client, intent Intent) (Outcome, error) {
	first, err := settled(ctx, client, requestOf(intent))
	if err != nil {
		return nil, err
	}
	next := Intent{Text: intent.Reply, ContextID: first.TaskInfo().ContextID}
	if task, isTask := first.(*a2a.Task); isTask && required.MatchString(string(task.Status.State)) {
		next.TaskID = string(task.ID)
	} else if isTask {
		next.ReferenceTaskIDs = []string{string(task.ID)}
	}
	return sent(ctx, client, requestOf(next))
}

func pages(ctx context.Context, client *a2aclient.Client) (Outcome, error) {
	count, token := 0, ""
	for {
		page, err := client.ListTasks(ctx, &a2a.ListTasksRequest{PageToken: token})
		if err != nil {
			return nil, err
		}
		count += len(page.Tasks)
		if token = page.NextPageToken; token == "" {
			return Outcome{"outcome": "task", "tasks": count}, nil
		}
	}
}

func events(stream iter.Seq2[a2a.Event, error]) (Outcome, error) {
	count := 0
	var task *a2a.Task
	for event, err := range stream {
		if err != nil {
			return nil, err
		}
		count++
		if message, isMessage := event.(*a2a.Message); isMessage {
			outcome := outcomeOf(message)
			outcome["events"] = count
			return outcome, nil
		}
		task = folded(task, event)
		if !working.MatchString(string(task.Status.State)) {
			break
		}
	}
	if task == nil {
		return Outcome{"outcome": "events", "events": count}, nil
	}
	outcome := outcomeOf(task)
	outcome["outcome"], outcome["events"] = "events", count
	return outcome, nil
}

// What is known of the task after one more event; events of other tasks change nothing.
func folded(task *a2a.Task, event a2a.Event) *a2a.Task {
	if snapshot, isTask := event.(*a2a.Task); isTask {
		if task != nil && task.ID == snapshot.ID && len(snapshot.Artifacts) == 0 {
			snapshot.Artifacts = task.Artifacts
		}
		return snapshot
	}
	info := event.TaskInfo()
	if task == nil {
		task = &a2a.Task{ID: info.TaskID, ContextID: info.ContextID, Status: a2a.TaskStatus{State: a2a.TaskStateSubmitted}}
	}
	if task.ID != info.TaskID {
		return task
	}
	switch update := event.(type) {
	case *a2a.TaskStatusUpdateEvent:
		task.Status = update.Status
	case *a2a.TaskArtifactUpdateEvent:
		task.Artifacts = withArtifact(task.Artifacts, update)
	}
	return task
}

func withArtifact(known []*a2a.Artifact, update *a2a.TaskArtifactUpdateEvent) []*a2a.Artifact {
	for at, artifact := range known {
		if artifact.ID != update.Artifact.ID {
			continue
		}
		if update.Append {
			artifact.Parts = append(artifact.Parts, update.Artifact.Parts...)
		} else {
			known[at] = update.Artifact
		}
		return known
	}
	return append(known, update.Artifact)
}

func taskOr(task *a2a.Task, err error) (Outcome, error) {
	if err != nil {
		return nil, err
	}
	return outcomeOf(task), nil
}

func outcomeOf(result a2a.SendMessageResult) Outcome {
	if message, isMessage := result.(*a2a.Message); isMessage {
		return Outcome{"outcome": "message", "text": textOf(message.Parts), "contextId": message.ContextID}
	}
	task := result.(*a2a.Task)
	text := strings.Builder{}
	artifacts := []map[string]any{}
	for _, artifact := range task.Artifacts {
		text.WriteString(textOf(artifact.Parts))
		artifacts = append(artifacts, digestOf(artifact))
	}
	if task.Status.Message != nil {
		text.WriteString(textOf(task.Status.Message.Parts))
	}
	return Outcome{
		"outcome": "task", "taskId": task.ID, "contextId": task.ContextID, "state": string(task.Status.State),
		"text": text.String(), "artifacts": artifacts,
	}
}

func textOf(parts a2a.ContentParts) string {
	text := strings.Builder{}
	for _, part := range parts {
		text.WriteString(part.Text())
	}
	return text.String()
}

func digestOf(artifact *a2a.Artifact) map[string]any {
	hash := sha256.New()
	mediaType := ""
	for _, part := range artifact.Parts {
		switch {
		case part.Raw() != nil:
			hash.Write(part.Raw())
			mediaType = part.MediaType
		case part.Data() != nil:
			line, _ := json.Marshal(part.Data())
			hash.Write(line)
		default:
			hash.Write([]byte(part.Text()))
		}
	}
	digest := map[string]any{"id": artifact.ID, "sha256": hex.EncodeToString(hash.Sum(nil)), "text": textOf(artifact.Parts)}
	if mediaType != "" {
		digest["mediaType"] = mediaType
	}
	return digest
}
