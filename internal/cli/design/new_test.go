package design

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners"
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

// What the flags leave open is asked for; what is given is not; and an answer that is wrong is asked for again, at once, so that
// no answer is lost at the end.
func TestNewAsks(t *testing.T) {
	answers := []string{
		"My_Run", "mine", "yscb", "ycsb", "cpu=2", "", "a lot", "20Gi",
		"Oracle:9", "MariaDB:10.11", "innodb_flush_log_at_trx_commit", "on=MariaDB:11.8", "innodb_flush_log_at_trx_commit=2,sql_mode='ANSI,TRADITIONAL'",
		"MariaDB:10.11", "on=MariaDB:11.8", "", "off=mysql:9.7,datadir=/x", "off=mysql:9.7,max_connections=500", "",
	}
	out, asked, err := made(t, strings.Join(answers, "\n")+"\n", "--ask", "--client-shape", "small")
	if err != nil {
		t.Fatalf("%v\n%s", err, asked)
	}
	for _, want := range []string{
		"name: mine", "ycsb: {threads: 2, ", "shape: {inline: {cpu: \"2\", memory: \"4Gi\"}}", "shape: {name: small}", "size: \"20Gi\"", "name: mariadb-10-11", "name: \"on\"", "baseline: mariadb-10-11",
		"      config:\n        innodb_flush_log_at_trx_commit: \"2\"\n        sql_mode: \"ANSI,TRADITIONAL\"\n", "name: \"off\"", "        max_connections: \"500\"\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	for _, want := range []string{
		`metadata.name: "My_Run" must begin`, `"yscb" (did you mean ycsb?)`, "has not both cpu and memory", `"a lot" is no size`, `"Oracle" is no flavor`,
		`"innodb_flush_log_at_trx_commit" is no setting: write NAME=VALUE`, `"on=MariaDB:11.8" is another server`, "two targets have the name mariadb-10-11", "config.datadir: set by Assay",
	} {
		if !strings.Contains(asked, want) {
			t.Errorf("no %q in:\n%s", want, asked)
		}
	}
	if strings.Contains(asked, "Shape of the clients") {
		t.Errorf("asked for what was given:\n%s", asked)
	}
	if _, _, err := made(t, "", "--ask"); err == nil || !strings.Contains(err.Error(), "--target MySQL:9.7") {
		t.Errorf("without any answer: %v", err)
	}
}

// What only the plan refuses does not lose the answers: the error has them as a command line.
func TestNewGivesTheAnswersBack(t *testing.T) {
	_, _, err := made(t, "mine\n\n\n\nMySQL:9.7,sql_mode='ANSI'\n\n", "--ask", "--client-shape", "small", "--blocks", "401", "--threads", "4", "--warmup", "90s", "--duration", "2h")
	want := `kubectl assay new --name 'mine' --tool 'sysbench' --target-shape 'cpu=2,memory=4Gi' --client-shape 'small' --storage '10Gi' --threads '4' --blocks '401' --warmup '1m30s' --duration '2h' --target 'MySQL:9.7,sql_mode='\''ANSI'\'''`
	if err == nil || !strings.Contains(err.Error(), "spec.design.blocks") || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// Targets with settings, as they stand behind --target.
func TestServerOf(t *testing.T) {
	of := func(name, flavor, version string, settings ...contract.Setting) server {
		return server{name, flavor, version, settings}
	}
	set := func(name, value string) contract.Setting { return contract.Setting{Name: name, Value: value} }
	for what, tt := range map[string]struct {
		text string
		want server
		says string
	}{
		"a version":                        {"mysql:8.4", of("mysql-8-4", "MySQL", "8.4"), ""},
		"a name":                           {"a = MariaDB:10.11", of("a", "MariaDB", "10.11"), ""},
		"a setting of one without a name":  {"MySQL:8.4,innodb_flush_log_at_trx_commit=1", of("mysql-8-4", "MySQL", "8.4", set("innodb_flush_log_at_trx_commit", "1")), ""},
		"settings of one with a name":      {"a=MySQL:8.4,x=1, y-z = 16K", of("a", "MySQL", "8.4", set("x", "1"), set("y-z", "16K")), ""},
		"a value with commas":              {`a=MySQL:8.4,sql_mode="ANSI,TRADITIONAL",x=on`, of("a", "MySQL", "8.4", set("sql_mode", "ANSI,TRADITIONAL"), set("x", "on")), ""},
		"a value with an equals sign":      {"a=MySQL:8.4,optimizer_switch='mrr=on,index_merge=off'", of("a", "MySQL", "8.4", set("optimizer_switch", "mrr=on,index_merge=off")), ""},
		"a quote within a value":           {"a=MySQL:8.4,init_connect=SET @a='x'", of("a", "MySQL", "8.4", set("init_connect", "SET @a='x'")), ""},
		"no value":                         {"a=MySQL:8.4,skip_log_bin=", of("a", "MySQL", "8.4", set("skip_log_bin", "")), ""},
		"the empty string":                 {`a=MySQL:8.4,sql_mode="",x=''`, of("a", "MySQL", "8.4", set("sql_mode", "''"), set("x", "''")), ""},
		"a value with commas, unquoted":    {"a=MySQL:8.4,sql_mode=ANSI,TRADITIONAL", server{}, `"TRADITIONAL" is no setting: write NAME=VALUE`},
		"a quote without an end":           {`a=MySQL:8.4,sql_mode="ANSI,x=1`, server{}, "the quote \" has no end"},
		"the same setting twice":           {"a=MySQL:8.4,max_connections=1,max-connections=2", server{}, "max-connections is there twice"},
		"a setting that Assay sets":        {"a=MySQL:8.4,datadir=/x", server{}, "config.datadir: set by Assay"},
		"a name of a setting that is none": {"a=MySQL:8.4,a b=1", server{}, "not the name of an option"},
		"a comma too many":                 {"a=MySQL:8.4,x=1,", server{}, `"" is no setting`},
		"a misspelt flavor":                {"a=MariDB:10.11", server{}, `"MariDB" is no flavor (did you mean MariaDB?): use one of MySQL, MariaDB, Percona, TiDB`},
		"a setting for a version":          {"MySQL,x=8.4", server{}, "is no target"},
	} {
		got, err := serverOf(tt.text)
		if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
		}
	}
}

