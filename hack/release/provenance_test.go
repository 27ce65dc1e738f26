package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Who reads the provenance finds the commit, the workflow and the run, and none is made without them.
func TestProvenance(t *testing.T) {
	variables := map[string]string{
		"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "o/r", "GITHUB_REF": "refs/tags/v1.2.3", "GITHUB_SHA": "abc",
		"GITHUB_EVENT_NAME": "push", "GITHUB_WORKFLOW_REF": "o/r/.github/workflows/release.yaml@refs/tags/v1.2.3",
		"GITHUB_RUN_ID": "7", "GITHUB_RUN_ATTEMPT": "2", "RUNNER_ENVIRONMENT": "github-hosted",
	}
	get := func(name string) string { return variables[name] }
	text, err := provenance(get)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"buildDefinition": map[string]any{
			"buildType": buildType,
			"externalParameters": map[string]any{"workflow": map[string]any{
				"repository": "https://github.com/o/r", "ref": "refs/tags/v1.2.3", "path": ".github/workflows/release.yaml",
			}},
			"internalParameters": map[string]any{"github": map[string]any{"event_name": "push", "runner_environment": "github-hosted"}},
			"resolvedDependencies": []any{map[string]any{
				"uri": "git+https://github.com/o/r@refs/tags/v1.2.3", "digest": map[string]any{"gitCommit": "abc"},
			}},
		},
		"runDetails": map[string]any{
			"builder":  map[string]any{"id": "https://github.com/o/r/.github/workflows/release.yaml@refs/tags/v1.2.3"},
			"metadata": map[string]any{"invocationId": "https://github.com/o/r/actions/runs/7/attempts/2"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for name := range variables {
		without := func(asked string) string {
			if asked == name {
				return ""
			}
			return variables[asked]
		}
		if _, err := provenance(without); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// The answers are GitHub's, cut to what is read and one more field.
func TestProtected(t *testing.T) {
	const reviewers = `{"id": 1, "type": "required_reviewers", "prevent_self_review": false, "reviewers": [{"type": "User", "reviewer": {"login": "octocat"}}]}`
	const tags = `{"protected_branches": false, "custom_branch_policies": true}`
	for name, tt := range map[string]struct{ text, err string }{
		"somebody is asked, for tags": {`{"name": "release", "protection_rules": [{"type": "branch_policy"}, ` + reviewers + `], "deployment_branch_policy": ` + tags + `}`, ""},
		"as GitHub makes it":          {`{"name": "release", "protection_rules": [], "deployment_branch_policy": null}`, "no required reviewers"},
		"it only waits":               {`{"name": "release", "protection_rules": [{"type": "wait_timer", "wait_timer": 30}], "deployment_branch_policy": ` + tags + `}`, "no required reviewers"},
		"a list of nobody":            {`{"name": "release", "protection_rules": [{"type": "required_reviewers", "reviewers": []}], "deployment_branch_policy": ` + tags + `}`, "no required reviewers"},
		"every branch":                {`{"name": "release", "protection_rules": [` + reviewers + `], "deployment_branch_policy": null}`, "does not name the tags"},
		"protected branches":          {`{"name": "release", "protection_rules": [` + reviewers + `], "deployment_branch_policy": {"protected_branches": true, "custom_branch_policies": false}}`, "does not name the tags"},
		"an error":                    {`{"message": "Not Found"}`, "no required reviewers"},
		"no JSON":                     {``, "reading what GitHub says"},
	} {
		err := protected([]byte(tt.text))
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%s: %v, want %q", name, err, tt.err)
		}
	}
}
