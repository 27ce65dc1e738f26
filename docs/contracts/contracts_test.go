package contracts

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	resultSchema      = "result.v1.schema.json"
	trialSchema       = "trial.v1.schema.json"
	targetSchema      = "target.v1.schema.json"
	environmentSchema = "environment.v1.schema.json"
)

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t *testing.T, schema string, document []byte) error {
	t.Helper()
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, schema).Validate(instance)
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func aTrial() contract.Trial {
	return contract.Trial{
		Version: contract.TrialVersion, Runner: "sysbench", Workload: json.RawMessage(`{"test":"oltp_read_only"}`),
		Ref:     contract.TrialRef{RunUID: "6f6c4a0e", Phase: "Prepare", Target: "innodb"},
		Clients: 4, WarmupSeconds: 30, DurationSeconds: 300, SettleSeconds: 0.5,
		Agent: "innodb-0.bench.svc:9090", Snapshot: true, DataSet: "sbtest", Replicas: []string{"innodb-1.bench.svc:9090"},
		Demand: contract.Demand{Connections: 64, PreparedStatements: 5888, Tables: 10},
		Reset: &contract.Reset{
			Method: contract.ResetSnapshot,
			Tables: []contract.Table{{Name: "sbtest1", Rows: 1000, Checksum: new(int64(3808889289))}, {Name: "sbtest2", Rows: 1000}},
		},
		Endpoint: contract.Endpoint{Host: "innodb.bench.svc", Port: 3306, Database: "sbtest", TLS: contract.TLSRequired},
		Deadline: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
	}
}

// leastTrial is one of an external target whose data stays as it is.
func leastTrial() contract.Trial {
	trial := aTrial()
	trial.SettleSeconds, trial.Agent, trial.Snapshot, trial.Reset, trial.DataSet = 0, "", false, nil, ""
	trial.Replicas, trial.Demand = nil, contract.Demand{}
	return trial
}

// trialByJDBC is one of a database that does not speak the protocol of MySQL.
func trialByJDBC() contract.Trial {
	trial := leastTrial()
	trial.Endpoint = contract.Endpoint{JDBC: &contract.JDBC{URL: "jdbc:sqlserver://db:1433", Driver: "com.microsoft.sqlserver.jdbc.SQLServerDriver"}}
	return trial
}

// anEnvironment has every field set.
func anEnvironment() contract.TargetEnvironment {
	v := reflect.New(reflect.TypeFor[contract.TargetEnvironment]()).Elem()
	fill(v)
	e := v.Interface().(contract.TargetEnvironment)
	e.Version = contract.EnvironmentVersion
	return e
}

func aTarget() contract.Target {
	return contract.Target{
		Version: contract.TargetVersion, Flavor: "MariaDB", StorageEngine: "InnoDB", Database: "sbtest", Username: "assay", Port: 3306,
		TLS: "Required", Replication: &contract.Replication{Mode: "Async", ServerID: 1, Username: "repl", Replicas: 1},
		Retained: &contract.Retained{RunUID: "uid", ServerVersion: "11.8.3-MariaDB", Snapshot: "tables"},
		Settings: []contract.Setting{{Name: "innodb_buffer_pool_size", Value: "8G"}, {Name: "skip_log_bin"}},
	}
}

func TestSchemasAcceptWhatTheTypesWrite(t *testing.T) {
	documents := map[string]struct {
		schema   string
		document []byte
	}{
		"a trial":              {trialSchema, marshal(t, aTrial())},
		"the least of a trial": {trialSchema, marshal(t, leastTrial())},
		"a trial by JDBC":      {trialSchema, marshal(t, trialByJDBC())},
		"an environment":       {environmentSchema, marshal(t, anEnvironment())},
		"an environment of which nothing is known": {
			environmentSchema, marshal(t, contract.TargetEnvironment{Version: contract.EnvironmentVersion, Flavor: "MySQL"})},
		"a target":             {targetSchema, marshal(t, aTarget())},
		"a result with it all": {resultSchema, marshal(t, filled(t, reflect.TypeFor[contract.Result]()))},
	}
	golden, err := filepath.Glob("../../internal/ground/contract/testdata/*.json")
	if err != nil || len(golden) == 0 {
		t.Fatalf("no golden results: %v", err)
	}
	for _, path := range golden {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		documents[path] = struct {
			schema   string
			document []byte
		}{resultSchema, data}
	}
	for name, tc := range documents {
		t.Run(name, func(t *testing.T) {
			if err := validate(t, tc.schema, tc.document); err != nil {
				t.Errorf("%#v", err)
			}
		})
	}
}

