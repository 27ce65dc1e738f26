package output

// ExplanationVersion names the format of Explanation. A reader refuses any other.
const ExplanationVersion = "assay.dev/cli/explanation/v1"

// Explanation of a name: `explain -o json`.
type Explanation struct {
	// Version is always ExplanationVersion.
	Version string `json:"version"`
	// Kind is reason, check, verdict, field, or what else the word is, such as phase.
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	// Who is to act on a reason.
	Who string `json:"who,omitempty"`
	// Severities that findings of a check can have.
	Severities []string `json:"severities,omitempty"`
	// Causes that are known, the most usual first.
	Causes []string `json:"causes,omitempty"`
	// Do says what to do, the first thing first.
	Do []string `json:"do,omitempty"`
	// Type of a field, and whether it is required.
	Type     string `json:"type,omitempty"`
	Required bool   `json:"required,omitempty"`
	// Default of a field as JSON.
	Default string `json:"default,omitempty"`
	// Values that a field can have.
	Values []string `json:"values,omitempty"`
	// Bounds of a field in words.
	Bounds string `json:"bounds,omitempty"`
	// Fields below a field.
	Fields []string `json:"fields,omitempty"`
	// Senses are further meanings of the word.
	Senses []Sense `json:"senses,omitempty"`
}

// Sense is a further meaning of a word.
type Sense struct {
	// Kind says what the word is, such as phase.
	Kind    string `json:"kind"`
	Meaning string `json:"meaning"`
}
