package runner

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// MaxSeed is the largest seed that Seed gives; the smallest is 1. Tools take 0, or what is
// beyond 31 bits, for something else.
const MaxSeed = 1<<31 - 1

// Seed of the random numbers that a tool draws in a phase of a trial, 1 to MaxSeed. No two
// phases, blocks, cells, clients or attempts share one: a run that drew what its warm-up drew
// would write values that are there already, delete rows that are gone, and read what is
// cached; and blocks that repeat each other are one sample, not several. The targets of a
// cell and block do share it, so that they are asked the same and pairs stay comparable,
// unless they are one server, on which the second would find the work of the first.
//
// It is the number of the first eight hexadecimal digits of the SHA-256 of these words, each
// followed by a newline, numbers in decimal and from 0, modulo 2147483647, plus 1:
//
//	assay.dev/seed/v1  SEED  BLOCK  CELL  PHASE  CLIENT  ATTEMPT  [TARGET]  [tenant NUMBER]
//
// SEED is that of the run, PHASE is Warmup or Run, the name of the target is left out
// unless targets share a server, and the last line is that of a tenant from the second on. So anybody can compute it in a shell:
//
//	printf '%s\n' assay.dev/seed/v1 42 0 0 Warmup 0 0 | sha256sum
//
// Prepare and Cleanup have neither block, cell nor attempt (0 each), no target and no tenant: data that
// is loaded again, on another target, or for another tenant, is the same data.
//
// Equal keys are not promised: the threads of a tool may share one stream in an order that
// nobody decides.
func Seed(t contract.Trial, p contract.Phase) int64 {
	var block, cell, attempt int
	measures := p == contract.PhaseWarmup || p == contract.PhaseRun
	if measures {
		block, cell, attempt = Value(t.Ref.Block), Value(t.Ref.Cell), t.Ref.Attempt
	}
	words := fmt.Appendf(nil, "assay.dev/seed/v1\n%d\n%d\n%d\n%s\n%d\n%d\n", t.Seed, block, cell, p, t.Ref.Client, attempt)
	if measures && t.SharedServer {
		words = fmt.Appendf(words, "%s\n", t.Ref.Target)
	}
	if measures && t.Tenant > 1 {
		words = fmt.Appendf(words, "tenant %d\n", t.Tenant)
	}
	sum := sha256.Sum256(words)
	return int64(binary.BigEndian.Uint32(sum[:4]))%MaxSeed + 1
}
