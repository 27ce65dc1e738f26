package output

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

// Format is what the flag -o says.
type Format string

// Formats: Table is for people, JSON and YAML are one document with a version, for programs. Name prints the kind and the name only,
// as kubectl does, where a command has it.
const (
	Table Format = "table"
	JSON  Format = "json"
	YAML  Format = "yaml"
	Name  Format = "name"
)

// formats of every command with a document.
var formats = []string{string(Table), string(JSON), string(YAML)}

// AddTo a command: the flag -o.
func (f *Format) AddTo(cmd *cobra.Command) { f.addTo(cmd, formats) }

// AddNamedTo a command: the flag -o, which can be Name, too.
func (f *Format) AddNamedTo(cmd *cobra.Command) {
	f.addTo(cmd, append(slices.Clone(formats), string(Name)))
}

func (f *Format) addTo(cmd *cobra.Command, words []string) {
	*f = Table
	cmd.Flags().VarP(choice{(*string)(f), "format", words}, "output", "o", "format of the output: "+orWords(words))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) //nolint:errcheck // the flag exists
}

// FormatOf a text; it fails for what is no format of every document.
func FormatOf(text string) (f Format, err error) {
	return f, choice{(*string)(&f), "format", formats}.Set(text)
}

// choice is a flag with one of some words.
type choice struct {
	to *string
	// kind is the name of the values, for the help.
	kind  string
	words []string
}

// String is the word.
func (c choice) String() string { return *c.to }

// Type is the name of the values.
func (c choice) Type() string { return c.kind }

// Set refuses what is none of the words.
func (c choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		return fmt.Errorf("use %s", orWords(c.words))
	}
	*c.to = text
	return nil
}

// orWords are words with "or" before the last one.
func orWords(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// ForPrograms says whether the output is a document.
func (f Format) ForPrograms() bool { return f == JSON || f == YAML }

// Write a document; table prints it for people.
func (f Format) Write(out io.Writer, document any, table func(io.Writer) error) error {
	switch f {
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
