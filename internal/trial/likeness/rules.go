package likeness

import (
	"cmp"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// factRule is how a fact that is no setting is compared.
type factRule struct {
	name  string
	class Class
	// matters: known to change what is measured, because of why.
	matters bool
	why     string
	// costs and more are as in Setting.
	costs []string
	more  string
	// of is the factor that the fact belongs to.
	of Factor
}

// factRules in the order of their importance.
var factRules = []factRule{
	{name: factCommitCost, class: Durability, why: "flushes per commit, measured before loading"},
	{name: factReplicas, class: Durability, matters: true, why: "a primary sends its changes to each replica"},
	{name: factRows, class: Data, matters: true, why: "other tables are other work"},
	{name: factChecksum, class: Data, matters: true, why: "other rows are other work"},
	{name: factDataOrigin, class: Data, matters: true, why: "the files of an archive are written in one go, and those of a volume that was retained, or made of a VolumeSnapshot, by trials before these: they may lie otherwise on the storage, which may read the blocks of a VolumeSnapshot from elsewhere at first"},
	{name: factTLS, class: TLS, matters: true, why: "each packet is encrypted", costs: []string{"none", "TLSv1.3"}},
	{name: factCipher, class: TLS, matters: true, why: "ciphers cost more or less"},
	{name: factSessions, class: TLS, matters: true, why: "a handshake that takes up an earlier session is shorter", costs: []string{reusedSessions, newSessions}},
	{name: "target/memory", class: Caches, matters: true, why: "the page cache takes what is left of the container's memory", more: "Faster"},
	{name: "client/memory", class: Other, why: "the memory of the client"},
	{name: FactNode, class: Node, matters: true, why: "another machine, even of the same model, has another speed"},
	{name: factInstance, class: Node, matters: true, why: "another server, even of the same class, has another speed", of: OfTargets},
	{name: "target/cpu", class: CPU, matters: true, why: "another model is another speed"},
	{name: "client/cpu", class: CPU, matters: true, why: "another model is another speed"},
	{name: "target/cpus", class: CPU, matters: true, why: "the limit of the container", more: "Faster"},
	{name: "client/cpus", class: CPU, matters: true, why: "the limit of the container", more: "Faster"},
	{name: "target/cpu-set", class: CPU, matters: true, why: "the CPUs that it runs on: all of its machine, or a part (design.cpus)"},
	{name: factClientSet, class: CPU, matters: true, why: "the CPUs that it runs on: all of its machine, or a part (design.cpus)"},
	{name: "target/numa", class: CPU, matters: true, why: "memory of another NUMA node takes longer to reach"},
	{name: "client/numa", class: CPU, matters: true, why: "memory of another NUMA node takes longer to reach"},
	{name: "target/idle-states", class: CPU, matters: true, why: "a CPU that sleeps deeper takes longer to wake, and a request that waits for it pays"},
	{name: "client/idle-states", class: CPU, matters: true, why: "a CPU that sleeps deeper takes longer to wake, and a request that waits for it pays"},
	{name: "target/microcode", class: CPU, matters: true, why: "microcode has mitigations that cost time"},
	{name: "client/microcode", class: CPU, matters: true, why: "microcode has mitigations that cost time"},
	{name: "target/governor", class: CPU, matters: true, why: "it sets the clock rate", costs: []string{"performance", "powersave"}},
	{name: "client/governor", class: CPU, matters: true, why: "it sets the clock rate", costs: []string{"performance", "powersave"}},
	{name: factFilesystem, class: Storage, matters: true, why: "file systems flush at different costs"},
	{name: factWriteCache, class: Durability, matters: true, why: "the kernel sends no flush to a device that says WriteThrough: it has no volatile cache, or one that is off and makes each write slower"},
	{name: "target/kernel", class: Kernel, matters: true, why: "schedulers, mitigations and file systems change between kernels"},
	{name: "client/kernel", class: Kernel, matters: true, why: "schedulers and mitigations change between kernels"},
	{name: "target/clocksource", class: Kernel, matters: true, why: "hpet and acpi_pm are read by a system call, and the clock of the CPU (tsc) is not", costs: []string{"tsc", "hpet"}},
	{name: "client/clocksource", class: Kernel, matters: true, why: "hpet and acpi_pm are read by a system call, and the clock of the CPU (tsc) is not", costs: []string{"tsc", "hpet"}},
	{name: "target/huge-pages", class: Kernel, matters: true, why: "large pages change the cost of address translation and of allocation"},
	{name: "client/huge-pages", class: Kernel, why: "large pages change the cost of address translation and of allocation"},
	{name: factServerImage, class: Image, matters: true, why: "another build of the server", of: OfTargets},
	{name: factVersion, class: Image, matters: true, why: "another version of the server", of: OfTargets},
	{name: "default_storage_engine", class: Image, matters: true, why: "another storage engine", of: OfTargets},
	{name: factClientImage, class: Image, matters: true, why: "another build of the client", of: OfDrivers},
	{name: factTool, class: Image, matters: true, why: "another version of the tool", of: OfDrivers},
	{name: factMachine, class: Other, why: "another machine, even of the same model"},
	{name: "client/machine", class: Other, why: "another machine, even of the same model"},
}

// factsBetween are the facts that differ and are no settings.
func factsBetween(a, b circumstances, factor Factor) []Difference {
	var out []Difference
	for _, rule := range factRules {
		x, y := a.fact(rule.name), b.fact(rule.name)
		if rule.name == factDataOrigin {
			x, y = a.origin(), b.origin()
		}
		if len(x) == 0 || len(y) == 0 || x.like(y) || rule.name == factChecksum && !sameVersion(x, y) || rule.name == FactNode && oneMachine(a, b) {
			continue
		}
		as := Setting{Costs: rule.costs, More: rule.more}
		out = append(out, Difference{
			Name: rule.name, Class: rule.class, First: x.String(), Second: y.String(), Matters: rule.matters, Why: rule.why,
			Faster: as.effect(x.single(), y.single()), OfFactor: rule.of != "" && rule.of == factor,
		})
	}
	return out
}

// origin of the data over the trials. Records without it are of runs that have no data set, and volumes of their own: they use no archive.
func (c circumstances) origin() values {
	return c.values(func(s server) (spelt, bool) {
		shown := cmp.Or(s.facts[factDataOrigin], dataUnnamed)
		if shown == dataRestored || strings.HasPrefix(shown, dataRetained) || strings.HasPrefix(shown, dataCopied) {
			return spelt{shown, shown}, true
		}
		return spelt{dataLoaded, shown}, true
	})
}

// Restored says whether the facts are those of a trial on data that was restored from an archive.
func Restored(f contract.Facts) bool { return f.Map()[factDataOrigin] == dataRestored }

// oneMachine says whether the nodes of both sides are one machine, such as those of kind.
func oneMachine(a, b circumstances) bool {
	x, y := a.fact(factMachine), b.fact(factMachine)
	return len(x) > 0 && x.like(y)
}

// sameVersion: other versions of a server compute other checksums of the same rows.
func sameVersion(x, y values) bool {
	version := func(v values) string { _, of, _ := strings.Cut(v.single(), " "); return of }
	return version(x) != "" && version(x) == version(y)
}
