package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/cmd/internal/usage"
	"github.com/tuttinode/tutti/cmd/tutti_cli/action"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
)

// file is one of an installed release; path is below the root.
type file struct {
	path string
	// mode with fs.ModeDir is a folder's, which has no data.
	mode fs.FileMode
	data []byte
	// owner is user and group; root is what installed files belong to.
	owner int
}

// copied are the files of the tree that are installed as they are: their paths, as
// a pattern, and the folder they go to.
func copied() []struct{ from, to string } {
	return []struct{ from, to string }{
		{"deploy/systemd/*.service", "usr/lib/systemd/system"},
		{"deploy/systemd/*.socket", "usr/lib/systemd/system"},
		{"deploy/systemd/sysusers.d/*.conf", "usr/lib/sysusers.d"},
		{"deploy/systemd/tmpfiles.d/*.conf", "usr/lib/tmpfiles.d"},
		{"deploy/systemd/examples/*.conf", docs + "/examples/systemd"},
		{"deploy/compose/*.yml", docs + "/examples/compose"},
		{"deploy/monitoring/*.yml", docs + "/examples/monitoring"},
		{"deploy/monitoring/*.json", docs + "/examples/monitoring"},
		// README.md among them is the index: the one above is for the tree.
		{"docs/*.md", docs},
		{"deploy/nfpm/copyright", docs},
	}
}

const docs = "usr/share/doc/tutti"

// programs are those that operators run, tools those with which they rehearse on a local
// chain. The others are for the source tree.
func tools() []string { return []string{"tutti_devnet"} }

func programs() []string { return []string{"tutti", "tutti_bench", "tutti_cli"} }

// allPrograms returns the programs of all packages.
func allPrograms() []string { return slices.Concat(programs(), tools()) }

// files returns all files of the release, by path.
func (r *release) files(parts []part) ([]file, error) {
	out, err := r.installed(programs())
	if err != nil {
		return nil, err
	}
	for _, c := range copied() {
		found, err := filepath.Glob(filepath.Join(r.tree, c.from))
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			out = append(out, file{path: c.to + "/" + filepath.Base(path), mode: 0o644, data: data})
		}
	}
	written, err := r.written(parts)
	out = append(out, written...)
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return out, err
}

// installed are programs in their places.
func (r *release) installed(names []string) ([]file, error) {
	var out []file
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(r.programs, name))
		if err != nil {
			return nil, err
		}
		out = append(out, file{path: "usr/bin/" + name, mode: 0o755, data: data})
	}
	return out, nil
}

// toolFiles returns all files of the package with the tools, by path.
func (r *release) toolFiles() ([]file, error) {
	out, err := r.installed(tools())
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(r.tree, "deploy/nfpm/copyright"))
	return append(out, file{path: docs + "-tools/copyright", mode: 0o644, data: data}), err
}

// written returns the files that the code itself writes.
func (r *release) written(parts []part) ([]file, error) {
	table := action.Table()
	var out []file
	add := func(path string, write func(io.Writer) error) error {
		var b bytes.Buffer
		err := write(&b)
		out = append(out, file{path: path, mode: 0o644, data: b.Bytes()})
		return err
	}
	for _, step := range []func() error{
		func() error { return add("etc/tutti/tutti.conf", writeConf) },
		func() error { return add("usr/share/man/man1/tutti.1.gz", packed(r.writeMan)) },
		func() error {
			return add("usr/share/man/man1/tutti_cli.1.gz", packed(func(w io.Writer) error { return verb.WriteMan(w, table) }))
		},
		func() error {
			return add(docs+"/sbom.cdx.json", func(w io.Writer) error { return r.encodeSBOM(w, parts) })
		},
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	for _, c := range completions() {
		for _, program := range []string{"tutti", "tutti_cli"} {
			write := func(w io.Writer) error { return usage.WriteCompletion(w, program, c.shell) }
			if err := add(fmt.Sprintf(c.path, program), write); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// completions are where each shell looks for the completion script of a program.
func completions() []struct{ shell, path string } {
	return []struct{ shell, path string }{
		{"bash", "usr/share/bash-completion/completions/%s"},
		{"zsh", "usr/share/zsh/vendor-completions/_%s"},
		{"fish", "usr/share/fish/vendor_completions.d/%s.fish"},
	}
}

// packed writes through gzip, which by itself writes no time and no name.
func packed(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := write(z); err != nil {
			return err
		}
		return z.Close()
	}
}
