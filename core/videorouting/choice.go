package videorouting

// Choice selects among several orchestrators for a stream, where that is more than taking the first
// answer.
type Choice interface {
	// Choose gives the index of one of the offers, -1 when none of them may be used.
	Choose(offers []*Offer) int
	// Allowed are the indexes of those that may be used at all.
	Allowed(offers []*Offer) []int
}

// chooseLocked finds the spare to use next among those that fit, -1 when there is none.
func (p *Pool[I]) chooseLocked(fit func(*Offer) bool) int {
	var offers []*Offer
	var at []int
	for i, s := range p.spares {
		if !fit(&s.offer) {
			continue
		}
		if p.choice == nil {
			return i
		}
		offers, at = append(offers, &s.offer), append(at, i)
	}
	if len(offers) == 0 {
		return -1
	}
	if i := p.choice.Choose(offers); i >= 0 {
		return at[i]
	}
	return -1
}

// allowedLocked reports for each spare whether the choice permits it.
func (p *Pool[I]) allowedLocked() []bool {
	out := make([]bool, len(p.spares))
	if p.choice == nil {
		for i := range out {
			out[i] = true
		}
		return out
	}
	offers := make([]*Offer, len(p.spares))
	for i, s := range p.spares {
		offers[i] = &s.offer
	}
	for _, i := range p.choice.Allowed(offers) {
		out[i] = true
	}
	return out
}

// Offers are the pool's spares.
func (p *Pool[I]) Offers() []Offer {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]Offer, len(p.spares))
	for i, s := range p.spares {
		out[i] = s.offer
	}
	return out
}
