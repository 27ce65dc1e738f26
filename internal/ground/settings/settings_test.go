package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestParseSettings(t *testing.T) {
	tests := map[string]struct {
		data map[string]string
		want []contract.Setting
	}{
		"nothing gives nothing": {nil, nil},
		"a key is a name, and its data the value": {
			map[string]string{"innodb-buffer-pool-size": "8G\n", "skip-log-bin": "", "sql_mode": `""`},
			[]contract.Setting{{Name: "innodb_buffer_pool_size", Value: "8G"}, {"skip_log_bin", ""}, {"sql_mode", "''"}},
		},
		"the server's groups of a file are read, other programs' are not": {
			map[string]string{"my.cnf": "# mine\n[client]\nport=1\n[mysqld]\nkey_buffer_size = 1M\n; more\n[server] # too\nskip-log-bin\n" +
				"[mysqldump]\nquick\n[mariadb]\naria_sync_log_dir=ALWAYS\n[ mariadbd ]\ndebug_no_sync = 1\n"},
			[]contract.Setting{{Name: "key_buffer_size", Value: "1M"}, {"skip_log_bin", ""}, {"aria_sync_log_dir", "ALWAYS"}, {"debug_no_sync", "1"}},
		},
		"a single key comes after the files, whatever its name": {
			map[string]string{"a": "1", "b.cnf": "[mysqld]\na=2\n"},
			[]contract.Setting{{Name: "a", Value: "2"}, {"a", "1"}},
		},
		"quotes, escapes and comments are read as servers do": {
			map[string]string{"my.cnf": "[mysqld]\r\n" +
				"a = plain # comment\r\n" +
				"b = 'one # two' # three\n" +
				`c = "a\"b\\c\nd\te\sf\qg"` + "\n" +
				"d = it's\n" +
				"e = ''\n" +
				"f = a=b\n" +
				"g =   \n" +
				`h = '\'#'` + "\n"},
			[]contract.Setting{
				{"a", "plain"}, {"b", "one # two"}, {"c", "a\"b\\c\nd\te f\\qg"}, {"d", "it's"}, {"e", "''"}, {"f", "a=b"},
				{"g", "''"}, {"h", "'#"},
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(tc.data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseSettingsRefuses(t *testing.T) {
	tests := map[string]struct {
		file string
		want []string
	}{
		"an include":                       {"[mysqld]\n!includedir /etc/mysql/conf.d/\n", []string{"x.cnf, line 2: !includedir is not supported"}},
		"an option before every group":     {"a=1\n", []string{"x.cnf, line 1: an option before the first group"}},
		"a group that is not closed":       {"[mysqld\n", []string{`line 1: "[mysqld" is not a group`}},
		"a group with something behind it": {"[mysqld] a=1\n", []string{"line 1"}},
		"a group for one version":          {"[mysqld-8.0]\na=1\n", []string{"line 1: the group [mysqld-8.0] is for one version"}},
		"what is not a name":               {"[mysqld]\nset-variable foo\n = 3\n", []string{`line 2: "set_variable foo"`, `line 3: ""`}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(map[string]string{"x.cnf": tc.file})
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
		})
	}
}

func TestMerge(t *testing.T) {
	tests := map[string]struct {
		lists [][]contract.Setting
		want  []contract.Setting
	}{
		"nothing gives nothing": {nil, nil},
		"a later setting replaces an earlier one and takes its own place": {
			[][]contract.Setting{{{Name: "a-b", Value: "1"}, {"c", "2"}}, {{Name: "a_b", Value: "3"}}},
			[]contract.Setting{{Name: "c", Value: "2"}, {"a_b", "3"}},
		},
		"loose_ is kept, and makes no other name": {
			[][]contract.Setting{{{Name: "loose_a", Value: "1"}, {"b", "1"}}, {{Name: "a", Value: "2"}, {"loose-b", "2"}}},
			[]contract.Setting{{Name: "a", Value: "2"}, {"loose_b", "2"}},
		},
		"two spellings of one option keep their order": {
			[][]contract.Setting{{{Name: "log_bin", Value: "x"}}, {{Name: "skip_log_bin", Value: ""}}},
			[]contract.Setting{{Name: "log_bin", Value: "x"}, {"skip_log_bin", ""}},
		},
		"plugins to load are collected": {
			[][]contract.Setting{{{Name: "plugin_load_add", Value: "a"}, {"plugin_load_add", "b"}}, {{Name: "plugin_load_add", Value: "a"}}},
			[]contract.Setting{{Name: "plugin_load_add", Value: "b"}, {"plugin_load_add", "a"}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Merge(tc.lists...)); diff != "" {
				t.Errorf("merged (-want +got):\n%s", diff)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	owned := map[string]string{"datadir": "a volume", "networking": "clients", "skip_log": "x"}
	tests := map[string]struct {
		setting contract.Setting
		want    string
	}{
		"an ordinary setting passes":             {contract.Setting{Name: "innodb_buffer_pool_size", Value: "8G"}, ""},
		"a setting of a component passes":        {contract.Setting{Name: "validate_password.policy", Value: "LOW"}, ""},
		"a name that only begins alike passes":   {contract.Setting{Name: "datadir_x", Value: ""}, ""},
		"a value with line breaks passes":        {contract.Setting{Name: "init_connect", Value: "a\nb"}, ""},
		"an owned setting":                       {contract.Setting{Name: "datadir", Value: "/x"}, "config.datadir: set by Assay (a volume): remove it"},
		"an owned setting with dashes and loose": {contract.Setting{Name: "loose-DataDir", Value: "/x"}, "set by Assay (a volume)"},
		"an owned setting that is switched off":  {contract.Setting{Name: "loose_skip_networking", Value: ""}, "set by Assay (clients)"},
		"a name with a line break":               {contract.Setting{Name: "a\nb", Value: ""}, "not the name of an option"},
		"no name":                                {contract.Setting{Name: "", Value: "x"}, "not the name of an option"},
		"a value with a NUL":                     {contract.Setting{Name: "a", Value: "x\x00"}, "control character 0x00"},
		"a value that is longer than a line":     {contract.Setting{Name: "a", Value: strings.Repeat("x", 1901)}, "1901 bytes"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			refusals := Validate(owned, "config", []contract.Setting{tc.setting})
			if tc.want == "" {
				if len(refusals) > 0 {
					t.Errorf("refused: %v", refusals)
				}
				return
			}
			if len(refusals) != 1 || !strings.Contains(refusals[0].Error(), tc.want) {
				t.Errorf("got %v, want one refusal with %q", refusals, tc.want)
			}
		})
	}
	all := Validate(owned, "config", []contract.Setting{{Name: "datadir", Value: ""}, {"a", "1"}, {"", ""}})
	if len(all) != 2 {
		t.Errorf("got %d refusals, want all 2: %v", len(all), all)
	}
}

// FuzzParseSettings: what is read and written again reads the same, and no value
// leaves its line.
func FuzzParseSettings(f *testing.F) {
	f.Add("[mysqld]\na=1\n", "b", "2")
	f.Add("[server]\nskip-x\ny = 'it''s # fine' # no\n", "init_connect", "a\nb\\\"'#;[x]")
	f.Add("!include x\n[mysqld", "", "''")
	f.Add("[mysqld]\nx = \"\\\\\"\n", "a.b", "\t\\s")
	f.Fuzz(func(t *testing.T, file, name, value string) {
		settings, err := Parse(map[string]string{"a.cnf": file, name: value})
		if err != nil {
			return
		}
		var valid []contract.Setting
		for _, s := range settings {
			if check(nil, s) == nil {
				valid = append(valid, s)
			}
		}
		text := string(Render("by a test\n[client]", valid))
		if got, want := strings.Count(text, "\n"), len(valid)+2; got != want {
			t.Fatalf("%d lines for %d settings:\n%s", got, len(valid), text)
		}
		again, err := Parse(map[string]string{"a.cnf": text})
		if err != nil {
			t.Fatalf("reading what was written: %v\n%s", err, text)
		}
		if diff := cmp.Diff(valid, again); diff != "" {
			t.Errorf("round trip (-want +got):\n%s\n%s", diff, text)
		}
	})
}
