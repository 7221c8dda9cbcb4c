// Package usage is what `tutti` says of its own commands: the overview, the completions of
// three shells and the list in the manual page, all from one table.
//
// It runs no command. cmd/tutti and the packages' generator call it.
package usage

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
)

// Command is a word that may stand in place of the node's flags.
type Command struct {
	Name string
	// Words are the second words, in the order of the documents.
	Words []string
	// Short is a line.
	Short string
}

// Commands returns all of them, in the order in which an operator meets them.
func Commands() []Command {
	return []Command{
		{"init", nil, "set up a node: a few questions, a configuration, the checks"},
		{"doctor", []string{"explain", "bundle"},
			"check whether a node with these flags can work; explain: why no jobs come"},
		{"config", []string{"check"}, "say whether a node with these flags would start, and what was set where"},
		{"migrate", nil, "take over the keys and tickets of an existing node"},
		{"key", []string{"create", "list", "revoke", "limits", "spend"}, "make, list, limit and revoke a gateway's API keys"},
		{"gateway", []string{"route"}, "say which orchestrators a running gateway would send a request to"},
		{"ledger", []string{"show", "verify", "export", "books", "move"}, "read, verify and export the payment books"},
		{"gpu", []string{"list"}, "list the GPUs, and why one cannot be used"},
		{"alert", []string{"test"}, "send a test alert to every address of -alert"},
		{"help", []string{"options"}, "explain a command or a condition, or list the options"},
		{"completion", Shells(), "print the completion script of a shell"},
		{"version", nil, "print the version of this program"},
	}
}

// Find finds a command.
func Find(name string) (Command, bool) {
	all := Commands()
	i := slices.IndexFunc(all, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return Command{}, false
	}
	return all[i], true
}

// DidYouMean returns a question about a word that is near to one of some names; "" otherwise.
func DidYouMean(word string, names []string) string {
	if name, _ := fault.SuggestName(word, names); name != "" {
		return "; did you mean " + name + "?"
	}
	return ""
}

// Names returns the names of all commands.
func Names() (names []string) {
	for _, c := range Commands() {
		names = append(names, c.Name)
	}
	return names
}

// Line is how the program is called.
const Line = "usage: tutti [options] | tutti COMMAND [words]; tutti help lists both"

// Overview writes what `tutti help` says.
func Overview(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`tutti runs a node of the Livepeer network: orchestrator, transcoder, AI worker or gateway.

usage: tutti [options]            run a node
       tutti COMMAND [words]      do one of the things below

  tutti init                                                 set up a node
  tutti -orchestrator -transcoder -serviceAddr host:8935     accept jobs
  tutti -gateway -orchAddr host:8935                         send jobs

commands:
`)
	for _, c := range Commands() {
		fmt.Fprintf(&b, "  %-11s %s\n", c.Name, c.Short)
	}
	b.WriteString(`
tutti help COMMAND says more of a command, tutti help CODE of a condition,
tutti help options lists the node's options. A running node is looked at with tutti_cli.
`)
	_, err := io.WriteString(w, b.String())
	return err
}

// options returns the node's options as they are written.
func options() (out []string) {
	for _, name := range config.OptionNames() {
		out = append(out, "-"+name)
	}
	return out
}
