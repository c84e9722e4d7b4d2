package interop;

import io.a2a.server.PublicAgentCard;
import io.a2a.spec.AgentCapabilities;
import io.a2a.spec.AgentCard;
import io.a2a.spec.AgentInterface;
import io.a2a.spec.AgentSkill;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import java.util.List;
import org.eclipse.microprofile.config.ConfigProvider;

/** The card of an A2A 0.3 agent on the Java SDK: JSON-RPC and HTTP+JSON at one address, told apart by path. */
@ApplicationScoped
public class Card {
  @Produces
  @PublicAgentCard
  public AgentCard card() {
    String port = ConfigProvider.getConfig().getValue("quarkus.http.port", String.class);
    String url = "http://127.0.0.1:" + port;
    return new AgentCard.Builder()
        .name("Keyword agent on the Java SDK")
        .description("Does what the first word of a message says.")
        .url(url)
        .preferredTransport("JSONRPC")
        .additionalInterfaces(
            List.of(new AgentInterface("JSONRPC", url), new AgentInterface("HTTP+JSON", url)))
        .version("1.0.0")
        .protocolVersion("0.3.0")
        .capabilities(new AgentCapabilities.Builder().streaming(true).pushNotifications(true).build())
        .defaultInputModes(List.of("text/plain"))
        .defaultOutputModes(List.of("text/plain"))
        .skills(
            List.of(
                new AgentSkill.Builder()
                    .id("keywords")
                    .name("Keywords")
                    .description("task, stream, ask, slow, wait, fail, reject, file, data")
                    .tags(List.of("test"))
                    .examples(List.of("task hello"))
                    .build()))
        .build();
  }
}
