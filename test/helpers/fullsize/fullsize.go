// Package fullsize makes of a published experiment at full size (config/samples/published) one that the local cluster plays, by one rule. In: the
// spec with all defaults. Out: the same cells, with less data, in short windows, on local servers. test/cmd/cells plays all of
// its cells, test/e2e one of each file.
package fullsize

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// The rule by which a manifest at full size becomes one that two cores play in minutes. It changes how much is measured, how long, and on
// what, and never which cells there are: the matrix, the operations, their schemes and numbers of rows stay as they are.
const (
	// mostRecords and mostOperations of YCSB, and the Java heap for them.
	mostRecords, mostOperations = 10_000, 5_000
	heap                        = "-Xmx256m"
	// mostTables and mostTableSize of sysbench. Every thread prepares its statements for each table, and has 30 s with all others. The
	// rows are enough that thousands of threads do not all wait for the same ones.
	mostTables, mostTableSize = 1, 250_000
	// window of a tool that makes one measurement in a trial, and that of drivers, which make hundreds.
	window, driversWindow = 3 * time.Second, 300 * time.Millisecond
	// limit of a trial that ends after its operations, and the deadline of a run.
	limit, deadline = 5 * time.Minute, 30 * time.Minute
	// cpu of a pod: two of them leave something of the two cores to the rest. A replica and a client on one node have agents beside them.
	cpu, cpuTogether = "900m", "600m"
	// volume of a server, and the most of its buffer pool.
	volume, bufferPool = "2Gi", "512M"
	// connectTimeout of a server, in seconds, for crowd connections and more, which come all at once and wait for a slice of a CPU. The
	// default is 10.
	crowd, connectTimeout = 1000, "60"
)

// Memory of a pod in MiB: what a server and a client take without threads, and each thread of theirs.
const (
	serverMemory, serverThread = 1024, 2
	clientMemory, clientThread = 1024, 1
)

// StandIns are the drivers that are played in the place of those of .NET, in their order: those of the small form of S0.
var StandIns = []v1alpha1.Driver{
	{Language: "Go", Name: "go-sql-driver"},
	{Language: "Node", Name: "mariadb"},
	{Language: "Python", Name: "mysql-connector-python"},
	{Language: "Java", Name: "mysql-connector-j", Options: map[string]string{"rewriteBatchedStatements": "true"}},
}

// DotNet is the language whose image cannot be made here.
const DotNet = "DotNet"

// Local server in the place of a flavor: what every set of images has (hack/images/images.yaml). Of these, MariaDB alone has MyRocks.
func Local(flavor string) (string, string) {
	if flavor == "MySQL" {
		return flavor, "9.7"
	}
	return "MariaDB", "10.11"
}

// inCluster is how the host of a server ends that stands in the cluster for one of the user's.
const inCluster = ".svc"

// Unobtainable says why a target cannot be had here; empty for one that can, such as a server of the user's for which another one stands in
// the cluster. Published numbers are no target that is measured.
func Unobtainable(spec v1alpha1.BenchmarkRunSpec, t v1alpha1.Target) string {
	switch c := spec.Workload.Custom; {
	case c != nil:
		return "its tool is an image of the user's, " + c.Image
	case t.External != nil && t.External.JDBC != nil:
		return "a database of the user's, behind the JDBC driver " + t.External.JDBC.Driver
	case t.External != nil && !strings.HasSuffix(t.External.Host, inCluster):
		return "a server of the user's, at " + t.External.Host
	}
	return ""
}

// WithoutDriver says why a driver cannot be had here; empty for one that can.
func WithoutDriver(d v1alpha1.Driver) string {
	if d.Language == DotNet {
		return "the image of .NET is made of an archive from a machine with NuGet (harness/dotnet/README.md)"
	}
	return ""
}

// Reduce a spec that has its defaults, with the data of the ConfigMaps beside it. It fails for settings that cannot be read, and for more
// drivers of .NET than there are others in their place. What is left has no target where none can be had.
func Reduce(full v1alpha1.BenchmarkRunSpec, given map[string]map[string]string) (v1alpha1.BenchmarkRunSpec, error) {
	spec := *full.DeepCopy()
	threads := MostThreads(spec)
	spec.Targets = slices.DeleteFunc(spec.Targets, func(t v1alpha1.Target) bool { return t.Published != nil || Unobtainable(full, t) != "" })
	nodes := targetNodes
	for i := range spec.Targets {
		t := &spec.Targets[i]
		if t.MySQL == nil {
			continue // a server of somebody else stays as it is
		}
		if t.Replicas() > 0 {
			// Of two nodes the server has one, and its replica the other, beside the client.
			nodes, spec.Clients.Placement.SeparateFromTargets = nodesOf{cpu: cpuTogether}, v1alpha1.SeparationNone
		}
		if err := reduceServer(t.MySQL, threads, given); err != nil {
			return spec, fmt.Errorf("targets.%s.mysql.configFrom: %w", t.Name, err)
		}
	}
	for i := range spec.Targets {
		if spec.Targets[i].MySQL == nil {
			continue
		}
		spec.Targets[i].Shape = shape(serverMemory+serverThread*threads, nodes.cpu, nodes.target)
	}
	spec.Clients.Shape = shape(clientMemory+clientThread*threads, nodes.cpu, nodes.client)
	spec.Analysis, spec.Gate, spec.Retain = nil, nil, v1alpha1.RetainNever
	reduceDesign(&spec)
	spec.Deadline = metav1.Duration{Duration: deadline}
	return spec, reduceWorkload(&spec.Workload, spec.Targets)
}

