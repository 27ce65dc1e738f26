"""Reads the files of internal/export/testdata with the programs that they are made for.

The Go tests compare these files with what Assay writes, byte for byte. Argument: the folder with the files,
and the XML schema of JUnit that Jenkins and pytest use.
"""

import json
import pathlib
import subprocess
import sys

import pyarrow.compute as pc
import pyarrow.parquet as pq
import xmlschema
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from prometheus_client.openmetrics.parser import text_string_to_metric_families

folder, schema = pathlib.Path(sys.argv[1]), sys.argv[2]


def same(what, got, want):
    if got != want:
        raise SystemExit(f"{what}: got {got!r}, want {want!r}")
    print(f"{what}: {got!r}")


def parquet():
    table = pq.read_table(folder / "parquet.parquet")
    counted = table.filter(pc.and_(table["counted"], pc.equal(table["measurement"], "throughput")))
    same("Parquet, pyarrow: rows", table.num_rows, 73)
    same("Parquet, pyarrow: trials that count", counted.num_rows, 22)
    same("Parquet, pyarrow: values that are absent", table["value"].null_count, 1)
    same("Parquet, pyarrow: type of a value", str(table.schema.field("value").type), "double")
    same("Parquet, pyarrow: type of an instant", str(table.schema.field("window_start").type), "timestamp[us, tz=UTC]")


def hdr():
    total = HdrHistogram(1, 24 * 3600 * 10**9, 3)
    reader, intervals, tags = HistogramLogReader(str(folder / "hdr.hlog"), total), 0, set()
    while (interval := reader.get_next_interval_histogram()) is not None:
        intervals += 1
        tags.add(interval.get_tag())
        if interval.get_end_time_stamp() - interval.get_start_time_stamp() != 30000:
            raise SystemExit("HdrHistogram: an interval is not as long as the measured window")
    same("HdrHistogram: intervals", intervals, 22)
    same("HdrHistogram: tags", sorted(tags), [f"{t};threads={n};latency.avg" for t in "ab" for n in (2, 64)])


def openmetrics():
    families = {f.name: f for f in text_string_to_metric_families((folder / "openmetrics.om").read_text())}
    throughput = families["assay_result_throughput_tx_per_second"]
    same("OpenMetrics, prometheus_client: type", throughput.type, "gauge")
    medians = [s for s in throughput.samples if s.labels["statistic"] == "median"]
    same("OpenMetrics, prometheus_client: medians", len(medians), 4)
    same("OpenMetrics, prometheus_client: time", {float(s.timestamp) for s in medians}, {1793538000.0})


def junit():
    xmlschema.XMLSchema(schema).validate(str(folder / "junit.xml"))
    print("JUnit: valid")


def pytest_benchmark():
    """pytest-benchmark prints medians in milliseconds, the least minimum of a group first."""
    out = subprocess.run(
        [sys.executable, "-m", "pytest_benchmark", "compare", folder / "pytest-benchmark.json", "--columns=median,rounds", "--sort=min"],
        check=True, capture_output=True, text=True, cwd="/",
    ).stdout
    words = [line.split() for line in out.splitlines() if line.startswith("latency.avg[")]
    same("pytest-benchmark: fastest", [words[0][0] + " " + words[0][1], words[0][3], words[0][-1]], ["latency.avg[b threads=2]", "13.3151", "6"])
    same("pytest-benchmark: benchmarks of a group", len(words), 4)


def documents():
    """The readers of these formats are web services: their fields and types are checked."""
    for name in ("github-bigger", "github-smaller"):
        for entry in json.loads((folder / f"{name}.json").read_text()):
            same(name, (type(entry["name"]), type(entry["unit"]), type(entry["value"])), (str, str, float))
    for measures in json.loads((folder / "bencher.json").read_text()).values():
        for measure in measures.values():
            same("bencher", all(isinstance(v, float) for v in measure.values()) and "value" in measure, True)
    for b in json.loads((folder / "benchmarkdotnet.json").read_text())["Benchmarks"]:
        same("benchmarkdotnet", (type(b["FullName"]), type(b["Statistics"]["Mean"]), type(b["Statistics"]["StandardDeviation"])), (str, float, float))


for check in (parquet, hdr, openmetrics, junit, pytest_benchmark, documents):
    check()
print("every file was read")
