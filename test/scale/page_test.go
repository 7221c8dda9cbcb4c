package scale_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	root = "../.."
	// results is the line after which docs/scale.md has the table that the simulation writes.
	results = "<!-- written by the simulation: UPDATE=1 go test ./test/scale -run TestPage -->\n\n"
)

// constants are the values of the page's table of constants, by name.
type constants map[string]float64

func (c constants) get(t *testing.T, name string) float64 {
	t.Helper()
	v, ok := c[name]
	if !ok {
		t.Fatalf("docs/scale.md has no constant %q", name)
	}
	return v
}

// micros is a constant in µs.
func (c constants) micros(t *testing.T, name string) time.Duration {
	t.Helper()
	return time.Duration(c.get(t, name) * float64(time.Microsecond))
}

func (c constants) millis(t *testing.T, name string) time.Duration { return 1000 * c.micros(t, name) }

var (
	constantRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([0-9.]+) ?([^|]*) \| ([^|]+) \|$`)
	quoted      = regexp.MustCompile(`^\[?([^\]: ]+)\]?[^:]*: "(.+)"$`)
	target      = regexp.MustCompile("^`make ([a-z]+)[^`]*`")
	benchmark   = regexp.MustCompile("^`(Benchmark[A-Za-z]+)`")
)

// readConstants reads the page's table, and checks that each has the origin that it names: a text of a page or file
// that is there, a bench that is there, or none because it was assumed.
func readConstants(t *testing.T, page string) constants {
	t.Helper()
	_, section, ok := strings.Cut(page, "\n## The constants\n")
	if !ok {
		t.Fatal("docs/scale.md has no section of constants")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	list := constants{}
	for _, m := range constantRow.FindAllStringSubmatch(section, -1) {
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
		if _, twice := list[m[1]]; twice {
			t.Errorf("%s stands twice", m[1])
		}
		list[m[1]] = v
		if why := origin(m[4]); why != "" {
			t.Errorf("docs/scale.md, %s: %s", m[1], why)
		}
	}
	return list
}

// origin says what is wrong with the origin of a constant.
func origin(from string) string {
	contains := func(text string, names ...string) string {
		for _, name := range names {
			if data, err := os.ReadFile(filepath.Join(root, name)); err == nil && strings.Contains(string(data), text) {
				return ""
			}
		}
		return fmt.Sprintf("%v has no %q", names, text)
	}
	if m := quoted.FindStringSubmatch(from); m != nil {
		return contains(m[2], filepath.Join("docs", m[1]), strings.Trim(m[1], "`"))
	}
	if m := target.FindStringSubmatch(from); m != nil {
		return contains("\n"+m[1]+": ", "Makefile")
	}
	if m := benchmark.FindStringSubmatch(from); m != nil {
		return contains("func "+m[1]+"(", "pm/ledger/bench_test.go")
	}
	if from != "assumed" {
		return "unknown origin " + from
	}
	return ""
}

// TestPage: docs/scale.md says what the simulation computes from its constants.
func TestPage(t *testing.T) {
	t.Parallel()
	name := filepath.Join(root, "docs", "scale.md")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	before, rest, ok := strings.Cut(page, results)
	if !ok {
		t.Fatal("docs/scale.md has no place for the results")
	}
	old, after, _ := strings.Cut(rest, "\n\n")
	table := strings.TrimSuffix(capacities(t, readConstants(t, page)), "\n")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(name, []byte(before+results+table+"\n\n"+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != table {
		t.Errorf("docs/scale.md says\n%s\nthe simulation\n%s\nUPDATE=1 writes it", old, table)
	}
}

// TestOrigins: an origin that is not there is refused.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for from, right := range map[string]bool{
		"assumed": true, "guessed": false, "`make benchpay`": true, "`make benchnothing`": false,
		"`BenchmarkAppend` on PostgreSQL": true, "`BenchmarkNothing`": false,
		`[media.md](media.md): "about 11 ms of CPU time"`:              true,
		`[media.md](media.md): "about 12 ms of CPU time"`:              false,
		"`pm/ledger/options.go`: \"const maxGroupRequests = 256\"":     true,
		"`pm/ledger/options.go`: \"const maxGroupRequests = 257\"":     false,
		"`pm/ledger/nothing.go`: \"const maxGroupRequests = 256\"":     false,
		"[nothing.md](nothing.md): \"about 11 ms of CPU time in all\"": false,
	} {
		if why := origin(from); (why == "") != right {
			t.Errorf("%s: %q", from, why)
		}
	}
}

// twoDigits writes a number with its first two digits, so that the table claims no more than a model can say.
func twoDigits(x float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	text := strconv.FormatFloat(math.Round(x/unit)*unit, 'f', max(0, -int(math.Round(math.Log10(unit)))), 64)
	whole, part, dot := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + " " + whole[i:]
	}
	if dot {
		return whole + "." + part
	}
	return whole
}

func TestTwoDigits(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{0.0123: "0.012", 1.26: "1.3", 10: "10", 99.6: "100", 12345: "12 000",
		1234567: "1 200 000"} {
		if got := twoDigits(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}
