package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema of SPDX 2.3, as its project publishes it (spdx/spdx-spec, schemas/spdx-schema.json of the release v2.3).
//
//go:embed spdx-2.3.schema.json
var schema []byte

// object and list of JSON.
type (
	object = map[string]any
	list   = []any
)

// noAssertion is SPDX's word for what is not said.
const noAssertion = "NOASSERTION"

// spdx is the list of packages of a subject, in the form of SPDX 2.3, as its schema has it.
func (s subject) spdx(parts []part) ([]byte, error) {
	packages := list{object{
		"SPDXID": "SPDXRef-Subject", "name": s.name, "versionInfo": s.version, "primaryPackagePurpose": s.purpose,
		"downloadLocation": noAssertion, "filesAnalyzed": false, "licenseDeclared": "Apache-2.0",
	}}
	relations := list{relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Subject")}
	for _, p := range parts {
		packages = append(packages, p.spdx())
		relations = append(relations, relation("SPDXRef-Subject", "CONTAINS", p.id()))
	}
	content, err := json.Marshal(packages)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	text, err := json.MarshalIndent(object{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": s.name,
		"documentNamespace": "https://github.com/assay-bench/assay/spdx/" + s.name + "-" + hex.EncodeToString(sum[:16]),
		"creationInfo":      object{"created": s.created.Format("2006-01-02T15:04:05Z"), "creators": list{"Organization: assay-bench", "Tool: assay-third-party"}},
		"packages":          packages, "relationships": relations,
	}, "", " ")
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), accepted(text)
}

func relation(from, how, to string) object {
	return object{"spdxElementId": from, "relationshipType": how, "relatedSpdxElement": to}
}

// accepted fails for what is no list of packages by the schema.
func accepted(text []byte) error {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return fmt.Errorf("reading the schema of SPDX: %w", err)
	}
	const name = "spdx-2.3.schema.json"
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, parsed); err != nil {
		return err
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		return err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	if err := compiled.Validate(document); err != nil {
		return fmt.Errorf("the list is none by the schema of SPDX: %w", err)
	}
	return nil
}

// spdx is a part as a package. What no expression of SPDX says is kept as a comment.
func (p part) spdx() object {
	out := object{
		"SPDXID": p.id(), "name": p.name, "versionInfo": p.version, "downloadLocation": noAssertion, "filesAnalyzed": false,
		"licenseDeclared": noAssertion,
		"externalRefs":    list{object{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": p.url()}},
	}
	switch {
	case isExpression(p.license):
		out["licenseDeclared"] = p.license
	case p.license != "":
		out["licenseComments"] = "As found in the package: " + p.license
	default:
		out["licenseComments"] = "See the texts of the package in the notices beside this list."
	}
	if p.source != "" {
		out["sourceInfo"] = "built from " + p.source
	}
	return out
}

var notInID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// id of a part in the document: readable, and another one for each part.
func (p part) id() string {
	sum := sha256.Sum256([]byte(p.String()))
	return "SPDXRef-" + notInID.ReplaceAllString(p.kind+"-"+p.name, "-") + "-" + hex.EncodeToString(sum[:4])
}

// url is the package URL of a part, by which scanners know it.
func (p part) url() string {
	name := p.name
	switch p.kind {
	case "golang":
		name = strings.ToLower(name) // as the specification has it
	case "deb":
		name = "debian/" + name
	case "pypi":
		name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	case "maven":
		name = strings.ReplaceAll(name, ":", "/")
	}
	segments := strings.Split(name, "/")
	for i, segment := range segments {
		segments[i] = encoded(segment)
	}
	out := "pkg:" + p.kind + "/" + strings.Join(segments, "/") + "@" + encoded(p.version)
	if p.qualifiers != "" {
		out += "?" + p.qualifiers
	}
	return out
}

// encoded as package URLs want it: more than a path, but not a colon.
func encoded(text string) string {
	return strings.NewReplacer("@", "%40", "+", "%2B").Replace(url.PathEscape(text))
}
