package export

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/assay-bench/assay/internal/stored"
)

// rowsAtOnce are handed to the writer of Parquet, and rowsPerGroup of them are held by it.
const rowsAtOnce, rowsPerGroup = 1024, 100_000

// writeParquet writes the long table, compressed with Snappy, which every reader has.
func writeParquet(out io.Writer, run *stored.Run) error {
	w := parquet.NewGenericWriter[Row](out, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(rowsPerGroup), parquet.CreatedBy("assay", "", ""))
	rows := make([]Row, 0, rowsAtOnce)
	write := func() error {
		_, err := w.Write(rows)
		rows = rows[:0]
		return err
	}
	for r := range Rows(run) {
		if rows = append(rows, r); len(rows) == rowsAtOnce {
			if err := write(); err != nil {
				return err
			}
		}
	}
	if err := write(); err != nil {
		return err
	}
	return w.Close()
}