// There is a manifest for each tool that can do without anything of the user, and a sample of each is completed by its schema.
func TestNewKnowsEveryTool(t *testing.T) {
	for _, r := range runners.All() {
		out, _, err := made(t, "", "--tool", r.Name, "--target", "MySQL:8.4", "--target", "MySQL:9.7")
		if r.Design.Sample == "" {
			if err == nil || !strings.Contains(err.Error(), "docs/guide/custom-tools.md") {
				t.Errorf("%s: %v", r.Name, err)
			}
			continue
		}
		if err != nil || !strings.Contains(out, "\n    "+r.Name+": {") || strings.Contains(out, "{threads: 2, ") != strings.Contains(out, "# matrix:") {
			t.Errorf("%s: %v\n%s", r.Name, err, out)
		}
	}
	if _, _, err := made(t, "", "--tool", "drivers", "--threads", "4", "--target", "MySQL:8.4"); err == nil || !strings.Contains(err.Error(), "drivers has no threads") {
		t.Error(err)
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
	var offered []string
	for _, r := range runners.All() {
		if r.Design.Sample != "" {
			offered = append(offered, r.Name)
		}
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
		"a tool that is none":    {[]string{"--target", "MySQL:9.7", "--tool", "hammerdb"}, "use one of " + strings.Join(offered, ", ")},
		"a shape that is none":   {[]string{"--target", "MySQL:9.7", "--target-shape", "cpu=2"}, "has not both cpu and memory"},
		"a shape of nothing":     {[]string{"--target", "MySQL:9.7", "--client-shape", "gpu=2,memory=1Gi"}, "--client-shape"},
		"another object's lines": {[]string{"--target", "MySQL:9.7", "--storage", "1Gi}\n  evil: {"}, "spec.targets[0].mysql.storage.size"},
		"an effect of one":       {[]string{"--target", "MySQL:9.7", "--minimum-effect", "5%"}, "one server is compared with nothing"},
		"an effect that is none": {[]string{"--target", "MySQL:8.4", "--target", "MySQL:9.7", "--minimum-effect", "3"}, "spec.analysis.minimumEffect"},
		"too many blocks":        {[]string{"--target", "MySQL:9.7", "--blocks", "401"}, "spec.design.blocks"},
		"too long":               {[]string{"--target", "a=MySQL:9.7", "--target", "b=MySQL:9.7", "--target", "c=MySQL:9.7", "--blocks", "100", "--duration", "10000s"}, "spec.deadline"},
	} {
		if out, _, err := made(t, "", tt.args...); err == nil || !strings.Contains(err.Error(), tt.says) || out != "" {
			t.Errorf("%s: error %v, want %q\n%s", what, err, tt.says, out)
		}
	}
}
