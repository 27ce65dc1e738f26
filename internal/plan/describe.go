package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
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

// Duration is the least time that the trials take: warm-up and measured window of
// each, and the pauses between them; resets, loading and the work around a trial
// come on top. For a workload that counts operations it is no bound: its trials may
// end earlier. The largest time.Duration (292 years) stands for all beyond it.
func (p *Plan) Duration(spec v1alpha1.BenchmarkRunSpec) time.Duration {
	n := int64(len(p.Trials))
	if n == 0 {
		return 0
	}
	measuring := times(n, int64(Measuring(spec.Design)))
	pauses := times(n-1, int64(spec.Design.Cooldown.Duration))
	if measuring > math.MaxInt64-pauses {
		return math.MaxInt64
	}
	return time.Duration(measuring + pauses)
}
