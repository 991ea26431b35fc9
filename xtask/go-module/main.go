// Writes a Go module as the files of a module proxy. `cargo xtask dist` runs it.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	folder := flag.String("module", "", "the folder of the module")
	version := flag.String("version", "", "its version, e.g. v0.2.0")
	epoch := flag.Int64("epoch", 0, "the time of the version, in seconds")
	out := flag.String("out", "", "the folder of the proxy")
	flag.Parse()
	if err := write(*folder, *version, time.Unix(*epoch, 0).UTC(), *out); err != nil {
		log.Fatal(err)
	}
}

func write(folder, version string, at time.Time, out string) error {
	manifest, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return err
	}
	path := modfile.ModulePath(manifest)
	escaped, err := module.EscapePath(path)
	if err != nil {
		return err
	}
	versions := filepath.Join(out, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		return err
	}
	archive, err := os.Create(filepath.Join(versions, version+".zip"))
	if err != nil {
		return err
	}
	if err := zip.CreateFromDir(archive, module.Version{Path: path, Version: version}, folder); err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	info := fmt.Sprintf("{\"Version\": %q, \"Time\": %q}\n", version, at.Format(time.RFC3339))
	files := map[string][]byte{"list": []byte(version + "\n"), version + ".info": []byte(info), version + ".mod": manifest}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(versions, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
