package dev.assay.harness;

import dev.assay.harness.Driver.Prepared;
import dev.assay.harness.Driver.Session;
import java.util.List;

/** What the operations of one run do, on whatever session they get. */
final class Work {
  /** One operation, or a part of it. */
  interface Body {
    void on(Session session) throws Exception;
  }

  private interface Chunk {
    void on(Session session, int from, int to) throws Exception;
  }

  private static final List<String> SINGLE = List.of("SingleRow", "Prepared");
  private static final List<String> CHUNKED = List.of("MultiRow", "MultiStatement", "InList");

  final Template template;
  final Rows sink; // null for the kind Execute
  Body body;
  boolean prepares; // the scheme prepares a statement that may be kept
  private Prepared kept;

  private final Object[][] data; // null for a statement without parameters
  private final int take;
  private final int chunk;
  private final boolean inline;
  private int at; // the next row

  // The rows of the operation that runs: those of the array from one index up to another.
  private Object[][] rows;
  private int from;
  private int to;
  private final Object[][] wrapped;

  /** Checks what can be checked before anything is opened. */
  Work(Request request, Object[][] data) throws Unsupported {
    template = new Template(request.text("statement"));
    sink = request.text("kind").equals("Query") ? new Rows() : null;
    this.data = data;
    take = Math.toIntExact(request.number("rowsPerOperation"));
    chunk = Math.toIntExact(request.number("chunk"));
    inline = request.inline();
    if (data == null && template.parameters > 0) {
      throw new IllegalArgumentException("the statement has parameters, but the request names no data: " + template.text);
    }
    if (data != null) {
      checkRows();
    }
    wrapped = new Object[data == null ? 0 : take][];
  }

  private void checkRows() {
    if (data.length == 0 || take < 1) {
      throw new IllegalArgumentException("a run with data needs rows, and rowsPerOperation of at least 1");
    }
    for (int i = 0; i < data.length; i++) {
      if (data[i].length != template.parameters) {
        throw new IllegalArgumentException("row " + i + " has " + data[i].length + " values, the statement "
            + template.parameters + " parameters");
      }
      if (inline && (data[i].length == 0 || !(data[i][0] instanceof Long))) {
        throw new IllegalArgumentException("inline needs an integer as first parameter; row " + i + " has none");
      }
    }
  }

  /** The first row, for the kind Encode. */
  Object[] first() {
    if (data == null) {
      throw new IllegalArgumentException("Encode needs a row of parameters");
    }
    return data[0];
  }

  /** Finds what an operation of the scheme does. */
  void choose(String scheme) throws Unsupported {
    if (data == null && !SINGLE.contains(scheme)) {
      throw new Unsupported(scheme + " needs rows of parameters");
    }
    if (inline && (data == null || !SINGLE.contains(scheme))) {
      throw new Unsupported("inline goes with SingleRow and Prepared and with rows of parameters, not with " + scheme);
    }
    if (chunk < 1 && CHUNKED.contains(scheme)) {
      throw new IllegalArgumentException(scheme + " needs a chunk of at least 1");
    }
    switch (scheme) {
      case "SingleRow":
        body = this::singleRow;
        break;
      case "Prepared":
        prepares = !inline;
        body = inline ? this::eachInlined : this::eachPrepared;
        break;
      case "MultiRow":
      case "InList":
        Template.Repeated repeated = scheme.equals("MultiRow") ? template.multiRow() : template.inList();
        body = chunks((session, from, to) -> session.call(repeated.text(to - from), rows, from, to, 0, sink));
        break;
      case "MultiStatement":
        Template.Repeated joined = template.joined();
        body = chunks((session, from, to) -> session.calls(joined.text(to - from), rows, from, to, sink));
        break;
      default:
        if (sink != null) {
          throw new Unsupported(scheme + " executes; it hands over no rows");
        }
        body = session -> {
          next();
          session.all(scheme, template.text, rows, from, to);
        };
    }
  }

  /** Takes the rows behind those of the operation before, and at the end the first ones again. */
  private void next() {
    if (at + take <= data.length) {
      rows = data;
      from = at;
      to = at + take;
      at = to % data.length;
      return;
    }
    rows = wrapped;
    from = 0;
    to = take;
    for (int i = 0; i < take; i++) {
      wrapped[i] = data[at];
      at = (at + 1) % data.length;
    }
  }

  private void singleRow(Session session) throws Exception {
    if (data == null) {
      session.call(template.text, null, 0, 0, 0, sink);
      return;
    }
    next();
    for (int i = from; i < to; i++) {
      String text = inline ? template.inlined((Long) rows[i][0]) : template.text;
      session.call(text, rows, i, i + 1, inline ? 1 : 0, sink);
    }
  }

  private Body chunks(Chunk part) {
    return session -> {
      next();
      for (int i = from; i < to; i += chunk) {
        part.on(session, i, Math.min(i + chunk, to));
      }
    };
  }

  /** Prepares the statement of a run before its operations, on the connection that all of them use. */
  void keepPrepared(Session session) throws Exception {
    if (prepares) {
      kept = session.prepare(template.text, true);
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
    Prepared prepared = session.prepare(template.text, false);
    executions(prepared);
    prepared.close();
  }

  private void executions(Prepared prepared) throws Exception {
    if (data == null) {
      prepared.call(null, 0, sink);
      return;
    }
    next();
    for (int i = from; i < to; i++) {
      prepared.call(rows[i], 0, sink);
    }
  }

  /** Each row has a text, and so a statement, of its own. */
  private void eachInlined(Session session) throws Exception {
    next();
    for (int i = from; i < to; i++) {
      Prepared prepared = session.prepare(template.inlined((Long) rows[i][0]), false);
      prepared.call(rows[i], 1, sink);
      prepared.close();
    }
  }
}
