package dev.assay.harness;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.assay.harness.Driver.Mode;
import dev.assay.harness.Driver.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Answers requests, one line each. */
final class Harness {
  private static final String PROTOCOL = "assay.dev/driver/v1";

  private final List<Driver> drivers;
  private final Map<String, Object[][]> data = new HashMap<>();
  private final Map<String, Connection> connections = new HashMap<>();
  private final Histogram histogram = new Histogram();

  Harness(List<Driver> drivers) {
    this.drivers = drivers;
  }

  String answer(String line) {
    long id = 0;
    String state = "ok";
    JsonObject rest = new JsonObject();
    try {
      Request request = Request.parse(line);
      id = request.id();
      request.check();
      rest = perform(request);
    } catch (Unsupported e) {
      state = "unsupported";
      rest.addProperty("reason", e.getMessage());
    } catch (Exception | LinkageError e) { // the latter: a driver wants a class that is not here
      state = "failed";
      rest.addProperty("reason", reason(e));
    }
    JsonObject answer = new JsonObject();
    answer.addProperty("id", id);
    answer.addProperty("state", state);
    rest.entrySet().forEach(field -> answer.add(field.getKey(), field.getValue()));
    return answer.toString();
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

  private JsonObject perform(Request request) throws Exception {
    String what = request.text("do");
    switch (what) {
      case "hello":
        return hello(request.text("protocol"));
      case "data":
        return keep(request.text("name"), request.rows());
      case "prepare":
        return prepare(request);
      case "run":
        return run(request);
      case "close":
        Connection connection = find(request);
        connections.remove(request.text("connection"));
        connection.close();
        return new JsonObject();
      default:
        throw new Unsupported("the request \"" + what + "\" is not known here");
    }
  }

  private JsonObject hello(String protocol) throws Unsupported {
    if (!protocol.equals(PROTOCOL)) {
      throw new Unsupported("the protocol \"" + protocol + "\" is not known here; " + PROTOCOL + " is");
    }
    JsonObject answer = new JsonObject();
    answer.addProperty("protocol", PROTOCOL);
    answer.addProperty("language", "Java");
    answer.addProperty("runtime", System.getProperty("java.runtime.version"));
    answer.addProperty("clock", "System.nanoTime");
    JsonArray all = new JsonArray();
    for (Driver driver : drivers) {
      if (driver.versions().isEmpty()) {
        continue; // its jar is not here
      }
      JsonObject summary = new JsonObject();
      summary.addProperty("name", driver.name());
      JsonArray versions = new JsonArray();
      driver.versions().forEach(versions::add);
      summary.add("versions", versions);
      JsonObject schemes = new JsonObject();
      driver.schemes().forEach(schemes::addProperty);
      summary.add("schemes", schemes);
      all.add(summary);
    }
    answer.add("drivers", all);
    return answer;
  }

  private JsonObject keep(String name, Object[][] rows) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("data without a name");
    }
    data.put(name, rows);
    JsonObject answer = new JsonObject();
    answer.addProperty("rows", rows.length);
    return answer;
  }

  private JsonObject prepare(Request request) throws Exception {
    String name = request.text("connection");
    if (name.isEmpty() || connections.containsKey(name)) {
      throw new IllegalArgumentException("a connection needs a name that no other has, not \"" + name + "\"");
    }
    String wanted = request.text("driver");
    Driver driver = drivers.stream().filter(d -> d.name().equals(wanted) && !d.versions().isEmpty()).findFirst()
        .orElseThrow(() -> new Unsupported("there is no driver \"" + wanted + "\" in this harness"));
    String version = request.text("version", driver.versions().get(0));
    if (!driver.versions().contains(version)) {
      throw new Unsupported(wanted + " is here in the versions " + driver.versions() + ", not " + version);
    }
    String authority = authority(request.text("tls", "Disabled"));
    Target target = new Target(request.text("host"), Math.toIntExact(request.number("port")), request.text("database"),
        environment("ASSAY_USERNAME"), environment("ASSAY_PASSWORD"), authority, request.options());
    Connection connection = new Connection(driver, driver.open(version, target));
    try {
      String cipher = cipher(connection);
      if (!driver.name().equals("null") && cipher.isEmpty() == (authority != null)) {
        throw new IllegalStateException("tls is " + request.text("tls", "Disabled") + ", but the cipher of the connection is \""
            + cipher + "\"");
      }
      JsonObject answer = new JsonObject();
      answer.addProperty("version", version);
      answer.addProperty("library", "");
      answer.addProperty("cipher", cipher);
      connections.put(name, connection);
      return answer;
    } catch (Exception e) {
      connection.drop();
      throw e;
    }
  }

  /** The file with the certificate authority; null for a connection that is not encrypted. */
  private static String authority(String tls) throws Exception {
    switch (tls) {
      case "Disabled":
        return null;
      case "Required":
        String file = environment("ASSAY_CA");
        if (file.isEmpty() || !Files.isReadable(Path.of(file))) {
          throw new IllegalArgumentException("tls is Required, but ASSAY_CA names no readable file: \"" + file + "\"");
        }
        return Path.of(file).toAbsolutePath().toString();
      default:
        throw new Unsupported("tls is \"" + tls + "\"; Disabled and Required are known");
    }
  }

  private static String environment(String name) {
    String value = System.getenv(name);
    return value == null ? "" : value;
  }

  /** Opens the session, and asks the server with what it is encrypted. */
  private static String cipher(Connection connection) throws Exception {
    Rows answer = new Rows();
    connection.session(Mode.PLAIN).call("SHOW SESSION STATUS LIKE 'Ssl_cipher'", null, 0, 0, 0, answer);
    return answer.text(1);
  }

  private JsonObject run(Request request) throws Exception {
    Connection connection = find(request);
    Object[][] rows = null;
    String name = request.text("data");
    if (!name.isEmpty()) {
      rows = data.get(name);
      if (rows == null) {
        throw new IllegalArgumentException("there are no rows with the name \"" + name + "\"");
      }
    }
    Run run = new Run(request, connection, histogram, rows);
    try {
      return run.measure();
    } catch (Unsupported e) {
      throw e; // said before anything was sent on the connection
    } catch (Exception e) {
      connection.drop();
      throw e;
    }
  }

  private Connection find(Request request) {
    Connection connection = connections.get(request.text("connection"));
    if (connection == null) {
      throw new IllegalArgumentException(
          "there is no connection \"" + request.text("connection") + "\": prepare opens one");
    }
    return connection;
  }

  void close() {
    connections.values().forEach(Connection::drop);
  }
}
