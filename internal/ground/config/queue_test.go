package config

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestQueue(t *testing.T) {
	const images = "agent: {image: a}\n"
	const rules = images + `
queue:
  bounds: {runs: 3}
  rules:
  - {namespaces: [perf], priority: {min: 0, max: 500}}
  - {namespaces: [team-*, perf], nodes: 4, runs: 0}
`
	tests := map[string]struct{ yaml, namespace, want string }{
		"without configuration":             {images, "any", "-1000 to 10, 0 nodes, 0 runs"},
		"bounds of all":                     {images + "queue: {bounds: {priority: {min: -5, max: 5}}}\n", "any", "-5 to 5, 0 nodes, 0 runs"},
		"a namespace without a rule":        {rules, "any", "-1000 to 10, 0 nodes, 3 runs"},
		"the first rule counts":             {rules, "perf", "0 to 500, 0 nodes, 3 runs"},
		"a pattern":                         {rules, "team-a", "-1000 to 10, 4 nodes, 0 runs"},
		"a pattern that does not match":     {rules, "my-team-a", "-1000 to 10, 0 nodes, 3 runs"},
		"a range upside down":               {images + "queue: {bounds: {priority: {min: 5, max: 4}}}\n", "", "queue.bounds.priority"},
		"a priority that the API has not":   {images + "queue: {rules: [{namespaces: [a], priority: {min: 0, max: 1001}}]}\n", "", "queue.rules[0].priority"},
		"a negative limit":                  {images + "queue: {bounds: {nodes: -1}}\n", "", "queue.bounds.nodes"},
		"a deadline of none":                {images + "queue: {bounds: {deadline: 0s}}\n", "", "queue.bounds.deadline"},
		"a deadline that the API has not":   {images + "queue: {rules: [{namespaces: [a], deadline: 721h}]}\n", "", "queue.rules[0].deadline"},
		"a rule for nobody":                 {images + "queue: {rules: [{runs: 1}]}\n", "", "queue.rules[0].namespaces"},
		"a pattern that is none":            {images + "queue: {rules: [{namespaces: ['[a']}]}\n", "", `"[a" is no pattern`},
		"a bound that is null":              {images + "queue: {bounds: {runs: null}}\n", "", "queue.bounds needs"},
		"a negative hold":                   {images + "queue: {hold: {suspended: -1s}}\n", "", "queue.hold.suspended"},
		"a field that does not exist":       {images + "queue: {bounds: {pods: 1}}\n", "", "pods"},
		"a field of a rule that is unknown": {images + "queue: {rules: [{namespaces: [a], pods: 1}]}\n", "", "pods"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := Parse([]byte(tt.yaml))
			if tt.namespace == "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want one that names %s", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			b := c.Queue.For(tt.namespace)
			if got := fmt.Sprintf("%d to %d, %d nodes, %d runs", b.Priority.Min, b.Priority.Max, *b.Nodes, *b.Runs); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.namespace, got, tt.want)
			}
			if c.Queue.Hold.Suspended.Duration != time.Hour || c.Queue.Hold.Retained.Duration != 24*time.Hour {
				t.Errorf("the defaults of hold are lost: %+v", c.Queue.Hold)
			}
		})
	}
}

func TestDeadlinesOfANamespace(t *testing.T) {
	c, err := Parse([]byte("agent: {image: a}\nqueue: {rules: [{namespaces: [perf-*], deadline: 168h}, {namespaces: [team], nodes: 1}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for namespace, want := range map[string]time.Duration{"perf-1": 168 * time.Hour, "team": 720 * time.Hour, "other": 720 * time.Hour} {
		if got := c.Queue.For(namespace).Deadline.Duration; got != want {
			t.Errorf("%s: %s, want %s", namespace, got, want)
		}
	}
}
