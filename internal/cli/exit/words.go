package exit

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/internal/ground/nearest"
)

// usageError is a command line that is wrong.
type usageError struct {
	text string
	// of is the command that was called.
	of *cobra.Command
}

// Error says what is wrong, and how the command is called.
func (e usageError) Error() string {
	line := e.of.UseLine()
	if !e.of.Runnable() {
		line = e.of.CommandPath() + " COMMAND"
	}
	return fmt.Sprintf("%s\nusage: %s\n%s --help has all of it", e.text, line, e.of.CommandPath())
}

// UnknownCommand is the error for a word that a group of commands, such as baseline, does not have; nil for other command lines.
// The library would print the help of the group, and succeed.
func UnknownCommand(root *cobra.Command, args []string) error {
	cmd, rest, err := root.Find(args)
	if err != nil || cmd.Runnable() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
		return nil
	}
	return usageError{unknownCommand(cmd, []string{"", rest[0]}), cmd}
}

// InWords is an error of the libraries in words that say what to do: of the one that reads the command line, and of the one that
// speaks with the API server. Other errors stay as they are.
func InWords(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	for _, u := range usages {
		if found := u.says.FindStringSubmatch(err.Error()); found != nil {
			return usageError{u.words(cmd, found), cmd}
		}
	}
	return ofServer(err)
}

// usage is an error of the library that reads the command line, from its beginning, and the words for it.
type usage struct {
	says  *regexp.Regexp
	words func(cmd *cobra.Command, found []string) string
}

var usages = []usage{
	{regexp.MustCompile(`^required flag\(s\) (.+) not set$`), func(_ *cobra.Command, found []string) string {
		return "missing: " + dashed(strings.NewReplacer(`"`, "", ",", "").Replace(found[1]), " and ")
	}},
	{regexp.MustCompile(`^at least one of the flags in the group \[(.+)\] is required$`), func(_ *cobra.Command, found []string) string {
		return "missing: " + dashed(found[1], " or ")
	}},
	{regexp.MustCompile(`^if any flags in the group .*; \[(.+)\] were all set$`), func(_ *cobra.Command, found []string) string {
		return "give only one of " + dashed(found[1], " and ")
	}},
	{regexp.MustCompile(`^(accepts|requires) .*received (\d+)$`), func(cmd *cobra.Command, found []string) string {
		_, takes, _ := strings.Cut(cmd.Use, " ")
		if found[1] == "requires" || found[2] == "0" {
			return "missing: " + takes
		}
		return fmt.Sprintf("%s arguments, and it takes only %s", found[2], takes)
	}},
	{regexp.MustCompile(`^unknown command "(.*)" for "`), unknownCommand},
	{regexp.MustCompile(`^unknown flag: --(.*)$`), func(cmd *cobra.Command, found []string) string {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := nearest.To(found[1], names); near != "" {
			return fmt.Sprintf("there is no option --%s: did you mean --%s?", found[1], near)
		}
		return "there is no option --" + found[1]
	}},
	{regexp.MustCompile(`^unknown shorthand flag: '(.)' in`), func(_ *cobra.Command, found []string) string { return "there is no option -" + found[1] }},
	{regexp.MustCompile(`^flag needs an argument: (?:'(.)' in -.*|--(.*))$`), func(_ *cobra.Command, found []string) string {
		return "missing: the value behind " + strings.TrimSuffix("-"+found[1], "-") + strings.TrimSuffix("--"+found[2], "--")
	}},
	{regexp.MustCompile(`^invalid argument "(.*)" for "(?:-., )?--(.+)" flag: (.*)$`), wrongValue},
}

// dashed are names of options between spaces.
func dashed(names, between string) string {
	return "--" + strings.Join(strings.Fields(names), between+"--")
}

// unknownCommand is a word for a command that there is none of, or one behind a command that takes none.
func unknownCommand(cmd *cobra.Command, found []string) string {
	var names []string
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
		}
	}
	switch near := nearest.To(found[1], names); {
	case len(names) == 0:
		return fmt.Sprintf("%s takes no argument, and has %q", cmd.CommandPath(), found[1])
	case near != "":
		return fmt.Sprintf("there is no command %q: did you mean %s?", found[1], near)
	}
	return fmt.Sprintf("there is no command %q: use one of %s", found[1], strings.Join(names, ", "))
}

// values are kinds of values of options, with an example.
var values = map[string]string{
	"duration": "a time such as 90s, 5m or 2h", "int": "a whole number", "int32": "a whole number", "uint16": "a whole number of at most 65535", "bool": "true or false",
}

func wrongValue(cmd *cobra.Command, found []string) string {
	needs := found[3]
	if f := cmd.Flags().Lookup(found[2]); f != nil && values[f.Value.Type()] != "" {
		needs = "it needs " + values[f.Value.Type()]
	}
	return fmt.Sprintf("--%s %q: %s", found[2], found[1], needs)
}

// ofServer are the words for what the API server, or the way to it, has said.
func ofServer(err error) error {
	var way *url.Error
	switch {
	case apimeta.IsNoMatchError(err) || strings.Contains(err.Error(), "the server could not find the requested resource"):
		return fmt.Errorf("the cluster does not know the objects of Assay: it is not installed there, or the context is that of another cluster (kubectl config current-context): %w", err)
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the cluster does not accept your credentials: log in again, or choose another context: %w", err)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("%w\nAsk for this right, or for the role view or edit of the namespace: the chart adds Assay's objects to these", err)
	case errors.As(err, &way):
		at, parsed := url.Parse(way.URL)
		if parsed != nil {
			return err
		}
		return fmt.Errorf("the API server %s://%s cannot be reached: is the cluster there, and is the context the right one (kubectl config current-context)? %w", at.Scheme, at.Host, way.Err)
	}
	return err
}
