package manager

import "context"

// ClaimGPUs gives GPUs to a program that is no model, in the plan that the models and, by Options.Reserve,
// transcoding share: it counts as a warm model. It waits until they are known and free; waits is called
// before each wait, with the reason where there is one. The fault is ModelNoRoom. Without GPUs on the node
// the list is empty.
func (m *Manager) ClaimGPUs(
	ctx context.Context, need Need, waits func(error),
) (ids []string, release func(), err error) {
	m.wantEngine()
	d := m.shared.devices
	for {
		known, changed, why := d.state()
		if known {
			break
		}
		waits(why)
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	r := &reservation{need: need}
	d.revise(nil, []*reservation{r})
	a := &allocation{reservation: r}
	if err := d.claim(ctx, a, need, func() bool { return true }, func() { waits(nil) }); err != nil {
		d.revise([]*reservation{r}, nil)
		return nil, nil, err
	}
	_, ids = d.ids(a.slots)
	return ids, func() {
		d.release(a)
		d.revise([]*reservation{r}, nil)
	}, nil
}
