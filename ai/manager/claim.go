package manager

import (
	"context"

	"github.com/tuttinode/tutti/ai/gpuplacement"
)

// ClaimGPUs gives GPUs to a program that is not a model. The program counts as a warm model in the plan of
// slots that models share with transcoding (Options.Reserve). It waits until the GPUs are known and free, and
// calls onWait before each wait, with the reason if there is one. The fault is ModelNoRoom. On a node without
// GPUs the list is empty.
func (m *Manager) ClaimGPUs(
	ctx context.Context, need gpuplacement.Need, onWait func(error),
) (ids []string, release func(), err error) {
	m.wantEngine()
	d := m.shared.devices
	for {
		known, changed, why := d.state()
		if known {
			break
		}
		onWait(why)
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	r := &reservation{need: need}
	d.revise(nil, []*reservation{r})
	a := &allocation{reservation: r}
	if err := d.claim(ctx, a, need, func() bool { return true }, func() { onWait(nil) }); err != nil {
		d.revise([]*reservation{r}, nil)
		return nil, nil, err
	}
	_, ids = d.ids(a.slots)
	return ids, func() {
		d.release(a)
		d.revise([]*reservation{r}, nil)
	}, nil
}
