package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/test/gpu/card"
)

// Names of the files in the folder of a report.
const (
	JSON     = "report.json"
	markdown = "report.md"
)

// Simulated is the driver of a rehearsal.
const Simulated = "simulated"

// Report is one GPU's.
type Report struct {
	// Kit is the version of the programs, Date the day in UTC as 2006-01-02.
	Kit  string `json:"kit"`
	Date string `json:"date"`
	// Driver is its version, or Simulated.
	Driver string `json:"driver"`
	CUDA   string `json:"cuda,omitempty"`
	Card   Card   `json:"card"`
	Host   Host   `json:"host"`
	// Full says that the parts took their time.
	Full  bool   `json:"full"`
	Parts []Part `json:"parts"`
}

// Card is the one that was tested. Memory is in bytes.
type Card struct {
	Name    string `json:"name"`
	UUID    string `json:"uuid,omitempty"`
	PCI     string `json:"pci,omitempty"`
	Compute string `json:"compute,omitempty"`
	Encodes bool   `json:"encodes"`
	Memory  int64  `json:"memory_total,omitempty"`
}

// Host is the machine around it. Memory is in bytes.
type Host struct {
	Kernel    string `json:"kernel"`
	System    string `json:"system"`
	Processor string `json:"processor"`
	Cores     int    `json:"cores"`
	Memory    int64  `json:"memory"`
}

// Part is one part of the kit. Times are in seconds.
type Part struct {
	Name     string       `json:"name"`
	Title    string       `json:"title"`
	Began    string       `json:"began"`
	Seconds  float64      `json:"seconds"`
	Limit    float64      `json:"limitSeconds"`
	Programs []Program    `json:"programs"`
	Checks   []card.Check `json:"checks"`
}

// Program is one that a part ran.
type Program struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	// End is how it ended, "" when well.
	End string `json:"end,omitempty"`
	// Failed are its tests that failed.
	Failed []string `json:"failed,omitempty"`
}

// Count counts the checks of a part with a result.
func (p Part) Count(r card.CheckResult) (n int) {
	for _, c := range p.Checks {
		if c.Result == r {
			n++
		}
	}
	return n
}

// Passed reports whether a part ran and nothing in it failed.
func (p Part) Passed() bool {
	for _, program := range p.Programs {
		if program.End != "" || len(program.Failed) > 0 {
			return false
		}
	}
	return p.Count(card.Passed) > 0 && p.Count(card.Failed) == 0
}

// Passed reports whether all parts did.
func (r Report) Passed() bool {
	return len(r.Parts) > 0 && !slices.ContainsFunc(r.Parts, func(p Part) bool { return !p.Passed() })
}

// Add puts a part in, in place of an earlier run of it. The order is that of names.
func (r *Report) Add(p Part, order []string) {
	r.Parts = slices.DeleteFunc(r.Parts, func(old Part) bool { return old.Name == p.Name })
	r.Parts = append(r.Parts, p)
	slices.SortStableFunc(r.Parts, func(a, b Part) int {
		return slices.Index(order, a.Name) - slices.Index(order,
			b.Name)
	})
}

// sameCard reports whether two reports are of one model of GPU with one driver, in one
// form, so that the parts of one may stand next to those of the other. Machines with such
// a GPU are often lent for minutes, one after another.
func sameCard(a, b Report) bool {
	model := func(c Card) Card { c.UUID, c.PCI = "", ""; return c }
	return model(a.Card) == model(b.Card) && a.Driver == b.Driver && a.Full == b.Full
}

// Join names in a report what another has that is of the same GPU, but not its parts.
func (r *Report) Join(other Report) {
	if !slices.Contains(strings.Split(r.Kit, ", "), other.Kit) {
		r.Kit += ", " + other.Kit
	}
	if r.Card.UUID != other.Card.UUID {
		r.Card.UUID, r.Card.PCI = "", ""
	}
}

// Earlier are the parts that the report of a folder has of the same GPU and kit. The
// report of another is set aside under another name.
func Earlier(directory string, now Report) ([]Part, error) {
	earlier, err := Read(directory)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err == nil && sameCard(earlier, now) && earlier.Kit == now.Kit && earlier.Card.UUID == now.Card.UUID:
		return earlier.Parts, nil
	}
	for n := 1; ; n++ {
		folder := filepath.Join(directory, fmt.Sprintf("earlier-%d", n))
		if err := os.Mkdir(folder, 0o755); errors.Is(err, os.ErrExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		for _, name := range []string{JSON, markdown} {
			err := os.Rename(filepath.Join(directory, name), filepath.Join(folder, name))
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return nil, err
			}
		}
		return nil, nil
	}
}

// Read reads the report of a folder.
func Read(directory string) (Report, error) {
	var r Report
	data, err := os.ReadFile(filepath.Join(directory, JSON))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s: %w", filepath.Join(directory, JSON), err)
	}
	return r, nil
}

// Write writes both forms into a folder. Each file is replaced as a whole.
func (r Report) Write(directory string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{JSON: append(data, '\n'), markdown: []byte(r.Markdown())} {
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path+".new", text, 0o644); err != nil {
			return err
		}
		if err := os.Rename(path+".new", path); err != nil {
			return err
		}
	}
	return nil
}