func TestSchemasReject(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile("../../internal/ground/contract/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	run, failed := read("run.json"), read("run-failed.json")
	trial, target := string(marshal(t, aTrial())), string(marshal(t, aTarget()))
	environment := string(marshal(t, anEnvironment()))
	tests := map[string]struct{ schema, document, old, new string }{
		"a result of another version":           {resultSchema, run, "result/v1", "result/v2"},
		"a result with an unknown field":        {resultSchema, run, `"state"`, `"verdict": 1, "state"`},
		"a failed result without a failure":     {resultSchema, run, "Succeeded", "Failed"},
		"a succeeded result with a failure":     {resultSchema, failed, `"Failed"`, `"Succeeded"`},
		"a reason that is not documented":       {resultSchema, failed, "ConnectionLost", "Misc"},
		"a value as text":                       {resultSchema, run, `"value": 1062.89`, `"value": "1062.89"`},
		"a measurement without a unit":          {resultSchema, run, `"unit": "tx/s",`, ``},
		"a direction that is none":              {resultSchema, run, "HigherIsBetter", "Up"},
		"a negative count":                      {resultSchema, run, `"n": 10636`, `"n": -1`},
		"a digest that is too short":            {resultSchema, run, "e3b0c442", "e3"},
		"a trial of another version":            {trialSchema, trial, "trial/v1", "trial/v2"},
		"a trial with a password":               {trialSchema, trial, `"host"`, `"password":"x","host"`},
		"a trial with an open TLS mode":         {trialSchema, trial, `"Required"`, `"Perhaps"`},
		"a trial with a deadline in no format":  {trialSchema, trial, "2026-11-20T12:00:00Z", "tomorrow"},
		"a trial for port 0":                    {trialSchema, trial, "3306", "0"},
		"a trial for no host":                   {trialSchema, trial, `"innodb.bench.svc"`, `""`},
		"a demand below 0":                      {trialSchema, trial, `"connections":64`, `"connections":-1`},
		"a probe without a try":                 {environmentSchema, environment, `"n":1`, `"n":0`},
		"a replication of another kind":         {targetSchema, target, `"Async"`, `"Galera"`},
		"a trial of a phase that has no trial":  {trialSchema, trial, "Prepare", "Warmup"},
		"a trial without clients":               {trialSchema, trial, `"clients":4`, `"clients":0`},
		"a reset in another way":                {trialSchema, trial, `"method":"Snapshot"`, `"method":"Copy"`},
		"a table of no name":                    {trialSchema, trial, `"name":"sbtest1"`, `"name":""`},
		"a result without a machine":            {resultSchema, run, `"machine": {},`, ``},
		"a client's counter as text":            {resultSchema, run, `"limits": {}`, `"limits": {"cpus": "2"}`},
		"an environment of another version":     {environmentSchema, environment, "environment/v1", "environment/v2"},
		"an environment without a time":         {environmentSchema, environment, `"at":"2026-11-20T12:00:00Z",`, ``},
		"an environment with a counter below 0": {environmentSchema, environment, `"throttled":1`, `"throttled":-1`},
		"a target of another version":           {targetSchema, target, "target/v1", "target/v2"},
		"a target with a password":              {targetSchema, target, `"username"`, `"password":"x","username"`},
		"a target without a schema":             {targetSchema, target, `"sbtest"`, `""`},
		"a volume of no run":                    {targetSchema, target, `"runUID":"uid"`, `"runUID":""`},
		"a setting without a name":              {targetSchema, target, `{"name":"skip_log_bin"}`, `{}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			wrong := strings.Replace(tc.document, tc.old, tc.new, 1)
			if wrong == tc.document {
				t.Fatalf("the document has no %q", tc.old)
			}
			if err := validate(t, tc.schema, []byte(wrong)); err == nil {
				t.Error("accepted")
			}
		})
	}
}

// Every field of a type is in its schema, required where it is always written.
func TestSchemasHaveTheFieldsOfTheTypes(t *testing.T) {
	for name, typ := range map[string]reflect.Type{
		resultSchema:      reflect.TypeFor[contract.Result](),
		trialSchema:       reflect.TypeFor[contract.Trial](),
		targetSchema:      reflect.TypeFor[contract.Target](),
		environmentSchema: reflect.TypeFor[contract.TargetEnvironment](),

		notificationSchema: reflect.TypeFor[contract.Notification](),
	} {
		t.Run(name, func(t *testing.T) {
			root := readSchema(t, name)
			compare(t, typ, root, root.Defs)
		})
	}
}

func readSchema(t *testing.T, name string) object {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var root object
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

// Every reason of a failure is in the schema, and no other.
func TestSchemaHasTheReasons(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../internal/ground/contract/result.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Reason" {
			want = append(want, strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`))
		}
		return true
	})
	data, err := os.ReadFile(resultSchema)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs struct {
			Failure struct {
				Properties struct {
					Reason struct{ Enum []string }
				}
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	got := schema.Defs.Failure.Properties.Reason.Enum
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("reasons (-type +schema):\n%s", diff)
	}
}

