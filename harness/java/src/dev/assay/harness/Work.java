package dev.assay.harness;

import dev.assay.harness.Driver.Prepared;
import dev.assay.harness.Driver.Session;

/** What the operations of one worker of a run do, on whatever session they get. */
final class Work {
  /** One operation, or a part of it. */
  interface Body {
    void on(Session session) throws Exception;
  }

  private interface Chunk {
    void on(Session session, int from, int to) throws Exception;
  }

  final Rows sink; // null for the kinds without rows in their answers
  final Body body;
  /** Of the operation that runs, or of the last one. */
  long number;
  private Prepared kept;

  private final Request request;
  private final Object[][] data; // null for a statement without parameters

  // The rows of an operation: those of the data from one index up to another. They are of the operation with this number.
  private int from;
  private int to;
  private long of;

  /** The first operation has the number of the worker. */
  Work(Request request, Object[][] data, int worker) {
    this.request = request;
    this.data = data;
    number = worker;
    sink = request.kind.equals("Query") ? new Rows() : null;
    body = body();
  }

  /** The first row, for the kind Encode. */
  Object[] first() {
    return data[0];
  }

  /** What an operation of the scheme does. */
  private Body body() {
    switch (request.scheme) {
      case "SingleRow":
        return this::singleRow;
      case "Prepared":
        return this::eachPrepared;
      case "MultiRow":
      case "InList":
        return chunks((session, from, to) -> session.call(request.repeated(to - from), data, from, to, 0, sink));
      case "MultiStatement":
        return chunks((session, from, to) -> session.calls(request.repeated(to - from), data, from, to));
      default:
        return session -> {
          next();
          session.all(request.scheme, request.statement, data, from, to);
        };
    }
  }

  /**
   * Takes the rows that the operation has by its number: those behind the ones of the number before, and at the end the first
   * ones again.
   */
  private void next() {
    if (data == null) {
      return; // a statement without parameters, once per operation
    }
    long at = from + (number - of) * request.rowsPerOperation;
    from = (int) (at < data.length ? at : at % data.length); // a remainder of longs takes longer than all else here
    to = from + request.rowsPerOperation;
    of = number;
  }

  private void singleRow(Session session) throws Exception {
    if (data == null) {
      session.call(request.statement, null, 0, 0, 0, sink);
      return;
    }
    boolean inline = request.inline;
    next();
    for (int i = from; i < to; i++) {
      String text = inline ? request.inlined((Long) data[i][0]) : request.statement;
      session.call(text, data, i, i + 1, inline ? 1 : 0, sink);
    }
  }

  private Body chunks(Chunk part) {
    return session -> {
      next();
      for (int i = from; i < to; i += request.chunk) {
        part.on(session, i, Math.min(i + request.chunk, to));
      }
    };
  }

  /** Prepares the statement of a run before its operations, on the connection that all of them use. */
  void keepPrepared(Session session) throws Exception {
    if (request.scheme.equals("Prepared")) {
      kept = session.prepare(request.statement, true);
    }
  }

  void closePrepared() throws Exception {
    if (kept != null) {
      kept.close();
      kept = null;
    }
  }

  /** Where no statement was kept, each operation has a connection of its own, and prepares on it. */
  private void eachPrepared(Session session) throws Exception {
    if (kept != null) {
      executions(kept);
      return;
    }
    Prepared prepared = session.prepare(request.statement, false);
    executions(prepared);
    prepared.close();
  }

  private void executions(Prepared prepared) throws Exception {
    if (data == null) {
      prepared.call(null, sink);
      return;
    }
    next();
    for (int i = from; i < to; i++) {
      prepared.call(data[i], sink);
    }
  }
}
