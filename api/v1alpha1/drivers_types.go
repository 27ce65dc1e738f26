package v1alpha1

// DriversWorkload compares drivers. Every combination of a driver and a benchmark is one
// measurement. A trial makes all of them; each block has its own random order. Drivers of
// several languages add an axis "language" to the matrix. Each language has its own image and
// its own trials. The design applies to each measurement: warmup and duration, or rounds and
// warmupRounds. The rows are derived from design.seed. They are the same for every driver,
// block and target.
type DriversWorkload struct {
	// drivers to compare, 1 to 32.
	// +required
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +listType=atomic
	Drivers []Driver `json:"drivers"`

	// benchmarks that every driver runs, 1 to 64.
	// +required
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +listType=atomic
	Benchmarks []DriverBenchmark `json:"benchmarks"`

	// language to measure, where drivers names several languages. Absent: all languages, as an
	// axis of the matrix.
	// +optional
	Language DriverLanguage `json:"language,omitempty"`

	// baseline is the reference of the speed-up, which is computed trial by trial. Absent:
	// there is no speed-up.
	// +optional
	Baseline *DriverBaseline `json:"baseline,omitempty"`

	Connecting `json:",inline"`
}

// DriverLanguage is a programming language with a harness.
// +kubebuilder:validation:Enum=Node;Python;Go;Java;Rust;C;PHP;Ruby;DotNet
type DriverLanguage string

// Driver is one driver with its connection options.
type Driver struct {
	// language of the driver.
	// +required
	Language DriverLanguage `json:"language"`

	// name of the driver's package, such as mysql2. The driver null does nothing: it measures
	// the harness.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9_.-]*$`
	Name string `json:"name"`

	// version of the driver, from those in the image. Absent: the newest of them.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9_.+-]*$`
	Version string `json:"version,omitempty"`

	// as is the name in results; absent: name. Two entries of the same driver need different
	// names.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9 _.,()=+-]*$`
	As string `json:"as,omitempty"`

	// options of the connection, by the driver's own names. Assay sets TLS, address and login.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 4096)",message="names have at most 253 characters, and values at most 4096 characters"
	Options map[string]string `json:"options,omitempty"`
}

// DriverBenchmark is an operation. It is measured in every combination of its schemes,
// transactions, sessions, concurrency and numbers of rows. docs/reference/driver-operations.md defines
// each.
type DriverBenchmark struct {
	// operation to repeat.
	// +required
	// +kubebuilder:validation:Enum=Insert;InsertTexts;InsertText;Update;Delete;SelectByKey;SelectRows;SelectASCII;SelectUTF8;SelectOne;SelectParameter;SelectParameters;SelectWide;SelectWideUncached;SelectCollations;Do;Connect;Encode
	Operation string `json:"operation"`

	// schemes to execute the rows of an operation; absent: SingleRow.
	// +optional
	// +kubebuilder:validation:MaxItems=8
	// +listType=set
	Schemes []DriverScheme `json:"schemes,omitempty"`

	// transactions are the scopes of a commit: Autocommit commits each statement, One commits
	// all statements of an operation together. Absent: Autocommit.
	// +optional
	// +kubebuilder:validation:MaxItems=2
	// +listType=set
	Transactions []DriverTransaction `json:"transactions,omitempty"`

	// sessions are the sources of connections. Dedicated uses one connection for all
	// operations. Pool takes a connection from the driver's pool for each operation and
	// returns it. New opens a connection for each operation. Absent: Dedicated.
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

	// concurrency is how many operations are under way at once, each on a connection of its own, 1 to 1000 each:
	// by threads or tasks of the language in one process. Absent: 1. Encode has no connection and supports only 1.
	// +optional
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=1000
	// +listType=set
	Concurrency []int32 `json:"concurrency,omitempty"`

	// measure is the way to measure: Rounds executes one operation, or as many as concurrency says at once, and restores
	// the data before each. All operations of a round together have at most 100,000 rows. Time repeats the operation for
	// design.duration. Absent: Rounds for Insert, Update, Delete and SelectByKey; Time for the others. Delete supports
	// only Rounds.
	// +optional
	// +kubebuilder:validation:Enum=Rounds;Time
	Measure string `json:"measure,omitempty"`

	// chunk is the number of rows in one statement (MultiRow, InList), or of statements in one
	// call (MultiStatement). Absent: 1000 rows, 500 statements.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Chunk int32 `json:"chunk,omitempty"`

	// storageEngine of the table, such as BLACKHOLE; absent: that of the target. Assay checks
	// which storage engine the server used.
	// +optional
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9_]{0,62}$`
	// +kubebuilder:validation:MaxLength=63
	StorageEngine string `json:"storageEngine,omitempty"`
}

// DriverScheme is a way of executing a statement for many rows.
// +kubebuilder:validation:Enum=SingleRow;Prepared;ExecuteMany;Pipelined;MultiRow;MultiStatement;InList;Batch
type DriverScheme string

// DriverTransaction selects what one commit covers.
// +kubebuilder:validation:Enum=Autocommit;One
type DriverTransaction string

// DriverSession selects the connection of an operation.
// +kubebuilder:validation:Enum=Dedicated;Pool;New
type DriverSession string

// DriverBaseline selects the reference of each measurement: the measurement that has these
// values and is otherwise equal. Without a measured reference there is no speed-up.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:object:generate=false
type DriverBaseline struct {
	// driver of the baseline, by its name in results.
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
	// concurrency of the baseline: the speed-up is then the throughput of all operations at
	// once over that of so many. Absent: that of the measurement.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	Concurrency int32 `json:"concurrency,omitempty"`
}
