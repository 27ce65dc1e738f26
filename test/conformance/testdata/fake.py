"""A harness with the driver null alone. Its argument is what it does wrong."""

import json
import sys
import time

fault = sys.argv[1] if len(sys.argv) > 1 else ""
EVERY = ("SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement", "InList", "Batch", "Pool", "Encode")
# Of Go it is known which drivers have to be there.
HELLO = {"protocol": "assay.dev/driver/v2", "language": "Go" if fault == "driver" else "Fake", "runtime": "1", "clock": "none",
         "drivers": [{"name": "null", "versions": ["1"], "can": {way: "nothing" for way in EVERY}, "options": {}}]}


def run(request):
    n = request["operations"] or 1
    time.sleep(request["seconds"])
    answer = {"operations": n, "nanoseconds": max(100 * n, round(request["seconds"] * 1e9)), "rows": 0, "checksum": 0, "histogram": [[100, n]]}
    if fault == "operations":
        answer.update(operations=1, histogram=[[100, 1]])
    elif fault == "histogram":
        answer["histogram"] = [[100, n + 1]]
    elif fault == "order":
        answer["histogram"] = [[101, n], [100, 1]]
    elif fault == "empty":
        answer["histogram"] = [[99, 0], [100, n]]
    elif fault == "time":
        answer.update(nanoseconds=100 * n, histogram=[[101, n]])
    elif fault == "microseconds":
        answer.update(nanoseconds=answer["nanoseconds"] // 1000 + n, histogram=[[1, n]])
    elif fault == "picoseconds":
        answer["nanoseconds"] = 10**12
    elif fault == "cpu":
        answer["cpuNanoseconds"] = 0
    elif fault == "field":
        del answer["checksum"]
    elif fault == "more":
        answer["errors"] = 0
    elif fault == "text":
        answer["rows"] = "0"
    elif fault == "boolean":
        answer["rows"] = False
    elif fault == "rows":
        answer["rows"] = n
    return answer


MORE = {"hello": lambda _: HELLO, "run": run, "prepare": lambda _: {"version": "1"}}
for line in sys.stdin:
    asked = json.loads(line)
    wrong = asked["do"] == "run"
    if wrong and fault == "noise":
        print("measuring ...", flush=True)
        continue
    if wrong and fault == "hang":
        time.sleep(600)
    if wrong and fault == "crash":
        sys.exit(7)
    state = "fine" if wrong and fault == "state" else "ok"
    answer = dict(MORE.get(asked["do"], lambda _: {})(asked), state=state)
    if wrong and fault == "unsupported":
        answer = {"state": "unsupported", "reason": "not today"}
    print(json.dumps(dict(answer, id=asked["id"] + (wrong and fault == "id"))), flush=True)
if fault == "end":
    print("bye")
if fault == "stay":
    time.sleep(600)
sys.exit(3 if fault == "exit" else 0)
