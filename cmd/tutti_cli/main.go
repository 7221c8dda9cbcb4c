// Command tutti_cli is the operator's tool: it looks at a running node and acts on
// the chain with the node's account, by a menu or by verbs for scripts.
//
// It has no rule of the protocol: all it knows it asks of the node's admin API, and
// it touches keys only to make key files where no node runs yet. This package turns
// words into a verb, and what came of it into text or JSON and an exit status, which
// the documents list.
//
// Without words it is a numbered menu of what fits the node, round after round until the operator
// leaves; menu.go has it.
package main

//go:generate go run ../internal/gendocs verbs -root ../..

import (
	"context"
	"crypto/rand"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/config"
)

// version is set when the program is linked. Read-only.
var version = "undefined"

func main() {
	cobra.MousetrapHelpText = "" // on Windows the menu opens by a double click
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	p := program{
		in: os.Stdin, out: os.Stdout, errs: os.Stderr, getenv: os.Getenv,
		world: verb.World{Now: time.Now, Poll: time.Second, Random: rand.Reader, Home: home,
			Service: config.ServiceDataDir(os.ReadFile), ReadFile: os.ReadFile, Mode: mode, Version: version},
	}
	return p.run(ctx, os.Args[1:])
}

// mode returns a file's kind and permissions.
func mode(path string) (fs.FileMode, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}
