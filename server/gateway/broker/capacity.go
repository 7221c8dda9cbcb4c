package broker

import "github.com/tuttinode/tutti/core/inference"

// Capacity returns how many jobs of a model the usable orchestrators take at once. It is 0 while
// unknown: none was found yet, or one does not report its capacity.
func (b *Broker) Capacity(model inference.Model) int {
	b.mu.Lock()
	p := b.pools[model]
	b.mu.Unlock()
	if p == nil {
		return 0
	}
	sum := 0
	for _, s := range p.table.Statuses(b.opt.Now()) {
		switch {
		case !s.Resting.IsZero():
		case s.Offer.Capacity <= 0:
			return 0
		default:
			sum += s.Offer.Capacity
		}
	}
	return sum
}
