"""A harness with the driver null alone. Its argument is what it does wrong."""

import json
import sys

fault = sys.argv[1] if len(sys.argv) > 1 else ""
EVERY = ("SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement", "InList", "Batch", "Pool", "Encode")
HELLO = {"protocol": "assay.dev/driver/v2", "language": "Fake", "runtime": "1", "clock": "none",
         "drivers": [{"name": "null", "versions": ["1"], "can": {way: "nothing" for way in EVERY}, "options": {}}]}


def run(request):
    n = request["operations"] or 1
    answer = {"operations": n, "nanoseconds": 100 * n, "rows": 0, "checksum": 0, "histogram": [[100, n]]}
    if fault == "operations":
        answer.update(operations=1, histogram=[[100, 1]])
    elif fault == "histogram":
        answer["histogram"] = [[100, n + 1]]
    elif fault == "order":
        answer["histogram"] = [[101, n - 1], [100, 1]]
    elif fault == "time":
        answer["histogram"] = [[101, n]]
    elif fault == "cpu":
        answer["cpuNanoseconds"] = 0
    elif fault == "field":
        del answer["checksum"]
    elif fault == "rows":
        answer["rows"] = n
    return answer


for line in sys.stdin:
    asked = json.loads(line)
    more = HELLO if asked["do"] == "hello" else run(asked) if asked["do"] == "run" else {}
    wrong = asked["do"] == "run"
    if wrong and fault == "noise":
        print("measuring ...", flush=True)
        continue
    state = "fine" if wrong and fault == "state" else "ok"
    print(json.dumps(dict(more, id=asked["id"] + (wrong and fault == "id"), state=state)), flush=True)
if fault == "end":
    print("bye")
sys.exit(3 if fault == "exit" else 0)
