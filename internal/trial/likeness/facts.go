package likeness

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Names of facts that are no variables of the server. Those of nodes and containers have a side
// before them: "target" or "client".
const (
	factVersion     = "server/version"
	factServerImage = "server/image"
	factReplicas    = "server/replicas"
	factInstance    = "server/instance"
	factCommitCost  = "server/fsyncs-per-commit"
	factTLS         = "connection/tls"
	factCipher      = "connection/cipher"
	factSessions    = "connection/tls-sessions"
	factTool        = "client/tool"
	factClientImage = "client/image"
	factRows        = "data/rows"
	factChecksum    = "data/checksum"
	factDataOrigin  = "data/origin"
	factFilesystem  = "storage/filesystem"
	factWriteCache  = "storage/write-cache"
	factMachine     = "target/machine"
	factClientSet   = "client/cpu-set"
	// cpuOfServer is the value of factClientSet where server and tool take turns on one CPU, as with design.cpus: Together.
	cpuOfServer = "one, that of the server"
	// FactNode is the node of the server.
	FactNode = "target/node"
	// setPrefix is before variables outside of the catalogue that some server of the run has set.
	setPrefix = "set/"
)

const (
	// reusedSessions and newSessions are values of factSessions.
	reusedSessions, newSessions = "reused", "new"
	// dataLoaded and dataRestored are values of factDataOrigin, dataRetained and dataCopied begin one, and dataUnnamed stands for none.
	dataLoaded, dataRestored, dataRetained, dataUnnamed = "loaded by the tool", "restored from an archive", "on the volume of ", "from no archive"
	dataCopied                                          = "of VolumeSnapshot "
	// fewConnections of a window say nothing of how it connects: those of the agent, and of a tool that connects once.
	fewConnections = 10
)

// maxSet is how many variables outside of the catalogue are recorded.
const maxSet = 60

// Source is what the facts of a trial are taken from.
type Source struct {
	// Result of the first client.
	Result contract.Result
	// Loaded is the result of loading the data; its Data is nil where it is unknown.
	Loaded contract.Result
	// SameBytes: the tool loads the same bytes each time, so that checksums can be compared.
	SameBytes bool
	// ServerImageID and ClientImageID are digests, from the container runtime.
	ServerImageID, ClientImageID string
	// Node of the server; empty where that is unknown, as of an external one.
	Node string
	// ByAddress: nothing is known of where the server is but an address, which may lead to another one at any time.
	ByAddress bool
	// ServerLimits of a server that says nothing of itself, such as one behind a Service; absent where they are unknown.
	ServerLimits contract.Limits
	// FsyncsPerCommit, measured before loading.
	FsyncsPerCommit string
	// Set are names of variables that some target of the run has set. Their values are recorded of every target: to one
	// server a value is its default, to another one it is not.
	Set []string
	// RetainedBy is the run, with its UID, and the target whose volume the server has; empty for a volume of its own.
	RetainedBy string
	// CopiedFrom is the VolumeSnapshot, with its UID, that the volume was made of, and what made that; empty for any other volume.
	CopiedFrom string
	// Varied are names of variables that have other values in other trials: they are parameters of the trial, and none of its
	// circumstances.
	Varied []string
}

// FactsOf a trial. What is unknown is absent.
func FactsOf(in Source) contract.Facts {
	out := map[string]string{
		factServerImage: in.ServerImageID, factClientImage: in.ClientImageID, factCommitCost: in.FsyncsPerCommit, FactNode: in.Node,
		factTool: strings.TrimSpace(in.Result.Tool.Name + " " + in.Result.Tool.Version),
	}
	if s := in.Result.Server; s != nil {
		serverFacts(out, *s, in.Set)
		leaveOut(out, in.Varied)
		if in.ByAddress {
			out[factInstance] = instanceOf(*s)
		}
	}
	machineFacts(out, "client", in.Result.Client.Machine, in.Result.Client.Limits)
	if t := in.Result.Target; t != nil {
		machineFacts(out, "target", t.Machine, t.Limits)
		if t.OneCPU(in.Result.Client.Environment) {
			out[factClientSet] = cpuOfServer
		}
		out[factReplicas] = strconv.Itoa(len(t.Replicas))
		if t.Storage != nil {
			out[factFilesystem], out[factWriteCache] = t.Storage.Filesystem, t.Storage.WriteCache
		}
	} else {
		machineFacts(out, "target", contract.Machine{}, in.ServerLimits)
	}
	dataFacts(out, in)
	return contract.NewFacts(out)
}

