package live

import (
	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/cc"
	"github.com/pion/rtcp"
)

// maxResends bounds what a peer has sent again, in bits a second. A viewer's report of a few bytes asks for a thousand
// packets, and may come again every 5 ms.
const maxResends = 20_000_000

// resends is that bound in the form that the library takes; it estimates nothing.
type resends struct{}

var _ cc.BandwidthEstimator = resends{}

// GetTargetBitrate is the bound.
func (resends) GetTargetBitrate() int { return maxResends }

// AddStream changes nothing.
func (resends) AddStream(_ *interceptor.StreamInfo, w interceptor.RTPWriter) interceptor.RTPWriter {
	return w
}

// WriteRTCP learns nothing.
func (resends) WriteRTCP([]rtcp.Packet, interceptor.Attributes) error { return nil }

// OnTargetBitrateChange is never: the bound stays.
func (resends) OnTargetBitrateChange(func(int)) {}

// GetStats has none.
func (resends) GetStats() map[string]any { return nil }

// Close closes nothing.
func (resends) Close() error { return nil }
