package design

import (
	"bytes"
	"strings"
	"testing"
)

// made is the output of `new` with flags and answers.
func made(t *testing.T, answers string, args ...string) (out, problems string, err error) {
	t.Helper()
	cmd := NewNew()
	var o, p bytes.Buffer
	cmd.SetOut(&o)
	cmd.SetErr(&p)
	cmd.SetIn(strings.NewReader(answers))
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return o.String(), p.String(), err
}

// The whole manifest of two versions of a server.
func TestNew(t *testing.T) {
	out, _, err := made(t, "", "--target", "MySQL:8.4", "--target", "new=mysql:9.7", "--target-shape", "db-16", "--name", "versions-")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "new.yaml", out)
}

// What the flags leave open is asked for; what is given is not; and an answer that is none is asked for again.
func TestNewAsks(t *testing.T) {
	out, asked, err := made(t, "mine\nycsb\n\n20Gi\nOracle:9\nMariaDB:10.11\non=MariaDB:11.8\n\n", "--ask", "--client-shape", "small")
	if err != nil {
		t.Fatalf("%v\n%s", err, asked)
	}
	for _, want := range []string{"name: mine", "ycsb: {", "shape: {inline: {cpu: \"2\", memory: \"4Gi\"}}", "shape: {name: small}", "size: \"20Gi\"", "name: mariadb-10-11", "name: \"on\"", "baseline: mariadb-10-11"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if !strings.Contains(asked, `"Oracle:9" is no target`) || strings.Contains(asked, "Shape of the clients") {
		t.Errorf("asked:\n%s", asked)
	}
	if _, _, err := made(t, "", "--ask"); err == nil || !strings.Contains(err.Error(), "--target MySQL:9.7") {
		t.Errorf("without any answer: %v", err)
	}
}

// As many blocks as the comparisons need, and no manifest that would be refused.
func TestNewPlans(t *testing.T) {
	args := []string{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		args = append(args, "--target", name+"=MySQL:9.7")
	}
	out, _, err := made(t, "", args...)
	if err != nil || !strings.Contains(out, "14 comparisons need 10 blocks") || !strings.Contains(out, "blocks: 10\n") {
		t.Errorf("eight targets: %v\n%s", err, out)
	}
	for what, tt := range map[string]struct {
		args []string
		says string
	}{
		"no target":              {nil, "name a server with --target"},
		"no flavor":              {[]string{"--target", "9.7"}, "is no target"},
		"no version":             {[]string{"--target", "MySQL:"}, "is no target"},
		"no name":                {[]string{"--target", "=MySQL:9.7"}, "is no target"},
		"one name twice":         {[]string{"--target", "MySQL:9.7", "--target", "MySQL:9.7"}, "two targets have the name mysql-9-7"},
		"a name that is none":    {[]string{"--target", "A_B=MySQL:9.7"}, "spec.targets[0].name"},
		"a run's name":           {[]string{"--target", "MySQL:9.7", "--name", "My_Run"}, "metadata.name"},
		"a tool that is none":    {[]string{"--target", "MySQL:9.7", "--tool", "hammerdb"}, "use sysbench, ycsb or tpcc"},
		"a shape that is none":   {[]string{"--target", "MySQL:9.7", "--target-shape", "cpu=2"}, "has not both cpu and memory"},
		"a shape of nothing":     {[]string{"--target", "MySQL:9.7", "--client-shape", "gpu=2,memory=1Gi"}, "--client-shape"},
		"another object's lines": {[]string{"--target", "MySQL:9.7", "--storage", "1Gi}\n  evil: {"}, "spec.targets[0].mysql.storage.size"},
		"too many blocks":        {[]string{"--target", "MySQL:9.7", "--blocks", "101"}, "spec.design.blocks"},
		"too long":               {[]string{"--target", "a=MySQL:9.7", "--target", "b=MySQL:9.7", "--target", "c=MySQL:9.7", "--blocks", "100", "--duration", "10000s"}, "spec.deadline"},
	} {
		if out, _, err := made(t, "", tt.args...); err == nil || !strings.Contains(err.Error(), tt.says) || out != "" {
			t.Errorf("%s: error %v, want %q\n%s", what, err, tt.says, out)
		}
	}
}
