package dev.assay.harness;

import java.util.Locale;

/** A statement taken apart once, so that an operation only puts texts together. */
final class Template {
  final String text;
  final int parameters;

  Template(String statement) {
    text = statement;
    parameters = (int) statement.chars().filter(c -> c == '?').count();
  }

  /** The text with an integer in place of the first question mark. */
  String inlined(long number) {
    int mark = text.indexOf('?');
    return text.substring(0, mark) + number + text.substring(mark + 1);
  }

  /** A statement of which one part stands there once for each row. */
  record Repeated(String before, String group, String separator, String after) {
    String text(int times) {
      StringBuilder text = new StringBuilder(
          before.length() + times * (group.length() + separator.length()) + after.length());
      text.append(before);
      for (int i = 0; i < times; i++) {
        if (i > 0) {
          text.append(separator);
        }
        text.append(group);
      }
      return text.append(after).toString();
    }
  }

  /** Repeats the group of an INSERT: the parentheses that open behind the last VALUES, with all question marks. */
  Repeated multiRow() throws Unsupported {
    int keyword = text.toUpperCase(Locale.ROOT).lastIndexOf("VALUES");
    if (keyword < 0) {
      throw new Unsupported("MultiRow needs INSERT ... VALUES (?, ...); the statement has no VALUES: " + text);
    }
    int start = keyword + "VALUES".length();
    while (start < text.length() && Character.isWhitespace(text.charAt(start))) {
      start++;
    }
    int depth = 0;
    int end = start;
    do {
      char c = end < text.length() ? text.charAt(end) : 0;
      if (c == 0 || end == start && c != '(') {
        throw new Unsupported("MultiRow needs INSERT ... VALUES (?, ...); behind VALUES there is no such group: " + text);
      }
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      end++;
    } while (depth > 0);
    String group = text.substring(start, end);
    if (new Template(group).parameters != parameters) {
      throw new Unsupported("MultiRow: every parameter has to be in the group behind VALUES: " + text);
    }
    return new Repeated(text.substring(0, start), group, ", ", text.substring(end));
  }

  /** Repeats the only question mark of a statement that ends in IN (?). */
  Repeated inList() throws Unsupported {
    if (parameters != 1 || !text.stripTrailing().toUpperCase(Locale.ROOT).endsWith("IN (?)")) {
      throw new Unsupported("InList needs one parameter and IN (?) at the end: " + text);
    }
    int mark = text.indexOf('?');
    return new Repeated(text.substring(0, mark), "?", ", ", text.substring(mark + 1));
  }

  /** Several statements in one text. */
  Repeated joined() {
    return new Repeated("", text, ";", "");
  }
}
