package dev.assay.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;

/** A PEM file with certificate authorities as the key store that MySQL Connector/J wants. */
final class TrustStore {
  static final String TYPE = "PKCS12";
  /** Key stores need a password. There is nothing secret in this one. */
  static final String PASSWORD = "authority";

  private TrustStore() {
  }

  /** Writes the key store into the home folder, which is writable where nothing else is, until the program ends. */
  static Path of(Path pem) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(TYPE);
    store.load(null, PASSWORD.toCharArray());
    int count = 0;
    try (InputStream in = Files.newInputStream(pem)) {
      for (Certificate certificate : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("authority" + count++, certificate);
      }
    }
    if (count == 0) {
      throw new IOException(pem + " has no certificate in it");
    }
    String home = System.getenv("HOME");
    Path folder = Path.of(home == null || home.isEmpty() ? System.getProperty("java.io.tmpdir") : home);
    Path file = Files.createTempFile(folder, "authority", ".p12");
    file.toFile().deleteOnExit();
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, PASSWORD.toCharArray());
    }
    return file;
  }
}
