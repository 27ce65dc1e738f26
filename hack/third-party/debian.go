package main

import (
	"fmt"
	"net/url"
	"strings"
)

// debian has the packages of Debian that the records of an image name, each with its copyright file.
func debian(all files) ([]part, error) {
	release := fieldsOf(strings.ReplaceAll(all["etc/os-release"], "=", ": "))
	var out []part
	for record := range strings.SplitSeq(strings.TrimSpace(all["var/lib/dpkg/status"]), "\n\n") {
		if record == "" {
			continue
		}
		f := fieldsOf(record)
		name := f["Package"]
		copyright, is := all["usr/share/doc/"+name+"/copyright"]
		if !is {
			return nil, fmt.Errorf("the image has the package %s of Debian, and not its file usr/share/doc/%s/copyright", name, name)
		}
		if release["ID"] == "" {
			return nil, fmt.Errorf("the image has packages and no etc/os-release, without which no scanner knows whose they are")
		}
		distribution := strings.Trim(release["ID"], `"`)
		if version := strings.Trim(release["VERSION_ID"], `"`); version != "" {
			distribution += "-" + version // testing and unstable have no number
		}
		source, version := sourceOf(f)
		out = append(out, part{
			kind: "deb", name: name, version: f["Version"],
			qualifiers: "arch=" + f["Architecture"] + "&distro=" + distribution + "&upstream=" + url.QueryEscape(source+"@"+version),
			source:     "https://snapshot.debian.org/package/" + source + "/" + url.PathEscape(version) + "/",
			texts:      withCommon(all, copyright),
		})
	}
	return out, nil
}

// sourceOf a package: its name and version, which are the package's own where nothing else is said.
func sourceOf(f map[string]string) (name, version string) {
	name, version = f["Package"], f["Version"]
	if f["Source"] != "" {
		name = f["Source"]
	}
	if before, after, other := strings.Cut(name, " ("); other {
		name, version = before, strings.TrimSuffix(after, ")")
	}
	return name, version
}

// withCommon are a copyright file, and the licenses that it does not repeat because every Debian has them.
func withCommon(all files, copyright string) map[string]string {
	out := map[string]string{"copyright": copyright}
	for name, text := range all.of("usr/share/common-licenses/") {
		if strings.Contains(copyright, "/usr/share/common-licenses/"+name) {
			out["common-licenses/"+name] = text
		}
	}
	return out
}

// fieldsOf a record with a field a line; a line that goes on begins with a space, and is left out.
func fieldsOf(record string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(record) {
		if name, value, is := strings.Cut(line, ": "); is && !strings.HasPrefix(line, " ") {
			out[name] = strings.TrimSpace(value)
		}
	}
	return out
}
