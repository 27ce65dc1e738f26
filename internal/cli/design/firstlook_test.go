package design

import (
	"cmp"
	"os"
	"strings"
	"testing"
	"time"
)

// The page shows what the command prints.
func TestFirstLookIsThatOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/guide/first-look.md")
	if err != nil {
		t.Fatal(err)
	}
	got, err := FirstLook([]string{"mysql:9.7", "mariadb:11.8"}, "sysbench", 5*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```yaml\n"+got+"```") {
		t.Errorf("docs/guide/first-look.md does not have the manifest of the command:\n%s", got)
	}
}

func TestFirstLook(t *testing.T) {
	for name, tt := range map[string]struct {
		targets  []string
		tool     string
		within   time.Duration // a minute unless it is given
		has, err string
	}{
		"one server":        {targets: []string{"mysql:8.4"}, tool: "sysbench", has: "design: {blocks: 3, warmup: 2s, duration: 5s}"},
		"settings":          {targets: []string{"a=mysql:8.4,max_connections=500", "b=mysql:8.4"}, tool: "sysbench", within: 5 * time.Minute, has: `config: {max_connections: "500"}`},
		"another tool":      {targets: []string{"mysql:8.4"}, tool: "tpcc", has: "tpcc: {"},
		"many measurements": {targets: []string{"mysql:8.4"}, tool: "drivers", has: "warmup: 1s, duration: 3s"},
		"too short":         {targets: []string{"mysql:8.4", "mariadb:11.8"}, tool: "sysbench", err: "has no room for the 6 blocks"},
		"no server":         {tool: "sysbench", err: "name a server"},
		"no such flavor":    {targets: []string{"mysq:8.4"}, tool: "sysbench", err: "did you mean MySQL?"},
		"no such tool":      {targets: []string{"mysql:8.4"}, tool: "sysbnch", err: "did you mean sysbench?"},
		"two of one name":   {targets: []string{"mysql:8.4", "mysql:8.4"}, tool: "sysbench", err: "mysql-8-4"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := FirstLook(tt.targets, tt.tool, cmp.Or(tt.within, time.Minute))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil || !strings.Contains(got, tt.has) {
				t.Errorf("%v; it lacks %q:\n%s", err, tt.has, got)
			}
		})
	}
}
