package dev.assay.harness;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import dev.assay.harness.Driver.Mode;
import dev.assay.harness.Driver.Target;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Answers requests, one line each. They are as the protocol says, so nothing in them is checked. */
final class Harness {
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private final List<Driver> drivers;
  private final Map<String, Object[][]> data = new HashMap<>();
  private final Map<String, Connection> connections = new HashMap<>();
  private final Histogram histogram = new Histogram(); // of the run that is under way

  Harness(List<Driver> drivers) {
    this.drivers = drivers;
  }

  String answer(String line) {
    Request request = GSON.fromJson(line, Request.class);
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("id", request.id);
    answer.put("state", "ok");
    try {
      answer.putAll(perform(request));
    } catch (Unsupported e) {
      answer.put("state", "unsupported");
      answer.put("reason", e.getMessage());
    } catch (Exception | LinkageError e) { // the latter: a driver wants a class that is not here
      answer.put("state", "failed");
      answer.put("code", code(e));
      answer.put("reason", reason(e));
    }
    return GSON.toJson(answer);
  }

  /** The words of an exception and of its causes, each once. */
  static String reason(Throwable e) {
    StringBuilder words = new StringBuilder();
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      String message = cause.getMessage();
      if (message == null || cause instanceof LinkageError) {
        message = cause.toString();
      }
      if (words.indexOf(message) < 0) {
        words.append(words.length() > 0 ? ": " : "").append(message);
      }
    }
    return words.toString();
  }

  /** The number of the error of the server or the driver, and nothing where there is none. */
  private static String code(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException s && s.getErrorCode() > 0) {
        return Integer.toString(s.getErrorCode());
      }
    }
    return "";
  }

  private Map<String, Object> perform(Request request) throws Exception {
    switch (request.what) {
      case "hello":
        return hello();
      case "data":
        data.put(request.name, request.values());
        return Map.of();
      case "prepare":
        return prepare(request);
      case "run":
        return run(request);
      default:
        connections.remove(request.connection).close();
        return Map.of();
    }
  }

  private Map<String, Object> hello() {
    List<Object> all = new ArrayList<>();
    for (Driver driver : drivers) {
      if (!driver.versions().isEmpty()) { // else its jar is not here
        all.add(Map.of("name", driver.name(), "versions", driver.versions(), "can", driver.can(), "cannot",
            driver.cannot()));
      }
    }
    return Map.of("protocol", "assay.dev/driver/v2", "language", "Java", "runtime",
        System.getProperty("java.runtime.version"), "clock", "System.nanoTime", "drivers", all);
  }

  private Map<String, Object> prepare(Request request) throws Exception {
    Driver driver = drivers.stream().filter(d -> d.name().equals(request.driver)).findFirst().orElseThrow();
    String version = request.version.isEmpty() ? driver.versions().get(0) : request.version;
    String authority = request.tls ? Path.of(System.getenv("ASSAY_CA")).toAbsolutePath().toString() : null;
    Target target = new Target(request.host, request.port, request.database, System.getenv("ASSAY_USERNAME"),
        System.getenv("ASSAY_PASSWORD"), authority, request.options);
    Connection connection = new Connection(driver.open(version, target));
    connections.put(request.connection, connection);
    return Map.of("version", version, "cipher", cipher(connection));
  }

  /** Opens the first session, and asks the server with what it is encrypted. */
  private static String cipher(Connection connection) throws Exception {
    Rows answer = new Rows();
    connection.sessions(Mode.PLAIN, 1).get(0).call("SHOW SESSION STATUS LIKE 'Ssl_cipher'", null, 0, 0, 0, answer);
    return answer.text(1);
  }

  private Map<String, Object> run(Request request) throws Exception {
    Connection connection = connections.get(request.connection);
    Run run = new Run(request, connection, histogram, data.get(request.data));
    try {
      return run.measure();
    } catch (Exception | LinkageError e) {
      connection.drop();
      throw e;
    }
  }

  void close() {
    connections.values().forEach(Connection::drop);
  }
}
