// Package figures is how benches print what they measured, and how they hand it to a program: as lines of JSON, one
// figure each. test/benchcompare reads those of two commits.
//
// It measures nothing. Only packages below test import it.
package figures

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/test/procfs"
)

// Better says which way a figure improves.
type Better string

const (
	Lower  Better = "lower"
	Higher Better = "higher"
)

// Figure is one value that a bench measured.
type Figure struct {
	Bench string  `json:"bench"`
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	// Target is what is asked for, 0 where nothing is.
	Target float64 `json:"target,omitempty"`
	Better Better  `json:"better"`
	// Load is how many processes wanted a core in the last 1, 5 and 15 minutes.
	Load string `json:"load"`
	// Commit ends with "-dirty" where the tree has changes.
	Commit string `json:"commit"`
}

// Sheet is where a bench puts its figures. No two have one name. One goroutine uses it.
type Sheet struct {
	out         io.Writer
	bench, part string
	file        string
	list        []Figure
}

// New makes a sheet, and adds the option -json to a bench's options.
func New(bench string, out io.Writer, fs *flag.FlagSet) *Sheet {
	s := &Sheet{out: out, bench: bench}
	fs.StringVar(&s.file, "json", "", "write the figures into this file as well, a line of JSON each")
	return s
}

// Part begins a part of the bench; its name stands before those of the figures that follow.
func (s *Sheet) Part(name string) { s.part = name + ": " }

// Less notes a figure that is the better the lower it is.
func (s *Sheet) Less(name, unit string, value, target float64) {
	s.add(name, unit, value, target, Lower)
}

// More notes a figure that is the better the higher it is.
func (s *Sheet) More(name, unit string, value, target float64) {
	s.add(name, unit, value, target, Higher)
}

func (s *Sheet) add(name, unit string, value, target float64, better Better) {
	name = s.part + name
	if math.IsNaN(value) || math.IsInf(value, 0) {
		fmt.Fprintf(s.out, "  no figure, nothing was counted: %s\n", name)
		return
	}
	for n, first := 2, name; slices.ContainsFunc(s.list, func(f Figure) bool { return f.Name == name }); n++ {
		name = fmt.Sprintf("%s (%d)", first, n)
	}
	s.list = append(s.list, Figure{
		Bench: s.bench, Name: name, Unit: strings.TrimSpace(unit), Value: value, Target: target, Better: better,
		Load: procfs.Load(),
	})
}

// Row prints and notes a figure that is the better the lower it is.
func (s *Sheet) Row(what string, got float64, unit string, target float64) {
	fmt.Fprintf(s.out, "  %-58s %9.2f %-4s (target %g)\n", what, got, unit, target)
	s.Less(what, unit, got, target)
}

// Compare prints and notes a figure, its peer's and their ratio; the target is the ratio's, 0 for none.
func (s *Sheet) Compare(better Better, what, unit string, ours, theirs, ratio, target float64) {
	asked := ""
	if target != 0 {
		asked = fmt.Sprintf("  (asked %.2f)", target)
	}
	fmt.Fprintf(s.out, "  %-44s %9.4g %9.4g %-6s %7.3f%s\n", what, ours, theirs, unit, ratio, asked)
	s.add(what, unit, ours, 0, better)
	s.add(what+", ratio", "", ratio, target, better)
}

// Save writes the file that -json names, if it names one.
func (s *Sheet) Save() (err error) {
	if s.file == "" {
		return nil
	}
	f, err := os.Create(s.file)
	if err != nil {
		return fmt.Errorf("write the figures: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	e, commit := json.NewEncoder(f), Commit()
	for _, one := range s.list {
		one.Commit = commit
		if err := e.Encode(one); err != nil {
			return fmt.Errorf("write the figures: %w", err)
		}
	}
	return nil
}

// Read reads what Save wrote.
func Read(r io.Reader) (list []Figure, err error) {
	for d := json.NewDecoder(r); ; {
		var f Figure
		if err := d.Decode(&f); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("read figure %d: %w", len(list)+1, err)
		}
		if f.Name == "" || f.Better != Lower && f.Better != Higher {
			return nil, fmt.Errorf("read figure %d: no name, or not better lower or higher: %+v", len(list)+1, f)
		}
		list = append(list, f)
	}
}

// Commit is the commit of the tree that the program runs in.
func Commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// Quantile is the q-th quantile of x, 0 where x is empty.
func Quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(x))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// Median is the upper median of x.
func Median(x []float64) float64 { return Quantile(x, 0.5) }

// Millis is a duration in milliseconds.
func Millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
