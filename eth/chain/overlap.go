package chain

import "github.com/tuttinode/tutti/core/protocol"

// overlap returns how many blocks before the new ones a poll reads again. It is the constant overlap if one
// request covers these and the new ones, or if wholeOverlap is set (after a full read and after a fork).
// Otherwise it is at most what one more request covers.
func (f *follower) overlap(fresh protocol.L2Block) protocol.L2Block {
	span := logSpan(f.c.opt.Client)
	if f.wholeOverlap || span >= fresh+overlap {
		return overlap
	}
	return min(span, overlap)
}

// logSpan returns the most blocks that every endpoint accepts in one eth_getLogs.
func logSpan(client Client) protocol.L2Block {
	span := protocol.L2Block(0)
	for _, e := range client.Status().Endpoints {
		if s := protocol.L2Block(e.LogSpan); span == 0 || s < span {
			span = s
		}
	}
	if span == 0 {
		return overlap
	}
	return span
}
