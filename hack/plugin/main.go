// Command plugin makes what belongs to a release of `kubectl assay` beside the programs: its man pages, and the manifest
// by which krew installs it.
//
//	plugin man FOLDER              writes the man pages, and the page of all commands into reference beside the folder
//	plugin krew VERSION FOLDER     prints the manifest for the archives in the folder
//
// In: the commands of internal/cli, and archives named kubectl-assay_VERSION_OS_ARCH.tar.gz. Out: files, or YAML. A missing
// archive is refused. hack/plugin.sh makes the archives.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "plugin:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	switch {
	case len(args) == 2 && args[0] == "man":
		if err := manPages(args[1]); err != nil {
			return err
		}
		return writePage(filepath.Join(args[1], commandsPage))
	case len(args) == 3 && args[0] == "krew":
		manifest, err := krewManifest(args[1], args[2])
		if err != nil {
			return err
		}
		_, err = out.Write(manifest)
		return err
	}
	return fmt.Errorf("usage: plugin man FOLDER | plugin krew VERSION FOLDER")
}
