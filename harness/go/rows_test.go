package main

import (
	"hash/crc32"
	"testing"
)

func TestChecksumIsOfFourValuesOfTheLastOperation(t *testing.T) {
	r := &rows{}
	r.width(5)
	fill := func(values ...any) {
		for i, v := range values {
			if err := r.row[i].Scan(v); err != nil {
				t.Fatal(err)
			}
		}
		r.values = append(r.values, r.row...)
	}
	r.begin()
	fill(int64(9), "forgotten", nil, true, 0.5)
	r.begin()
	fill(int64(1), []byte("ü\ty"), nil, true, 0.5)
	fill(int64(-2), "", uint64(1<<63), false, 1.5)
	want := crc32.ChecksumIEEE([]byte("1\tü\ty\t\\N\t1\n-2\t\t9223372036854775808\t0\n"))
	if got := r.checksum(); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	if got := (&rows{}).checksum(); got != 0 {
		t.Errorf("no rows have the checksum %d", got)
	}
	if err := new(value).Scan(struct{}{}); err == nil {
		t.Error("a value of an unknown type was taken")
	}
}

func TestNextGoesOnAndBeginsAnew(t *testing.T) {
	w := &work{data: [][]any{{0}, {1}, {2}, {3}}, take: 2}
	for _, want := range []int{0, 2, 0} {
		if got := w.next(); len(got) != 2 || got[0][0] != want || got[1][0] != want+1 {
			t.Fatalf("got %v, want those from %d on", got, want)
		}
	}
}
