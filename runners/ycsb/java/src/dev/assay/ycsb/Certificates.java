package dev.assay.ycsb;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.Properties;

/** PEM files into the key stores that drivers of Java read. What is secret in them is protected by the file's mode. */
final class Certificates {
  /** Key stores need a password; this one guards nothing. The URL of the driver has it as well. */
  private static final char[] PASSWORD = "keystore".toCharArray();

  private Certificates() {
  }

  /** Writes trust.p12 for assay.tls.ca, and client.p12 for assay.tls.cert and assay.tls.key, where those are set. */
  static void convert(Properties p) throws IOException, GeneralSecurityException {
    String ca = p.getProperty("assay.tls.ca");
    if (ca != null) {
      KeyStore store = empty();
      int i = 0;
      for (Certificate certificate : certificates(ca)) {
        store.setCertificateEntry("ca" + i++, certificate);
      }
      write(store, "trust.p12");
    }
    String cert = p.getProperty("assay.tls.cert");
    if (cert != null) {
      KeyStore store = empty();
      Certificate[] chain = certificates(cert).toArray(new Certificate[0]);
      store.setKeyEntry("client", key(p.getProperty("assay.tls.key"), chain[0].getPublicKey().getAlgorithm()), PASSWORD,
          chain);
      write(store, "client.p12");
    }
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, PASSWORD);
    return store;
  }

  private static Collection<? extends Certificate> certificates(String file)
      throws IOException, GeneralSecurityException {
    byte[] pem = Files.readAllBytes(Path.of(file));
    Collection<? extends Certificate> found =
        CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem));
    if (found.isEmpty()) {
      throw new IOException(file + " has no certificate");
    }
    return found;
  }

  private static PrivateKey key(String file, String algorithm) throws IOException, GeneralSecurityException {
    String pem = Files.readString(Path.of(file), StandardCharsets.US_ASCII);
    String body = pem.replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(body)));
  }

  private static void write(KeyStore store, String file) throws IOException, GeneralSecurityException {
    Path path = Path.of(file);
    Files.deleteIfExists(path);
    Files.createFile(path, java.nio.file.attribute.PosixFilePermissions.asFileAttribute(
        java.nio.file.attribute.PosixFilePermissions.fromString("rw-------")));
    try (OutputStream out = Files.newOutputStream(path)) {
      store.store(out, PASSWORD);
    }
  }
}
