package dev.assay.harness;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The versions of one driver, each in a jar of its own that has its version in its name. Each is loaded by a class loader of
 * its own, which sees the platform and that jar only, so that versions stand side by side.
 */
final class Jars {
  private final Map<String, Path> jars = new LinkedHashMap<>();
  private final Map<String, ClassLoader> loaders = new LinkedHashMap<>();

  /** Finds the jars whose name is one of those, a hyphen, and a version. The newest comes first. */
  Jars(Path folder, String... names) throws IOException {
    Map<String, Path> found = new LinkedHashMap<>();
    Pattern pattern = Pattern.compile("(?:" + String.join("|", names) + ")-(\\d+(?:\\.\\d+)*)\\.jar");
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
        for (Path file : files) {
          Matcher matcher = pattern.matcher(file.getFileName().toString());
          if (matcher.matches()) {
            found.put(matcher.group(1), file);
          }
        }
      }
    }
    List<String> versions = new ArrayList<>(found.keySet());
    versions.sort(newestFirst());
    versions.forEach(v -> jars.put(v, found.get(v)));
  }

  List<String> versions() {
    return List.copyOf(jars.keySet());
  }

  ClassLoader loader(String version) throws IOException {
    ClassLoader loader = loaders.get(version);
    if (loader == null) {
      URL[] path = {jars.get(version).toUri().toURL()};
      loader = new URLClassLoader("driver " + version, path, ClassLoader.getPlatformClassLoader());
      loaders.put(version, loader);
    }
    return loader;
  }

  /** The first number of a version. */
  static int major(String version) {
    return Integer.parseInt(version.replaceFirst("\\..*", ""));
  }

  static Comparator<String> newestFirst() {
    return (a, b) -> {
      String[] left = a.split("\\.");
      String[] right = b.split("\\.");
      for (int i = 0; i < Math.min(left.length, right.length); i++) {
        int order = Integer.compare(Integer.parseInt(right[i]), Integer.parseInt(left[i]));
        if (order != 0) {
          return order;
        }
      }
      return Integer.compare(right.length, left.length);
    };
  }
}
