package main

import (
	"database/sql"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"
)

type kind uint8

const (
	null kind = iota
	integer
	number
	text
)

// value is one fetched value in the types that users of Go read it into: int64, float64, string.
type value struct {
	kind    kind
	integer int64
	number  float64
	text    string
}

// Scan takes a value from database/sql, as a user's own type would.
func (v *value) Scan(from any) error {
	switch from := from.(type) {
	case nil:
		*v = value{}
	case int64:
		*v = value{kind: integer, integer: from}
	case []byte:
		*v = value{kind: text, text: string(from)}
	case string:
		*v = value{kind: text, text: from}
	case float64:
		*v = value{kind: number, number: from}
	case float32:
		*v = value{kind: number, number: float64(from)}
	case uint64:
		*v = value{kind: text, text: strconv.FormatUint(from, 10)}
	case time.Time:
		*v = value{kind: text, text: from.Format("2006-01-02 15:04:05.999999")}
	case bool:
		*v = value{kind: integer}
		if from {
			v.integer = 1
		}
	default:
		return fmt.Errorf("a value of type %T is not known", from)
	}
	return nil
}

func (v *value) append(to []byte) []byte {
	switch v.kind {
	case null:
		return append(to, `\N`...)
	case integer:
		return strconv.AppendInt(to, v.integer, 10)
	case number:
		return strconv.AppendFloat(to, v.number, 'g', -1, 64)
	default:
		return append(to, v.text...)
	}
}

// rows holds what one operation fetched, and counts what all did. Its memory serves each operation anew.
type rows struct {
	columns int
	values  []value
	total   int64
	row     []value // one row, and pointers to its values, for Scan
	scanned []any
}

// begin forgets the rows of the operation before.
func (r *rows) begin() { r.values = r.values[:0] }

// width says how many columns the answers of a run have. All have the same number, since the statement is the same.
func (r *rows) width(columns int) {
	r.columns = columns
	r.row, r.scanned = make([]value, columns), make([]any, columns)
	for i := range r.row {
		r.scanned[i] = &r.row[i]
	}
}

// fetch reads all result sets of an answer of database/sql.
func (r *rows) fetch(answer *sql.Rows) error {
	defer answer.Close() // a second time it does nothing; its error is asked for below
	if r.row == nil {
		names, err := answer.Columns()
		if err != nil {
			return err
		}
		r.width(len(names))
	}
	for {
		for answer.Next() {
			if err := answer.Scan(r.scanned...); err != nil {
				return err
			}
			r.values = append(r.values, r.row...)
			r.total++
		}
		if !answer.NextResultSet() {
			break
		}
	}
	if err := answer.Err(); err != nil {
		return err
	}
	return answer.Close()
}

// checksum is of the first four values of each row of the last operation.
func (r *rows) checksum() uint32 {
	hash := crc32.NewIEEE()
	var line []byte
	for start := 0; r.columns > 0 && start < len(r.values); start += r.columns {
		line = line[:0]
		for i := range min(r.columns, 4) {
			if i > 0 {
				line = append(line, '\t')
			}
			line = r.values[start+i].append(line)
		}
		hash.Write(append(line, '\n')) // a hash returns no error
	}
	return hash.Sum32()
}
