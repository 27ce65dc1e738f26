package benchmarkrun

import "github.com/assay-bench/assay/api/v1alpha1"

// badStorage are bad specs of the storage of a target.
var badStorage = map[string]badSpec{
	"a volume in memory that is retained":   {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, medium: Memory, retain: true}", refused: "medium must be Volume with retain, fromRun, fromSnapshot and snapshot"},
	"a class of another run's volume":       {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, storageClassName: fast, fromRun: {name: first}}", refused: "storageClassName and retain must be left out with fromRun"},
	"another run's volume, retained":        {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, retain: true, fromRun: {name: first}}", refused: "storageClassName and retain must be left out with fromRun"},
	"replicas of a volume that is retained": {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, retain: true}, replication: {mode: Async}", refused: "retain, fromRun, fromSnapshot and snapshot must be left out with replication"},
	"a snapshot of another run's volume":    {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, fromRun: {name: first}, snapshot: {name: s}}", refused: "snapshot must be left out with fromRun, fromSnapshot and retain"},
	"a snapshot of a snapshot":              {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, fromSnapshot: {name: r}, snapshot: {name: s}}", refused: "snapshot must be left out with fromRun, fromSnapshot and retain"},
	"a snapshot of a volume that stays":     {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, retain: true, snapshot: {name: s}}", refused: "snapshot must be left out with fromRun, fromSnapshot and retain"},
	"two sources of a volume":               {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, fromSnapshot: {name: s}, fromRun: {name: first}}", refused: "fromRun and retain must be left out with fromSnapshot"},
	"a volume of a snapshot, retained":      {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, fromSnapshot: {name: s}, retain: true}", refused: "fromRun and retain must be left out with fromSnapshot"},
	"a snapshot of memory":                  {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, medium: Memory, snapshot: {name: s}}", refused: "medium must be Volume with retain, fromRun, fromSnapshot and snapshot"},
	"memory of a snapshot":                  {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, medium: Memory, fromSnapshot: {name: s}}", refused: "medium must be Volume with retain, fromRun, fromSnapshot and snapshot"},
	"replicas of a snapshot":                {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, fromSnapshot: {name: s}}, replication: {mode: Async}", refused: "retain, fromRun, fromSnapshot and snapshot must be left out with replication"},
	"a snapshot of replicas":                {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, snapshot: {name: s}}, replication: {mode: Async}", refused: "retain, fromRun, fromSnapshot and snapshot must be left out with replication"},
	"a snapshot that is no name":            {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, snapshot: {name: A_b}}", refused: "storage.snapshot.name"},
	"a snapshot with an empty label":        {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, snapshot: {name: a..b}}", refused: "storage.snapshot.name"},
	"a class that is no name":               {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, snapshot: {name: a, className: A_b}}", refused: "storage.snapshot.className"},
	"a volume of what is no name":           {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, fromSnapshot: {name: a..b}}", refused: "storage.fromSnapshot.name"},
	"a reset of a snapshot's volume":        {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, fromSnapshot: {name: s}}", more: "dataReset: PerBlock", refused: "dataReset must be PerRun with mysql.storage.fromRun and fromSnapshot"},
	"a data set for a snapshot's volume":    {replace: "storage: {size: 1Gi}}\n", by: "storage: {size: 1Gi, fromSnapshot: {name: s}}}\n  data: {name: x}\n", refused: "data must be left out with mysql.storage.fromRun and fromSnapshot"},
	"a reset of another run's volume":       {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, fromRun: {name: first}}", more: "dataReset: PerBlock", refused: "dataReset must be PerRun with mysql.storage.fromRun"},
	"a data set for another run's volume":   {replace: "storage: {size: 1Gi}}\n", by: "storage: {size: 1Gi, fromRun: {name: first}}}\n  data: {name: x}\n", refused: "data must be left out with mysql.storage.fromRun"},
	"a volume of a run that is not there":   {replace: "storage: {size: 1Gi}", by: "storage: {size: 1Gi, fromRun: {name: first, allowWrites: true}}", reason: v1alpha1.ReasonRetainedVolumeUnfit, message: `spec.targets[0].mysql.storage.fromRun.name: there is no run "first" in namespace `},
}
