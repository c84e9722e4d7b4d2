package interop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.a2a.spec.JSONRPCError;
import io.a2a.spec.Task;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;

/**
 * The client of the Java SDK 0.3.3, driven by `parley grade --harness ndjson`: JSON-RPC, REST and gRPC of 0.3. It does what
 * interop/client-harness.ts does.
 */
public final class Harness {
  static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern WORKING = Pattern.compile("working|submitted|unknown");
  private static final Pattern NO_SUCCESS = Pattern.compile("failed|rejected|cancel|working|submitted|unknown");
  private static final int POLL_MS = 50;
  private static final int MOST_POLLS = 40;

  /** The SDK has no way to do it: not measured. */
  static final class Unsupported extends RuntimeException {}

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    ExecutorService running = Executors.newCachedThreadPool();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonNode request = JSON.readTree(line);
      running.submit(() -> out.println(answered(request).set("id", request.get("id"))));
    }
    running.shutdown();
  }

  private static ObjectNode answered(JsonNode request) {
    JsonNode intent = request.get("intent");
    try (Sdk sdk = Sdk.connect(request.get("url").asText(), intent)) {
      ObjectNode outcome = fulfilled(sdk, intent);
      return outcome.put("fulfilled", isFulfilled(outcome, intent.get("do").asText()));
    } catch (Unsupported none) {
      return JSON.createObjectNode().put("outcome", "unsupported");
    } catch (Throwable error) { // Whatever the SDK throws is the outcome.
      ObjectNode outcome = JSON.createObjectNode().put("outcome", "error").put("fulfilled", false);
      return outcome.set("error", told(error));
    }
  }

  private static ObjectNode fulfilled(Sdk sdk, JsonNode intent) throws Throwable {
    String id = intent.path("taskId").asText();
    return switch (intent.get("do").asText()) {
      case "card" -> JSON.createObjectNode().put("outcome", "card").put("text", sdk.card.name());
      case "send" -> settled(sdk, sdk.send(intent));
      case "stream" -> sdk.card.capabilities().streaming() ? sdk.stream(intent) : settled(sdk, sdk.send(intent));
      case "subscribe" -> sdk.subscribe(id);
      case "get" -> Outcomes.of(sdk.get(id));
      case "cancel" -> Outcomes.of(sdk.cancel(id));
      case "continue" -> conversation(sdk, intent);
      case "push" -> {
        if (!sdk.card.capabilities().pushNotifications()) throw new IllegalStateException("the card offers no push notifications");
        sdk.push(id, intent.get("webhook"));
        yield Outcomes.of(sdk.get(id));
      }
      default -> throw new Unsupported();
    };
  }

  private static ObjectNode conversation(Sdk sdk, JsonNode intent) throws Throwable {
    ObjectNode first = settled(sdk, sdk.send(intent));
    ObjectNode next = JSON.createObjectNode().put("text", intent.path("reply").asText());
    if (first.hasNonNull("contextId")) next.set("contextId", first.get("contextId"));
    if (first.path("state").asText().endsWith("required")) next.set("taskId", first.get("taskId"));
    else if (first.hasNonNull("taskId")) next.putArray("referenceTaskIds").add(first.get("taskId"));
    return settled(sdk, sdk.send(next));
  }

  /** Polls a task that the agent answered with while it was at work. */
  private static ObjectNode settled(Sdk sdk, ObjectNode answer) throws Throwable {
    ObjectNode known = answer;
    for (int polls = 0; polls < MOST_POLLS && known.has("state") && isWorking(known.get("state").asText()); polls++) {
      Thread.sleep(POLL_MS);
      known = Outcomes.of(sdk.get(known.get("taskId").asText()));
    }
    return known;
  }

  static boolean isWorking(String state) {
    return WORKING.matcher(state).find();
  }

  static boolean isWorking(Task task) {
    return isWorking(task.getStatus().state().asString());
  }

  private static boolean isFulfilled(ObjectNode outcome, String wanted) {
    String state = outcome.path("state").asText();
    if (wanted.equals("cancel")) return state.contains("cancel");
    if (wanted.equals("get") || wanted.equals("push")) return true;
    if (outcome.get("outcome").asText().equals("events") && state.isEmpty()) return false;
    return !NO_SUCCESS.matcher(state).find();
  }

  /** By its name and number, where the SDK keeps what the agent answered as the cause. */
  private static ObjectNode told(Throwable error) {
    ObjectNode told = JSON.createObjectNode().put("message", String.valueOf(error.getMessage()));
    for (Throwable each = error; each != null; each = each.getCause())
      if (each instanceof JSONRPCError known)
        return told.put("kind", known.getClass().getSimpleName()).put("code", known.getCode());
    return told.put("kind", error.getClass().getSimpleName());
  }
}
