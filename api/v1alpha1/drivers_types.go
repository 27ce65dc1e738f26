package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DriversWorkload compares drivers. Every combination of a driver and a benchmark is
// measured once per block and language, in an order that is drawn anew for each block.
// Drivers of several languages make an axis "language" of the matrix: the languages are
// measured in turn, each from an image of its own. A trial ends when all is measured;
// design.duration is the longest that it may take, and design.warmup is not used, because
// each combination has a warm-up of its own.
type DriversWorkload struct {
	// drivers that are compared, 1 to 32.
	// +required
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +listType=atomic
	Drivers []Driver `json:"drivers"`

	// benchmarks that every driver does, 1 to 64.
	// +required
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +listType=atomic
	Benchmarks []DriverBenchmark `json:"benchmarks"`

	// language whose drivers are measured, where drivers has those of several; absent: all,
	// as an axis of the matrix.
	// +optional
	Language DriverLanguage `json:"language,omitempty"`

	// baseline is what the speed-up is computed against, trial by trial. Absent: there is no
	// speed-up.
	// +optional
	Baseline *DriverBaseline `json:"baseline,omitempty"`

	// seed of the data, 1 to 2147483647: the same rows for every driver, block and run. The
	// order follows from the seed of the run.
	// +optional
	// +kubebuilder:default=42
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2147483647
	Seed int64 `json:"seed,omitempty"`

	// rounds is how many operations a benchmark with measure Rounds does in each block, each
	// on data that was put back before; 1 to 100.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Rounds int32 `json:"rounds,omitempty"`

	// warmupRounds are done before them and not counted, 0 to 100.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	WarmupRounds *int32 `json:"warmupRounds,omitempty"`

	// window is how long a benchmark with measure Time repeats its operation in each block,
	// 10ms to 1h.
	// +optional
	// +kubebuilder:default="2s"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('10ms') && duration(self) <= duration('1h')",message="window has to be 10ms to 1h"
	Window *metav1.Duration `json:"window,omitempty"`

	// warmup is how long it does so before, not counted, 0s to 1h.
	// +optional
	// +kubebuilder:default="500ms"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('0s') && duration(self) <= duration('1h')",message="warmup has to be 0s to 1h"
	Warmup *metav1.Duration `json:"warmup,omitempty"`

	// delay is by how much longer every round trip takes, such as 1ms; absent or 0s: as it is;
	// at most 1s. It may be an axis of the matrix. A relay in the client pod delays what it
	// hands on, and costs some of the client's CPU: compare with a delay of 1us, which goes
	// through the relay too, and not with none.
	// +optional
	// +kubebuilder:validation:Pattern=`^[0-9]+(\.[0-9]+)?(us|ms|s)$`
	Delay string `json:"delay,omitempty"`
}

// DriverLanguage is a programming language that has a harness.
// +kubebuilder:validation:Enum=Node;Python;Go;Java;Rust;C;PHP;Ruby;DotNet
type DriverLanguage string

// Driver is one driver as one of its users would set it up.
type Driver struct {
	// language that it is for.
	// +required
	Language DriverLanguage `json:"language"`

	// name of the driver's package, such as mysql2. The name null is that of a driver that
	// does nothing: it measures the harness.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9_.-]*$`
	Name string `json:"name"`

	// version is one of those that the image has; absent: the newest of them.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9_.+-]*$`
	Version string `json:"version,omitempty"`

	// as is its name in results; absent: its name. It tells two entries with one name apart.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9 _.,()=+-]*$`
	As string `json:"as,omitempty"`

	// options of its connection, by the driver's own names. TLS, address and login are not
	// among them.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Options map[string]string `json:"options,omitempty"`
}

// DriverBenchmark is an operation, done in every combination of its schemes, transactions,
// sessions and numbers of rows. docs/driver-operations.md defines each.
type DriverBenchmark struct {
	// operation that is repeated.
	// +required
	// +kubebuilder:validation:Enum=Insert;InsertTexts;InsertText;Update;Delete;SelectByKey;SelectRows;SelectOne;SelectParameter;SelectParameters;SelectWide;SelectWideUncached;SelectCollations;Do;Connect;Encode
	Operation string `json:"operation"`

	// schemes by which the rows of an operation are executed; absent: SingleRow.
	// +optional
	// +kubebuilder:validation:MaxItems=8
	// +listType=set
	Schemes []DriverScheme `json:"schemes,omitempty"`

	// transactions are Autocommit, which commits each statement, One all of an operation together;
	// absent: Autocommit.
	// +optional
	// +kubebuilder:validation:MaxItems=2
	// +listType=set
	Transactions []DriverTransaction `json:"transactions,omitempty"`

	// sessions are Dedicated, which is one connection for all operations; Pool takes it from the
	// driver's pool for each operation and gives it back; New makes one for each operation.
	// Absent: Dedicated.
	// +optional
	// +kubebuilder:validation:MaxItems=3
	// +listType=set
	Sessions []DriverSession `json:"sessions,omitempty"`

	// rows of one operation, 1 to 100,000 each; absent: 1.
	// +optional
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=100000
	// +listType=set
	Rows []int32 `json:"rows,omitempty"`

	// measure is Rounds, which does a fixed number of operations, each on data that was put back;
	// Time repeats the operation for a window. Absent: Rounds for Insert, Update, Delete and
	// SelectByKey, and Time for the others. Delete knows only Rounds.
	// +optional
	// +kubebuilder:validation:Enum=Rounds;Time
	Measure string `json:"measure,omitempty"`

	// chunk is how many rows one statement of MultiRow and InList takes, and how many
	// statements one call of MultiStatement; absent: 1000 and 500.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Chunk int32 `json:"chunk,omitempty"`

	// storageEngine of the table, such as BLACKHOLE; absent: that of the target. A server
	// that takes another one in its place is found out.
	// +optional
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9_]{0,62}$`
	StorageEngine string `json:"storageEngine,omitempty"`
}

// DriverScheme is a way of executing a statement for many rows.
// +kubebuilder:validation:Enum=SingleRow;Prepared;ExecuteMany;Pipelined;MultiRow;MultiStatement;InList;Batch
type DriverScheme string

// DriverTransaction is where an operation commits.
// +kubebuilder:validation:Enum=Autocommit;One
type DriverTransaction string

// DriverSession is where an operation gets its connection from.
// +kubebuilder:validation:Enum=Dedicated;Pool;New
type DriverSession string

// DriverBaseline names what others are compared with: the measurement that has these values
// and is like theirs otherwise. One that was not measured leaves those without a speed-up.
// +kubebuilder:validation:MinProperties=1
type DriverBaseline struct {
	// driver by its name in results.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Driver string `json:"driver,omitempty"`
	// scheme of the baseline.
	// +optional
	Scheme DriverScheme `json:"scheme,omitempty"`
	// transaction of the baseline.
	// +optional
	Transaction DriverTransaction `json:"transaction,omitempty"`
	// session of the baseline.
	// +optional
	Session DriverSession `json:"session,omitempty"`
}
