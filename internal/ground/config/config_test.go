package config

import (
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	const images = "agent: {image: a}\nrunners: {sysbench: {image: s}}\nengines: {MySQL: {\"9.7\": {image: m}}}\n"
	tests := map[string]struct {
		yaml    string
		wantErr string
	}{
		"images alone are enough":                  {yaml: images},
		"a limit can be set":                       {yaml: images + "timeouts: {imagePull: 3s}\n"},
		"an unknown field is refused":              {yaml: images + "agnet: {}\n", wantErr: "agnet"},
		"the agent's image is needed":              {yaml: "runners: {}\n", wantErr: "agent.image"},
		"a timeout must be positive":               {yaml: images + "timeouts: {load: 0s}\n", wantErr: "timeouts.load"},
		"an entry without an image is named":       {yaml: "agent: {image: a}\nengines: {MySQL: {\"8.4\": {}}}\n", wantErr: `engines.MySQL["8.4"]`},
		"a runner without an image is named":       {yaml: "agent: {image: a}\nrunners: {ycsb: {}}\n", wantErr: "runners.ycsb"},
		"an egress that does not exist is refused": {yaml: images + "pods: {network: {egress: Closed}}\n", wantErr: "pods.network.egress"},
		"a rule is one of Kubernetes":              {yaml: images + "pods: {network: {clients: [{form: []}]}}\n", wantErr: "form"},
		"a limit below the request is refused":     {yaml: images + "pods: {disk: {client: {limit: 1Mi}}}\n", wantErr: "pods.disk.client.limit"},
		"space without a request is refused":       {yaml: images + "pods: {disk: {target: {request: 0}}}\n", wantErr: "pods.disk.target.request"},
		"a number in place of a time is told":      {yaml: images + "timeouts: {load: 5}\n", wantErr: "configuration"},
		"a limit of size can be set":               {yaml: images + "limits: {cells: 20000, workBytes: 128Mi}\n"},
		"a limit out of its range is refused":      {yaml: images + "limits: {specBytes: 2Mi}\n", wantErr: "limits.specBytes must be between 4Ki and 512Ki"},
		"no limit can be turned off":               {yaml: images + "limits: {cells: 0}\n", wantErr: "limits.cells"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := Parse([]byte(tt.yaml))
			switch {
			case tt.wantErr == "" && err != nil:
				t.Fatalf("unexpected error: %v", err)
			case tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)):
				t.Fatalf("error = %v, want one that names %q", err, tt.wantErr)
			case tt.wantErr == "" && c.Timeouts.Scheduling.Duration != 5*time.Minute:
				t.Errorf("the default of an unset timeout is lost: %v", c.Timeouts.Scheduling)
			}
		})
	}
}
