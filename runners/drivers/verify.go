package drivers

import (
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// questions that the server is asked after a run of the cell.
func (c cell) questions() []string {
	switch {
	case c.operation.name == "SelectCollations":
		return []string{"SELECT COUNT(*) FROM information_schema.COLLATIONS"}
	case c.operation.writes == "":
		return nil
	}
	checked := c.operation.table.checked
	if c.operation.seeded {
		checked = "id, " + checked
	}
	return []string{"SELECT COUNT(*), COALESCE(SUM(CRC32(CONCAT_WS('|', " + checked + "))), 0) FROM " + c.tableIn()}
}

// verify holds the answer to a run against the data and the server. The error says what is
// not as it has to be.
func (c cell) verify(seed int64, a answer, x runner.Exchange) error {
	if a.Operations < 1 || a.Nanoseconds < 1 {
		return fmt.Errorf("%d operations in %d ns are no measurement", a.Operations, a.Nanoseconds)
	}
	if want := int64(c.concurrency); a.Operations < want || c.measure == measureRounds && a.Operations != want {
		return fmt.Errorf("%d operations were asked for, and %d were done", want, a.Operations)
	}
	var n int64
	for _, bucket := range a.Histogram {
		n += bucket[1]
	}
	if n != a.Operations {
		return fmt.Errorf("%d operations were done, and the histogram has %d", a.Operations, n)
	}
	if err := a.verifyCPU(); err != nil {
		return err
	}
	if bytes := a.allocated(); bytes != nil && *bytes < 0 {
		return fmt.Errorf("%d bytes allocated are no measurement: unknown ones have to be absent", *bytes)
	}
	if c.driver.Name == contract.DriverNull {
		return nil
	}
	if questions, known := x.Counters["questions"]; known && c.operation.kind != kindEncode && c.operation.kind != kindConnect && questions < a.Operations {
		return fmt.Errorf("the server saw %d statements, fewer than the %d operations", questions, a.Operations)
	}
	if c.operation.kind == kindQuery {
		return c.verifyFetched(seed, a, x)
	}
	if c.operation.writes != "" {
		return c.verifyTable(seed, a, x)
	}
	return nil
}

const (
	// mostCPUs is how many CPUs Linux is built for at most on x86-64 (CONFIG_NR_CPUS): no process uses more.
	mostCPUs = 8192
	// besideOperations is the CPU time in ns that may be used between the readings of the two clocks: the process may have
	// to wait there, and its other threads go on.
	besideOperations = 1e9
)

// verifyCPU finds a CPU time that cannot be.
func (a answer) verifyCPU() error {
	switch cpu := a.CPUNanoseconds; {
	case cpu == nil:
		return nil
	case *cpu < 1:
		return fmt.Errorf("a CPU time of %d ns is no measurement: an unknown one has to be absent", *cpu)
	case (*cpu-besideOperations)/mostCPUs > a.Nanoseconds:
		return fmt.Errorf("a CPU time of %d ns in %d ns is more than %d CPUs have", *cpu, a.Nanoseconds, mostCPUs)
	}
	return nil
}

// verifyFetched: a driver that returns fewer rows is faster.
func (c cell) verifyFetched(seed int64, a answer, x runner.Exchange) error {
	if c.operation.fetched == nil {
		if len(x.Rows) != 1 || len(x.Rows[0]) != 1 || x.Rows[0][0] == nil {
			return fmt.Errorf("the server did not say how many rows there are")
		}
		if want := *x.Rows[0][0]; fmt.Sprint(a.Rows) != multiplied(want, a.Operations) {
			return fmt.Errorf("%d operations fetched %d rows, and each had to fetch %s", a.Operations, a.Rows, want)
		}
		return nil
	}
	fetched := c.operation.fetched(seed, c.lastOperation(a.Operations), c.rows)
	rows := int64(len(fetched))
	if want := rows * a.Operations; a.Rows != want {
		return fmt.Errorf("%d operations fetched %d rows instead of %d", a.Operations, a.Rows, want)
	}
	if want := checksumOf(fetched); a.Checksum != want {
		return fmt.Errorf("the rows that were fetched have the checksum %d instead of %d: they are not those of the table", a.Checksum, want)
	}
	return nil
}

// checksumOf rows that were fetched: of the first four values of each.
func checksumOf(rows [][]any) uint32 {
	var out strings.Builder
	for _, row := range rows {
		words := make([]string, 0, 4)
		for _, v := range row[:min(len(row), 4)] {
			words = append(words, plain(v))
		}
		out.WriteString(strings.Join(words, "\t") + "\n")
	}
	return crc32.ChecksumIEEE([]byte(out.String()))
}

func multiplied(text string, by int64) string {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return text
	}
	return strconv.FormatInt(n*by, 10)
}

