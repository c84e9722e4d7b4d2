package interop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.a2a.spec.Artifact;
import io.a2a.spec.DataPart;
import io.a2a.spec.FilePart;
import io.a2a.spec.FileWithBytes;
import io.a2a.spec.Message;
import io.a2a.spec.Part;
import io.a2a.spec.Task;
import io.a2a.spec.TextPart;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/** What the SDK handed out, in the words of docs/grade-a-client.md. */
final class Outcomes {
  /** Of a text; more than any scenario looks at. */
  private static final int MOST_TEXT = 1_000_000;

  private Outcomes() {}

  static ObjectNode of(Message message) {
    ObjectNode outcome = Harness.JSON.createObjectNode().put("outcome", "message");
    return outcome.put("text", textIn(message.getParts())).put("contextId", message.getContextId());
  }

  static ObjectNode of(Task task) {
    ObjectNode outcome = Harness.JSON.createObjectNode()
        .put("outcome", "task")
        .put("taskId", task.getId())
        .put("contextId", task.getContextId())
        .put("state", task.getStatus().state().asString());
    List<Artifact> artifacts = task.getArtifacts() == null ? List.of() : task.getArtifacts();
    StringBuilder text = new StringBuilder();
    ArrayNode digests = outcome.putArray("artifacts");
    for (Artifact artifact : artifacts) {
      text.append(textIn(artifact.parts()));
      digests.add(digestOf(artifact));
    }
    Message said = task.getStatus().message();
    if (said != null) text.append(textIn(said.getParts()));
    return outcome.put("text", cut(text.toString()));
  }

  private static ObjectNode digestOf(Artifact artifact) {
    String mediaType = null;
    MessageDigest digest = sha256();
    for (Part<?> part : artifact.parts())
      if (part instanceof FilePart file && file.getFile() instanceof FileWithBytes bytes) {
        digest.update(Base64.getDecoder().decode(bytes.bytes()));
        mediaType = bytes.mimeType();
      } else digest.update(textOf(part).getBytes(StandardCharsets.UTF_8));
    return Harness.JSON.createObjectNode()
        .put("id", artifact.artifactId())
        .put("sha256", HexFormat.of().formatHex(digest.digest()))
        .put("text", cut(textIn(artifact.parts())))
        .put("mediaType", mediaType);
  }

  private static String textOf(Part<?> part) {
    if (part instanceof TextPart text) return text.getText();
    try {
      return part instanceof DataPart data ? Harness.JSON.writeValueAsString(data.getData()) : "";
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static String textIn(List<Part<?>> parts) {
    StringBuilder text = new StringBuilder();
    for (Part<?> part : parts) if (part instanceof TextPart said) text.append(said.getText());
    return text.toString();
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(text.length(), MOST_TEXT));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
