"""Reads the files of internal/show/export/testdata with the programs that they are made for.

The Go tests compare these files with what Assay writes, byte for byte. Argument: the folder with the files,
and the XML schema of JUnit that Jenkins and pytest use.
"""

import json
import pathlib
import sys

import xmlschema
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

folder, schema = pathlib.Path(sys.argv[1]), sys.argv[2]


def same(what, got, want):
    if got != want:
        raise SystemExit(f"{what}: got {got!r}, want {want!r}")
    print(f"{what}: {got!r}")


def hdr():
    total = HdrHistogram(1, 24 * 3600 * 10**9, 3)
    reader, intervals, tags = HistogramLogReader(str(folder / "hdr.golden"), total), 0, set()
    while (interval := reader.get_next_interval_histogram()) is not None:
        intervals += 1
        tags.add(interval.get_tag())
        if interval.get_end_time_stamp() - interval.get_start_time_stamp() != 30000:
            raise SystemExit("HdrHistogram: an interval is not as long as the measured window")
    same("HdrHistogram: intervals", intervals, 22)
    same("HdrHistogram: tags", sorted(tags), [f"{t};threads={n};latency.avg" for t in "ab" for n in (2, 64)])


def junit():
    xmlschema.XMLSchema(schema).validate(str(folder / "junit.golden"))
    print("JUnit: valid")


def documents():
    """The reader of this format is an action of GitHub: its fields and types are checked."""
    for name in ("github-bigger", "github-smaller"):
        for entry in json.loads((folder / f"{name}.golden").read_text()):
            same(name, (type(entry["name"]), type(entry["unit"]), type(entry["value"])), (str, str, float))


for check in (hdr, junit, documents):
    check()
print("every file was read")
