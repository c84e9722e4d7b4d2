package interop;

import io.a2a.server.agentexecution.AgentExecutor;
import io.a2a.server.agentexecution.RequestContext;
import io.a2a.server.events.EventQueue;
import io.a2a.server.tasks.TaskUpdater;
import io.a2a.spec.DataPart;
import io.a2a.spec.FilePart;
import io.a2a.spec.FileWithBytes;
import io.a2a.spec.JSONRPCError;
import io.a2a.spec.Message;
import io.a2a.spec.Part;
import io.a2a.spec.TextPart;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Follows the keywords of interop/keyword-agent.ts. */
@ApplicationScoped
public class KeywordAgent {
  private static final int POLL_MS = 20;
  private static final int STEP_MS = 300;
  /**
   * Between two events. Streams of the SDK mix up events that are enqueued in the same moment, in one run of three: a
   * later chunk, or the end, overtakes an earlier chunk. An agent that breathes shows the same thing in every run.
   */
  private static final int BREATH_MS = 40;
  private static final int LONGEST_MS = 120_000;

  @Produces
  public AgentExecutor executor() {
    return new Executor();
  }

  private static final class Executor implements AgentExecutor {
    private final Set<String> canceled = ConcurrentHashMap.newKeySet();

    @Override
    public void execute(RequestContext context, EventQueue queue) throws JSONRPCError {
      String text = context.getUserInput("");
      String[] words = text.split(" ", 2);
      String argument = words.length > 1 ? words[1] : "";
      TaskUpdater task = new TaskUpdater(context, queue);
      if (context.getTask() != null) {
        artifact(task, new TextPart("You said " + text));
        pause(task, BREATH_MS);
        task.complete();
        return;
      }
      switch (words[0]) {
        case "task" -> result(task, new TextPart(argument));
        case "data" -> result(task, new DataPart(Map.of("answer", 42, "list", List.of("a", 0.1))));
        case "file" ->
            result(task, new FilePart(new FileWithBytes("text/plain", "small.txt", "YSBzbWFsbCBmaWxl")));
        case "stream" -> stream(task, Integer.parseInt(argument), BREATH_MS);
        case "steps" -> stream(task, Integer.parseInt(argument), STEP_MS);
        case "ask" -> {
          task.submit();
          pause(task, BREATH_MS);
          task.requiresInput(words(task, "Which colour?"), true);
        }
        case "slow" -> {
          begin(task);
          pause(task, LONGEST_MS);
        }
        case "wait" -> {
          begin(task);
          if (pause(task, Integer.parseInt(argument))) {
            artifact(task, new TextPart("waited"));
            pause(task, BREATH_MS);
            task.complete();
          }
        }
        case "fail" -> {
          begin(task);
          task.fail(words(task, "it did not work"));
        }
        case "reject" -> {
          task.submit();
          pause(task, BREATH_MS);
          task.reject(words(task, "not this"));
        }
        default -> queue.enqueueEvent(direct(context, text));
      }
    }

    @Override
    public void cancel(RequestContext context, EventQueue queue) throws JSONRPCError {
      canceled.add(context.getTaskId());
      new TaskUpdater(context, queue).cancel();
    }

    private void result(TaskUpdater task, Part<?> part) {
      begin(task);
      artifact(task, part);
      pause(task, BREATH_MS);
      task.complete(words(task, "done"));
    }

    private void begin(TaskUpdater task) {
      task.submit();
      pause(task, BREATH_MS);
      task.startWork();
      pause(task, BREATH_MS);
    }

    private static void artifact(TaskUpdater task, Part<?> part) {
      task.addArtifact(List.of(part));
    }

    private void stream(TaskUpdater task, int count, int pauseMs) {
      begin(task);
      for (int n = 1; n <= count; n++) {
        if (!pause(task, pauseMs)) return;
        task.addArtifact(List.of(new TextPart("chunk " + n + "\n")), "result", null, null, n > 1, n == count);
      }
      pause(task, BREATH_MS);
      task.complete();
    }

    private static Message words(TaskUpdater task, String text) {
      return task.newAgentMessage(List.of(new TextPart(text)), null);
    }

    /** An answer without a task. */
    private static Message direct(RequestContext context, String text) {
      return new Message.Builder()
          .role(Message.Role.AGENT)
          .contextId(context.getContextId())
          .messageId(UUID.randomUUID().toString())
          .parts(new TextPart(text))
          .build();
    }

    /** False when the task was canceled meanwhile. */
    private boolean pause(TaskUpdater task, int milliseconds) {
      for (int spent = 0; spent < milliseconds; spent += POLL_MS) {
        if (canceled.contains(task.getTaskId())) return false;
        try {
          Thread.sleep(POLL_MS);
        } catch (InterruptedException stopped) {
          Thread.currentThread().interrupt();
          return false;
        }
      }
      return true;
    }
  }
}
