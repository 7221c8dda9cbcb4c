package whipclient

import "github.com/pion/rtp"

// maxWaiting bounds the packets that wait for one that was lost and is requested again.
const maxWaiting = 512

// queue puts packets in order.
type queue struct {
	begun   bool
	next    uint16
	waiting map[uint16]*rtp.Packet
}

// push takes a packet and returns those that are in order now. gap says that packets before them are given up.
func (q *queue) push(p *rtp.Packet) (ready []*rtp.Packet, gap bool) {
	if !q.begun {
		q.begun, q.next, q.waiting = true, p.SequenceNumber, make(map[uint16]*rtp.Packet)
	}
	if int16(p.SequenceNumber-q.next) < 0 {
		return nil, false // repeated, or too late
	}
	q.waiting[p.SequenceNumber] = p
	if len(q.waiting) > maxWaiting {
		gap = true
		for q.waiting[q.next] == nil {
			q.next++
		}
	}
	for p := q.waiting[q.next]; p != nil; p = q.waiting[q.next] {
		delete(q.waiting, q.next)
		q.next++
		ready = append(ready, p)
	}
	return ready, gap
}
