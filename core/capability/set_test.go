package capability_test

import (
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
)

func TestSetVectors(t *testing.T) {
	t.Parallel()
	lists := map[string]capability.Set{
		"default":           capability.Default(),
		"legacy_fixed_list": capability.Legacy(),
		"default_plus_llm":  capability.Default().With(capability.LLM),
		"reference_software_transcoder": capability.SoftwareTranscoder().
			Without(capability.HEVCDecode, capability.VP9Decode).
			With(27, 28, 29, 30, 31, 32, 34, 36),
	}
	for _, row := range readVectors(t).Bitstrings {
		set := capability.Of(row.Capabilities...)
		if !slices.Equal([]uint64(set), row.Words) {
			t.Errorf("%s: %#x, want %#x", row.Name, []uint64(set), row.Words)
		}
		want := slices.Sorted(slices.Values(row.Capabilities))
		if got := set.IDs(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", row.Name, got, want)
		}
		if list, ok := lists[row.Name]; ok && !slices.Equal(list, set) {
			t.Errorf("%s: list %#x, want %#x", row.Name, []uint64(list), []uint64(set))
		}
		delete(lists, row.Name)
	}
	if len(lists) != 0 {
		t.Errorf("not in the vectors: %v", lists)
	}
}

func TestSetIsAValue(t *testing.T) {
	t.Parallel()
	base := capability.Default()
	before := slices.Clone(base)
	_ = base.With(capability.LLM)
	_ = base.Without(capability.H264)
	_ = base.Union(capability.Of(100))
	if !slices.Equal(base, before) {
		t.Errorf("changed to %#x", []uint64(base))
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	wide := capability.Of(3, 64, 200)
	for id, want := range map[capability.ID]bool{3: true, 64: true, 200: true, 0: false, 65: false, 256: false,
		9999: false, -1: false} {
		if wide.Has(id) != want {
			t.Errorf("Has(%d) = %v", int(id), !want)
		}
	}
	if wide.Len() != 3 || len(wide) != 4 {
		t.Errorf("%d capabilities in %d words", wide.Len(), len(wide))
	}
	if got := capability.Of(-1, -2, 1<<40); len(got) != 0 {
		t.Errorf("numbers that are never sent made %v", got)
	}
	if got := wide.Missing(capability.Of(64), 5); !slices.Equal(got, []capability.ID{3, 200}) {
		t.Errorf("missing %v", got)
	}
	if got := wide.Missing(nil, 1); !slices.Equal(got, []capability.ID{3}) {
		t.Errorf("missing, at most one: %v", got)
	}
	for _, row := range []struct {
		name string
		s, o capability.Set
		want bool
	}{
		{"empty in empty", nil, nil, true},
		{"part", capability.Of(1), capability.Of(1, 2), true},
		{"not part", capability.Of(3), capability.Of(1, 2), false},
		{"offer has more words", capability.Of(1), capability.Of(1, 70), true},
		{"request has more words", capability.Of(70), capability.Of(1), false},
		{"request has more words, all zero", capability.Set{2, 0}, capability.Set{2}, false},
	} {
		if got := row.s.In(row.o); got != row.want {
			t.Errorf("%s: %v", row.name, got)
		}
	}
}
