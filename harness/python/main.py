"""The harness of Python's drivers: one request a line on standard input, one answer a line on standard output.

The protocol is docs/contributing/driver-protocol.md of the project.
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
            out.write(json.dumps(conversation.answer(json.loads(line)), ensure_ascii=False) + "\n")
            out.flush()
    finally:
        conversation.end()


if __name__ == "__main__":
    main()
