package action

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

// l1BlockTime is layer 1's pace. A devnet has one of its own, which is not known.
const l1BlockTime = 12 * time.Second

// minutes returns about how long some blocks of layer 1 take, nil where the network's
// pace is not known.
func minutes(n adminapi.Node, blocks protocol.L1Block) *int {
	if n.Network == "devnet" {
		return nil
	}
	m := int((time.Duration(blocks)*l1BlockTime + time.Minute - 1) / time.Minute)
	return &m
}

// inTime says when some blocks of layer 1 are over: in minutes where these are
// known, else in blocks.
func inTime(blocks protocol.L1Block, minutes *int) string {
	if minutes == nil {
		return "in " + several(int(blocks), "layer-1 block")
	}
	return "in about " + several(*minutes, "minute")
}

// several returns a number of things.
func several(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func until(now, then protocol.L1Block) protocol.L1Block { return then - min(now, then) }
