package orchestrator

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/privatefile"
)

// TestLargeBodiesOfAPeer: what of a peer's requests is on disk is bounded by the shares of memory, takes little of the
// memory itself, and both are free after each end: released, broken off, too large, beyond the share, without space.
func TestLargeBodiesOfAPeer(t *testing.T) {
	t.Parallel()
	const most, value = 2 << 20, 1 << 20
	text := `{"url":"data:image/png;base64,` + strings.Repeat("QUJD", value/4) + `"}`
	memory, disk := newBudget(16<<20), newBudget(8*value)
	receive := func(peer string, body io.Reader, spools *privatefile.Spools) (*upload, error) {
		return receiveLong(body, -1, most, memory, disk, claim{peer: peer}, func(int) {}, pipeline.LongOptions{
			Secret: []byte("s"), Open: func() (pipeline.Spool, error) { return spools.Open() }})
	}
	spools := privatefile.NewSpools(t.TempDir(), 1<<30, nil)
	if spools == nil {
		t.Skip("this system keeps requests in memory")
	}
	first, err := receive("a", strings.NewReader(text), spools)
	if err != nil {
		t.Fatal(err)
	}
	if memory.used > value/4 || disk.used < value*9/10 || spools.Used() != disk.used {
		t.Errorf("%d bytes of memory, %d of disk, %d in files", memory.used, disk.used, spools.Used())
	}
	whole, err := io.ReadAll(first.values().Reader(first.data))
	if err != nil || string(whole) != text {
		t.Errorf("%d bytes, %v", len(whole), err)
	}
	more, err := receive("a", strings.NewReader(text), spools)
	if err != nil {
		t.Fatal(err)
	}
	full := privatefile.NewSpools(t.TempDir(), 1, nil)
	for _, tt := range []struct {
		name, peer string
		body       io.Reader
		spools     *privatefile.Spools
		want       fault.Code
	}{
		{"beyond the peer's share", "a", strings.NewReader(text), spools, fault.JobsFull},
		{"broken off", "b", io.MultiReader(strings.NewReader(text[:value/2]), iotest.ErrReader(io.ErrUnexpectedEOF)), spools,
			fault.JobBroken},
		{"too large", "b", strings.NewReader(text[:value/2] + strings.Repeat("QUJD", most/4)), spools, fault.JobTooLarge},
		{"no space", "b", strings.NewReader(text), full, fault.RequestDiskFull},
	} {
		if u, err := receive(tt.peer, tt.body, tt.spools); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, %v", tt.name, u, err)
		}
	}
	second, err := receive("b", strings.NewReader(text), spools)
	if err != nil {
		t.Fatalf("another peer: %v", err)
	}
	first.release()
	more.release()
	second.release()
	if memory.used+disk.used+spools.Used()+full.Used() != 0 {
		t.Errorf("left: %d bytes of memory, %d of disk, %d in files", memory.used, disk.used, spools.Used())
	}
}
