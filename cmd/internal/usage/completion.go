package usage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Shells returns those with completions.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

var errNoCompletion = errors.New("there is no completion for")

// WriteCompletion writes a shell's completion script of a program, which asks the program
// itself for what may stand next.
func WriteCompletion(w io.Writer, program, shell string) error {
	c := &cobra.Command{Use: program}
	switch shell {
	case "bash":
		return c.GenBashCompletionV2(w, true)
	case "zsh":
		return c.GenZshCompletion(w)
	case "fish":
		return c.GenFishCompletion(w, true)
	}
	return fmt.Errorf("%w %q: it is bash, zsh or fish%s", errNoCompletion, shell, DidYouMean(shell, Shells()))
}

// CompleteWord and CompleteNamesWord are the hidden words with which the scripts ask for what
// may stand next, with or without a description.
const (
	CompleteWord      = cobra.ShellCompRequestCmd
	CompleteNamesWord = cobra.ShellCompNoDescRequestCmd
)

// Asks reports whether a first word is that of a completion script.
func Asks(word string) bool { return word == CompleteWord || word == CompleteNamesWord }

// Complete answers a completion script of `tutti` that asked with word; args are the command
// line so far.
func Complete(ctx context.Context, word string, args []string, stdout, stderr io.Writer) error {
	root := completed("tutti", "", nil)
	for _, c := range Commands() {
		words := c.Words
		if c.Name == "help" {
			words = append(Names(), words...)
		}
		root.AddCommand(completed(c.Name, c.Short, words))
	}
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true}) // it is in the table
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(append([]string{word}, args...))
	return root.ExecuteContext(ctx)
}

// completed returns a command for completion only. Every command takes the node's options, which
// have one dash, so that cobra does not read them.
func completed(name, short string, words []string) *cobra.Command {
	return &cobra.Command{Use: name, Short: short, DisableFlagParsing: true, Run: func(*cobra.Command, []string) {},
		ValidArgsFunction: func(_ *cobra.Command, before []string, typed string) ([]string, cobra.ShellCompDirective) {
			known := words
			if strings.HasPrefix(typed, "-") {
				known = options()
			} else if len(before) > 0 {
				known = nil
			}
			return known, cobra.ShellCompDirectiveDefault
		}}
}
