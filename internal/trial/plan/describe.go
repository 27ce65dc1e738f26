package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// Canonical is the plan as JSON without white space, fields in the order of the
// type and parameters of a cell by name: equal plans are equal bytes. 20,000 trials
// are about 700 KiB.
func (p *Plan) Canonical() []byte {
	data, err := json.Marshal(p)
	if err != nil {
		panic(fmt.Sprintf("a plan has only numbers and strings: %v", err))
	}
	return data
}

// SHA256 of Canonical, in hexadecimal.
func (p *Plan) SHA256() string {
	sum := sha256.Sum256(p.Canonical())
	return hex.EncodeToString(sum[:])
}

// Describe names a trial for people, such as "innodb threads=64 block 3". Blocks
// count from 0, as in the status.
func (p *Plan) Describe(t Trial) string {
	words := []string{p.Targets[t.Target]}
	for _, axis := range p.Axes {
		value := p.Cells[t.Cell][axis]
		words = append(words, axis+"="+value.String())
	}
	return strings.Join(append(words, fmt.Sprintf("block %d", t.Block)), " ")
}

// Duration is the minimum time of the trials, from the times of a trial of each cell, and of
// the pauses between them. Resets, loading and overhead are not included. It is at most the
// largest time.Duration (292 years).
func (p *Plan) Duration(cells []time.Duration, pause time.Duration) time.Duration {
	total := times(max(int64(len(p.Trials))-1, 0), int64(pause))
	for _, t := range p.Trials {
		if total > math.MaxInt64-int64(cells[t.Cell]) {
			return math.MaxInt64
		}
		total += int64(cells[t.Cell])
	}
	return time.Duration(total)
}

// Blocks is the number of blocks.
func (p *Plan) Blocks() int {
	n := int32(0)
	for _, t := range p.Trials {
		n = max(n, t.Block+1)
	}
	return int(n)
}
