package chain

import "github.com/tuttinode/tutti/core/protocol"

// overlap returns how many blocks before the new ones a poll asks for again: all of overlap where one request
// covers them, and otherwise no more than one request. Where requests are that small, the whole overlap is
// read after a full reading and after a fork.
func (f *follower) overlap(fresh protocol.L2Block) protocol.L2Block {
	span := logSpan(f.c.opt.Client)
	if f.wholeOverlap || span >= fresh+overlap {
		return overlap
	}
	return min(span, overlap)
}

// logSpan returns how many blocks the endpoint with the smallest requests accepts in one.
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
