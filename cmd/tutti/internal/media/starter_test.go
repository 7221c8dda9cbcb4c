package media

import (
	"testing"

	"github.com/tuttinode/tutti/core/gpu"
)

func TestCoresOfCards(t *testing.T) {
	t.Parallel()
	encodes, not := gpu.Device{Encodes: true}, gpu.Device{}
	for _, row := range []struct {
		card  gpu.Device
		all   []gpu.Device
		cores int
		want  int
	}{
		{encodes, []gpu.Device{encodes, not, not}, 16, 16},
		{not, []gpu.Device{encodes, not}, 16, 16},
		{not, []gpu.Device{encodes, not, not, not}, 16, 5},
		{not, []gpu.Device{not, not, not, not}, 2, 1},
		{not, nil, 8, 8},
	} {
		if got := coresFor(row.card, row.all, row.cores); got != row.want {
			t.Errorf("%+v of %+v: %d cores, want %d", row.card, row.all, got, row.want)
		}
	}
}
