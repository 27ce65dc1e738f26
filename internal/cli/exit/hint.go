package exit

import "regexp"

// hints are errors of the API server, and of the same checks without one, that do not say what to do.
var hints = []struct {
	says *regexp.Regexp
	do   string
}{
	{regexp.MustCompile(`must be of type string: "(number|integer|boolean)"|expected string, got &value`), `write it in quotes, such as "9.7": without them it is no text in YAML`},
	{regexp.MustCompile(`field not declared in schema`), "the API has no such field: kubectl assay plan -f FILE names all fields that are wrong, and kubectl assay explain spec those that there are"},
}

// hinted is the text of an error, with what to do about it where that is known.
func hinted(text string) string {
	for _, h := range hints {
		if h.says.MatchString(text) {
			text += "\n" + h.do
		}
	}
	return text
}