// object is the part of a schema that describes a struct.
type object struct {
	Properties map[string]any    `json:"properties"`
	Required   []string          `json:"required"`
	Defs       map[string]object `json:"$defs"`
}

// writtenFields of a type: those of a type that is embedded are written as its own.
func writtenFields(typ reflect.Type) (out []reflect.StructField) {
	for i := range typ.NumField() {
		switch field := typ.Field(i); {
		case field.Anonymous:
			out = append(out, writtenFields(field.Type)...)
		case field.IsExported():
			out = append(out, field)
		}
	}
	return out
}

func compare(t *testing.T, typ reflect.Type, have object, defs map[string]object) {
	t.Helper()
	var fields, required, described []string
	for _, field := range writtenFields(typ) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue // it is never written
		}
		fields = append(fields, name)
		if options == "" {
			required = append(required, name)
		}
		if nested := structIn(field.Type); nested != nil {
			def, ok := defs[nested.Name()]
			if !ok {
				t.Errorf("%s.%s: $defs has no %s", typ.Name(), name, nested.Name())
				continue
			}
			compare(t, nested, def, defs)
		}
	}
	for name := range have.Properties {
		described = append(described, name)
	}
	for _, list := range [][]string{fields, required, described, have.Required} {
		slices.Sort(list)
	}
	if diff := cmp.Diff(fields, described); diff != "" {
		t.Errorf("properties of %s (-type +schema):\n%s", typ.Name(), diff)
	}
	if diff := cmp.Diff(required, have.Required); diff != "" {
		t.Errorf("required of %s (-type +schema):\n%s", typ.Name(), diff)
	}
}

// structIn is the struct of ours that a field holds, or nil.
func structIn(typ reflect.Type) reflect.Type {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[time.Time]() {
		return nil
	}
	return typ
}

// filled is a result whose every field is set, so that none escapes the schema.
func filled(t *testing.T, typ reflect.Type) any {
	t.Helper()
	v := reflect.New(typ).Elem()
	fill(v)
	r := v.Interface().(contract.Result)
	r.Version, r.State, r.Trial.Phase, r.RawSHA256 = contract.ResultVersion, contract.Failed, "Run", strings.Repeat("0a", 32)
	r.Client.Clock.Reference = contract.ReferenceAgent
	r.Failure.Reason, r.Data.Reset.Method = contract.ReasonToolFailed, contract.ResetReload
	r.Tool.WarmupCut = contract.WarmupInProcess
	for _, list := range [][]contract.Measurement{r.Measurements, r.Warmup} {
		list[0].Direction, list[0].Absent.State = contract.LowerIsBetter, contract.NotMeasured
	}
	return r
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		element := reflect.New(v.Type().Elem()).Elem()
		fill(element)
		v.SetMapIndex(reflect.ValueOf("key"), element)
	case reflect.String:
		v.SetString("text")
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	}
}
