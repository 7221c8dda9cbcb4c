package endpoint

import (
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// staleLag is how many blocks behind the newest is a condition: about a minute.
const staleLag = 240

// lagging reports whether an endpoint's newest block is too far behind that of the others.
func lagging(newest, has protocol.L2Block) bool { return lag(newest, has) > staleLag }

// silentTooLong reports whether an endpoint's newest block has not changed for too long.
func (p *Pool) silentTooLong(age time.Duration) bool { return age > p.opt.StaleAfter }

// lag returns by how many blocks an endpoint is behind the newest block.
func lag(newest, has protocol.L2Block) uint64 {
	if has >= newest {
		return 0
	}
	return uint64(newest - has)
}
