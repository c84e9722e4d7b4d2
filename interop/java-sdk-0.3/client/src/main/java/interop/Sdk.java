package interop;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.a2a.A2A;
import io.a2a.client.Client;
import io.a2a.client.ClientEvent;
import io.a2a.client.MessageEvent;
import io.a2a.client.TaskEvent;
import io.a2a.client.TaskUpdateEvent;
import io.a2a.client.config.ClientConfig;
import io.a2a.client.transport.grpc.GrpcTransport;
import io.a2a.client.transport.grpc.GrpcTransportConfigBuilder;
import io.a2a.client.transport.jsonrpc.JSONRPCTransport;
import io.a2a.client.transport.jsonrpc.JSONRPCTransportConfigBuilder;
import io.a2a.client.transport.rest.RestTransport;
import io.a2a.client.transport.rest.RestTransportConfigBuilder;
import io.a2a.client.transport.spi.interceptors.auth.AuthInterceptor;
import io.a2a.spec.A2AClientException;
import io.a2a.spec.AgentCard;
import io.a2a.spec.DataPart;
import io.a2a.spec.FilePart;
import io.a2a.spec.FileWithBytes;
import io.a2a.spec.FileWithUri;
import io.a2a.spec.Message;
import io.a2a.spec.Part;
import io.a2a.spec.PushNotificationConfig;
import io.a2a.spec.Task;
import io.a2a.spec.TaskIdParams;
import io.a2a.spec.TaskPushNotificationConfig;
import io.a2a.spec.TaskQueryParams;
import io.a2a.spec.TextPart;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The SDK, connected to one agent. It folds streams itself and hands out the task with every event. */
final class Sdk implements AutoCloseable {
  /**
   * The SDK tells the end of a stream over JSON-RPC alone; over REST and gRPC, and when a connection cannot be made, it falls
   * silent, and an author has to set a limit.
   */
  private static final int LONGEST_SILENCE_MS = 3_000;
  private static final Object END = new Object();

  final AgentCard card;
  private final Client client;
  private final Client once;
  private final List<ManagedChannel> channels = new ArrayList<>();

  static Sdk connect(String url, JsonNode intent) throws Exception {
    return new Sdk(A2A.getAgentCard(url), intent.path("credentials").elements().hasNext()
        ? intent.get("credentials").elements().next().asText() : null);
  }

  private Sdk(AgentCard card, String secret) throws A2AClientException {
    this.card = card;
    this.client = clientOf(secret, true);
    // The SDK streams whatever the card allows to; a plain call is a setting of the client.
    this.once = clientOf(secret, false);
  }

  private Client clientOf(String secret, boolean isStreaming) throws A2AClientException {
    AuthInterceptor credentials = new AuthInterceptor((scheme, context) -> secret);
    return Client.builder(card)
        .clientConfig(new ClientConfig.Builder().setStreaming(isStreaming).build())
        .withTransport(JSONRPCTransport.class, new JSONRPCTransportConfigBuilder().addInterceptor(credentials))
        .withTransport(RestTransport.class, new RestTransportConfigBuilder().addInterceptor(credentials))
        .withTransport(
            GrpcTransport.class,
            new GrpcTransportConfigBuilder().channelFactory(this::channelTo).addInterceptor(credentials))
        .build();
  }

  private Channel channelTo(String target) {
    ManagedChannel channel = ManagedChannelBuilder.forTarget(target).usePlaintext().build();
    channels.add(channel);
    return channel;
  }

  ObjectNode send(JsonNode said) throws Exception {
    BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
    once.sendMessage(messageFrom(said), into(heard), error -> {}, null);
    return answerOf((ClientEvent) heard.remove());
  }

  ObjectNode stream(JsonNode said) throws Throwable {
    BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
    client.sendMessage(messageFrom(said), into(heard), endOf(heard), null);
    return eventsOf(heard);
  }

  ObjectNode subscribe(String id) throws Throwable {
    BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
    client.resubscribe(new TaskIdParams(id), into(heard), endOf(heard), null);
    return eventsOf(heard);
  }

  Task get(String id) throws A2AClientException {
    return client.getTask(new TaskQueryParams(id));
  }

  Task cancel(String id) throws A2AClientException {
    return client.cancelTask(new TaskIdParams(id));
  }

  void push(String id, JsonNode webhook) throws A2AClientException {
    PushNotificationConfig config = new PushNotificationConfig.Builder()
        .url(webhook.get("url").asText())
        .token(webhook.get("token").asText())
        .build();
    client.setTaskPushNotificationConfiguration(new TaskPushNotificationConfig(id, config));
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }

  private static List<BiConsumer<ClientEvent, AgentCard>> into(BlockingQueue<Object> heard) {
    return List.of((event, card) -> heard.add(event));
  }

  /** No error is the end. */
  private static Consumer<Throwable> endOf(BlockingQueue<Object> heard) {
    return error -> heard.add(error == null ? END : error);
  }

  private static ObjectNode eventsOf(BlockingQueue<Object> heard) throws Throwable {
    ObjectNode known = Harness.JSON.createObjectNode().put("outcome", "events");
    for (int count = 1; ; count++) {
      Object next = heard.poll(LONGEST_SILENCE_MS, TimeUnit.MILLISECONDS);
      if (next == null || next == END) return known;
      if (next instanceof Throwable error) throw error;
      known = answerOf((ClientEvent) next).put("events", count);
      if (!known.has("state")) return known;
      known.put("outcome", "events");
      if (!Harness.isWorking(known.get("state").asText())) return known;
    }
  }

  private static ObjectNode answerOf(ClientEvent event) {
    if (event instanceof MessageEvent said) return Outcomes.of(said.getMessage());
    return Outcomes.of(event instanceof TaskEvent whole ? whole.getTask() : ((TaskUpdateEvent) event).getTask());
  }

  private static Message messageFrom(JsonNode said) {
    List<Part<?>> parts = new ArrayList<>();
    if (said.has("parts")) said.get("parts").forEach(part -> parts.add(partFrom(part)));
    else parts.add(new TextPart(said.path("text").asText()));
    Message.Builder message = new Message.Builder()
        .role(Message.Role.USER)
        .messageId(UUID.randomUUID().toString())
        .parts(parts);
    if (said.hasNonNull("taskId")) message.taskId(said.get("taskId").asText());
    if (said.hasNonNull("contextId")) message.contextId(said.get("contextId").asText());
    if (said.hasNonNull("referenceTaskIds"))
      message.referenceTaskIds(Harness.JSON.convertValue(said.get("referenceTaskIds"), new TypeReference<List<String>>() {}));
    return message.build();
  }

  private static Part<?> partFrom(JsonNode part) {
    if (part.has("text")) return new TextPart(part.get("text").asText());
    if (part.has("data"))
      return new DataPart(Harness.JSON.convertValue(part.get("data"), new TypeReference<Map<String, Object>>() {}));
    String type = part.path("mediaType").asText(null);
    String name = part.path("filename").asText(null);
    return new FilePart(
        part.has("url")
            ? new FileWithUri(type, name, part.get("url").asText())
            : new FileWithBytes(type, name, part.get("raw").asText()));
  }
}
