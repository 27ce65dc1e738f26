package dev.assay.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The list of all drivers. A new one is a file of its own and a line here. */
final class Drivers {
  private Drivers() {
  }

  static List<Driver> in(Path folder) throws IOException {
    return List.of(
        new MySqlConnectorJ(folder),
        new MariaDbJavaClient(folder),
        new NullDriver());
  }
}