// OnOneCPU says whether the server and the first tool of a trial took turns on one CPU, by its facts.
func OnOneCPU(facts contract.Facts) bool { return facts.Get(factClientSet) == cpuOfServer }

// leaveOut variables, by each name that a server has for them.
func leaveOut(out map[string]string, varied []string) {
	all := slices.Clone(varied)
	for _, set := range Catalogue() {
		if slices.ContainsFunc(set.names(), func(name string) bool { return slices.Contains(varied, name) }) {
			all = append(all, set.names()...)
		}
	}
	for _, name := range all {
		delete(out, name)
		delete(out, setPrefix+name)
	}
}

func serverFacts(out map[string]string, s contract.Server, alsoSet []string) {
	out[factVersion] = strings.TrimSpace(s.Version + " " + s.VersionComment)
	out[factTLS], out[factCipher] = cmp.Or(s.TLSVersion, "none"), cmp.Or(s.Cipher, "none")
	out[factSessions] = sessionsOf(s)
	known := map[string]bool{}
	for _, set := range append(slices.Clone(helpers), namesOfCatalogue()...) {
		known[set] = true
		if value, there := s.Variables[set]; there {
			out[set] = cmp.Or(value, "''")
		}
	}
	set := map[string]string{}
	maps.Copy(set, s.NonDefault)
	for _, name := range alsoSet {
		if value, there := s.Variables[name]; there {
			set[name] = value
		}
	}
	n := 0
	for _, name := range sortedNames(set) {
		value := set[name]
		if known[name] || Incidental(name, value) || n >= maxSet {
			continue
		}
		n++
		out[setPrefix+name] = cmp.Or(value, "''")
	}
}

// instanceOf a server is what it calls itself, so that it is told apart from another one behind the same address.
func instanceOf(s contract.Server) string {
	var words []string
	for _, name := range contract.ServerNames {
		if value := s.Variables[name]; value != "" {
			words = append(words, name+" "+value)
		}
	}
	return strings.Join(words, ", ")
}

// Instance is what the server of a trial calls itself, by its facts; empty for one that is known by more than its address, and where it does not say.
func Instance(f contract.Facts) string { return f.Get(factInstance) }

// sessionsOf the connections of a window: whether some of their TLS handshakes took up an earlier session, which is shorter. MySQL 9.7
// counts one that does once with TLS 1.2 and twice with TLS 1.3, so that how many did is not known. Empty without TLS, for a window that
// connects seldom, and where nothing is counted.
func sessionsOf(s contract.Server) string {
	reused, counted := engines.Counter(s.StatusDelta, contract.StatusTLSReused)
	connections, known := engines.Counter(s.StatusDelta, "Connections")
	switch {
	case s.TLSVersion == "" || !counted || !known || connections < fewConnections:
		return ""
	case reused > 0:
		return reusedSessions
	}
	return newSessions
}

// helpers are variables that others are computed from.
var helpers = []string{"default_storage_engine", "innodb_log_file_size", "innodb_log_files_in_group", "aurora_version"}

func namesOfCatalogue() (all []string) {
	for _, set := range Catalogue() {
		all = append(all, set.names()...)
	}
	return all
}

// Incidental says whether a variable names places, identities and positions of a server. Nobody
// compares them.
func Incidental(name, value string) bool {
	if strings.HasPrefix(value, "/") || strings.HasPrefix(name, "gtid_") || slices.Contains(contract.ServerNames, name) {
		return true
	}
	switch name {
	case "bind_address", "socket", "pid_file", "init_file", "secure_file_priv", "tmpdir", "slave_load_tmpdir",
		"replica_load_tmpdir", "log_error", "general_log_file", "slow_query_log_file", "report_host", "report_port", "log_basename", "timestamp",
		"plugin_load", "plugin_load_add", "mysqlx_port", "mysqlx_socket", "mysqlx_bind_address", "version", "version_comment":
		return true
	}
	return strings.HasPrefix(name, "ssl_") || strings.HasPrefix(name, "relay_log") || strings.HasSuffix(name, "_index") || strings.HasSuffix(name, "_basename")
}

