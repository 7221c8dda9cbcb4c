package models

import (
	"strconv"

	"github.com/tuttinode/tutti/core/fault"
)

// Position is a position in the operator's configuration.
type Position struct {
	// Source is the file's path, or "-aiModels" for the inline forms.
	Source string
	// Line counts from 1; 0 when there are no lines.
	Line int
	// Column counts characters from 1; 0 when the line is precise enough.
	Column int
	// Entry counts the entries from 1; 0 when the position is in none.
	Entry int
}

// String is "aiModels.json:4", "aiModels.json:4:17" or "-aiModels entry 2".
func (p Position) String() string {
	switch {
	case p.Line == 0 && p.Entry == 0:
		return p.Source
	case p.Line == 0:
		return p.Source + " entry " + strconv.Itoa(p.Entry)
	case p.Column == 0:
		return p.Source + ":" + strconv.Itoa(p.Line)
	}
	return p.Source + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

// Problem is one mistake in the models file.
type Problem struct {
	Code     fault.Code
	Position Position
	// Field is the wrong key, "optimization_flags.MAX_MODEL_LEN"; "" for no single one.
	Field string
	// Model is that of the refused entry, "llm meta-llama/…", as far as it could be read; ""
	// when the problem concerns no single entry.
	Model string
	// Text is the mistake, Remedy how to correct it.
	Text, Remedy string
}

// Error returns one line: position, field, mistake and remedy.
func (p *Problem) Error() string { return formatLine(p.Position, p.Field, p.Text, p.Remedy) }

// Unwrap returns the problem as a fault, so that fault.CodeOf and errors.Is work.
func (p *Problem) Unwrap() error { return fault.New(p.Code, "read the models file", p.Error()) }

// Problems are all mistakes, in the order of the file.
type Problems = fault.List[*Problem]

// Notice is a hint about an accepted entry.
type Notice struct {
	Position Position
	// Field is the key that it concerns, "" for no single one.
	Field string
	Text  string
}

// String returns one line: position, field, text.
func (n Notice) String() string { return formatLine(n.Position, n.Field, n.Text, "") }

func formatLine(position Position, field, text, remedy string) string {
	out := position.String()
	for _, part := range []string{field, text} {
		if out != "" && part != "" {
			out += ": "
		}
		out += part
	}
	if remedy != "" {
		out += "; " + remedy
	}
	return out
}
