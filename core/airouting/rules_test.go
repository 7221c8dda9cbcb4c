package airouting_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

func TestBudget(t *testing.T) {
	t.Parallel()
	spent, free := airouting.Cost{Spent: true}, airouting.Cost{}
	slow, late := airouting.Cost{Slow: true}, airouting.Cost{Spent: true, Slow: true}
	const in, after = time.Second, 3 * time.Second
	type step struct {
		elapsed time.Duration
		cost    airouting.Cost
		again   bool
	}
	for name, steps := range map[string][]step{
		"two others":                {{in, spent, true}, {in, spent, true}, {in, spent, false}},
		"refusals are no work":      {{in, free, true}, {in, free, true}, {in, free, true}, {in, spent, true}},
		"window over":               {{after, free, false}},
		"window over, had the job":  {{after, spent, false}},
		"could not connect: once":   {{after, slow, true}, {after, slow, false}},
		"too late: once":            {{after, late, true}, {after, late, false}},
		"too late within, then out": {{in, late, true}, {after, spent, false}},
	} {
		b := airouting.Budget{Window: 2 * time.Second, Others: 2}
		for i, s := range steps {
			if got := b.Again(s.elapsed, s.cost); got != s.again {
				t.Errorf("%s: step %d: %v", name, i, got)
			}
		}
	}
	b := airouting.Budget{Window: time.Hour, Others: 2}
	n := 1
	for b.Again(0, free) {
		n++
	}
	if n != 20 || b.Tries() != 20 {
		t.Errorf("%d attempts, want 20 at most", n)
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-1, 0, 1, 2, 1000} {
		for _, r := range []float64{0, 0.5, 0.999} {
			if d := airouting.Pause(n, r); d < 25*ms || d > 300*ms {
				t.Errorf("pause %d at %v: %v", n, r, d)
			}
		}
	}
}

func TestParseMinVersions(t *testing.T) {
	t.Parallel()
	good := `[{"pipeline":"llm","model_id":"m","minVersion":"0.14.0"},{"pipeline":"text-to-image","model_id":"m",` +
		`"minVersion":"v1"}]`
	got, err := airouting.ParseMinVersions([]byte(good))
	if err != nil || len(got) != 2 || got[inference.Model{Capability: capability.LLM, ID: "m"}] != "0.14.0" {
		t.Errorf("%v, %v", got, err)
	}
	for _, empty := range []string{"", "[]"} {
		if got, err := airouting.ParseMinVersions([]byte(empty)); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", empty, got, err)
		}
	}
	for _, bad := range []string{
		"{", "{}", `[1]`, `[{"pipeline":"llms","model_id":"m","minVersion":"1"}]`,
		`[{"pipeline":"llm","minVersion":"1"}]`, `[{"pipeline":"llm","model_id":"m"}]`,
		`[{"pipeline":"llm","model_id":"m","minVersion":"new"}]`,
	} {
		if _, err := airouting.ParseMinVersions([]byte(bad)); !errors.Is(err, fault.MinRunnerVersionInvalid) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func FuzzParseMinVersions(f *testing.F) {
	f.Add([]byte(`[{"pipeline":"llm","model_id":"m","minVersion":"0.14.0"}]`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := airouting.ParseMinVersions(raw)
		if err != nil && !errors.Is(err, fault.MinRunnerVersionInvalid) {
			t.Fatalf("%v", err)
		}
		for m, v := range got {
			if m.ID == "" || !capability.VersionOK("0", v) {
				t.Fatalf("took %v %q", m, v)
			}
		}
	})
}
