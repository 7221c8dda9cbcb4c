package figures_test

import (
	"bytes"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/figures"
)

func TestSheet(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "figures.json")
	var out bytes.Buffer
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	s := figures.New("bench", &out, fs)
	if err := fs.Parse([]string{"-json", file}); err != nil {
		t.Fatal(err)
	}
	s.Part("relay")
	s.Row("p50", 1.25, "ms", 2)
	s.Row("p50", 1.5, "ms", 2)
	s.Compare(figures.Higher, "tickets", "      ", 20, 10, 2, 1.8)
	s.Less("of nothing", "", math.NaN(), 0)
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := figures.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	want := []figures.Figure{
		{Name: "relay: p50", Unit: "ms", Value: 1.25, Target: 2, Better: figures.Lower},
		{Name: "relay: p50 (2)", Unit: "ms", Value: 1.5, Target: 2, Better: figures.Lower},
		{Name: "relay: tickets", Value: 20, Better: figures.Higher},
		{Name: "relay: tickets, ratio", Value: 2, Target: 1.8, Better: figures.Higher},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		if got[i].Load == "" || got[i].Commit == "" {
			t.Errorf("no load or commit: %+v", got[i])
		}
		w.Bench, w.Load, w.Commit = "bench", got[i].Load, got[i].Commit
		if got[i] != w {
			t.Errorf("%+v, want %+v", got[i], w)
		}
	}
	for _, part := range []string{"(target 2)", "(asked 1.80)", "no figure, nothing was counted: relay: of nothing"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("nothing of %q printed:\n%s", part, &out)
		}
	}
}

func TestSheetWithoutFile(t *testing.T) {
	t.Parallel()
	s := figures.New("bench", io.Discard, flag.NewFlagSet("bench", flag.ContinueOnError))
	s.Less("x", "ms", 1, 0)
	if err := s.Save(); err != nil {
		t.Error(err)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"name":"x","value":1}`, `{"better":"lower","value":1}`, `{"name":`} {
		if _, err := figures.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x       []float64
		q, want float64
	}{{nil, 0.5, 0}, {[]float64{3}, 0.99, 3}, {[]float64{3, 1, 2}, 0.5, 2}, {[]float64{1, 2, 3, 4}, 0.5, 3},
		{[]float64{4, 3, 2, 1}, 1, 4}} {
		if got := figures.Quantile(c.x, c.q); got != c.want {
			t.Errorf("quantile %v of %v: %v, want %v", c.q, c.x, got, c.want)
		}
	}
}

// Every bench of `make bench` hands over its figures.
func TestEveryBenchSaves(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(makefile), "\nbench: ")
	list, _, _ = strings.Cut(list, "  ##")
	names := strings.Fields(list)
	if len(names) < 6 {
		t.Fatalf("benches: %v", names)
	}
	for _, name := range names {
		_, recipe, _ := strings.Cut(string(makefile), "\n"+name+": ")
		_, recipe, _ = strings.Cut(recipe, "go run ./")
		folder, rest, _ := strings.Cut(recipe, " ")
		if !strings.HasPrefix(rest, "-json bin/"+name+".json ") {
			t.Errorf("make %s writes no bin/%s.json", name, name)
		}
		text, err := os.ReadFile("../../" + folder + "/main.go")
		if err != nil || !bytes.Contains(text, []byte("sheet.Save()")) {
			t.Errorf("%s does not save its figures (%v)", folder, err)
		}
	}
}
