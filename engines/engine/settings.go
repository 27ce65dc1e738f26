package engine

import (
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// Number is a setting with a whole number.
func Number(name string, n int64) contract.Setting {
	return contract.Setting{Name: name, Value: strconv.FormatInt(n, 10)}
}

// Bare is the name of a setting without loose_, in lower case.
func Bare(name string) string {
	return strings.TrimPrefix(strings.ToLower(settings.CanonicalName(name)), "loose_")
}

// Available is the memory for the server, in bytes: that of the container without the data in it.
func (s Shape) Available() int64 {
	if s.DataInMemory {
		return s.MemoryBytes - s.DataBytes
	}
	return s.MemoryBytes
}

// MemoryLimit is four fifths of that, in whole MiB.
func (s Shape) MemoryLimit() int64 { return s.Available() / 10 * 8 >> 20 << 20 }

// headroom is added to a demand: for logins of the agents and of the manager, for replicas,
// and for a person.
const headroom = 32

// Raised is the setting of a limit, if a demand with some headroom is above the server's stock
// limit; least is the smallest value that is set.
func Raised(name string, demand, stock, least int64) []contract.Setting {
	if demand+headroom <= stock {
		return nil
	}
	return []contract.Setting{Number(name, max(demand+headroom, least))}
}
