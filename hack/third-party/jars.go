package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// javaItself is the runtime, which is a package of Debian.
const javaItself = "opt/java/"

// jars of an image have to be those that hack/images pins, by name and checksum; those that were compiled here are ours.
func jars(all files, root string) ([]part, error) {
	var out []part
	for name, content := range all {
		if path.Ext(name) != ".jar" || strings.HasPrefix(name, javaItself) {
			continue
		}
		entries, own, err := unpack(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if own {
			continue
		}
		p, err := pinnedJar(root, path.Base(name), content)
		if err != nil {
			return nil, err
		}
		p.texts, p.license = entries.licenses("META-INF"), ""
		for file, text := range entries {
			if isLicense(file) && !strings.Contains(file, "/") {
				p.texts[file] = text
			}
			if strings.HasSuffix(file, "/"+p.name[strings.LastIndex(p.name, ":")+1:]+"/pom.xml") {
				p.license = licenseOfPom(text)
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// unpack the licenses and descriptions of a jar, and tell whether it is of this repository.
func unpack(content string) (entries files, own bool, err error) {
	archive, err := zip.NewReader(strings.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, false, err
	}
	entries = files{}
	for _, file := range archive.File {
		if strings.HasPrefix(file.Name, "dev/assay/") {
			return nil, true, nil
		}
		if !isLicense(file.Name) && path.Base(file.Name) != "pom.xml" || file.FileInfo().IsDir() {
			continue
		}
		in, err := file.Open()
		if err != nil {
			return nil, false, err
		}
		text, err := io.ReadAll(in)
		if err != nil {
			return nil, false, err
		}
		entries[file.Name] = string(text)
	}
	return entries, false, nil
}

// The files from Maven Central: what Dependabot renews, what stays as it was, and the checksums of both.
const (
	renewed     = "hack/images/pom.xml"
	repetitions = "hack/images/repetitions/pom.xml"
	checksums   = "hack/images/maven.txt"
)

// pinnedJar finds the coordinates of a jar.
func pinnedJar(root, name, content string) (part, error) {
	sum := sha256.Sum256([]byte(content))
	table, err := os.ReadFile(filepath.Join(root, checksums))
	if err != nil {
		return part{}, err
	}
	if !strings.Contains(string(table), " "+name+" ") || !strings.Contains(string(table), hex.EncodeToString(sum[:])) {
		return part{}, fmt.Errorf("the image has %s, which %s does not pin", name, checksums)
	}
	for _, file := range []string{renewed, repetitions} {
		items, err := itemsOf(filepath.Join(root, file))
		if err != nil {
			return part{}, err
		}
		for _, i := range items {
			if i.Artifact+"-"+i.Version+".jar" == name {
				return part{kind: "maven", name: i.Group + ":" + i.Artifact, version: i.Version}, nil
			}
		}
	}
	return part{}, fmt.Errorf("the image has %s, which neither %s nor %s names", name, renewed, repetitions)
}

// item is a file from Maven Central.
type item struct {
	Group    string `xml:"groupId"`
	Artifact string `xml:"artifactId"`
	Version  string `xml:"version"`
}

// itemsOf a pom.xml that copies files.
func itemsOf(file string) ([]item, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var pom struct {
		Items []item `xml:"build>plugins>plugin>executions>execution>configuration>artifactItems>artifactItem"`
	}
	if err := xml.Unmarshal(text, &pom); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return pom.Items, nil
}

// licenseOfPom is what a pom.xml says of licenses, in its own words; a parent that says it is not asked.
func licenseOfPom(text string) string {
	var pom struct {
		Names []string `xml:"licenses>license>name"`
	}
	if err := xml.Unmarshal([]byte(text), &pom); err != nil {
		return "" // then a text has to say it, or saidElsewhere
	}
	return strings.Join(pom.Names, ", ")
}
