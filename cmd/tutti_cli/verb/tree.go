package verb

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tuttinode/tutti/core/fault"
)

// Program is how the tool is called.
const Program = "tutti_cli"

// Mistake is a command line that cannot be read.
func Mistake(detail string) error {
	return fault.New(fault.CommandLineInvalid, "read the command line", detail)
}

// Runner runs the command that a command line selects.
type Runner struct {
	// Verb runs a verb with the texts that its fields were given.
	Verb func(ctx context.Context, v *Verb, texts map[string]string) error
	// Other gets the words of a command line that names no verb.
	Other func(ctx context.Context, words []string) error
	// Help gets the words that the help is about.
	Help func(ctx context.Context, words []string)
}

// Tree returns the table as cobra reads it: parsing, dispatch and the answers to the shells'
// completion scripts are cobra's.
func (t Table) Tree(s *Settings, r Runner) *cobra.Command {
	root := group(Program, "", r)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true}) // help is a verb of the table
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { r.Help(c.Context(), append(words(c), c.Flags().Args()...)) })
	s.bind(root)
	for _, length := range []int{1, 2} {
		for _, v := range t {
			if len(v.Words()) == length {
				under(root, v, r).AddCommand(v.command(s, r))
			}
		}
	}
	return root
}

// under returns the command that a verb's last word belongs to.
func under(root *cobra.Command, v *Verb, r Runner) *cobra.Command {
	first := v.Words()[0]
	if len(v.Words()) == 1 {
		return root
	}
	for _, c := range root.Commands() {
		if c.Name() == first {
			return c
		}
	}
	c := group(first, "verbs of "+first, r)
	root.AddCommand(c)
	return c
}

// group returns a word that is no verb by itself.
func group(word, short string, r Runner) *cobra.Command {
	run := func(c *cobra.Command, more []string) error { return r.Other(c.Context(), append(words(c), more...)) }
	return &cobra.Command{Use: word, Short: short, Args: cobra.ArbitraryArgs, RunE: run}
}

// words returns the words that select a command.
func words(c *cobra.Command) []string { return strings.Fields(c.CommandPath())[1:] }

func (v *Verb) command(s *Settings, r Runner) *cobra.Command {
	texts := make(map[string]string)
	all := v.Words()
	c := &cobra.Command{Use: all[len(all)-1], Short: v.Short, Args: cobra.ArbitraryArgs, ValidArgs: v.choices(),
		RunE: func(c *cobra.Command, words []string) error {
			if err := v.Take(texts, words); err != nil {
				return err
			}
			if err := s.check(); err != nil {
				return err
			}
			return r.Verb(c.Context(), v, texts)
		}}
	for i := range v.Fields {
		v.Fields[i].bind(c, texts)
	}
	return c
}

// choices returns the plain words that the first word field may be.
func (v *Verb) choices() []string {
	if i := slices.IndexFunc(v.Fields, func(f Field) bool { return f.Word }); i >= 0 {
		return v.Fields[i].Choices
	}
	return nil
}

// Take gives the verb's word fields the words that stand behind it.
func (v *Verb) Take(texts map[string]string, words []string) error {
	for _, w := range words {
		at := slices.IndexFunc(v.Fields, func(f Field) bool { _, given := texts[f.Name]; return f.Word && !given })
		if at < 0 {
			return Mistake("“" + w + "” was not expected; tutti_cli help " + v.Name + " says what is")
		}
		texts[v.Fields[at].Name] = w
	}
	return nil
}

func (f *Field) bind(c *cobra.Command, texts map[string]string) {
	if f.Switch {
		c.Flags().BoolFunc(f.Name, f.Help, func(text string) error {
			if text != "true" && text != "false" {
				return errors.New("it is a switch and has no value")
			}
			texts[f.Name] = text
			return nil
		})
		return
	}
	c.Flags().Func(f.Name, f.Help, func(text string) error { texts[f.Name] = text; return nil })
	completeValue(c, f.Name, f.Meta, f.Choices)
}

// completeValue tells the shells' completion what an option's value may be.
func completeValue(c *cobra.Command, name, meta string, choices []string) {
	complete := cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp)
	switch {
	case meta == "":
		return
	case meta == "FILE":
		complete = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	case meta == "DIR":
		complete = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	}
	_ = c.RegisterFlagCompletionFunc(name, complete) // it fails for an option that is not there, or twice
}

// flagError is a mistake in an option.
func flagError(c *cobra.Command, err error) error {
	text := strings.Replace(err.Error(), "unknown flag: --", "flag provided but unknown: --", 1)
	if path := words(c); len(path) > 0 {
		text += "; tutti_cli help " + strings.Join(path, " ") + " lists the options"
	}
	return Mistake(text)
}

// TwoDashes writes a command line as cobra reads it: options were always taken with one dash,
// too. Behind -- there are words only, and behind an option with a value that value.
func (t Table) TwoDashes(args []string) []string {
	values := t.withValue()
	out := slices.Clone(args)
	for i := 0; i < len(out) && out[i] != "--"; i++ {
		name, isOption := strings.CutPrefix(out[i], "-")
		if !isOption || name == "" {
			continue
		}
		name, _ = strings.CutPrefix(name, "-")
		if name == "h" {
			name = "help"
		}
		out[i] = "--" + name
		if values[name] {
			i++
		}
	}
	return out
}

// withValue returns the options that have a value, of all verbs.
func (t Table) withValue() map[string]bool {
	out := make(map[string]bool)
	for _, g := range Globals() {
		out[g.Name] = g.Meta != ""
	}
	for _, v := range t {
		for _, f := range v.Fields {
			out[f.Name] = !f.Switch
		}
	}
	return out
}
