package remote_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/server/remote"
)

func TestReadAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := remote.NewBudget(rapid.Int64Range(0, 1<<19).Draw(t, "budget"))
		want := make([]byte, rapid.IntRange(0, 1<<18).Draw(t, "size"))
		hint := rapid.Int64Range(-1, 1<<19).Draw(t, "hint")
		most := rapid.Int64Range(1, 1<<18).Draw(t, "most")
		got, held, err := b.ReadAll(bytes.NewReader(want), hint, most)
		switch {
		case errors.Is(err, remote.ErrTooLarge):
			if int64(len(want)) <= most && hint <= most {
				t.Error("refused as too large")
			}
		case err != nil:
			if !errors.Is(err, remote.ErrNoMemory) {
				t.Error(err)
			}
		case len(got) != len(want) || int64(len(got)) > most || held < int64(cap(got)):
			t.Errorf("%d of %d bytes, %d held of %d", len(got), len(want), held, cap(got))
		}
		if b.Used() != held {
			t.Errorf("%d booked, %d held", b.Used(), held)
		}
		b.Release(held)
	})
}

func TestReadAllGivesBackWhatItDidNotUse(t *testing.T) {
	t.Parallel()
	b := remote.NewBudget(1 << 20)
	broken := errors.New("broken")
	if _, _, err := b.ReadAll(io.MultiReader(bytes.NewReader(make([]byte, 1000)), iotest.ErrReader(broken)), 0,
		1<<19); !errors.Is(err, broken) {
		t.Error(err)
	}
	if b.Used() != 0 {
		t.Errorf("%d bytes stay booked", b.Used())
	}
}
