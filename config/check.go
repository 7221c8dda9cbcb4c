package config

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteCheck writes what Load returned: the effective configuration with
// origins and without secrets or options that have no effect, the notices, every problem, and a last line with
// the verdict. The caller exits with 0 when problems is nil and with 2 otherwise.
func WriteCheck(w io.Writer, c *Config, notices []Notice, problems error) error {
	var b strings.Builder
	writeSettings(&b, c)
	if len(notices) > 0 {
		b.WriteString("\nNotices\n")
		for _, n := range notices {
			fmt.Fprintf(&b, "  %s\n", n)
		}
	}
	b.WriteString("\n" + verdict(problems) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func writeSettings(b *strings.Builder, c *Config) {
	tabs := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, g := range groups() {
		heading := fmt.Sprintf("%s\n", g)
		for _, s := range c.settings {
			if s.group != g || s.idle {
				continue
			}
			_, _ = fmt.Fprintf(tabs, "%s  %s\t%s\t%s\n", heading, s.Option, s.shown(), s.Origin)
			heading = ""
		}
	}
	_ = tabs.Flush()
}

// shown is the value, or a description of the default in brackets.
func (s Setting) shown() string {
	switch {
	case s.Value != "":
		return s.Value
	case s.rule != "":
		return "(" + s.rule + ")"
	}
	return "-"
}

// verdict lists the problems and says whether the node would start.
func verdict(problems error) string {
	if problems == nil {
		return "The configuration is valid."
	}
	ps, ok := errors.AsType[Problems](problems)
	if !ok {
		return "Problems\n  " + problems.Error() + "\n\nThe node would not start."
	}
	var b strings.Builder
	b.WriteString("Problems\n")
	for _, p := range ps {
		fmt.Fprintf(&b, "  %s\n", p)
	}
	noun := "problem"
	if len(ps) != 1 {
		noun = "problems"
	}
	fmt.Fprintf(&b, "\n%d %s: the node would not start.", len(ps), noun)
	return b.String()
}
