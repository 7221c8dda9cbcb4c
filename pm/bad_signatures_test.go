package pm_test

import "testing"

// After many bad signatures nothing of a payment is read any more: what comes last
// would win.
func TestBadSignaturesEndThePayment(t *testing.T) {
	t.Parallel()
	d := newDeal(t)
	nonce := uint32(1)
	for len(d.check(d.pay(t, nonce)).Winners) == 0 {
		nonce++
	}
	for bad, winners := range map[int]int{15: 1, 16: 0, 5000: 0} {
		p := d.pay(t, nonce)
		good := p.Tickets[0]
		p.Tickets = nil
		for i := range bad {
			forged := good
			forged.Nonce = nonce + 1 + uint32(i)
			p.Tickets = append(p.Tickets, forged)
		}
		p.Tickets = append(p.Tickets, good)
		if v := d.check(p); len(v.Winners) != winners || len(v.Accepted) != 0 || v.Refused == nil {
			t.Errorf("%d bad ones: %d winners, %v", bad, len(v.Winners), v.Refused)
		}
	}
}
