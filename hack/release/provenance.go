package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// buildType names the meaning of the parameters: those of a workflow of GitHub, as its own attestations have them.
const buildType = "https://actions.github.io/buildtypes/workflow/v1"

// object of JSON.
type object map[string]any

// provenance says from what and by whom files were built, as the predicate of SLSA 1.0, from the variables that GitHub sets in a
// workflow. Each of them has to be there.
func provenance(variable func(string) string) ([]byte, error) {
	missing := []string{}
	get := func(name string) string {
		value := variable(name)
		if value == "" {
			missing = append(missing, name)
		}
		return value
	}
	home := get("GITHUB_SERVER_URL") + "/" + get("GITHUB_REPOSITORY")
	workflow := get("GITHUB_WORKFLOW_REF")
	path, _, _ := strings.Cut(strings.TrimPrefix(workflow, get("GITHUB_REPOSITORY")+"/"), "@")
	predicate := object{
		"buildDefinition": object{
			"buildType":          buildType,
			"externalParameters": object{"workflow": object{"repository": home, "ref": get("GITHUB_REF"), "path": path}},
			"internalParameters": object{"github": object{"event_name": get("GITHUB_EVENT_NAME"), "runner_environment": get("RUNNER_ENVIRONMENT")}},
			"resolvedDependencies": []object{{
				"uri":    "git+" + home + "@" + get("GITHUB_REF"),
				"digest": object{"gitCommit": get("GITHUB_SHA")},
			}},
		},
		"runDetails": object{
			"builder":  object{"id": get("GITHUB_SERVER_URL") + "/" + workflow},
			"metadata": object{"invocationId": home + "/actions/runs/" + get("GITHUB_RUN_ID") + "/attempts/" + get("GITHUB_RUN_ATTEMPT")},
		},
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("no provenance without the variables %s: only a workflow has them", strings.Join(missing, ", "))
	}
	text, err := json.MarshalIndent(predicate, "", "  ")
	return append(text, '\n'), err
}
