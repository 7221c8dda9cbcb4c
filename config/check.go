package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tuttinode/tutti/core/fault"
)

// Check is what Load returned, and what is known of the AI models, to be shown by
// `tutti config check`.
type Check struct {
	Config   *Config
	Notices  []Notice
	Problems error
	// All shows every option that has an effect; otherwise those that were given.
	All bool
	// Models lists the AI models; "" where none are configured.
	Models string
	// ModelNotices are about single models; Unserved is what keeps models from being served
	// by a node that starts all the same.
	ModelNotices, Unserved []string
}

// Starts reports whether a node with this configuration would start.
func (c *Check) Starts() bool { return c.Problems == nil }

// Valid reports whether it would start and serve everything.
func (c *Check) Valid() bool { return c.Starts() && len(c.Unserved) == 0 }

// WriteText writes the verdict, what is wrong, and the configuration with origins and
// without secrets or options that have no effect.
func (c *Check) WriteText(w io.Writer) error {
	var b strings.Builder
	b.WriteString(c.verdict() + "\n")
	for _, p := range c.problems() {
		fmt.Fprintf(&b, "  %s\n", p.Error())
	}
	writeSection(&b, "Notices", noticeTexts(c.Notices))
	b.WriteByte('\n')
	hidden := c.writeSettings(&b)
	if c.Models != "" {
		b.WriteString("\n" + c.Models)
	}
	writeSection(&b, "Notices about AI models", c.ModelNotices)
	writeSection(&b, "Problems with AI models; the node starts and serves the others", c.Unserved)
	if hidden > 0 {
		fmt.Fprintf(&b, "\n%d options have their defaults; --all shows them too.\n", hidden)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// verdict returns the first line.
func (c *Check) verdict() string {
	switch n := len(c.problems()); {
	case n > 0:
		return counted(n, "problem") + ": the node would not start."
	case len(c.Unserved) > 0:
		return "The configuration is valid, but not every AI model would be served: " +
			counted(len(c.Unserved), "problem") + "."
	}
	return "The configuration is valid."
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// problems returns those of the configuration. Load returns no other error than Problems.
func (c *Check) problems() []*Problem {
	if c.Problems == nil {
		return nil
	}
	all, ok := errors.AsType[Problems](c.Problems)
	if !ok {
		return []*Problem{{Code: fault.CodeOf(c.Problems), Text: c.Problems.Error()}}
	}
	return all
}

func noticeTexts(notices []Notice) (all []string) {
	for _, n := range notices {
		all = append(all, n.String())
	}
	return all
}

func writeSection(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("\n" + title + "\n")
	for _, line := range lines {
		fmt.Fprintf(b, "  %s\n", line)
	}
}

// writeSettings writes the options by group, and returns how many were left out because
// they have their defaults.
func (c *Check) writeSettings(b *strings.Builder) (hidden int) {
	tabs := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, g := range groups() {
		heading := fmt.Sprintf("%s\n", g)
		for _, s := range c.Config.settings {
			switch {
			case s.group != g || s.idle:
				continue
			case !c.shows(s):
				hidden++
				continue
			}
			_, _ = fmt.Fprintf(tabs, "%s  %s\t%s\t%s\n", heading, s.Option, s.shown(), s.Origin)
			heading = ""
		}
	}
	_ = tabs.Flush()
	return hidden
}

func (c *Check) shows(s Setting) bool { return c.All || s.Origin.Source != FromDefault }

// shown returns the value, or a description of the default in brackets.
func (s Setting) shown() string {
	switch {
	case s.Value != "":
		return s.Value
	case s.rule != "":
		return "(" + s.rule + ")"
	}
	return "-"
}

// checkJSON is `tutti config check --json`, a documented form.
type checkJSON struct {
	// Valid: the node would start and serve everything. Starts: it would start.
	Valid         bool          `json:"valid"`
	Starts        bool          `json:"starts"`
	Problems      []problemJSON `json:"problems"`
	Notices       []noticeJSON  `json:"notices"`
	Settings      []settingJSON `json:"settings"`
	ModelProblems []string      `json:"modelProblems"`
	ModelNotices  []string      `json:"modelNotices"`
}

type problemJSON struct {
	Code   fault.Code `json:"code"`
	Option string     `json:"option"`
	Origin string     `json:"origin"`
	Text   string     `json:"text"`
	Remedy string     `json:"remedy"`
}

type noticeJSON struct {
	Option string `json:"option"`
	Origin string `json:"origin"`
	Text   string `json:"text"`
}

type settingJSON struct {
	Option string `json:"option"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// WriteJSON writes the same as WriteText as one JSON object.
func (c *Check) WriteJSON(w io.Writer) error {
	out := checkJSON{
		Valid: c.Valid(), Starts: c.Starts(), Problems: []problemJSON{}, Notices: []noticeJSON{},
		Settings:      []settingJSON{},
		ModelProblems: append([]string{}, c.Unserved...), ModelNotices: append([]string{}, c.ModelNotices...),
	}
	for _, p := range c.problems() {
		out.Problems = append(out.Problems, problemJSON{p.Code, p.Option(), p.Origin.String(), p.Text, p.Remedy})
	}
	for _, n := range c.Notices {
		out.Notices = append(out.Notices, noticeJSON{strings.TrimPrefix(n.Subject, "-"), n.Origin.String(), n.Text})
	}
	for _, s := range c.Config.settings {
		if !s.idle && c.shows(s) {
			out.Settings = append(out.Settings, settingJSON{s.Option, s.Value, s.Origin.String()})
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
