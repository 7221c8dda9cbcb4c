package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tuttinode/tutti/cmd/tutti_cli/action"
	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
)

// failure is what a verb writes with --json when it fails.
type failure struct {
	Error node.Problem `json:"error"`
}

// runVerbs writes what is derived from tutti_cli's table of verbs: the page of the documents, the manual
// page and the JSON Schemas.
func runVerbs(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("gendocs verbs", flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.Bool("check", false, "only say which files are stale")
	root := flags.String("root", ".", "the root of the source tree")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	files, err := generateVerbs()
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	status := 0
	for path, want := range files {
		path = filepath.Join(*root, path)
		have, err := os.ReadFile(path)
		switch {
		case err == nil && bytes.Equal(have, want):
		case *check:
			fmt.Fprintf(stderr, "%s is stale; run make generate\n", path)
			status = 1
		default:
			if err := write(path, want); err != nil {
				fmt.Fprintln(stderr, err)
				return 1
			}
			fmt.Fprintf(stdout, "%s written\n", path)
		}
	}
	return status
}

func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// generateVerbs is every file's content by its path in the tree.
func generateVerbs() (map[string][]byte, error) {
	table := action.Table()
	files := make(map[string][]byte)
	var page, man bytes.Buffer
	if err := verb.WritePage(&page, table); err != nil {
		return nil, err
	}
	if err := verb.WriteMan(&man, table); err != nil {
		return nil, err
	}
	files["docs/tutti_cli.md"] = []byte(wrapPage(page.String()))
	files["deploy/man/tutti_cli.1"] = man.Bytes()
	for _, v := range table {
		if v.Result == nil {
			continue
		}
		s, err := action.SchemaOf(v.Name, v.Short, v.Result)
		if err != nil {
			return nil, err
		}
		files["cmd/tutti_cli/action/schema/"+action.SchemaFile(v.Name)] = s
	}
	s, err := action.SchemaOf("error", "What a verb writes when it fails.", failure{})
	files["cmd/tutti_cli/action/schema/"+action.SchemaFile("error")] = s
	return files, err
}