func machineFacts(out map[string]string, side string, m contract.Machine, l contract.Limits) {
	set := func(name, value string) { out[side+"/"+name] = value }
	set("cpu", m.CPUModel)
	set("microcode", m.Microcode)
	set("governor", m.Governor)
	set("kernel", m.Kernel)
	set("clocksource", m.Clocksource)
	set("huge-pages", m.HugePages)
	set("idle-states", m.IdleStates)
	if n := m.NUMANodes; n != nil {
		set("numa", placeOf(l, *n))
	}
	set("machine", m.BootID)
	if cpus := cmp.Or(l.CPUs, l.MostCPUs()); cpus != nil { // a kubelet may take the quota off a container with CPUs of its own
		set("cpus", strconv.FormatFloat(*cpus, 'f', -1, 64))
	} else if m.CPUs != nil {
		set("cpus", strconv.FormatInt(*m.CPUs, 10))
	}
	switch set := contract.CPUList(l.CPUSet); {
	case len(set) > 0 && m.CPUs != nil:
		out[side+"/cpu-set"] = fmt.Sprintf("%d of %d", len(set), *m.CPUs)
	case m.CPUs != nil:
		out[side+"/cpu-set"] = "all"
	}
	if l.MemoryBytes != nil {
		set("memory", strconv.FormatInt(*l.MemoryBytes, 10))
	} else if m.MemoryBytes != nil {
		set("memory", strconv.FormatInt(*m.MemoryBytes, 10))
	}
}

// placeOf a container on the NUMA nodes of its machine: on how many of them, and not on which, because equal pods may be on other nodes
// of their machine.
func placeOf(l contract.Limits, nodes int64) string {
	if nodes == 1 {
		return "one node"
	}
	count := func(list string) string {
		if list == "" {
			return "all"
		}
		return strconv.Itoa(len(contract.CPUList(list)))
	}
	text := fmt.Sprintf("CPUs of %s of %d nodes, memory of %s", count(l.CPUNodes), nodes, count(l.MemoryNodes))
	near := contract.CPUList(l.MemoryNodes)
	switch {
	case l.MemoryNodes == "":
		return text
	case l.CPUNodes == "" || !slices.ContainsFunc(contract.CPUList(l.CPUNodes), func(node int) bool { return slices.Contains(near, node) }):
		return text + ", from which the CPUs may be far"
	}
	return text
}

// dataFacts are what the tables held after loading. Other versions of a server compute other
// checksums, so that the version is part of them.
func dataFacts(out map[string]string, in Source) {
	if in.RetainedBy != "" {
		out[factDataOrigin] = dataRetained + in.RetainedBy
	}
	if in.CopiedFrom != "" {
		out[factDataOrigin] = dataCopied + in.CopiedFrom
	}
	if in.Loaded.Data == nil || len(in.Loaded.Data.Tables) == 0 {
		return
	}
	if set := in.Loaded.Data.DataSet; set != nil {
		out[factDataOrigin] = dataLoaded
		if set.Restored != "" {
			out[factDataOrigin] = dataRestored
		}
	}
	var rows, sums strings.Builder
	all := int64(0)
	summed := in.SameBytes && in.Loaded.Server != nil
	tables := slices.Clone(in.Loaded.Data.Tables)
	slices.SortFunc(tables, func(a, b contract.Table) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	for _, t := range tables {
		if t.Estimated {
			return // two looks at the same data differ
		}
		all += t.Rows
		fmt.Fprintf(&rows, "%s %d\n", strings.ToLower(t.Name), t.Rows)
		if t.Checksum == nil {
			summed = false
			continue
		}
		fmt.Fprintf(&sums, "%s %d\n", strings.ToLower(t.Name), *t.Checksum)
	}
	out[factRows] = fmt.Sprintf("%d rows in %d tables (%s)", all, len(tables), digest(rows.String()))
	if summed {
		out[factChecksum] = fmt.Sprintf("%s (%s)", digest(sums.String()), in.Loaded.Server.Version)
	}
}

// digest of a text, short enough for a line.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
