package v1alpha1

// DriversWorkload compares drivers. Every combination of a driver and a benchmark is one
// measurement; a trial makes all of them, in an order that is drawn anew for each block.
// Drivers of several languages make an axis "language" of the matrix: the languages are
// measured in turn, each from an image of its own. The design applies to each measurement:
// warmup and duration, or rounds and warmupRounds. The rows follow from design.seed, and are
// the same for every driver, block and target.
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

	// delay adds latency to every round trip, such as 1ms, at most 1s; absent or 0s adds none.
	// It may be an axis of the matrix. A relay in the client pod delays what it passes on, and
	// costs some of the client's CPU: compare with a delay of 1us, which goes through the relay
	// too, and not with none.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[0-9]+(\.[0-9]+)?(us|ms|s)$`
	// +kubebuilder:validation:XValidation:rule="duration(self) <= duration('1s')",message="delay must be at most 1s, such as 1ms"
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
// sessions and numbers of rows. docs/reference/driver-operations.md defines each.
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
