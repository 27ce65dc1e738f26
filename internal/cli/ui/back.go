package ui

import (
	"bytes"
	"errors"
	"html/template"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// backTemplate is what a report has above its own head in these pages: a report by itself leads nowhere.
var backTemplate = template.Must(template.New("back").Parse(`<nav aria-label="Pages"><ul>
<li><a href="/?namespace={{.Namespace}}">Runs</a></li>
<li><a href="/run/{{.Namespace}}/{{.Name}}">This run</a></li>
<li><a href="/compare?namespace={{.Namespace}}&amp;run={{.Namespace}}/{{.Name}}">Compare</a></li>
</ul></nav>
`))

// begin of the content of a report. Everything before it is of the report's template: texts of others are escaped.
var begin = []byte("<main>\n")

// withWayBack is a report with links to the pages around it. It fails for a page that is not one of package report.
func withWayBack(report []byte, run client.ObjectKey) ([]byte, error) {
	head, content, ok := bytes.Cut(report, begin)
	if !ok {
		return nil, errors.New("the report has no place for the links to the other pages")
	}
	var links bytes.Buffer
	if err := backTemplate.Execute(&links, run); err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{head, begin, links.Bytes(), content}, nil), nil
}
