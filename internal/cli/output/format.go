package output

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

// Format is what the flag -o says.
type Format string

// Formats.
const (
	// Table is for people.
	Table Format = "table"
	// JSON and YAML are one document with a version, for programs.
	JSON Format = "json"
	YAML Format = "yaml"
)

// AddTo a command: the flag -o.
func (f *Format) AddTo(cmd *cobra.Command) {
	*f = Table
	cmd.Flags().VarP(f, "output", "o", "format of the output: table, json or yaml")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]cobra.Completion{string(Table), string(JSON), string(YAML)}, cobra.ShellCompDirectiveNoFileComp)) //nolint:errcheck // the flag exists
}

// Name prints the kind and the name only, as kubectl does: of Named.
const Name Format = "name"

// Named is a format that can be Name, too.
type Named struct{ Format }

// AddTo a command: the flag -o.
func (n *Named) AddTo(cmd *cobra.Command) {
	n.Format = Table
	cmd.Flags().VarP(n, "output", "o", "format of the output: table, json, yaml or name")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]cobra.Completion{string(Table), string(JSON), string(YAML), string(Name)}, cobra.ShellCompDirectiveNoFileComp)) //nolint:errcheck // the flag exists
}

// Set refuses what is no format.
func (n *Named) Set(text string) error {
	if Format(text) == Name {
		n.Format = Name
		return nil
	}
	if n.Format.Set(text) != nil {
		return fmt.Errorf("use %s, %s, %s or %s", Table, JSON, YAML, Name)
	}
	return nil
}

// String is the format.
func (f *Format) String() string { return string(*f) }

// Type is the name of the values, for the help.
func (f *Format) Type() string { return "format" }

// Set refuses what is no format.
func (f *Format) Set(text string) error {
	switch Format(text) {
	case Table, JSON, YAML:
		*f = Format(text)
		return nil
	}
	return fmt.Errorf("use %s, %s or %s", Table, JSON, YAML)
}

// ForPrograms says whether the output is a document.
func (f *Format) ForPrograms() bool { return *f == JSON || *f == YAML }

// Write a document; table prints it for people.
func (f *Format) Write(out io.Writer, document any, table func(io.Writer) error) error {
	switch *f {
	case JSON:
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(document)
	case YAML:
		data, err := yaml.Marshal(document)
		if err != nil {
			return fmt.Errorf("writing YAML: %w", err)
		}
		_, err = out.Write(data)
		return err
	}
	return table(out)
}
