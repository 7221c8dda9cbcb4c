package gateway

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// gatewayNetwork is how orchestrators are found, and what is known of them.
type gatewayNetwork struct {
	discoveryWait videorouting.DiscoveryWait
	orchestrators orchestrators
	client        *upstream.Client
	hooks         *http.Client
	suspended     videorouting.Suspensions
	// measures are the orchestrators' measured performance.
	measures measures
	survey   survey
	// outdated are the orchestrators that reported terms in use as outdated.
	outdated videorouting.Outdated
	statuses upstream.StatusChanges
}

// gatewayLimits bound what clients take.
type gatewayLimits struct {
	// downloads are the players that fetch segments; buffers is the pool of their buffers.
	downloads *admission.Downloads
	buffers   sync.Pool
	// admissions asks the admission hook about pushers.
	admissions *admissions
	bodies     *budget
	// uncheckedLog limits log lines about unchecked segments.
	uncheckedLog rateLimitedLog
	watchers     *admission.Shares
	// uncheckedStreams bounds the streams that unchecked clients began.
	uncheckedStreams *admission.Shares
	conns            *admission.Gate
}

// gatewayListener is the listener's server, and how it is handed over.
type gatewayListener struct {
	handover *admission.Handover
	handler  http.Handler
	// http serves the listener from Run on; retiring closes its connections after a handover.
	http     *http.Server
	retiring sync.WaitGroup
}

// gatewayLifetime is the time until the gateway stops.
type gatewayLifetime struct {
	// ctx ends when the gateway stops; wg counts background discoveries and session ends. stopping
	// is closed before the server shuts down.
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup
	stopOnce sync.Once
	stopping chan struct{}
}

// gatewayStreams are the streams and what they count for.
type gatewayStreams struct {
	// mu guards what follows.
	mu sync.Mutex
	// streams are by the name under which they are pushed.
	streams map[core.ManifestID]*stream
	// checkedStreams bounds those of them that count for no unchecked client.
	checkedStreams keyShares
	// published are the publications of each unchecked client.
	published map[netip.Prefix]int
	// endedUntil are ended streams that players may still read until the given time.
	endedUntil map[core.ManifestID]time.Time
}
