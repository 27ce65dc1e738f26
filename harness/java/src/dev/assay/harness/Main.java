package dev.assay.harness;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The harness of the drivers of Java: it answers the requests of docs/contributing/driver-protocol.md, which come in JSON lines on
 * standard input, and measures what drivers do with them. One request at a time, until the input ends.
 *
 * <p>It lies in lib/ beside what it needs itself. The drivers lie in drivers/ beside lib/, not on the class path.
 */
public final class Main {
  private Main() {
  }

  public static void main(String[] args) throws IOException, URISyntaxException {
    // Standard output belongs to the answers: what a driver prints goes to standard error.
    OutputStream out = new FileOutputStream(FileDescriptor.out);
    System.setOut(System.err);
    Path jar = Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Harness harness = new Harness(Drivers.in(jar.resolve("../../drivers").normalize()));
    serve(harness, new BufferedReader(new InputStreamReader(new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8)),
        out);
    // Threads that a driver leaves behind must not keep the program.
    System.exit(0);
  }

  /** Answers line by line, and closes everything at the end of the input. */
  static void serve(Harness harness, BufferedReader in, OutputStream out) throws IOException {
    try {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.write((harness.answer(line) + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } finally {
      harness.close();
    }
  }
}
