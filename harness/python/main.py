"""The harness of Python's drivers: one request a line on standard input, one answer a line on standard output.

The protocol is docs/driver-protocol.md of the project.
"""

import json
import os
import sys

from harness.protocol import Conversation


def answers():
    """Take standard output away from everybody else: what drivers print goes to standard error."""
    mine = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return mine


def main():
    out = answers()
    conversation = Conversation()
    try:
        for line in sys.stdin.buffer:
            try:
                request = json.loads(line)
                identifier = request["id"]
            except (ValueError, KeyError, TypeError) as error:
                # There is no id that an answer could carry, so whoever waits for one has to see the end.
                sys.exit(f"this line is not a request with an id ({error!r}): {line[:200]!r}")
            answer = conversation.answer(request)
            out.write(json.dumps({"id": identifier, **answer}, ensure_ascii=False) + "\n")
            out.flush()
    finally:
        conversation.end()


if __name__ == "__main__":
    main()