// lastOperation are the rows of parameters of the last operation; without parameters it is
// one statement.
func (c cell) lastOperation(operations int64) []int {
	all := int64(c.dataRows())
	if all == 0 {
		return []int{0}
	}
	out := make([]int, c.rows)
	first := (operations - 1) * int64(c.rows)
	for i := range out {
		out[i] = int((first + int64(i)) % all)
	}
	return out
}

// verifyTable: the rows have to be in the table, and those that belong there.
func (c cell) verifyTable(seed int64, a answer, x runner.Exchange) error {
	if len(x.Rows) != 1 || len(x.Rows[0]) != 2 || x.Rows[0][0] == nil || x.Rows[0][1] == nil {
		return fmt.Errorf("the server did not say what is in the table")
	}
	rows, sum := c.tableAfter(seed, a.Operations)
	if got, want := *x.Rows[0][0], strconv.FormatInt(rows, 10); got != want {
		return fmt.Errorf("after %d operations of %d rows the table has %s rows instead of %s", a.Operations, c.rows, got, want)
	}
	if got, want := *x.Rows[0][1], strconv.FormatInt(sum, 10); got != want {
		return fmt.Errorf("after %d operations of %d rows the content of the table has the checksum %s instead of %s: other values were written",
			a.Operations, c.rows, got, want)
	}
	return nil
}

// tableAfter is how many rows the table has after so many operations, and the sum of their
// checksums.
func (c cell) tableAfter(seed, operations int64) (rows, sum int64) {
	if strings.EqualFold(c.engine, "BLACKHOLE") {
		return 0, 0
	}
	all := int64(c.dataRows())
	done := operations * int64(c.rows)
	data := c.operation.parameters(seed, int(all))
	switch c.operation.writes {
	case "insert":
		for i, row := range data {
			times := done / all
			if int64(i) < done%all {
				times++
			}
			rows += times
			sum += times * checksum(row)
		}
	case "update":
		for i, user := range seededUsers(seed, int(all)) {
			if int64(i) < done {
				user[2] = data[i][0]
			}
			sum += checksum(user)
		}
		rows = all
	case "delete":
		left := seededUsers(seed, int(all))[min(done, all):]
		for _, user := range left {
			sum += checksum(user)
		}
		rows = int64(len(left))
	}
	return rows, sum
}

// checksum of a row as the server computes it: CRC32(CONCAT_WS('|', ...)).
func checksum(row []any) int64 {
	words := make([]string, len(row))
	for i, v := range row {
		words[i] = plain(v)
	}
	return int64(crc32.ChecksumIEEE([]byte(strings.Join(words, "|"))))
}

// verifyEngine: a server may take another storage engine than the one that was asked for.
func (c cell) verifyEngine(x runner.Exchange) error {
	if c.engine == "" || len(x.Rows) == 0 || len(x.Rows[0]) == 0 || x.Rows[0][0] == nil {
		return nil
	}
	if got := *x.Rows[0][0]; !strings.EqualFold(got, c.engine) {
		return fmt.Errorf("the server took the storage engine %s instead of %s", got, c.engine)
	}
	return nil
}

// verifyTLS: drivers differ in their defaults, so that each is asked.
func verifyTLS(mode contract.TLSMode, d Driver, a answer) error {
	switch {
	case d.Name == contract.DriverNull:
		return nil
	case mode == contract.TLSRequired && a.Cipher == "":
		return fmt.Errorf("TLS is required, and the connection of %s is not encrypted", d.shown())
	case mode == contract.TLSDisabled && a.Cipher != "":
		return fmt.Errorf("TLS is disabled, and the connection of %s is encrypted with %s", d.shown(), a.Cipher)
	}
	return nil
}

// absent is the reason why a cell has no numbers.
func absent(state contract.AbsenceState, format string, args ...any) *contract.Absence {
	return &contract.Absence{State: state, Reason: fmt.Sprintf(format, args...)}
}
