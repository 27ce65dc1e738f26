package drivers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// The rows of parameters follow from the seed alone: from the numbers of a PCG generator,
// whose algorithm Go has fixed, and not from functions that might draw otherwise in
// another version.

// random draws from 0 to n-1. The bias of the remainder is below 2^-40.
type random struct{ *rand.PCG }

func newRandom(seed int64, stream uint64) random { return random{rand.NewPCG(uint64(seed), stream)} }

func (r random) below(n int) int { return int(r.Uint64() % uint64(n)) }

// Streams: one of each kind of data.
const (
	streamUsers = iota + 1
	streamAges
	streamTexts
	streamNumbers
)

// now of the data: users were created in the month before.
var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// newUsers are the parameters of Insert: name, age, email, score with two decimals, created.
func newUsers(seed int64, n int) [][]any {
	r := newRandom(seed, streamUsers)
	out := make([][]any, n)
	for i := range out {
		out[i] = []any{
			fmt.Sprintf("User_%06d", i+1), 18 + r.below(47), fmt.Sprintf("user%d@test.com", i+1), decimal(float64(r.below(10000)) / 100),
			now.Add(-time.Duration(r.below(43200)) * time.Minute).Format("2006-01-02 15:04:05"),
		}
	}
	return out
}

// seededAge and seededScore are those of all users before Update, Delete and the selects.
const seededAge = 25

var seededScore = decimal(50)

// seededUsers have their key before their values; the first four are those of a checksum.
func seededUsers(seed int64, n int) [][]any {
	out := newUsers(seed, n)
	for i, u := range out {
		out[i] = []any{i + 1, u[0], seededAge, u[2], seededScore, u[4]}
	}
	return out
}

// newAges are the parameters of Update: age, key.
func newAges(seed int64, n int) [][]any {
	r := newRandom(seed, streamAges)
	out := make([][]any, n)
	for i := range out {
		out[i] = []any{18 + r.below(62), i + 1}
	}
	return out
}

func keys(_ int64, n int) [][]any {
	out := make([][]any, n)
	for i := range out {
		out[i] = []any{i + 1}
	}
	return out
}

// pick rows by their indexes.
func pick(rows func(seed int64, n int) [][]any, seed int64, indexes []int) [][]any {
	all := rows(seed, slices.Max(indexes)+1)
	out := make([][]any, len(indexes))
	for i, index := range indexes {
		out[i] = all[index]
	}
	return out
}

// numbers from 0 to 999,999.
func numbers(seed int64, n int) [][]any {
	r := newRandom(seed, streamNumbers)
	out := make([][]any, n)
	for i := range out {
		out[i] = []any{r.below(1000000)}
	}
	return out
}

// alphabet of the texts: what has to be escaped in a statement, and what takes four bytes.
var alphabet = []rune(`123456789abcdefghijklmnop\Z'"` + "😎🌶🎤🥂")

// textRows are rows of texts of 100 characters each.
func textRows(width int) func(seed int64, n int) [][]any {
	return func(seed int64, n int) [][]any {
		r := newRandom(seed, streamTexts)
		out := make([][]any, n)
		for i := range out {
			out[i] = make([]any, width)
			for j := range out[i] {
				out[i][j] = r.text(100)
			}
		}
		return out
	}
}

func (r random) text(n int) string {
	out := make([]rune, n)
	for i := range out {
		out[i] = alphabet[r.below(len(alphabet))]
	}
	return string(out)
}

// decimal is a number with a point, in JSON as in SQL, so that no language takes it for an
// integer.
type decimal float64

// MarshalJSON writes 50 as 50.0.
func (d decimal) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(d), 'f', -1, 64)
	if float64(d) == float64(int64(d)) {
		text += ".0"
	}
	return []byte(text), nil
}

// plain is a value as the server writes it into a text.
func plain(v any) string {
	switch v := v.(type) {
	case decimal:
		return strconv.FormatFloat(float64(v), 'f', -1, 64)
	case int:
		return strconv.Itoa(v)
	case string:
		return v
	}
	panic(fmt.Sprintf("no value of the data has the type %T", v)) // all are made above
}
