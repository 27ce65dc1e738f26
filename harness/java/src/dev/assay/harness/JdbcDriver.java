package dev.assay.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/** What the drivers of JDBC have in common. The names of their options, and what these mean, they have not. */
abstract class JdbcDriver implements Driver {
  static final String CONCURRENCY = "platform threads, a connection each";

  private final String name;
  private final String driverClass;
  private final String scheme;
  private final Jars jars;

  /** The jars of the driver begin with one of the names. */
  JdbcDriver(String name, String driverClass, String scheme, Path folder, String... jarNames) throws IOException {
    this.name = name;
    this.driverClass = driverClass;
    this.scheme = scheme;
    this.jars = new Jars(folder, jarNames);
  }

  /** Options that the protocol decides: encryption, characters, login. Users' options must not have them. */
  abstract Properties pinned(String version, Target target) throws Exception;

  /** Names that are refused as options although {@link #pinned} does not set them. */
  abstract Set<String> refused();

  /** The options by which the driver prepares on the server, and by which it takes several statements in one text. */
  abstract Map<String, String> needed(Mode mode);

  /** The driver's own pool. The properties are all that a connection has, login included. */
  abstract Pool pool(ClassLoader loader, String url, Properties properties, PoolSettings settings) throws Exception;

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final List<String> versions() {
    return jars.versions();
  }

  @Override
  public Map<String, String> cannot() {
    return Map.of("Encode", "it has no public method that encodes a statement without a server");
  }

  @Override
  public final Client open(String version, Target target) throws Exception {
    ClassLoader loader = jars.loader(version);
    java.sql.Driver driver =
        (java.sql.Driver) Class.forName(driverClass, true, loader).getDeclaredConstructor().newInstance();
    String host = target.host().contains(":") ? "[" + target.host() + "]" : target.host();
    String url = scheme + "//" + host + ":" + target.port() + "/" + target.database();
    Properties properties = pinned(version, target);
    Set<String> known = known(driver, url);
    for (Map.Entry<String, String> option : target.options().entrySet()) {
      if (properties.containsKey(option.getKey()) || refused().contains(option.getKey())) {
        throw new Unsupported(option.getKey() + " is not an option here: login, encryption and characters are pinned");
      }
      if (!known.contains(option.getKey())) {
        throw new Unsupported(name + " " + version + " has no option " + option.getKey());
      }
    }
    properties.setProperty("user", target.user());
    properties.setProperty("password", target.password());
    return new JdbcClient(this, loader, driver, url, properties, target.options());
  }

  /** The options that the driver has, as it says itself: it takes unknown ones without a word. */
  private static Set<String> known(java.sql.Driver driver, String url) throws SQLException {
    Set<String> known = new HashSet<>();
    for (DriverPropertyInfo property : driver.getPropertyInfo(url, new Properties())) {
      known.add(property.name);
    }
    return known;
  }

  private record JdbcClient(JdbcDriver of, ClassLoader loader, java.sql.Driver driver, String url, Properties pinned,
      Map<String, String> options) implements Client {
    @Override
    public void check(Mode mode) throws Unsupported {
      properties(mode);
    }

    private Properties properties(Mode mode) throws Unsupported {
      Properties properties = new Properties();
      properties.putAll(pinned);
      properties.putAll(options);
      for (Map.Entry<String, String> needed : of.needed(mode).entrySet()) {
        String asked = options.get(needed.getKey());
        if (asked != null && !asked.equalsIgnoreCase(needed.getValue())) {
          throw new Unsupported("the scheme needs " + needed.getKey() + "=" + needed.getValue() + ", the options say "
              + asked);
        }
        properties.setProperty(needed.getKey(), needed.getValue());
      }
      return properties;
    }

    @Override
    public Session connect(Mode mode) throws Exception {
      return new JdbcSession(driver.connect(url, properties(mode)));
    }

    @Override
    public Pool pool(PoolSettings settings) throws Exception {
      return of.pool(loader, url, properties(settings.mode()), settings);
    }
  }
}