// nodesOf the local cluster, by their types, and the CPU of a pod on them; those of empty types may be any of its workers.
type nodesOf struct{ cpu, target, client string }

var targetNodes = nodesOf{cpu, "kind.target", "kind.client"}

func shape(mebibytes int64, cpu, node string) *v1alpha1.ShapeRef {
	s := v1alpha1.InstanceShapeSpec{CPU: resource.MustParse(cpu), Memory: resource.MustParse(strconv.FormatInt(mebibytes, 10) + "Mi")}
	if node != "" {
		s.NodeSelector = map[string]string{"node.kubernetes.io/instance-type": node}
	}
	return &v1alpha1.ShapeRef{Inline: &s}
}

// MostThreads of a cell: those of the tool, or of the axis.
func MostThreads(spec v1alpha1.BenchmarkRunSpec) (most int64) {
	switch w := spec.Workload; {
	case w.Sysbench != nil:
		most = int64(w.Sysbench.Threads)
	case w.YCSB != nil:
		most = int64(w.YCSB.Threads)
	}
	for _, axis := range spec.Matrix {
		for _, v := range axis.Values {
			if axis.Name == "threads" {
				most = max(most, int64(v.IntValue()))
			}
		}
	}
	return most
}

// reduceServer to one of this cluster. What its settings were taken from is written out, because the ConfigMaps are not there.
func reduceServer(m *v1alpha1.MySQLTarget, threads int64, given map[string]map[string]string) error {
	m.Flavor, m.Version = Local(m.Flavor)
	m.Image = ""
	m.Storage.Size, m.Storage.StorageClassName = resource.MustParse(volume), nil
	config := map[string]string{}
	for _, from := range m.ConfigFrom {
		list, err := settings.Parse(given[from.Name])
		if err != nil {
			return err
		}
		for _, s := range list {
			config[s.Name] = s.Value
		}
	}
	maps.Copy(config, m.Config)
	if config["innodb_buffer_pool_size"] != "" {
		config["innodb_buffer_pool_size"] = bufferPool
	}
	if threads >= crowd {
		config["connect_timeout"] = connectTimeout
	}
	m.ConfigFrom, m.Config = nil, config
	if len(config) == 0 {
		m.Config = nil
	}
	return nil
}

// reduceDesign to one block, which no failure of a trial ends.
func reduceDesign(spec *v1alpha1.BenchmarkRunSpec) {
	d := &spec.Design
	d.Blocks, d.Starts, d.OnTrialFailure = 1, v1alpha1.StartsOne, v1alpha1.OnFailureContinue
	d.Cooldown, d.Warmup = metav1.Duration{}, &metav1.Duration{}
	least := window
	switch {
	case spec.Workload.Drivers != nil:
		least = driversWindow
		d.Rounds, d.WarmupRounds = new(int32(1)), new(int32(0))
	case d.MeasuresLoad(), spec.Workload.YCSB != nil && spec.Workload.YCSB.OperationCount > 0:
		least = limit
	}
	d.Duration = &metav1.Duration{Duration: min(least, d.Duration.Duration)}
}

func reduceWorkload(w *v1alpha1.Workload, targets []v1alpha1.Target) error {
	if s := w.Sysbench; s != nil {
		s.Tables, s.TableSize = min(s.Tables, mostTables), min(s.TableSize, mostTableSize)
	}
	if y := w.YCSB; y != nil {
		y.RecordCount, y.OperationCount = min(y.RecordCount, mostRecords), min(y.OperationCount, mostOperations)
		y.JVMOptions = []string{heap}
		if slices.ContainsFunc(targets, func(t v1alpha1.Target) bool { return t.MySQL == nil || t.MySQL.Flavor == "MariaDB" }) {
			y.Driver = "MariaDB" // that of MySQL is for servers of MySQL, and MariaDB stands in for those of users
		}
	}
	if w.Drivers == nil {
		return nil
	}
	w.Drivers.Baseline = nil // a run of some drivers has no baseline of another one
	replaced := 0
	for i, d := range w.Drivers.Drivers {
		if WithoutDriver(d) == "" {
			continue
		}
		if replaced == len(StandIns) {
			return fmt.Errorf("workload.drivers: there are %d drivers in the place of those of .NET, and it has more", len(StandIns))
		}
		w.Drivers.Drivers[i] = *StandIns[replaced].DeepCopy()
		replaced++
	}
	return nil
}
