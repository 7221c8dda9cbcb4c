package media

import (
	"testing"

	"github.com/tuttinode/tutti/core/device"
)

func TestCoresOfCards(t *testing.T) {
	t.Parallel()
	encodes, not := device.GPU{Encodes: true}, device.GPU{}
	for _, row := range []struct {
		card  device.GPU
		all   []device.GPU
		cores int
		want  int
	}{
		{encodes, []device.GPU{encodes, not, not}, 16, 16},
		{not, []device.GPU{encodes, not}, 16, 16},
		{not, []device.GPU{encodes, not, not, not}, 16, 5},
		{not, []device.GPU{not, not, not, not}, 2, 1},
		{not, nil, 8, 8},
	} {
		if got := coresFor(row.card, row.all, row.cores); got != row.want {
			t.Errorf("%+v of %+v: %d cores, want %d", row.card, row.all, got, row.want)
		}
	}
}
