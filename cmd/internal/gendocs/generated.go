package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// generatedFile is one generated file, by its name in the directory.
type generatedFile struct {
	Name  string
	Write func(io.Writer) error
}

// refresh keeps generated files as their sources are: -dir is the directory, -check changes nothing. It returns the
// exit status: 1 for a stale file under -check, or a failure.
func refresh(program, dir string, files []generatedFile, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet(program, flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.Bool("check", false, "only say which files are stale")
	flags.StringVar(&dir, "dir", dir, "the directory of the files")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	stale := false
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		same, err := update(path, f.Write, !*check)
		if err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
		switch {
		case same:
		case *check:
			stale = true
			fmt.Fprintf(stderr, "%s is stale; run make docs\n", path)
		default:
			fmt.Fprintf(stdout, "%s written\n", path)
		}
	}
	if stale {
		return 1
	}
	return 0
}

// update reports whether the file on disk is what write writes, and with change
// makes it so.
func update(path string, write func(io.Writer) error, change bool) (same bool, err error) {
	var want bytes.Buffer
	if err := write(&want); err != nil {
		return false, fmt.Errorf("generate %s: %w", path, err)
	}
	if filepath.Ext(path) == ".md" {
		want = *bytes.NewBufferString(wrapPage(want.String()))
	}
	have, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return false, err
	}
	if err == nil && bytes.Equal(have, want.Bytes()) {
		return true, nil
	}
	if !change {
		return false, nil
	}
	return false, os.WriteFile(path, want.Bytes(), 0o644)
}
