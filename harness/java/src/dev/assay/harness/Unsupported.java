package dev.assay.harness;

/** Says that the driver, or this harness, cannot do what was asked. Every other exception is a failure. */
final class Unsupported extends Exception {
  private static final long serialVersionUID = 1;

  Unsupported(String reason) {
    super(reason);
  }
}
