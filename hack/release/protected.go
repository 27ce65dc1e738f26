package main

import (
	"encoding/json"
	"fmt"
)

// protected refuses an environment, as GitHub's API describes it, in which a job starts without anybody's approval, or in which
// that of every branch may start. GitHub makes an environment without rules when a workflow is the first to name it.
func protected(text []byte) error {
	var environment struct {
		Name  string
		Rules []struct {
			Type      string
			Reviewers []struct{ Type string }
		} `json:"protection_rules"`
		Branches *struct {
			Protected bool `json:"protected_branches"`
			Custom    bool `json:"custom_branch_policies"`
		} `json:"deployment_branch_policy"`
	}
	if err := json.Unmarshal(text, &environment); err != nil {
		return fmt.Errorf("reading what GitHub says of the environment: %w", err)
	}
	reviewers := 0
	for _, rule := range environment.Rules {
		if rule.Type == "required_reviewers" {
			reviewers += len(rule.Reviewers)
		}
	}
	const remedy = "see docs/contributing/release.md"
	if reviewers == 0 {
		return fmt.Errorf("the environment %q has no required reviewers, so nobody was asked: %s", environment.Name, remedy)
	}
	if environment.Branches == nil || !environment.Branches.Custom {
		return fmt.Errorf("the environment %q does not name the tags that may use it: %s", environment.Name, remedy)
	}
	return nil
}
