package models

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// maxProblems bounds the reported mistakes, and maxEntries the entries of a file.
const (
	maxProblems = 200
	maxEntries  = 1000
)

// inlineSource names the option as the source of what it holds itself.
const inlineSource = "-aiModels"

// loader reads one configuration.
type loader struct {
	options  Options
	verified Verified
	source   string
	drafts   []*draft
	notices  []Notice
	problems Problems
	// serverless is the model whose runner is a WebSocket server, "" before there is one.
	serverless string
}

// Load reads the models file, or the inline form. The Config is never nil: it holds the
// entries without a problem, which the node serves even with an error. The error is
// Problems, all of them; its codes are those of core/fault/codes_models.go, NoModels the
// last when no entry is left.
func Load(o Options) (*Config, []Notice, error) {
	l := &loader{options: o, source: inlineSource, verified: Shipped()}
	if strings.TrimSpace(o.Value) == "" {
		l.notices = append(
			l.notices,
			Notice{Position: Position{Source: inlineSource}, Text: "is not given, so no AI is offered"},
		)
		return &Config{}, l.notices, nil
	}
	l.readVerified()
	l.readValue()
	for _, d := range l.drafts {
		d.read()
	}
	l.crossCheck()
	return l.result()
}

// result makes the configuration from the valid drafts.
func (l *loader) result() (*Config, []Notice, error) {
	c := &Config{}
	for _, d := range l.drafts {
		switch {
		case d.refused:
			c.Refused = append(c.Refused, Refused{d.position, clean(d.pipelineText()), clean(d.modelText())})
		case !d.merged:
			c.Entries = append(c.Entries, d.entry)
		}
	}
	slices.SortStableFunc(l.problems, func(a, b *Problem) int { return l.compare(a.Position, b.Position) })
	slices.SortStableFunc(l.notices, func(a, b Notice) int { return l.compare(a.Position, b.Position) })
	if l.full() {
		l.notices = append(l.notices, Notice{
			Position: Position{Source: l.source}, Text: "there are more problems than the 200 that are reported",
		})
	}
	if len(c.Entries) == 0 {
		l.problems = append(l.problems, &Problem{Code: fault.NoModels, Position: Position{Source: l.source},
			Text: "no valid entry is left, so the node runs without AI", Remedy: "correct the file, then reload or restart"})
	}
	if len(l.problems) == 0 {
		return c, l.notices, nil
	}
	return c, l.notices, l.problems
}

// compare orders positions: those outside the models file first, then by line and entry.
func (l *loader) compare(a, b Position) int {
	rank := func(p Position) int {
		if p.Source != l.source {
			return 0
		}
		return 1
	}
	return cmp.Or(rank(a)-rank(b), a.Line-b.Line, a.Entry-b.Entry)
}

func (l *loader) readVerified() {
	if l.options.VerifiedFile == "" {
		return
	}
	source := clean(l.options.VerifiedFile)
	content, why := l.readFile(l.options.VerifiedFile)
	if why != "" {
		l.problems = append(l.problems, &Problem{Code: fault.VerifiedListInvalid, Position: Position{Source: source},
			Text: why, Remedy: "correct -aiVerifiedModels or leave it out"})
		return
	}
	l.problems = append(l.problems, l.verified.extend(source, content)...)
}

// inlineForm is how the inline list begins: a word, which may be a mistyped
// pipeline, and a colon. A path has a slash or a dot before its first colon.
func inlineForm() *regexp.Regexp { return regexp.MustCompile(`^\s*[A-Za-z0-9 _-]*:`) }

// readValue makes drafts from the value of -aiModels.
func (l *loader) readValue() {
	value := l.options.Value
	if t := strings.TrimSpace(value); t[0] == '[' || t[0] == '{' {
		l.readJSON([]byte(value))
		return
	}
	content, why := l.readFile(value)
	switch {
	case why == "":
		l.source = clean(value)
		l.readJSON(content)
	case inlineForm().MatchString(value):
		// Also if the list is too long for a file name.
		l.readInline(value)
	default:
		l.source = clean(value)
		remedy := "correct -aiModels; it takes a file's path or pipeline:model_id:warm,…"
		l.refuseAll(fault.ModelsFileUnreadable, Position{Source: l.source}, why, remedy)
	}
}

// noSuchFile is why a file that does not exist cannot be read.
const noSuchFile = "there is no such file"

// readFile returns a file's content, or why there is none.
func (l *loader) readFile(path string) (content []byte, why string) {
	if l.options.ReadFile == nil || strings.ContainsRune(path, 0) {
		return nil, noSuchFile
	}
	content, err := l.options.ReadFile(path)
	switch {
	case err == nil && len(content) > MaxFileBytes:
		return nil, "the file is larger than 4 MiB"
	case err == nil:
		return content, ""
	case errors.Is(err, fs.ErrNotExist):
		return nil, noSuchFile
	case errors.Is(err, fs.ErrPermission):
		return nil, "this user may not read it"
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return nil, err.Error()
}

// readJSON makes a draft of every object of the array.
func (l *loader) readJSON(content []byte) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if s := checkSyntax(content); s != nil {
		l.refuseAll(
			fault.ModelsFileInvalid,
			Position{Source: l.source, Line: s.line, Column: s.column},
			s.text,
			s.remedy,
		)
		return
	}
	root, err := parseTree(content)
	if err != nil {
		l.refuseAll(fault.ModelsFileInvalid, Position{Source: l.source}, err.Error(), "shorten the list")
		return
	}
	if root.kind != isArray {
		l.refuseAll(fault.ModelsFileInvalid, Position{Source: l.source, Line: root.line},
			"it is "+string(root.kind)+", not an array of models", "put the models between [ and ]")
		return
	}
	for i, item := range root.items {
		position := Position{Source: l.source, Line: item.line, Entry: i + 1}
		switch {
		case i == maxEntries:
			l.refuseAll(fault.ModelsFileInvalid, position, "there are more than 1000 entries", "shorten the list")
			return
		case item.kind != isObject:
			l.refuseAll(fault.ModelFieldInvalid, position, "an entry is "+string(item.kind)+", not an object",
				`write {"pipeline": …, "model_id": …, …}`)
		default:
			l.drafts = append(l.drafts, &draft{l: l, position: position, node: item})
		}
	}
}

// refuseAll reports a mistake that concerns no single model.
func (l *loader) refuseAll(code fault.Code, position Position, text, remedy string) {
	l.addProblem(&Problem{Code: code, Position: position, Text: clean(text), Remedy: remedy})
}

func (l *loader) addProblem(p *Problem) {
	if !l.full() {
		l.problems = append(l.problems, p)
	}
}

// full reports whether maxProblems is reached.
func (l *loader) full() bool { return len(l.problems) >= maxProblems }

// clean makes a text fit for one line of a log.
func clean(s string) string {
	unsafe := func(r rune) bool {
		return r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' || r == '\ufffd'
	}
	if strings.IndexFunc(s, unsafe) < 0 && len(s) <= 300 {
		return s
	}
	return quoted(s)
}
